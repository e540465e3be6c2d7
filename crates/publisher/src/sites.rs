//! Sites, for the operator: create, list, rename, delete.

mod domains;
pub(crate) mod drawn;
mod export;
mod preview;
pub(crate) mod protection;
mod releases;
mod search;
pub(crate) mod serving;
mod settings;

pub use self::export::Exported;
pub use self::preview::PreviewPage;
pub use self::releases::ReleaseInfo;
pub(crate) use self::search::Searches;
pub use self::search::{ListedPages, SearchResults, Searched};
pub use self::serving::{Found, content_type, is_html};

use api::{SiteList, SiteSummary};
use model::{AccountId, SiteId, SiteName};
use store::sites::{self, Site};
use store::{Error as StoreError, Tx, accounts};

use crate::accounts::no_account;
use crate::steps::{in_steps, left};
use crate::{Caller, Error, Publisher};

/// Rows deleted in one transaction.
const ROWS: i64 = 500;

impl Publisher {
    pub async fn site_create(&self, account: AccountId, name: SiteName) -> Result<Site, Error> {
        self.write(move |tx, now| {
            accounts::get(tx, account)?.ok_or_else(|| no_account(account))?;
            let site =
                Site { id: SiteId::new(now), account, name: name.clone(), version: 0, created_at: now };
            match sites::insert(tx, &site)? {
                true => Ok(site),
                false => Err(taken(&name)),
            }
        })
        .await
    }

    pub async fn site_list(&self) -> Result<Vec<Site>, Error> {
        self.read(|tx| Ok(sites::list(tx)?)).await
    }

    /// The account's sites: the default one first, the others by name.
    pub async fn sites_of(&self, caller: &Caller) -> Result<SiteList, Error> {
        let account = caller.account;
        let (default, mut sites) =
            self.read(move |tx| Ok((sites::default_of(tx, account)?, sites::all_of(tx, account)?))).await?;
        let default = default.map(|site| site.id);
        sites.sort_by_key(|site| (Some(site.id) != default, site.name.as_str().to_owned()));
        let summary = |site: Site| SiteSummary {
            id: site.id.0,
            deploy_url: self.settings.deploy_url(&site.name),
            is_default: Some(site.id) == default,
            name: site.name.as_str().to_owned(),
        };
        Ok(SiteList { sites: sites.into_iter().map(summary).collect() })
    }

    /// A site by its id or its name.
    pub async fn site_find(&self, id_or_name: &str) -> Result<Site, Error> {
        let wanted = id_or_name.to_owned();
        let site = self
            .read(move |tx| match (SiteId::parse(&wanted), SiteName::parse(&wanted)) {
                (Some(id), _) => Ok(sites::get(tx, id)?),
                (None, Ok(name)) => Ok(sites::by_name(tx, &name)?),
                (None, Err(_)) => Ok(None),
            })
            .await?;
        let unknown = || format!("there is no site {id_or_name:?}; `recto site list` shows them");
        site.ok_or_else(|| Error::refused(unknown()))
    }

    pub async fn site_rename(&self, site: &Site, name: SiteName) -> Result<Site, Error> {
        let site = site.clone();
        self.write(move |tx, _| match sites::rename(tx, site.id, &name)? {
            true => Ok(Site { name: name.clone(), ..site.clone() }),
            false => Err(taken(&name)),
        })
        .await
    }

    /// Deletes a site with all its pages permanently. It disappears at once; its rows are deleted in steps. If that is
    /// interrupted, the server's upkeep continues it.
    pub async fn site_delete(&self, site: &Site) -> Result<(), Error> {
        let id = site.id;
        self.write(move |tx, now| Ok(sites::delete(tx, id, now)?)).await?;
        Ok(self.remove_deleted(id).await?)
    }

    pub(crate) async fn remove_deleted(&self, site: SiteId) -> Result<(), StoreError> {
        let clock = self.clock.clone();
        let step = move |tx: &mut Tx, _: &()| {
            let now = tx.lease_now(clock.now())?;
            Ok::<_, StoreError>(left(sites::remove_some(tx, site, ROWS, now)?))
        };
        in_steps(&self.store, (), step).await
    }
}

fn taken(name: &SiteName) -> Error {
    Error::refused(format!("the site name {:?} is taken; choose another", name.as_str()))
}
