//! `recto dev`: shows a folder of Markdown as a site while it is being written.
//!
//! It is a server with a temporary data directory, to which the folder is pushed after each change: what it shows is
//! what a push publishes. Drafts and pages with a date in the future are shown as well, and marked. Until the first build has
//! ended, a page is generated when it is opened.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use folder::{Config, Options, Reader};
use model::{Clock, Section, SystemClock};
use publisher::{PreviewPage, SiteSettings};
use tokio::signal::unix::{SignalKind, signal};

use super::push::{Push, PushCommand, note, publish_all, watch};
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
        serve::block_on(async {
            // From now on: an interrupted process would leave its temporary directory behind.
            let mut interruption = signal(SignalKind::interrupt()).context("listen for Ctrl-C")?;
            let changes = watch::Changes::of(&self.folder)?;
            // While the server starts. What is wrong with the folder is reported when it is read again for the first push.
            let (folder, config) = (self.folder.clone(), Config::read(&self.folder).unwrap_or_default());
            let reading = tokio::task::spawn_blocking(move || {
                let settings = settings_of(&config);
                let options = Options { content_type: config.content_type, ignore: config.ignore };
                let mut reader = Reader::new(&folder, options);
                let folder = reader.read(&|_| ()).ok();
                (reader, folder, settings)
            });
            let server = PreviewServer::start(data.path(), self.listen).await?;
            self.announce(&server.url, global);
            let showing = async {
                let (reader, folder, settings) = reading.await.context("read the folder")?;
                if let Some(mut folder) = folder {
                    let unpublished = publish_all(&mut folder);
                    server.show_unbuilt(settings, folder.pages.iter().map(|page| shown(page)).collect());
                    server.show(|state| state.unpublished = unpublished);
                }
                self.show(&server, reader, changes).await
            };
            let outcome = tokio::select! {
                failed = showing => failed.map(|never| match never {}),
                _ = interruption.recv() => Ok(ExitCode::SUCCESS),
            };
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

    /// Publishes the folder after each change, without end.
    async fn show(
        &self,
        server: &PreviewServer,
        reader: Reader,
        mut changes: watch::Changes,
    ) -> Result<Infallible> {
        let command = PushCommand::to(self.folder.clone(), &server.api, &server.account.token);
        let mut push = Push::for_preview(command, reader).await?;
        loop {
            update(server, push.preview().await);
            push.look_ahead().await;
            changes.next().await;
        }
    }
}

/// Those that are right: what is wrong with the others is reported by the first push.
fn settings_of(config: &Config) -> SiteSettings {
    let mut settings = SiteSettings::default();
    for setting in &config.settings {
        let _ = settings.set(&setting.key, &setting.value);
    }
    settings
}

/// A page without the files it shows, which get their addresses from the first push.
fn shown(page: &folder::Page) -> PreviewPage {
    let no_address = |_: &str| Some(String::new());
    PreviewPage {
        key: page.key.clone(),
        section_spelling: Section::parse_typed(&page.section).ok().and_then(|(_, spelling)| spelling),
        title: page.title.clone(),
        description: Some(page.description.clone()).filter(|text| !text.is_empty()),
        tags: page.tags.as_slice().to_vec(),
        published_at: page.published_at,
        api_endpoint: page.api_endpoint.clone(),
        params: page.params_for_upload(no_address).to_string(),
        content: page.text.for_upload(no_address),
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
                state.unbuilt = None;
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
