//! What was served is kept in memory, up to a number of bytes. It is served from there also while the database or
//! the object store is away.

use std::sync::Arc;

use model::SiteId;
use publisher::{Error, Found, Publisher};
use quick_cache::sync::{Cache, EntryAction, EntryResult};
use quick_cache::{Equivalent, Weighter};
use tokio::sync::Semaphore;

use super::compress::Compressor;
use super::file::File;
use super::headers::ASSETS;

/// One release of a path: a newer one takes the place of the one before, so that former releases need no memory.
pub(super) struct Files {
    found: Cache<Key, Arc<File>, Bytes>,
    /// Paths that are asked for and not there, with the release they were not in. They are kept apart: whoever makes
    /// up paths pushes only these out.
    missing: Cache<Key, i64>,
    look_ups: Semaphore,
    compressor: Compressor,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    site: SiteId,
    path: Box<str>,
}

/// A key that need not be made for a look-up.
#[derive(Hash)]
struct Asked<'r> {
    site: SiteId,
    path: &'r str,
}

impl Equivalent<Key> for Asked<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.site == key.site && *self.path == *key.path
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Key, Arc<File>> for Bytes {
    fn weight(&self, key: &Key, file: &Arc<File>) -> u64 {
        key.path.len() as u64 + file.weight()
    }
}

/// What a page takes, about.
const TYPICAL: u64 = 24 * 1024;
/// With the longest paths that `path` lets pass these are 8 MB, usually some hundred KB.
const MOST_MISSING: usize = 4096;
/// Pages that are read and joined at a time: each is in memory several times over meanwhile.
const LOOK_UPS_AT_ONCE: usize = 64;

impl Files {
    pub(super) fn new(most_bytes: u64) -> Files {
        let typical = usize::try_from(most_bytes / TYPICAL).unwrap_or(usize::MAX).max(16);
        Files {
            found: Cache::with_weighter(typical, most_bytes, Bytes),
            missing: Cache::new(MOST_MISSING),
            look_ups: Semaphore::new(LOOK_UPS_AT_ONCE),
            compressor: Compressor::new(),
        }
    }

    /// What a release has at a path. Of those who ask for it at once, one gets it for all.
    pub(super) async fn find(
        &self,
        publisher: &Publisher,
        site: SiteId,
        release: i64,
        path: &str,
    ) -> Result<Option<Arc<File>>, Error> {
        let asked = Asked { site, path };
        if let Some(file) = self.found.get(&asked)
            && file.release == release
        {
            return Ok(Some(file));
        }
        if self.missing.get(&asked) == Some(release) {
            return Ok(None);
        }
        let key = Key { site, path: path.into() };
        let keep_if_right = |_: &Key, file: &mut Arc<File>| match file.release == release {
            true => EntryAction::Retain(file.clone()),
            false => EntryAction::ReplaceWithGuard,
        };
        let (place, former) = match self.found.entry_async(&key, keep_if_right).await {
            EntryResult::Retained(file) => return Ok(Some(file)),
            EntryResult::Replaced(place, former) => (place, Some(former)),
            EntryResult::Vacant(place) => (place, None),
            EntryResult::Removed(..) | EntryResult::Timeout => unreachable!("neither is asked for"),
        };
        let turn = self.look_ups.acquire().await;
        let Some(found) = look_up(publisher, site, release, path).await? else {
            self.missing.insert(key, release);
            return Ok(None);
        };
        drop(turn);
        let file = Arc::new(File::new(release, path, found, former.as_deref(), &self.compressor));
        // Whoever waits gets it even if it is too large to be kept.
        let _ = place.insert(file.clone());
        Ok(Some(file))
    }
}

async fn look_up(
    publisher: &Publisher,
    site: SiteId,
    release: i64,
    path: &str,
) -> Result<Option<Found>, Error> {
    let found = publisher.find(site, release, path).await?;
    if found.is_none() && path.starts_with(ASSETS) {
        // A tab that was opened before the last release still asks for what its page refers to.
        return publisher.find_asset(site, path).await;
    }
    Ok(found)
}
