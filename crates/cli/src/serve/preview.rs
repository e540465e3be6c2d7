//! The server of `recto dev`: everything in a temporary directory, the API on a spare port, and the site for any host.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use model::{AccountName, Clock, SystemClock};
use publisher::{AccountCreated, PreviewPage, Publisher, SiteSettings, UnbuiltSite};
use server::{ListenLimits, Preview, PreviewState};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::clock::DatabaseClock;
use super::roles::Roles;
use super::{FIRST_PLAN, app_of, background, create_private_files, open_with, sites_of, start_log};
use crate::config::Config;

const ACCOUNT: &str = "Preview";

pub struct PreviewServer {
    publisher: Publisher,
    /// The URL of the API.
    pub api: String,
    pub account: AccountCreated,
    /// Where the site is.
    pub url: String,
    state: watch::Sender<PreviewState>,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

impl PreviewServer {
    pub async fn start(data: &Path, listen: SocketAddr) -> Result<PreviewServer> {
        let listener = TcpListener::bind(listen).await.with_context(|| {
            format!("listen on {listen} (is another `recto dev` running? --listen sets the address)")
        })?;
        let address = listener.local_addr()?;
        let config = Config::for_preview(data, address)?;
        start_log(&config);
        create_private_files();
        let clock = Arc::<DatabaseClock>::default();
        let publisher = open_with(&config, config.schema, clock.clone())?;
        clock.correct(&publisher).await?;
        publisher.check_objects().await?;
        let name = AccountName::parse(ACCOUNT).map_err(anyhow::Error::msg)?;
        let account = publisher.first_set_up(name, FIRST_PLAN).await?;
        let account = account.context("the temporary directory is in use")?;

        let stop = CancellationToken::new();
        let mut tasks = background::start(&publisher, &config, &Roles::all(), &stop);
        publisher.start_upload_workers();
        let api = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("listen on a spare port")?;
        let api_address = api.local_addr()?;
        let router = server::router(app_of(&config, &publisher, clock.clone(), true));
        tasks.push(tokio::spawn(server::serve(api, router, ListenLimits::default(), stop.clone())));

        let (state, states) = watch::channel(PreviewState::default());
        let host = account.deploy_url.trim_start_matches("http://").parse().context("the site's host")?;
        let preview = Preview::new(sites_of(&config, &publisher, clock)?, host, states);
        tasks.push(tokio::spawn(server::serve(listener, preview, ListenLimits::default(), stop.clone())));
        Ok(PreviewServer {
            publisher,
            api: format!("http://{api_address}"),
            account,
            url: format!("http://{address}"),
            state,
            stop,
            tasks,
        })
    }

    /// Shows pages before the first build.
    pub fn show_unbuilt(&self, settings: SiteSettings, pages: Vec<PreviewPage>) {
        let (origin, title) = (&self.account.deploy_url, ACCOUNT.to_lowercase());
        let unbuilt = UnbuiltSite::new(origin, &title, settings, pages, SystemClock.now());
        self.show(|state| state.unbuilt = Some(Arc::new(unbuilt)));
    }

    /// Changes what open pages show; with another version they are loaded again.
    pub fn show(&self, change: impl FnOnce(&mut PreviewState)) {
        self.state.send_modify(change);
    }

    pub async fn stop(self) {
        self.stop.cancel();
        // Their connections would otherwise stay open until the grace period ends.
        drop(self.state);
        for task in self.tasks {
            task.abort();
        }
        self.publisher.close().await;
    }
}
