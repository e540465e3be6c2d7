//! Sites, for the operator: create, list, rename, delete.

mod domains;
pub(crate) mod drawn;
mod export;
pub(crate) mod hub;
mod preview;
pub(crate) mod protection;
pub(crate) mod public_address;
mod releases;
mod search;
pub(crate) mod serving;
mod settings;
mod unbuilt;

pub use self::export::Exported;
pub use self::preview::PreviewPage;
pub use self::releases::{ChangedPage, PageEvent, ReleaseChanges, ReleaseInfo};
pub(crate) use self::search::Searches;
pub use self::search::{ListedPages, SearchResults, Searched};
pub use self::serving::{Found, content_type, is_html};
pub use self::unbuilt::UnbuiltSite;

use api::{SiteList, SiteSummary};
use model::{AccountId, Role, SiteId, SiteName, Timestamp};
use store::sessions::Session;
use store::sites::{self, Site};
use store::{Error as StoreError, Tx, accounts, members};

use crate::accounts::no_account;
use crate::steps::{in_steps, left};
use crate::{Action, Caller, Error, Publisher};

/// Rows deleted in one transaction.
const ROWS: i64 = 500;

impl Publisher {
    pub async fn site_create(&self, account: AccountId, name: SiteName) -> Result<Site, Error> {
        let publisher = self.clone();
        self.write(move |tx, now| {
            accounts::get(tx, account)?.ok_or_else(|| no_account(account))?;
            publisher.insert_site(tx, account, &name, now)
        })
        .await
    }

    /// The same for an owner of the account: the plan limits how many there are. An account of others is answered like
    /// one that does not exist.
    pub async fn site_create_own(
        &self,
        session: &Session,
        account: AccountId,
        name: SiteName,
    ) -> Result<Site, Error> {
        let (user, operator, publisher) = (session.user, session.operator, self.clone());
        self.write(move |tx, now| {
            // Under this lock no other request creates one meanwhile.
            members::lock(tx, account)?;
            let is_owner = operator || members::role(tx, account, user)? == Some(Role::Owner);
            let owned = accounts::get(tx, account)?.filter(|_| is_owner).ok_or(Error::NoSuchSite)?;
            if owned.suspended_at.is_some() {
                return Err(Error::Suspended);
            }
            let limit = publisher.settings.plan(&owned.plan).map_or(0, |plan| plan.sites);
            if sites::count(tx, account)?.max(0) as u64 >= limit {
                let full = format!("the plan allows {limit} sites, and the account has as many");
                return Err(Error::refused(full));
            }
            publisher.insert_site(tx, account, &name, now)
        })
        .await
    }

    fn insert_site(
        &self,
        tx: &mut Tx,
        account: AccountId,
        name: &SiteName,
        now: Timestamp,
    ) -> Result<Site, Error> {
        let site = Site { id: SiteId::new(now), account, name: name.clone(), version: 0, created_at: now };
        if !sites::insert(tx, &site)? {
            return Err(taken(name));
        }
        self.log(account, Some(site.id)).note(tx, now, Action::SiteCreated, name.as_str())?;
        Ok(site)
    }

    pub async fn site_list(&self) -> Result<Vec<Site>, Error> {
        self.read(|tx| Ok(sites::list(tx)?)).await
    }

    /// At most so many: a server may have a million.
    pub async fn oldest_sites(&self, limit: usize) -> Result<Vec<Site>, Error> {
        self.read(move |tx| Ok(sites::oldest(tx, limit)?)).await
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

    /// The sites of an account, by name.
    pub async fn sites_of_account(&self, account: AccountId) -> Result<Vec<Site>, Error> {
        let mut sites = self.read(move |tx| Ok(sites::all_of(tx, account)?)).await?;
        sites.sort_by(|a, b| a.name.as_str().cmp(b.name.as_str()));
        Ok(sites)
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
        let (site, log) = (site.clone(), self.log(site.account, Some(site.id)));
        self.write(move |tx, now| match sites::rename(tx, site.id, &name)? {
            true => {
                let names = format!("{} → {}", site.name.as_str(), name.as_str());
                log.note(tx, now, Action::SiteRenamed, names)?;
                Ok(Site { name: name.clone(), ..site.clone() })
            }
            false => Err(taken(&name)),
        })
        .await
    }

    /// Deletes a site with all its pages permanently. It disappears at once; its rows are deleted in steps. If that is
    /// interrupted, the server's upkeep continues it.
    pub async fn site_delete(&self, site: &Site) -> Result<(), Error> {
        self.site_delete_soon(site).await?;
        Ok(self.remove_deleted(site.id).await?)
    }

    /// The same without waiting for its rows: the server's upkeep deletes them.
    pub async fn site_delete_soon(&self, site: &Site) -> Result<(), Error> {
        let (id, name, log) = (site.id, site.name.clone(), self.log(site.account, Some(site.id)));
        self.write(move |tx, now| match sites::delete(tx, id, now)? {
            true => log.note(tx, now, Action::SiteDeleted, name.as_str()),
            false => Ok(()),
        })
        .await
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
