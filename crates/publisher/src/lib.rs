//! What the product does, free of HTTP: publish, list and delete pages, queue builds, run accounts, sites and
//! tokens. The API and the command line call the same functions.

mod access;
mod accounts;
mod bin;
mod builds;
mod decide;
mod delete;
mod draft;
mod entry;
mod error;
mod fields;
mod list;
mod publish;
mod sites;
mod texts;
mod tokens;
mod upkeep;

use std::sync::Arc;
use std::time::Duration;

use model::{Clock, Plan, SiteName};
use store::Store;

pub use accounts::{AccountCreated, AccountUsage};
pub use builds::Refusal;
pub use decide::{Target, decide};
pub use draft::{Draft, site_in_body};
pub use entry::{Entry, Identity, TextRef, check_entry};
pub use error::{AdminError, Error, FieldErrors, PageErrors};
pub use list::{Cursor, ListBody, ListQuery};
pub use store::tokens::Caller;
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
    /// How long deleted pages can be restored.
    pub purge_after: Duration,
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
}

impl Publisher {
    pub fn new(store: Store, clock: Arc<dyn Clock>, settings: Settings) -> Publisher {
        Publisher {
            store,
            clock,
            settings: Arc::new(settings),
            last_used: Arc::default(),
            listings: Arc::default(),
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
