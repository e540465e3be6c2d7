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
            // While the server starts. What is wrong with the folder is reported when it is read again for the first push.
            let (folder, config) = (self.folder.clone(), Config::read(&self.folder).unwrap_or_default());
            let reading = std::thread::spawn(move || {
                let options = Options { content_type: config.content_type, ignore: config.ignore };
                let mut reader = Reader::new(&folder, options);
                let _ = reader.read(&|_| ());
                reader
            });
            let server = PreviewServer::start(data.path(), self.listen).await?;
            let reader = reading.join().expect("reading a folder does not panic");
            let outcome = self.show(&server, reader, global).await;
            server.stop().await;
            outcome
        })
    }

    /// Until it is interrupted.
    async fn show(self, server: &PreviewServer, reader: Reader, global: &Global) -> Result<ExitCode> {
        let mut changes = watch::Changes::of(&self.folder)?;
        let command = PushCommand::to(self.folder.clone(), &server.api, &server.account.token);
        let mut push = Push::for_preview(command, reader).await?;
        match global.json {
            true => output::json(&serde_json::json!({ "url": server.url })),
            false => {
                output::line(format!("{} shows {}; stop with Ctrl-C", server.url, self.folder.display()))
            }
        }
        let mut interruption = std::pin::pin!(tokio::signal::ctrl_c());
        let mut is_first = true;
        loop {
            tokio::select! {
                outcome = push.preview() => update(server, outcome),
                _ = &mut interruption => return Ok(ExitCode::SUCCESS),
            }
            if std::mem::take(&mut is_first) && !self.no_open && !global.json {
                output::open_browser(&server.url);
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
            if let Some(unpublished) = unpublished {
                (state.version, state.unpublished) = (state.version + 1, unpublished);
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
