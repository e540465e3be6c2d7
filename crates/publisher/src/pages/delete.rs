//! Deletes one page by its key.

use model::{PageId, PageKey, SiteId};
use store::sites::Site;
use store::usage::{self, Change};
use store::{pages, sites};

use crate::accounts::access::site_of;
use crate::{Action, Caller, Error, Publisher};

impl Publisher {
    /// Deletes pages of a site for its operator.
    pub async fn site_delete_pages(&self, site: &Site, pages: Vec<PageId>) -> Result<(), Error> {
        let (log, site) = (self.log(site.account, Some(site.id)), site.id);
        self.write(move |tx, now| {
            let version = sites::next_version(tx, site)?.ok_or(Error::NoSuchSite)?;
            let found = pages::by_ids(tx, site, pages.iter().copied())?;
            let found: Vec<PageId> = found.iter().map(|page| page.id).collect();
            pages::delete(tx, site, version, &found, now)?;
            log.note(tx, now, Action::PageDeleted, format!("{} pages", found.len()))?;
            Ok(usage::count(tx, site, Change { pages: -(found.len() as i64), ..Change::default() })?)
        })
        .await
    }

    /// `key` is `None` when the slug or section is invalid; the site is still looked up first.
    pub async fn delete(
        &self,
        caller: &Caller,
        site: Option<SiteId>,
        key: Option<PageKey>,
    ) -> Result<(), Error> {
        let (account, clock, publisher, caller) =
            (caller.account, self.clock.clone(), self.clone(), caller.clone());
        self.write(move |tx, _| {
            let site = site_of(tx, account, site)?;
            let key = key.as_ref().ok_or(Error::NoSuchPage)?;
            let version = sites::next_version(tx, site.id)?.ok_or(Error::NoSuchSite)?;
            let found = pages::by_slugs(tx, site.id, std::iter::once(key.slug.as_str()))?;
            let page = found.iter().find(|page| page.key == *key).ok_or(Error::NoSuchPage)?;
            let now = clock.now();
            pages::delete(tx, site.id, version, &[page.id], now)?;
            let log = publisher.log_of(&caller, Some(site.id));
            log.note(tx, now, Action::PageDeleted, generator::url(key))?;
            Ok(usage::count(tx, site.id, Change { pages: -1, ..Change::default() })?)
        })
        .await
    }
}
