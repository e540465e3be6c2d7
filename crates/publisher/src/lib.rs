//! The use cases, without HTTP: publish, list and delete pages, upload files, build sites, manage accounts, sites and
//! tokens. The API and the command line call the same functions.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accounts;
mod builds;
mod error;
mod limits;
mod media;
mod pages;
mod settings;
mod sites;
mod steps;
mod upkeep;

use std::sync::Arc;

use ::limits::LargeUploads;
use blob::Blob;
use model::{Clock, Timestamp};
use store::{Store, Tx};

use crate::accounts::access::LastUsed;
use crate::limits::disk::Disks;
use crate::limits::open_bytes::OpenBytes;
use crate::limits::pace::Pace;
use crate::sites::Searches;
use crate::sites::serving::Hosts;

pub use ::media::{Icon, content_type as media_type, disposition};
pub use ::search::Query as SearchQuery;
pub use accounts::{
    Access, AccountCreated, AccountUsage, Action, Actor, Assertion, AuditEntry, Invited, Registration,
    RelyingParty, TokenCreated, UserCreated,
};
pub use blob::Error as ReadError;
pub use builds::{BuildReport, Refusal};
pub use error::{Error, FieldErrors, PageErrors, Unresolved};
pub use generator::{Brand, PageCard, fill_search_page};
pub use generator::{Settings as SiteSettings, url as page_url};
pub use limits::disk::DiskState;
pub use limits::priority::run_low;
pub use limits::turns::Turns;
pub use media::uploads::{IncomingFile, ProcessedFiles, SpoolReader, SpoolWriter, SpooledFile, Uploads};
pub use media::{MediaFilter, MediaList, MediaPlace, Medium, MediumInfo, SmallerMedium};
pub use pages::{
    Cursor, Draft, Entry, Expected, Identity, JsonFields, ListBody, ListQuery, ListedPage, LongText,
    MarkdownQuery, PageFilter, PageList, PageOrder, PageState, ReferenceTime, StoredPage, Target, TextRef,
    Typed, check_entry, decide,
};
pub use settings::{Settings, UploadSettings, host_of};
pub use sites::drawn::initial;
pub use sites::public_address::is_public;
pub use sites::{
    ChangedPage, Exported, Found, ListedPages, PageEvent, PreviewPage, ReleaseChanges, ReleaseInfo,
    SearchResults, Searched, UnbuiltSite, content_type, is_html,
};
pub use store::autosaves::Autosave;
pub use store::building::Worker;
pub use store::builds::OpenBuild;
pub use store::hosts::HostedSite;
pub use store::links::Link;
pub use store::members::Member;
pub use store::pages::Page;
pub use store::passkeys::Passkey;
pub use store::sessions::Session;
pub use store::sites::Site;
pub use store::tokens::{Caller, Person, Token};
pub use store::transcodes::{OpenTranscode, Status as TranscodeStatus};
pub use store::trash::Deleted;
pub use store::usage::Limited;
pub use upkeep::{
    Belonging, Damage, Finding, Orphans, Tidied, Upkeep, Verdict, Verified, examine_ffmpeg, examine_sandbox,
};

/// Pieces of one account's texts that PostgreSQL stores at the same time, if no other account writes. It takes longer to
/// store a piece than to read the next one.
const STASHES_AT_ONCE: usize = 2;

/// The use cases, over one store and one clock.
#[derive(Clone)]
pub struct Publisher {
    store: Store,
    clock: Arc<dyn Clock>,
    settings: Arc<Settings>,
    last_used: Arc<LastUsed>,
    listings: Arc<pages::Listings>,
    blob: Blob,
    indexes: Arc<builds::Indexes>,
    hosts: Arc<Hosts>,
    searches: Arc<Searches>,
    known_uses: Arc<media::KnownUses>,
    spool: Arc<media::uploads::Spool>,
    file_processor: Arc<media::uploads::FileProcessor>,
    /// Turns for checking the entries of large requests.
    checking: Arc<Turns>,
    /// Turns for parsing texts, which would block the async threads.
    parsing: Arc<Turns>,
    reference_time: ReferenceTime,
    /// Turns for storing texts ahead of their publish, and how many pieces of them one account stores at a time.
    stashing: Arc<Turns>,
    stashes_at_once: usize,
    /// Pauses between large writes.
    pace: Arc<Pace>,
    open_bytes: Arc<OpenBytes>,
    disks: Arc<Disks>,
    large_uploads: Arc<LargeUploads>,
    /// Who acts, for the audit log.
    actor: Arc<Actor>,
}

impl Publisher {
    pub fn new(store: Store, blob: Blob, clock: Arc<dyn Clock>, settings: Settings) -> Publisher {
        let uploads = &settings.uploads;
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let stashes_at_once = (store.writes_at_once() / 2).clamp(1, STASHES_AT_ONCE);
        Publisher {
            spool: Arc::new(media::uploads::Spool::below(&uploads.directory)),
            file_processor: Arc::new(media::uploads::FileProcessor::new(uploads)),
            parsing: Turns::new(processors.max(2)),
            reference_time: ReferenceTime::default(),
            // Here and below: an account leaves one of several places to others.
            checking: Turns::new(processors + 1),
            stashing: Turns::new(if stashes_at_once > 1 { stashes_at_once + 1 } else { 1 }),
            stashes_at_once,
            pace: Arc::default(),
            open_bytes: Arc::default(),
            disks: Arc::new(Disks::new(settings.disks.clone(), settings.min_free)),
            large_uploads: Arc::new(LargeUploads::new(uploads.limits.clone(), uploads.large)),
            store,
            clock,
            settings: Arc::new(settings),
            last_used: Arc::default(),
            listings: Arc::default(),
            blob,
            indexes: Arc::default(),
            hosts: Arc::default(),
            searches: Arc::default(),
            actor: Arc::default(),
            known_uses: Arc::default(),
        }
    }

    /// The same publisher with another connection to the same objects.
    pub fn with_objects(&self, blob: Blob) -> Publisher {
        Publisher { blob, ..self.clone() }
    }

    /// The same publisher with another bound on the time that references of texts take.
    pub fn with_reference_time(&self, reference_time: ReferenceTime) -> Publisher {
        Publisher { reference_time, ..self.clone() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A transaction that sees one moment and changes nothing.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.store.read(work).await
    }

    /// The same for a lookup of a row or two.
    async fn peek<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.store.peek(work).await
    }

    /// A transaction that may change rows: all of it or, with an `Err`, nothing. It may be run more than once, each
    /// time with the time at which it begins.
    async fn write<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx, Timestamp) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let clock = self.clock.clone();
        self.store.write(move |tx| work(tx, clock.now())).await
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), Error> {
        self.peek(|tx| Ok(store::ping(tx)?)).await
    }

    /// The database's time; on SQLite, `now`.
    pub async fn database_time(&self, now: Timestamp) -> Result<Timestamp, Error> {
        self.peek(move |tx| Ok(tx.lease_now(now)?)).await
    }

    /// A disk with so little free space that writes are refused.
    pub fn low_disk(&self) -> Option<DiskState> {
        self.disks.lowest()
    }

    /// Every disk that the server writes to.
    pub fn disk_states(&self) -> Vec<DiskState> {
        self.disks.states()
    }

    /// Saves when tokens were last used, and closes the database.
    pub async fn close(self) {
        if let Err(error) = self.flush_last_used().await {
            tracing::warn!(%error, "last use of tokens not saved");
        }
        let store = self.store;
        let _ = tokio::task::spawn_blocking(move || store.close()).await;
    }
}
