//! A memory cache of served files. It also works while the database or the object store is unavailable.

use std::sync::Arc;

use model::SiteId;
use publisher::{Error, Found, Publisher};
use quick_cache::sync::{Cache, EntryAction, EntryResult};
use quick_cache::{Equivalent, Weighter};
use tokio::sync::Semaphore;

use super::compress::Compressor;
use super::file::File;
use super::headers::ASSETS;

/// It has one release of each path: a newer release replaces the older one.
pub(super) struct Files {
    found: Cache<Key, Arc<File>, Bytes>,
    /// Paths that do not exist, with the release. In a separate cache, so that requests for random paths do not evict
    /// files.
    missing: Cache<Key, i64>,
    lookups: Semaphore,
    compressor: Compressor,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    site: SiteId,
    path: Box<str>,
}

/// A borrowed key, for lookups.
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

/// About what a page takes.
const TYPICAL_BYTES: u64 = 24 * 1024;
/// They take at most 8 MB, with the longest paths that `path` allows; usually some hundred KB.
const MAX_MISSING: usize = 4096;
/// Pages that are read and assembled at a time: each is in memory several times meanwhile.
const MAX_CONCURRENT_LOOKUPS: usize = 64;

impl Files {
    pub(super) fn new(max_bytes: u64) -> Files {
        let typical = usize::try_from(max_bytes / TYPICAL_BYTES).unwrap_or(usize::MAX).max(16);
        Files {
            found: Cache::with_weighter(typical, max_bytes, Bytes),
            missing: Cache::new(MAX_MISSING),
            lookups: Semaphore::new(MAX_CONCURRENT_LOOKUPS),
            compressor: Compressor::new(),
        }
    }

    /// A file that is made for one request.
    pub(super) fn made(&self, release: i64, path: &str, bytes: impl Into<bytes::Bytes>) -> File {
        File::new(release, path, Found::of(bytes.into()), None, &self.compressor)
    }

    /// The file of a release at a path, if it is in the cache.
    pub(super) fn cached(&self, site: SiteId, release: i64, path: &str) -> Option<Arc<File>> {
        self.found.get(&Asked { site, path }).filter(|file| file.release == release)
    }

    /// The file of a release at a path. Concurrent requests for it share one lookup.
    pub(super) async fn find(
        &self,
        publisher: &Publisher,
        site: SiteId,
        release: i64,
        path: &str,
    ) -> Result<Option<Arc<File>>, Error> {
        if let Some(file) = self.cached(site, release, path) {
            return Ok(Some(file));
        }
        if self.missing.get(&Asked { site, path }) == Some(release) {
            return Ok(None);
        }
        let key = Key { site, path: path.into() };
        let keep_if_right = |_: &Key, file: &mut Arc<File>| match file.release == release {
            true => EntryAction::Retain(file.clone()),
            false => EntryAction::ReplaceWithGuard,
        };
        let (guard, former) = match self.found.entry_async(&key, keep_if_right).await {
            EntryResult::Retained(file) => return Ok(Some(file)),
            EntryResult::Replaced(guard, former) => (guard, Some(former)),
            EntryResult::Vacant(guard) => (guard, None),
            EntryResult::Removed(..) | EntryResult::Timeout => unreachable!("neither is requested"),
        };
        let permit = self.lookups.acquire().await;
        let Some(found) = look_up(publisher, site, release, path).await? else {
            self.missing.insert(key, release);
            return Ok(None);
        };
        drop(permit);
        let file = Arc::new(File::new(release, path, found, former.as_deref(), &self.compressor));
        // Waiting requests get it even if it is too large for the cache.
        let _ = guard.insert(file.clone());
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
        // A page that was opened before the last release may still request its assets.
        return publisher.find_asset(site, path).await;
    }
    Ok(found)
}
