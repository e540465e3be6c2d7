//! `recto serve`: opens database and objects, prints how to publish a first page, and runs until a signal.

mod background;
mod descriptors;
mod greeting;
mod inherited;
mod listeners;
mod readiness;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use blob::Blob;
use media::Ffmpeg;
use model::{AccountName, SystemClock};
use publisher::{Publisher, Settings, UploadSettings};
use server::{App, AppParts, Limiter, ListenLimits, Sites, SitesSettings};
use store::{Deadlines, Schema, Store};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::signal::unix::Signal;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::greeting::{Addresses, print_greeting};
use self::inherited::Inherited;
use self::listeners::{bind, limits_of, signals};
use crate::config::Config;
use crate::{Global, output};

/// For closing the database, after the listeners have ended.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// For reading uploads and packs, and for compression: more threads do not make a disk faster.
const SITES_BLOCKING_THREADS: usize = 64;
/// The most connections of the admin listener.
const ADMIN_CONNECTIONS: usize = 16;
const FIRST_ACCOUNT: &str = "My Site";
/// The nice value of the worker threads: about a third of the CPU share of a thread that serves sites.
const WORK_PRIORITY: i32 = 5;
const FIRST_PLAN: &str = "pro";

pub fn serve(global: &Global, dev: bool) -> Result<()> {
    let inherited = Inherited::of_environment()?;
    let config = Config::load(global)?;
    start_log(&config);
    media::harden_server().context("protect the process from inspection by others")?;
    let limits = limits_of(&config);
    let publisher = open(&config, config.schema)?;
    let sites = sites_runtime()?;
    let running = run(config, inherited, limits, publisher, sites.handle(), dev, global.json);
    let result = work_runtime()?.block_on(running);
    // Reads that are still running have no client any more: do not wait for them.
    sites.shutdown_background();
    result
}

pub fn runtime() -> Result<Runtime> {
    Builder::new_multi_thread().enable_all().build().context("start the runtime")
}

/// For everything except serving sites. Its threads have a lower priority than those that serve sites.
fn work_runtime() -> Result<Runtime> {
    let lower_priority = || {
        let _ = rustix::process::nice(WORK_PRIORITY);
    };
    Builder::new_multi_thread()
        .enable_all()
        .on_thread_start(lower_priority)
        .build()
        .context("start the runtime")
}

/// Sites are served by separate threads, so that visitors do not wait for the API, builds or uploads. The same threads
/// handle signals and the admin listener.
fn sites_runtime() -> Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_name("recto-sites").max_blocking_threads(SITES_BLOCKING_THREADS);
    builder.build().context("start the runtime of the sites")
}

/// Opens the configured database and objects. A server may be running on them at the same time. `Schema::Keep` is for
/// commands that only read.
pub fn open(config: &Config, schema: Schema) -> Result<Publisher> {
    let (store, blob) = (open_store(config, schema)?, open_objects(config)?);
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

/// The directories that Recto writes to: the data directory (database, spooled uploads) and the objects.
fn disks_of(config: &Config) -> Vec<PathBuf> {
    let objects = config.objects.strip_prefix("file:").map(PathBuf::from);
    [config.data.clone()].into_iter().chain(objects).collect()
}

fn open_store(config: &Config, schema: Schema) -> Result<Store> {
    if schema != Schema::Keep {
        create_data_dir(&config.data)?;
    } else if !config.data.is_dir() {
        let path = config.data.display();
        bail!("there is no data directory {path}: `recto serve` creates it (--data chooses another)");
    }
    Store::open_with(&config.store, schema, Deadlines::default())
        .context("open the database (run `recto doctor` for details)")
}

pub fn open_objects(config: &Config) -> Result<Blob> {
    let opened = Blob::from_url(&config.objects, |name| std::env::var(name).ok());
    opened.context("open the object store, objects.url (run `recto doctor` for details)")
}

pub fn uploads_of(config: &Config) -> Result<UploadSettings> {
    let program = std::env::current_exe().context("find the path of this program")?;
    // By default on the same disk as the objects: a file can then be moved instead of copied.
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

/// Logs a missing sandbox at the start, not only when the first upload fails.
fn check_sandbox(worker: &media::Program) {
    match media::check_sandbox(worker) {
        Ok(Some(_)) => {}
        Ok(None) => tracing::warn!("uploads are processed without a sandbox (uploads.sandbox is off)"),
        Err(failure) => {
            tracing::error!(%failure, "uploads cannot be processed: the sandbox is not available")
        }
    }
}

/// Only its owner has access: it contains the data of all accounts.
pub fn create_data_dir(path: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("create the data directory {} (--data chooses another)", path.display()))
}

async fn run(
    mut config: Config,
    mut inherited: Inherited,
    limits: ListenLimits,
    publisher: Publisher,
    sites: &Handle,
    dev: bool,
    json: bool,
) -> Result<()> {
    // From here on a signal shuts down gracefully.
    let (term, int) = signals(sites)?;
    // Bind first: the token of the first account is shown only once and must not be lost because a port is in use.
    let api_listener = bind(inherited.take("api"), config.api_listen, "api.listen").await?;
    let sites_listener = bind(inherited.take("sites"), config.sites_listen, "sites.listen");
    let sites_listener = sites.spawn(sites_listener).await??;
    let admin_listener = match (inherited.take("admin"), config.admin_listen) {
        (Some(socket), address) => {
            let address = address.unwrap_or(socket.local_addr()?);
            Some(sites.spawn(bind(Some(socket), address, "admin.listen")).await??)
        }
        (None, Some(address)) => Some(sites.spawn(bind(None, address, "admin.listen")).await??),
        (None, None) => None,
    };
    // An inherited socket may have another address than the configuration, or be reachable by others.
    config.sites_listen = sites_listener.local_addr()?;
    publisher.check_objects().await?;
    publisher.sweep_spool()?;
    warn_of_unknown_plans(&publisher).await?;
    let first =
        publisher.first_set_up(AccountName::parse(FIRST_ACCOUNT).map_err(anyhow::Error::msg)?, FIRST_PLAN);
    let (first, addresses) = (first.await?, Addresses::of(&api_listener, &sites_listener)?);
    if !json {
        let sites = publisher.site_list().await?;
        print_greeting(&publisher, first.as_ref(), &sites, &addresses, &config);
    } else if let Some(first) = &first {
        // Programs need only the new account and its token.
        output::json(first);
    }

    let stop = CancellationToken::new();
    publisher.start_upload_workers();
    let worker = uploads_of(&config)?.worker;
    std::thread::spawn(move || check_sandbox(&worker));
    let mut helpers = background::start(&publisher, &config, &stop);
    if let Some(listener) = admin_listener {
        let limits = ListenLimits { max_connections: ADMIN_CONNECTIONS, ..limits.clone() };
        helpers.push(sites.spawn(server::serve(listener, server::admin_router(), limits, stop.clone())));
    }
    sites.spawn(stop_on_signal(term, int, stop.clone()));
    helpers.push(sites.spawn(server::serve(
        sites_listener,
        sites_of(&config, &publisher)?,
        limits.clone(),
        stop.clone(),
    )));
    tracing::info!(api = addresses.api, sites = addresses.sites, dev, "listening");
    readiness::report("READY=1");
    server::serve(api_listener, server::router(app_of(&config, &publisher, dev)), limits, stop).await;
    for helper in helpers {
        let _ = helper.await;
    }
    match tokio::time::timeout(CLOSE_TIMEOUT, publisher.close()).await {
        Ok(()) => tracing::info!("stopped"),
        Err(_) => tracing::warn!("stopped; the database did not close in time"),
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
    // Connections to S3 belong to a runtime, so the sites' runtime has its own.
    Ok(Sites::new(publisher.with_objects(open_objects(config)?), settings))
}

async fn warn_of_unknown_plans(publisher: &Publisher) -> Result<()> {
    for (account, plan) in publisher.accounts_without_plan().await? {
        tracing::warn!(%account, plan, "plan is not configured: the account cannot build; set another with `recto account plan`");
    }
    Ok(())
}

/// The first signal shuts down gracefully, the second exits at once.
async fn stop_on_signal(mut term: Signal, mut int: Signal, stop: CancellationToken) {
    for _ in 0..2 {
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
        if stop.is_cancelled() {
            std::process::exit(1);
        }
        tracing::info!("shutting down: waiting for running requests");
        readiness::report("STOPPING=1");
        stop.cancel();
    }
}

fn start_log(config: &Config) {
    let filter = config.log_filter.clone();
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let log = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours);
    if config.log_json {
        tracing_subscriber::registry().with(log.json().flatten_event(true)).with(filter).init();
    } else {
        tracing_subscriber::registry().with(log.with_target(false)).with(filter).init();
    }
}
