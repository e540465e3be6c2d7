//! `recto serve`: opens database and objects, prints how to publish a first page, and runs until a signal.

mod background;
mod backups;
mod clock;
mod descriptors;
mod greeting;
mod inherited;
mod listeners;
mod preview;
mod readiness;
mod roles;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use backup::Installation;
use blob::Blob;
use limits::Limiter;
use media::Ffmpeg;
use model::{AccountName, Clock, SystemClock};
use publisher::{Publisher, Settings, UploadSettings};
use rustix::fs::Mode;
use server::{App, AppParts, Health, ListenLimits, Sites, SitesSettings, Threads};
use store::{Deadlines, Schema, Store};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::signal::unix::Signal;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::clock::DatabaseClock;
use self::greeting::{Addresses, First, MAX_LISTED, print_greeting};
use self::inherited::Inherited;
use self::listeners::{Listeners, limits_of, signals};
pub use self::preview::PreviewServer;
use self::roles::Role;
pub use self::roles::Roles;
use crate::config::Config;
use crate::{Global, ServeArgs, output};

/// For closing the database, after the listeners have ended.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// For reading uploads and packs, and for compression: more threads do not make a disk faster.
const SITES_BLOCKING_THREADS: usize = 64;
/// The most connections of the admin listener.
const ADMIN_CONNECTIONS: usize = 16;
const FIRST_ACCOUNT: &str = "My Site";
/// The nice value of the worker threads. Ten below the threads that serve sites, so that the kernel lets those interrupt
/// them at once; with half of it, a page view sometimes waits for milliseconds.
const WORK_PRIORITY: i32 = 10;
const FIRST_PLAN: &str = "pro";

pub fn serve(global: &Global, arguments: &ServeArgs) -> Result<()> {
    let inherited = Inherited::of_environment()?;
    let config = Config::load(global)?;
    start_log(&config);
    create_private_files();
    media::harden_server().context("protect the process from inspection by others")?;
    allocator::return_memory_soon();
    let clock = Arc::<DatabaseClock>::default();
    let (work, sites) = (work_runtime()?, sites_runtime()?);
    // Threads inherit the priority of the one that starts them: those of the database are as low as the workers.
    let open = {
        let clock = clock.clone();
        work.spawn_blocking(move || open_with(&config, config.schema, clock).map(|opened| (config, opened)))
    };
    let (config, publisher) = work.block_on(open).context("open the database")??;
    let node = Node { config, publisher, clock, arguments, json: global.json };
    let result = work.block_on(node.run(inherited, sites.handle()));
    // Reads that are still running have no client any more: do not wait for them.
    sites.shutdown_background();
    result
}

/// Does the work of a command. Boxed, because the runtime would be compiled for each of them.
pub fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut done = None;
    let work: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async { done = Some(work.await) });
    Builder::new_multi_thread().enable_all().build().context("start the runtime")?.block_on(work);
    done.expect("the work has ended")
}

/// For everything except serving sites. Its threads have a lower priority than those that serve sites.
fn work_runtime() -> Result<Runtime> {
    let lower_priority = || {
        let _ = rustix::process::setpriority_process(None, WORK_PRIORITY);
    };
    Builder::new_multi_thread()
        .enable_all()
        .on_thread_start(lower_priority)
        .build()
        .context("start the runtime")
}

/// Accepts the connections of sites, so that visitors do not wait for the API, builds or uploads, and handles signals
/// and the admin listener.
fn sites_runtime() -> Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().worker_threads(2).thread_name("recto-accept");
    builder.build().context("start the runtime of the sites")
}

/// One for each processor.
fn sites_threads() -> Result<Threads> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let blocking = (SITES_BLOCKING_THREADS / processors).max(4);
    Threads::start("recto-sites", processors, blocking).context("start the threads of the sites")
}

/// Opens the configured database and objects. A server may be running on them at the same time. `Schema::Keep` is for
/// commands that only read.
pub fn open(config: &Config, schema: Schema) -> Result<Publisher> {
    open_with(config, schema, Arc::new(SystemClock))
}

fn open_with(config: &Config, schema: Schema, clock: Arc<dyn Clock>) -> Result<Publisher> {
    let (store, blob) = (open_store(config, schema)?, open_objects(config)?);
    let settings = Settings {
        plans: config.plans.clone(),
        build_cooldown: config.build_cooldown,
        postpone_builds: config.postpone_builds,
        site_url: config.site_url.clone(),
        domain_scheme: config.site_scheme,
        purge_after: config.purge_after,
        keep_releases: config.keep_releases,
        custom_head: config.custom_head,
        private_hubs: config.private_hubs,
        build_time_limit: config.build_time_limit,
        disks: disks_of(config),
        min_free: config.min_free,
        uploads: uploads_of(config)?,
    };
    Ok(Publisher::new(store, blob, clock, settings))
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
    open_storage(&config.objects)
        .context("open the object store, objects.url (run `recto doctor` for details)")
}

/// A directory or a bucket.
pub fn open_storage(url: &str) -> Result<Blob> {
    Ok(Blob::from_url(url, |name| std::env::var(name).ok())?)
}

/// What backups copy.
pub fn installation_of(config: &Config) -> Result<Installation> {
    Ok(Installation {
        store: config.store.clone(),
        objects: open_objects(config)?,
        scratch: config.data.clone(),
    })
}

/// Files that are created from here on are accessible by their owner only: they contain the data of all accounts.
pub fn create_private_files() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
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
        limits: config.limits.clone(),
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

/// What a running server consists of.
struct Node<'a> {
    config: Config,
    publisher: Publisher,
    clock: Arc<DatabaseClock>,
    arguments: &'a ServeArgs,
    json: bool,
}

impl Node<'_> {
    /// Until a signal. `sites` is the runtime that serves them.
    async fn run(mut self, inherited: Inherited, sites: &Handle) -> Result<()> {
        // From here on a signal shuts down gracefully.
        let (term, int) = signals(sites)?;
        // Bind first: the token of the first account is shown only once and must not be lost because a port is in use.
        let listeners = Listeners::bind(&self.config, &self.arguments.roles, inherited, sites).await?;
        // An inherited socket may have another address than the configuration, or be reachable by others.
        if let Some(listener) = &listeners.sites {
            self.config.sites_listen = listener.local_addr()?;
        }
        if let Some(listener) = &listeners.api
            && self.config.api_url == format!("http://{}", self.config.api_listen)
        {
            self.config.api_url = format!("http://{}", listener.local_addr()?);
        }
        self.clock.correct(&self.publisher).await?;
        self.publisher.check_objects().await?;
        self.publisher.sweep_spool()?;
        connect_limits(&self.config, sites).await;
        warn_of_unknown_plans(&self.publisher).await?;
        let addresses = Addresses::of(&listeners)?;
        self.greet(&addresses).await?;
        let stop = CancellationToken::new();
        sites.spawn(stop_on_signal(term, int, stop.clone()));
        let tasks = self.start(listeners, sites, &stop)?;
        let ServeArgs { dev, roles } = self.arguments;
        tracing::info!(roles = roles.names(), api = addresses.api, sites = addresses.sites, dev, "listening");
        readiness::report("READY=1");
        for task in tasks {
            let _ = task.await;
        }
        match tokio::time::timeout(CLOSE_TIMEOUT, self.publisher.close()).await {
            Ok(()) => tracing::info!("stopped"),
            Err(_) => tracing::warn!("stopped; the database did not close in time"),
        }
        Ok(())
    }

    /// Starts what the roles ask for. Everything ends soon after `stop` is cancelled.
    fn start(
        &self,
        listeners: Listeners,
        sites: &Handle,
        stop: &CancellationToken,
    ) -> Result<Vec<JoinHandle<()>>> {
        let Node { config, publisher, clock, arguments: ServeArgs { dev, roles }, .. } = self;
        let limits = limits_of(config);
        let mut tasks = background::start(publisher, config, roles, stop);
        tasks.push(tokio::spawn(background::correct_clock(publisher.clone(), clock.clone(), stop.clone())));
        if roles.has(Role::Worker) {
            tasks.extend(backups::start(config, clock.clone(), stop)?);
        }
        if let Some(listener) = listeners.admin {
            let limits = ListenLimits { max_connections: ADMIN_CONNECTIONS, ..limits.clone() };
            let health = Health::new(publisher.clone(), config.limits.clone(), roles.need_database());
            let router = server::admin_router(health);
            tasks.push(sites.spawn(server::serve(listener, router, limits, stop.clone())));
        }
        if let Some(listener) = listeners.sites {
            let handler = sites_of(config, publisher, clock.clone())?;
            let serving =
                server::serve_on(sites_threads()?, listener, handler.into(), limits.clone(), stop.clone());
            tasks.push(sites.spawn(serving));
        }
        if let Some(listener) = listeners.api {
            publisher.start_upload_workers();
            let worker = uploads_of(config)?.worker;
            std::thread::spawn(move || check_sandbox(&worker));
            let router = server::router(app_of(config, publisher, clock.clone(), *dev));
            tasks.push(tokio::spawn(server::serve(listener, router, limits, stop.clone())));
        }
        Ok(tasks)
    }

    /// Prints what a person needs to publish a first page. Accounts are for the API: without that role none is created.
    async fn greet(&self, addresses: &Addresses) -> Result<()> {
        let first = match self.arguments.roles.has(Role::Api) {
            true => {
                let name = AccountName::parse(FIRST_ACCOUNT).map_err(anyhow::Error::msg)?;
                self.publisher.first_set_up(name, FIRST_PLAN).await?
            }
            false => None,
        };
        if !self.json {
            // Only the API's greeting shows them.
            let sites = match addresses.api {
                Some(_) => self.publisher.oldest_sites(MAX_LISTED + 1).await?,
                None => Vec::new(),
            };
            let first = match first {
                Some(account) => Some(First::new(&self.publisher, account, &self.config.api_url).await?),
                None => None,
            };
            print_greeting(&self.publisher, first.as_ref(), &sites, addresses, &self.config);
        } else if let Some(first) = &first {
            // Programs need only the new account and its token.
            output::json(first);
        }
        Ok(())
    }
}

/// On the runtime of the sites: a busy API must not delay the answers of Redis beyond their deadline.
async fn connect_limits(config: &Config, sites: &Handle) {
    let limits = config.limits.clone();
    let _ = sites.spawn(async move { limits.start().await }).await;
}

fn app_of(config: &Config, publisher: &Publisher, clock: Arc<DatabaseClock>, dev: bool) -> App {
    App::new(AppParts {
        publisher: publisher.clone(),
        limiter: Limiter::new(config.limits.clone()),
        clock,
        trusted_proxies: config.trusted_proxies.clone(),
        dev,
        max_body: config.max_body.0,
        url: config.api_url.clone(),
    })
}

fn sites_of(config: &Config, publisher: &Publisher, clock: Arc<DatabaseClock>) -> Result<Sites> {
    let settings = SitesSettings {
        clock,
        trusted_proxies: config.trusted_proxies.clone(),
        secure_cookies: config.site_scheme == "https",
        cache_bytes: config.site_cache.0,
        list_sites: config.is_local(),
        limits: config.limits.clone(),
    };
    // Connections to S3 belong to a runtime, so the sites' runtime has its own.
    let objects = open_objects(config)?.with_cache(&config.data.join("site-cache"), config.site_disk_cache.0);
    Ok(Sites::new(publisher.with_objects(objects.context("open the cache of the sites")?), settings))
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
