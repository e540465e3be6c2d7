//! What the product does, free of HTTP: publish, list and delete pages, queue builds, run accounts, sites and
//! tokens. The API and the command line call the same functions.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod accounts;
mod bin;
mod build;
mod builds;
mod decide;
mod delete;
mod disk;
mod domains;
mod draft;
mod entry;
mod error;
mod export;
mod fields;
mod installation;
mod list;
mod media;
mod open_bytes;
mod orphans;
mod pace;
mod protection;
mod publish;
mod releases;
mod serving;
mod site_settings;
mod sites;
mod steps;
mod texts;
mod tidy;
mod tokens;
mod transcode;
mod turns;
mod upkeep;
mod uploads;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::media::{Ffmpeg, Program, Sandbox};
use blob::Blob;
use model::{ByteSize, Clock, Plan, SiteName};
use store::Store;
use store::usage::Quota;
use tokio::sync::Notify;

use crate::pace::Pace;
use crate::turns::Turns;

pub use ::media::{content_type as media_type, disposition};
pub use accounts::{AccountCreated, AccountUsage};
pub use blob::Error as ReadError;
pub use build::BuildReport;
pub use builds::Refusal;
pub use decide::{Target, decide};
pub use disk::DiskState;
pub use draft::{Draft, site_in_body, site_in_form};
pub use entry::{Entry, Identity, LongText, TextRef, check_entry};
pub use error::{AdminError, Error, FieldErrors, PageErrors, Unresolved};
pub use export::Exported;
pub use generator::{Settings as SiteSettings, url as page_url};
pub use installation::Belonging;
pub use list::{Cursor, ListBody, ListQuery};
pub use media::{Medium, MediumInfo};
pub use orphans::Orphans;
pub use releases::ReleaseInfo;
pub use serving::{Found, Visit, content_type};
pub use store::building::Worker;
pub use store::tokens::Caller;
pub use store::transcodes::Status as TranscodeStatus;
pub use store::usage::Limited;
pub use tidy::Tidied;
pub use tokens::TokenCreated;
pub use upkeep::Upkeep;
pub use uploads::{Files, Incoming, Reading, Spooled, Spooling, Uploads};
pub use verify::{Damage, Verified};

/// The operator's choices that the use cases depend on.
#[derive(Debug, Clone)]
pub struct Settings {
    pub plans: Vec<Plan>,
    /// Between two builds of a site; zero switches it off.
    pub build_cooldown: Duration,
    /// A build that is asked for during the cooldown waits for its end instead of being refused.
    pub postpone_builds: bool,
    /// The address of a site, with `{site}` for its name.
    pub site_url: String,
    /// `http` or `https`: how a site's own domains are reached.
    pub domain_scheme: &'static str,
    /// How long deleted pages can be restored.
    pub purge_after: Duration,
    /// How many releases of a site are kept for a rollback.
    pub keep_releases: usize,
    /// A build that takes longer has failed.
    pub build_time_limit: Duration,
    /// Directories whose disks we write to, that of the database first.
    pub disks: Vec<PathBuf>,
    /// The space that must be left there; without it the larger of 1 GB and 2 %.
    pub min_free: Option<ByteSize>,
    pub uploads: UploadSettings,
}

#[derive(Debug, Clone)]
pub struct UploadSettings {
    /// Where files wait until they are stored; best on the disk of the object store.
    pub directory: PathBuf,
    /// What opens files: this program, told to be a worker.
    pub worker: Program,
    /// Files that are opened at a time.
    pub workers: usize,
    /// Large files that arrive at a time.
    pub large: usize,
    /// Without it no MP4 is made of a MOV.
    pub ffmpeg: Option<Ffmpeg>,
}

impl UploadSettings {
    /// Of a server that opens two files at a time and makes no MP4.
    pub fn new(directory: PathBuf, recto: PathBuf) -> UploadSettings {
        let worker = Program { path: recto, args: vec!["media-worker".into()], sandbox: Sandbox::Required };
        UploadSettings { directory, worker, workers: 2, large: 8, ffmpeg: None }
    }
}

impl Settings {
    pub fn deploy_url(&self, site: &SiteName) -> String {
        self.site_url.replace("{site}", site.as_str())
    }

    /// What an account may use in all; nothing on a plan that was taken out of the configuration.
    fn quota(&self, plan: &str) -> Quota {
        self.plan(plan).map_or(Quota::default(), |plan| Quota {
            storage: plan.storage.0,
            pages: plan.pages,
            text: plan.text.0,
        })
    }

    /// The largest file of an account; none on a plan that was taken out of the configuration.
    fn file_size(&self, plan: &str) -> ByteSize {
        self.plan(plan).map_or(ByteSize(0), |plan| plan.file_size)
    }

    fn plan(&self, name: &str) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.name == name)
    }
}

/// The use cases, over one store and one clock.
#[derive(Clone)]
pub struct Publisher {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: Arc<Settings>,
    last_used: Arc<access::LastUsed>,
    listings: Arc<list::Listings>,
    blob: Blob,
    indexes: Arc<build::Indexes>,
    /// Somebody queued a build.
    queued: Arc<Notify>,
    hosts: Arc<serving::Hosts>,
    spool: Arc<uploads::Spool>,
    workplaces: Arc<uploads::Workplaces>,
    /// For work on texts that the async threads must not wait for.
    parsing: Arc<Turns>,
    /// For texts that are written ahead of their publish: one piece at a time, whoever writes.
    stashing: Arc<Turns>,
    /// Between large writes.
    pace: Arc<Pace>,
    open_bytes: Arc<open_bytes::OpenBytes>,
    disks: Arc<disk::Disks>,
    large_uploads: Arc<uploads::LargeUploads>,
    /// Somebody uploaded a MOV.
    transcodes_queued: Arc<Notify>,
}

impl Publisher {
    pub fn new(store: Store, blob: Blob, clock: Arc<dyn Clock>, settings: Settings) -> Publisher {
        let uploads = &settings.uploads;
        Publisher {
            spool: Arc::new(uploads::Spool::below(&uploads.directory)),
            workplaces: Arc::new(uploads::Workplaces::new(uploads)),
            parsing: Turns::new(std::thread::available_parallelism().map_or(2, usize::from).max(2)),
            stashing: Turns::new(1),
            pace: Arc::default(),
            open_bytes: Arc::default(),
            disks: Arc::new(disk::Disks::new(settings.disks.clone(), settings.min_free)),
            large_uploads: Arc::new(uploads::LargeUploads::new(uploads.large)),
            transcodes_queued: Arc::default(),
            store,
            clock,
            settings: Arc::new(settings),
            last_used: Arc::default(),
            listings: Arc::default(),
            blob,
            indexes: Arc::default(),
            queued: Arc::default(),
            hosts: Arc::default(),
        }
    }

    /// The same, with the same objects reached in another way.
    pub fn with_objects(&self, blob: Blob) -> Publisher {
        Publisher { blob, ..self.clone() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), Error> {
        self.store.read(|tx| Ok(store::ping(tx)?)).await
    }

    /// A disk with so little space left that nothing new is taken.
    pub fn low_disk(&self) -> Option<DiskState> {
        self.disks.lowest()
    }

    /// Every disk that we write to.
    pub fn disk_states(&self) -> Vec<DiskState> {
        self.disks.states()
    }

    /// Notes what is still to be noted and closes the database.
    pub async fn close(self) {
        if let Err(error) = self.flush_last_used().await {
            tracing::warn!(%error, "the last uses of tokens were not saved");
        }
        let store = self.store;
        let _ = tokio::task::spawn_blocking(move || store.close()).await;
    }
}
