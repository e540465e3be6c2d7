//! Pagefind: its program makes the index of a directory of HTML files, its own client answers in Node.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::Text;
use super::queries::Answer;
use crate::timing::ms_since;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pagefind/main.mjs");

pub struct Index {
    directory: tempfile::TempDir,
    pub ms: f64,
}

#[derive(Deserialize)]
struct Line {
    ms: f64,
    total: usize,
    urls: Vec<String>,
}

impl Index {
    pub fn new(texts: &[Text]) -> Result<Index> {
        let directory = tempfile::tempdir()?;
        for Text { page, rendered } in texts {
            let place = directory.path().join(page.url().trim_start_matches('/'));
            let (title, html) = (&page.title, &rendered.html);
            fs::create_dir_all(&place)?;
            let html = format!("<!doctype html><html lang=\"en\"><body><h1>{title}</h1>{html}</body></html>");
            fs::write(place.join("index.html"), html)?;
        }
        let start = std::time::Instant::now();
        let done = Command::new(tools()?.join("node_modules/.bin/pagefind"))
            .arg("--site")
            .arg(directory.path())
            .output()?;
        ensure!(done.status.success(), "pagefind: {}", String::from_utf8_lossy(&done.stderr));
        Ok(Index { directory, ms: ms_since(start) })
    }

    pub fn answers(&self, queries: &[&str]) -> Result<Vec<Answer>> {
        let mut node = Command::new("node")
            .arg(SCRIPT)
            .arg(self.directory.path().join("pagefind"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        node.stdin.take().context("stdin")?.write_all(&serde_json::to_vec(queries)?)?;
        let done = node.wait_with_output()?;
        ensure!(done.status.success(), "pagefind's client failed");
        let answer = |line: &str| {
            let Line { ms, total, urls } = serde_json::from_str(line)?;
            // Pagefind's URLs are those of directories.
            let urls = urls.into_iter().map(|url| url.trim_end_matches('/').to_owned()).collect();
            Ok(Answer { ms, total, urls })
        };
        str::from_utf8(&done.stdout)?.lines().map(answer).collect()
    }
}

fn tools() -> Result<PathBuf> {
    Ok(std::env::var_os("PAGEFIND_TOOLS").context("PAGEFIND_TOOLS: run bench/run")?.into())
}
