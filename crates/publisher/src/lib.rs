//! The use cases, without HTTP: publish, list and delete pages, upload files, build sites, manage accounts, sites and
//! tokens. The API and the command line call the same functions.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accounts;
mod builds;
mod error;
mod limits;
mod media;
mod pages;
mod parts;
mod settings;
mod sites;
mod steps;
mod upkeep;

use std::ops::Deref;
use std::sync::Arc;

use blob::Blob;
use model::{Clock, Timestamp};
use store::{Store, Transaction, Tx};

use crate::parts::Parts;

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

/// The use cases, over one store and one clock. Requests clone it, so that is cheap.
#[derive(Clone)]
pub struct Publisher {
    parts: Arc<Parts>,
    /// Who acts, for the audit log.
    actor: Arc<Actor>,
}

impl Deref for Publisher {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl Publisher {
    pub fn new(store: Store, blob: Blob, clock: Arc<dyn Clock>, settings: Settings) -> Publisher {
        Publisher { parts: Arc::new(Parts::new(store, blob, clock, settings)), actor: Arc::default() }
    }

    /// The same publisher with another part.
    fn with(&self, change: impl FnOnce(&mut Parts)) -> Publisher {
        let mut publisher = self.clone();
        change(Arc::make_mut(&mut publisher.parts));
        publisher
    }

    /// The same publisher with another connection to the same objects.
    pub fn with_objects(&self, blob: Blob) -> Publisher {
        self.with(|parts| parts.blob = blob)
    }

    /// The same publisher with another bound on the time that references of texts take.
    pub fn with_reference_time(&self, reference_time: ReferenceTime) -> Publisher {
        self.with(|parts| parts.reference_time = reference_time)
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A transaction that sees one moment and changes nothing.
    fn read<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
    ) -> Transaction<'_, T, Error> {
        self.store.read(work)
    }

    /// The same for a lookup of a row or two.
    fn peek<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
    ) -> Transaction<'_, T, Error> {
        self.store.peek(work)
    }

    /// A transaction that may change rows: all of it or, with an `Err`, nothing. It may be run more than once, each
    /// time with the time at which it begins.
    fn write<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx, Timestamp) -> Result<T, Error> + Send + 'static,
    ) -> Transaction<'_, T, Error> {
        let clock = self.clock.clone();
        self.store.write(move |tx| work(tx, clock.now()))
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
        let store = self.store.clone();
        drop(self);
        let _ = tokio::task::spawn_blocking(move || store.close()).await;
    }
}
