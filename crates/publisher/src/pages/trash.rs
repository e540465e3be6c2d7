//! Deleted pages, for the operator: list, restore, purge.

use model::{PageId, Timestamp};
use store::pages;
use store::sites::{self, Site};
use store::trash::{self, Deleted, Purge};

use crate::{Action, Error, Publisher};

/// Pages purged in one transaction.
pub(crate) const PURGE_PAGES: i64 = 500;

impl Publisher {
    pub async fn deleted_list(&self, site: &Site) -> Result<Vec<Deleted>, Error> {
        let id = site.id;
        self.read(move |tx| Ok(trash::list_deleted(tx, id)?)).await
    }

    /// Restores a deleted page under its former key.
    pub async fn deleted_restore(&self, site: &Site, page: PageId) -> Result<(), Error> {
        let log = self.log(site.account, Some(site.id));
        let (site, clock) = (site.id, self.clock.clone());
        let unknown = move || not_deleted(page);
        self.write(move |tx, _| {
            let version = sites::next_version(tx, site)?.ok_or_else(unknown)?;
            let key = trash::deleted_key(tx, site, page)?.ok_or_else(unknown)?;
            let holders = pages::by_slugs(tx, site, std::iter::once(key.slug.as_str()))?;
            if let Some(holder) = holders.iter().find(|holder| holder.key == key) {
                return Err(Error::refused(format!(
                    "page {} has its slug by now; move or delete that one first",
                    holder.id
                )));
            }
            // The site's lock is held: times follow the order of commits.
            let now = clock.now();
            trash::restore(tx, site, version, page, now)?;
            log.note(tx, now, Action::PageRestored, generator::url(&key))
        })
        .await
    }

    /// Purges one page of the trash, or all of a site's; returns how many.
    pub async fn deleted_purge(&self, site: &Site, page: Option<PageId>) -> Result<u64, Error> {
        let log = self.log(site.account, Some(site.id));
        let (site, what) = (site.id, page.map_or(Purge::DeletedBefore(Timestamp::MAX), Purge::One));
        let mut purged = 0;
        loop {
            let log = log.clone();
            let some = self.write(move |tx, now| {
                let some = trash::purge(tx, site, what, PURGE_PAGES, now)?;
                if some > 0 {
                    log.note(tx, now, Action::TrashEmptied, format!("{some} pages"))?;
                }
                Ok(some)
            });
            let some = some.await?;
            purged += some;
            match (page, some) {
                (Some(page), 0) => return Err(not_deleted(page)),
                (Some(_), _) | (None, 0) => return Ok(purged),
                (None, _) => {}
            }
        }
    }
}

fn not_deleted(page: PageId) -> Error {
    Error::refused(format!("there is no deleted page {page} in this site; `recto page deleted` shows them"))
}
