//! What the product does, free of HTTP: publish, list and delete pages, queue builds, run accounts, sites and
//! tokens. The API and the command line call the same functions.

mod access;
mod accounts;
mod bin;
mod build;
mod builds;
mod decide;
mod delete;
mod domains;
mod draft;
mod entry;
mod error;
mod export;
mod fields;
mod list;
mod protection;
mod publish;
mod releases;
mod serving;
mod site_settings;
mod sites;
mod texts;
mod tidy;
mod tokens;
mod upkeep;

use std::sync::Arc;
use std::time::Duration;

use blob::Blob;
use model::{Clock, Plan, SiteName};
use store::Store;
use tokio::sync::Notify;

pub use accounts::{AccountCreated, AccountUsage};
pub use build::BuildReport;
pub use builds::Refusal;
pub use decide::{Target, decide};
pub use draft::{Draft, site_in_body};
pub use entry::{Entry, Identity, TextRef, check_entry};
pub use error::{AdminError, Error, FieldErrors, PageErrors};
pub use export::Exported;
pub use generator::Settings as SiteSettings;
pub use list::{Cursor, ListBody, ListQuery};
pub use releases::ReleaseInfo;
pub use serving::{Found, Visit, content_type};
pub use store::building::Worker;
pub use store::tokens::Caller;
pub use tidy::Tidied;
pub use tokens::TokenCreated;
pub use upkeep::Upkeep;

/// The operator's choices that the use cases depend on.
#[derive(Debug, Clone)]
pub struct Settings {
    pub plans: Vec<Plan>,
    /// Between two builds of a site; zero switches it off.
    pub build_cooldown: Duration,
    /// The address of a site, with `{site}` for its name.
    pub site_url: String,
    /// `http` or `https`: how a site's own domains are reached.
    pub domain_scheme: &'static str,
    /// How long deleted pages can be restored.
    pub purge_after: Duration,
    /// How many releases of a site are kept for a rollback.
    pub keep_releases: usize,
}

impl Settings {
    pub fn deploy_url(&self, site: &SiteName) -> String {
        self.site_url.replace("{site}", site.as_str())
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
}

impl Publisher {
    pub fn new(store: Store, blob: Blob, clock: Arc<dyn Clock>, settings: Settings) -> Publisher {
        Publisher {
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

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the database answers.
    pub async fn ready(&self) -> Result<(), Error> {
        self.store.read(|tx| Ok(store::ping(tx)?)).await
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
