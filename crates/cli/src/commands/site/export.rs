//! `recto site export`: a release as plain files, or the pages as a folder of Markdown.

mod markdown;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use publisher::{Exported, Publisher};
use serde_json::json;

use crate::output;

#[derive(Args)]
pub struct Export {
    /// The site's id or name
    site: String,
    /// Created if missing
    directory: PathBuf,
    /// A release shown by `recto site releases`; default: the live release
    #[arg(long, value_name = "NUMBER")]
    release: Option<i64>,
    /// Export the pages as a folder of Markdown, which `recto push` publishes
    #[arg(long, conflicts_with = "release")]
    markdown: bool,
    /// Write into a directory that is not empty, overwriting files with the same names
    #[arg(long)]
    force: bool,
}

impl Export {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let directory = self.directory.as_path();
        let shown = directory.display();
        if !self.force && !is_empty(directory)? {
            bail!("{shown} is not empty; write into it with --force, or choose another directory");
        }
        if self.markdown {
            return markdown::export(publisher, &site, directory, json).await;
        }
        let progress = output::progress("{spinner} {pos} files ({per_sec})", json);
        let done =
            publisher.export(&site, self.release, directory, |files| progress.set_position(files as u64));
        let Exported { release, files, redirects, media } = done.await?;
        progress.finish_and_clear();
        if json {
            let directory = directory.to_string_lossy();
            output::json(&json!({
                "release": release, "directory": directory, "files": files, "redirects": redirects, "media": media,
            }));
            return Ok(());
        }
        output::line(format!(
            "release {release}: {files} files, {redirects} redirects and {media} uploads written to {shown}"
        ));
        output::line(format!("to view it: python3 -m http.server --directory {shown}"));
        output::line(
            "/search needs Recto; for a static host, index the files with a tool such as Pagefind".to_owned(),
        );
        Ok(())
    }
}

fn is_empty(directory: &Path) -> Result<bool> {
    match std::fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| format!("read the directory {}", directory.display())),
    }
}
