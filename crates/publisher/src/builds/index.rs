//! Caches the generator's indexes of recently built sites, so that a small build need not read the whole site.

use std::sync::{Mutex, PoisonError};

use generator::Site;
use model::SiteId;

/// The limit for all cached indexes together; a page takes about half a kilobyte.
const MAX_PAGES: usize = 200_000;

/// Newest last. A build takes the index of its site out, and puts it back with the new release number.
#[derive(Default)]
pub(crate) struct Indexes(Mutex<Vec<(SiteId, i64, Site)>>);

impl Indexes {
    /// The index of a release, if it is cached.
    pub(super) fn take(&self, site: SiteId, release: i64) -> Option<Site> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(id, _, _)| *id == site)?;
        let (_, number, index) = kept.remove(place);
        (number == release).then_some(index)
    }

    pub(super) fn put(&self, site: SiteId, release: i64, index: Site) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(id, _, _)| *id != site);
        kept.push((site, release, index));
        while kept.len() > 1
            && kept.iter().map(|(_, _, index)| index.pages().count()).sum::<usize>() > MAX_PAGES
        {
            kept.remove(0);
        }
    }
}
