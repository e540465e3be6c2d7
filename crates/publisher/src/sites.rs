//! Sites, for the operator: create, list, rename, delete.

use model::{AccountId, SiteId, SiteName};
use store::sites::{self, Site};
use store::{Error as StoreError, Tx, accounts};

use crate::accounts::no_account;
use crate::steps::{in_steps, left};
use crate::{AdminError, Publisher};

/// Rows deleted in one transaction.
const ROWS: i64 = 500;

impl Publisher {
    pub async fn site_create(&self, account: AccountId, name: SiteName) -> Result<Site, AdminError> {
        let clock = self.clock.clone();
        self.store
            .write(move |tx| {
                accounts::get(tx, account)?.ok_or_else(|| no_account(account))?;
                let now = clock.now();
                let site =
                    Site { id: SiteId::new(now), account, name: name.clone(), version: 0, created_at: now };
                match sites::insert(tx, &site)? {
                    true => Ok(site),
                    false => Err(taken(&name)),
                }
            })
            .await
    }

    pub async fn site_list(&self) -> Result<Vec<Site>, AdminError> {
        self.store.read(|tx| Ok(sites::list(tx)?)).await
    }

    /// A site by its id or its name.
    pub async fn site_find(&self, id_or_name: &str) -> Result<Site, AdminError> {
        let wanted = id_or_name.to_owned();
        let site = self
            .store
            .read(move |tx| match (SiteId::parse(&wanted), SiteName::parse(&wanted)) {
                (Some(id), _) => Ok::<_, AdminError>(sites::get(tx, id)?),
                (None, Ok(name)) => Ok(sites::by_name(tx, &name)?),
                (None, Err(_)) => Ok(None),
            })
            .await?;
        let unknown = || format!("there is no site {id_or_name:?}; `recto site list` shows them");
        site.ok_or_else(|| AdminError::refused(unknown()))
    }

    pub async fn site_rename(&self, site: &Site, name: SiteName) -> Result<Site, AdminError> {
        let site = site.clone();
        self.store
            .write(move |tx| match sites::rename(tx, site.id, &name)? {
                true => Ok(Site { name: name.clone(), ..site.clone() }),
                false => Err(taken(&name)),
            })
            .await
    }

    /// Deletes a site with all its pages, for good. It is gone at once; its rows follow in steps, and should that be
    /// interrupted, the server's upkeep goes on with it.
    pub async fn site_delete(&self, site: &Site) -> Result<(), AdminError> {
        let (id, clock) = (site.id, self.clock.clone());
        self.store.write(move |tx| Ok::<_, AdminError>(sites::delete(tx, id, clock.now())?)).await?;
        self.store.touch();
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

fn taken(name: &SiteName) -> AdminError {
    AdminError::refused(format!("the site name {:?} is taken; choose another", name.as_str()))
}
