//! The two servers, and the page that both serve.

use std::fs;

use anyhow::{Result, ensure};

use crate::corpus;
use crate::nginx::Nginx;
use crate::recto::Recto;
use crate::report::mb;

const PAGES: usize = 1000;
const SIZE: usize = 10 * 1024;

pub(super) struct Stage {
    pub recto: Recto,
    pub nginx: Nginx,
    /// Path of the page.
    pub path: String,
    size: usize,
    gzip_size: usize,
}

impl Stage {
    pub async fn set() -> Result<Stage> {
        let recto = Recto::start(&[]).await?;
        let mut pages = corpus::pages(PAGES);
        // One of these has about the desired size, whatever the theme adds.
        let candidates: Vec<_> =
            (1..20).map(|half| corpus::prose(&format!("prose-{half}"), half * 512)).collect();
        pages.extend(candidates.iter().cloned());
        recto.publish_all(None, &pages).await?;
        recto.build(None).await?;
        let mut sizes = Vec::new();
        for page in &candidates {
            sizes.push((recto.visit(&page.url(), None).await?.body.len().abs_diff(SIZE), page.url()));
        }
        let (_, path) = sizes.into_iter().min().expect("there are candidates");
        let root = recto.directory().join("export");
        recto.command(&["site", "export", recto.site(), &root.to_string_lossy()])?;
        let file = root.join(path.trim_start_matches('/')).join("index.html");
        let (plain, gzip) = (recto.visit(&path, None).await?, recto.visit(&path, Some("gzip")).await?);
        ensure!(plain.encoding.is_none() && gzip.encoding.as_deref() == Some("gzip"), "gzip is not served");
        ensure!(fs::read(&file)? == plain.body, "the export has other bytes than a visitor gets");
        fs::write(file.with_file_name("index.html.gz"), &gzip.body)?;
        let nginx = Nginx::start(&root)?;
        Ok(Stage { recto, nginx, path, size: plain.body.len(), gzip_size: gzip.body.len() })
    }

    pub fn describe(&self) -> String {
        format!(
            "the page is {} bytes, {} with gzip, the same bytes for both; the client runs on the same cores; recto has {} \
             at its highest",
            self.size,
            self.gzip_size,
            self.recto.memory_mb("VmHWM").map_or_else(|_| "?".into(), mb)
        )
    }
}
