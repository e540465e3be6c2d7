//! Deleted pages, for the operator: list, restore, purge.

use model::{PageId, Timestamp};
use store::bin::{self, Deleted, Purge};
use store::sites::{self, Site};
use store::{Tx, pages};

use crate::{AdminError, Publisher};

/// Pages purged in one transaction.
const PURGE_PAGES: i64 = 500;

impl Publisher {
    pub async fn deleted_list(&self, site: &Site) -> Result<Vec<Deleted>, AdminError> {
        let id = site.id;
        self.store.read(move |tx| Ok(bin::list_deleted(tx, id)?)).await
    }

    /// Brings a deleted page back under the key it had.
    pub async fn deleted_restore(&self, site: &Site, page: PageId) -> Result<(), AdminError> {
        let (site, clock) = (site.id, self.clock.clone());
        let unknown = move || not_deleted(page);
        self.store
            .write(move |tx| {
                let version = sites::next_version(tx, site)?.ok_or_else(unknown)?;
                let key = bin::deleted_key(tx, site, page)?.ok_or_else(unknown)?;
                let holders = pages::by_slugs(tx, site, std::iter::once(key.slug.as_str()))?;
                if let Some(holder) = holders.iter().find(|holder| holder.key == key) {
                    return Err(AdminError::refused(format!(
                        "page {} has its slug by now; move or delete that one first",
                        holder.id
                    )));
                }
                bin::restore(tx, site, version, page, clock.now())?;
                Ok(())
            })
            .await
    }

    /// Deletes one page of the bin, or all of a site's, for good; tells how many.
    pub async fn deleted_purge(&self, site: &Site, page: Option<PageId>) -> Result<u64, AdminError> {
        let (site, what) = (site.id, page.map_or(Purge::DeletedBefore(Timestamp::MAX), Purge::One));
        let mut purged = 0;
        loop {
            let clock = self.clock.clone();
            let step =
                move |tx: &mut Tx| Ok::<_, AdminError>(bin::purge(tx, site, what, PURGE_PAGES, clock.now())?);
            let went = self.store.write(step).await?;
            purged += went;
            match (page, went) {
                (Some(page), 0) => return Err(not_deleted(page)),
                (Some(_), _) | (None, 0) => return Ok(purged),
                (None, _) => {}
            }
        }
    }
}

fn not_deleted(page: PageId) -> AdminError {
    AdminError::refused(format!(
        "there is no deleted page {page} in this site; `recto page deleted` shows them"
    ))
}
