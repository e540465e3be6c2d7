//! The generator's indexes of recently built sites, kept so that a small build need not read the whole site.

use std::sync::{Mutex, PoisonError};

use generator::Site;
use model::SiteId;

/// Of all kept indexes together; a page costs about half a kilobyte.
const MOST_PAGES: usize = 200_000;

/// Newest last. An index is taken out for a build and put back with the release it stands for.
#[derive(Default)]
pub(crate) struct Indexes(Mutex<Vec<(SiteId, i64, Site)>>);

impl Indexes {
    /// The index of a release, if it is at hand.
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
            && kept.iter().map(|(_, _, index)| index.pages().count()).sum::<usize>() > MOST_PAGES
        {
            kept.remove(0);
        }
    }
}
