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
use folder::Config;
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
            let server = PreviewServer::start(data.path(), self.listen).await?;
            let outcome = self.show(&server, global).await;
            server.stop().await;
            outcome
        })
    }

    /// Until it is interrupted.
    async fn show(self, server: &PreviewServer, global: &Global) -> Result<ExitCode> {
        let mut changes = watch::Changes::of(&self.folder)?;
        let config = Config::read(&self.folder).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        let settings: Vec<(String, String)> = config.settings.clone().into_iter().collect();
        if !settings.is_empty() {
            server.set(settings).await.context("recto.toml: [settings]")?;
        }
        let push = Push::for_preview(
            PushCommand::to(self.folder.clone(), &server.api, &server.account.token),
            config,
        )
        .await?;
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
                () = changes.next() => {}
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
