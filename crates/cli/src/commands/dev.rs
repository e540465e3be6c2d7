//! `recto dev`: shows a folder of Markdown as a site while it is being written.
//!
//! It is a server with a temporary data directory, to which the folder is pushed after each change: what it shows is
//! what a push publishes. Drafts and pages with a date in the future are shown as well, and marked.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use folder::{Config, Options, Reader};
use model::{Clock, SystemClock};

use super::push::{Push, PushCommand, note, watch};
use crate::serve::{self, PreviewServer};
use crate::{Global, output};

#[derive(Args)]
pub struct DevCommand {
    /// The folder; it may have a recto.toml
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where the site is shown
    #[arg(long, default_value = "127.0.0.1:8082")]
    listen: SocketAddr,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl DevCommand {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let data = tempfile::tempdir().context("make a temporary directory")?;
        serve::runtime()?.block_on(async {
            let changes = watch::Changes::of(&self.folder)?;
            // While the server starts. What is wrong with the folder is reported when it is read again for the first push.
            let (folder, config) = (self.folder.clone(), Config::read(&self.folder).unwrap_or_default());
            let reading = tokio::task::spawn_blocking(move || {
                let options = Options { content_type: config.content_type, ignore: config.ignore };
                let mut reader = Reader::new(&folder, options);
                let _ = reader.read(&|_| ());
                reader
            });
            let server = PreviewServer::start(data.path(), self.listen).await?;
            self.announce(&server.url, global);
            let reader = reading.await.context("read the folder")?;
            let outcome = self.show(&server, reader, changes).await;
            server.stop().await;
            outcome
        })
    }

    /// A browser shows what is wrong, too, and loads the page again after the first build.
    fn announce(&self, url: &str, global: &Global) {
        match global.json {
            true => output::json(&serde_json::json!({ "url": url })),
            false => output::line(format!("{url} shows {}; stop with Ctrl-C", self.folder.display())),
        }
        if !self.no_open && !global.json {
            output::open_browser(url);
        }
    }

    /// Until it is interrupted.
    async fn show(
        self,
        server: &PreviewServer,
        reader: Reader,
        mut changes: watch::Changes,
    ) -> Result<ExitCode> {
        let command = PushCommand::to(self.folder.clone(), &server.api, &server.account.token);
        let mut push = Push::for_preview(command, reader).await?;
        let mut interruption = std::pin::pin!(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                outcome = push.preview() => update(server, outcome),
                _ = &mut interruption => return Ok(ExitCode::SUCCESS),
            }
            tokio::select! {
                () = async {
                    push.look_ahead().await;
                    changes.next().await;
                } => {}
                _ = &mut interruption => return Ok(ExitCode::SUCCESS),
            }
        }
    }
}

/// Shows a new build, or what is wrong, in the terminal and on the pages.
fn update(server: &PreviewServer, outcome: Result<Option<BTreeMap<String, String>>>) {
    match outcome {
        Ok(unpublished) => server.show(|state| {
            state.problems.clear();
            // Open pages wait for the first build, even of an empty folder.
            if unpublished.is_some() || state.version == 0 {
                (state.version, state.unpublished) = (state.version + 1, unpublished.unwrap_or_default());
            }
        }),
        Err(error) => {
            let text = format!("{error:#}");
            note(&text);
            server.show(|state| state.problems = text.lines().map(str::to_owned).collect());
        }
    }
}

/// Why a page is not public yet.
pub(super) fn unpublished(page: &folder::Page) -> Option<String> {
    match page.published_at {
        _ if page.draft => Some("draft".to_owned()),
        Some(time) if time > SystemClock.now() => Some(format!("from {time}")),
        _ => None,
    }
}
