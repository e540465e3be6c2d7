//! `recto serve`: opens everything, says how to publish a first page, runs until it is told to stop.

mod background;
mod descriptors;
mod greeting;
mod listeners;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use blob::Blob;
use media::Ffmpeg;
use model::{AccountName, SystemClock};
use publisher::{Publisher, Settings, UploadSettings};
use server::{
    App, AppParts, Limiter, ListenLimits, PrometheusBuilder, PrometheusHandle, Sites, SitesSettings,
};
use store::Store;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::signal::unix::Signal;
use tokio_util::sync::CancellationToken;

use self::greeting::{Addresses, greet};
use self::listeners::{bind, limits_of, signals};
use crate::config::Config;
use crate::{Global, output};

const TIDY_METRICS_EVERY: Duration = Duration::from_secs(60);
/// For what was accepted, on top of what the listener allows.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Reads of uploads and packs, and compressing: more at once do not make a disk faster.
const SITES_BLOCKING_THREADS: usize = 64;
/// Of the admin listener.
const ADMIN_CONNECTIONS: usize = 16;
const FIRST_ACCOUNT: &str = "My Site";
/// A third of the share of a site's thread.
const WORK_PRIORITY: i32 = 5;
const FIRST_PLAN: &str = "pro";

pub fn serve(global: &Global, dev: bool) -> Result<()> {
    let config = Config::load(global)?;
    start_log(&config);
    media::harden_server().context("close the process to inspection")?;
    let limits = limits_of(&config);
    let publisher = open(&config)?;
    let sites = sites_runtime()?;
    let result = work_runtime()?.block_on(run(config, limits, publisher, sites.handle(), dev, global.json));
    // Reads that are still running have no client any more.
    sites.shutdown_background();
    result
}

pub fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().context("start the runtime")
}

/// Of everything but sites: its threads leave the processor to those of the sites when there is not enough for both.
fn work_runtime() -> Result<Runtime> {
    let make_way = || {
        let _ = rustix::process::nice(WORK_PRIORITY);
    };
    Builder::new_multi_thread().enable_all().on_thread_start(make_way).build().context("start the runtime")
}

/// Sites have threads of their own: whatever the API, builds and uploads do with theirs, visitors are answered. So are
/// signals and the admin listener.
fn sites_runtime() -> Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_name("recto-sites").max_blocking_threads(SITES_BLOCKING_THREADS);
    builder.build().context("start the runtime of the sites")
}

/// Opens what a configuration names, whether or not a server runs on it.
pub fn open(config: &Config) -> Result<Publisher> {
    let (store, blob) = (open_store(config)?, open_objects(config)?);
    let settings = Settings {
        plans: config.plans.clone(),
        build_cooldown: config.build_cooldown,
        postpone_builds: config.postpone_builds,
        site_url: config.site_url.clone(),
        domain_scheme: config.site_scheme,
        purge_after: config.purge_after,
        keep_releases: config.keep_releases,
        build_time_limit: config.build_time_limit,
        disks: disks_of(config),
        min_free: config.min_free,
        uploads: uploads_of(config)?,
    };
    Ok(Publisher::new(store, blob, Arc::new(SystemClock), settings))
}

/// Where we write: the database or the files that wait, and the objects.
fn disks_of(config: &Config) -> Vec<PathBuf> {
    let objects = config.objects.strip_prefix("file:").map(PathBuf::from);
    [config.data.clone()].into_iter().chain(objects).collect()
}

fn open_store(config: &Config) -> Result<Store> {
    create_data_dir(&config.data)?;
    Store::open(&config.store).context("open the database (`recto doctor` tells more)")
}

pub fn open_objects(config: &Config) -> Result<Blob> {
    let opened = Blob::from_url(&config.objects, |name| std::env::var(name).ok());
    opened.context("open what objects.url names (`recto doctor` tells more)")
}

pub fn uploads_of(config: &Config) -> Result<UploadSettings> {
    let program = std::env::current_exe().context("find the program that runs")?;
    // On the disk of the objects, where they are a directory: a file then need not be copied.
    let mut uploads = UploadSettings::new(config.data.join("uploads"), program);
    uploads.worker.sandbox = config.sandbox;
    let search = std::env::var_os("PATH").unwrap_or_default();
    Ok(UploadSettings {
        ffmpeg: Ffmpeg::find(uploads.worker.clone(), std::env::split_paths(&search)),
        workers: config.upload_workers,
        large: config.large_uploads,
        ..uploads
    })
}

/// What would otherwise be known by the first upload that fails.
fn warn_of_missing_walls(worker: &media::Program) {
    match media::sandbox_walls(worker) {
        Ok(Some(_)) => {}
        Ok(None) => tracing::warn!("uploads are opened without a sandbox (uploads.sandbox is off)"),
        Err(failure) => tracing::error!(%failure, "uploads cannot be opened"),
    }
}

/// Only its owner may look inside: it holds everybody's pages.
fn create_data_dir(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("create the data directory {} (--data chooses another)", path.display()))
}

async fn run(
    config: Config,
    limits: ListenLimits,
    publisher: Publisher,
    sites: &Handle,
    dev: bool,
    json: bool,
) -> Result<()> {
    // From here on a signal stops gracefully.
    let (term, int) = signals(sites)?;
    // Listening comes first: a token that is shown once must not be lost to a port that is taken.
    let api_listener = bind(config.api_listen, "api.listen").await?;
    let sites_listener = sites.spawn(bind(config.sites_listen, "sites.listen")).await??;
    let admin_listener = match config.admin_listen {
        Some(address) => Some(sites.spawn(bind(address, "admin.listen")).await??),
        None => None,
    };
    publisher.check_objects().await?;
    publisher.sweep_spool()?;
    warn_of_unknown_plans(&publisher).await?;
    let first =
        publisher.first_set_up(AccountName::parse(FIRST_ACCOUNT).map_err(anyhow::Error::msg)?, FIRST_PLAN);
    let (first, addresses) = (first.await?, Addresses::of(&api_listener, &sites_listener)?);
    if !json {
        let sites = publisher.site_list().await?;
        greet(&publisher, first.as_ref(), &sites, &addresses, &config);
    } else if let Some(first) = &first {
        // For programs there is only what they cannot know.
        output::json(first);
    }

    let stop = CancellationToken::new();
    publisher.expect_uploads();
    let worker = uploads_of(&config)?.worker;
    std::thread::spawn(move || warn_of_missing_walls(&worker));
    let mut helpers = background::start(&publisher, &config, &stop);
    if let Some(listener) = admin_listener {
        // Only where somebody reads them: figures that are never read would pile up.
        let metrics = PrometheusBuilder::new().install_recorder().context("start the metrics")?;
        helpers.push(sites.spawn(tidy_metrics(metrics.clone(), stop.clone())));
        let limits = ListenLimits { max_connections: ADMIN_CONNECTIONS, ..limits.clone() };
        helpers.push(sites.spawn(server::serve(
            listener,
            server::admin_router(metrics),
            limits,
            stop.clone(),
        )));
    }
    sites.spawn(stop_on_signal(term, int, stop.clone()));
    helpers.push(sites.spawn(server::serve(
        sites_listener,
        sites_of(&config, &publisher)?,
        limits.clone(),
        stop.clone(),
    )));
    tracing::info!(api = addresses.api, sites = addresses.sites, dev, "listening");
    server::serve(api_listener, server::router(app_of(&config, &publisher, dev)), limits, stop).await;
    for helper in helpers {
        let _ = helper.await;
    }
    match tokio::time::timeout(CLOSE_TIMEOUT, publisher.close()).await {
        Ok(()) => tracing::info!("stopped"),
        Err(_) => tracing::warn!("stopped, although the database has not answered to the end"),
    }
    Ok(())
}

fn app_of(config: &Config, publisher: &Publisher, dev: bool) -> App {
    App::new(AppParts {
        publisher: publisher.clone(),
        limiter: Limiter::memory(),
        clock: Arc::new(SystemClock),
        trusted_proxies: config.trusted_proxies.clone(),
        dev,
        max_body: config.max_body.0,
    })
}

fn sites_of(config: &Config, publisher: &Publisher) -> Result<Sites> {
    let settings = SitesSettings {
        clock: Arc::new(SystemClock),
        trusted_proxies: config.trusted_proxies.clone(),
        secure_cookies: config.site_scheme == "https",
        cache_bytes: config.site_cache.0,
        list_sites: config.is_local(),
    };
    // Connections to S3 belong to the runtime that opened them, so sites open their own.
    Ok(Sites::new(publisher.with_objects(open_objects(config)?), settings))
}

async fn warn_of_unknown_plans(publisher: &Publisher) -> Result<()> {
    for (account, plan) in publisher.accounts_without_plan().await? {
        tracing::warn!(%account, plan, "the plan is not configured: no builds until `recto account plan` gives another");
    }
    Ok(())
}

/// The first signal stops gracefully, the second at once.
async fn stop_on_signal(mut term: Signal, mut int: Signal, stop: CancellationToken) {
    for _ in 0..2 {
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
        if stop.is_cancelled() {
            std::process::exit(1);
        }
        tracing::info!("stopping: finishing what was accepted");
        stop.cancel();
    }
}

/// Sums up what was measured, also when nobody asks for it.
async fn tidy_metrics(metrics: PrometheusHandle, stop: CancellationToken) {
    while tokio::time::timeout(TIDY_METRICS_EVERY, stop.cancelled()).await.is_err() {
        metrics.run_upkeep();
    }
}

fn start_log(config: &Config) {
    let filter = config.log_filter.clone();
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let log =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours);
    if config.log_json {
        log.json().flatten_event(true).init();
    } else {
        log.with_target(false).init();
    }
}
