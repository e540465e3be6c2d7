//! Keeps what was read from a remote store on the local disk, up to a number of bytes: a file for each range.
//!
//! A file may be cut off by a crash or damaged by the disk. Callers compare what they read with its checksum, and use
//! `Blob::forget` on a mismatch.

use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Lifecycle, Weighter};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::Key;

/// What a file takes in addition to its bytes, about: half a block of the disk, and a place in a directory.
const OVERHEAD: u64 = 2048;

#[derive(Clone)]
pub(crate) struct DiskCache {
    directory: Arc<Path>,
    files: Arc<Files>,
    /// Held while a file and its entry are made: an entry that is replaced would take the new file along.
    entering: Arc<Mutex<()>>,
    /// Names files that are being written.
    next: Arc<AtomicU64>,
}

/// The sizes of the files by name.
type Files = Cache<String, u64, Size, DefaultHashBuilder, Removal>;

impl DiskCache {
    /// What an earlier process has left in the directory is used again.
    pub(crate) fn open(directory: &Path, bytes: u64) -> io::Result<DiskCache> {
        let unfinished = directory.join(UNFINISHED);
        let _ = fs::remove_dir_all(&unfinished);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(unfinished)?;
        let directory: Arc<Path> = directory.into();
        let removal = Removal(directory.clone());
        let items = usize::try_from(bytes / 16_384).unwrap_or(usize::MAX).max(16);
        let files = Cache::with(items, bytes, Size, DefaultHashBuilder::default(), removal);
        let files = Arc::new(files);
        let cache = DiskCache { directory, files, entering: Arc::default(), next: Arc::default() };
        let found = cache.clone();
        // There may be many files, and the server need not wait for their names.
        std::thread::spawn(move || found.find_files());
        Ok(cache)
    }

    fn find_files(&self) {
        for entry in fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            if let (Ok(name), Ok(found)) = (entry.file_name().into_string(), entry.metadata())
                && found.is_file()
                && is_ours(&name)
            {
                let _entering = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
                if self.files.peek(&name).is_none() {
                    self.files.insert(name, found.len());
                }
            }
        }
    }

    pub(crate) async fn get(&self, key: &Key, range: &Range<u64>) -> Option<Bytes> {
        let name = name(key, range);
        self.files.get(&name)?;
        let path = self.directory.join(name);
        let bytes = spawn_blocking(move || fs::read(path)).await.ok()?.ok()?;
        (bytes.len() as u64 == range.end - range.start).then(|| bytes.into())
    }

    /// A failure is no problem: the bytes are read from the store again.
    pub(crate) async fn put(&self, key: &Key, range: &Range<u64>, bytes: Bytes) {
        let (cache, name) = (self.clone(), name(key, range));
        let _ = spawn_blocking(move || cache.write(name, &bytes)).await;
    }

    fn write(&self, name: String, bytes: &[u8]) -> io::Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.directory.join(UNFINISHED).join(number.to_string());
        let written = fs::write(&unfinished, bytes).and_then(|()| {
            let _entering = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
            self.files.remove(&name);
            fs::rename(&unfinished, self.directory.join(&name))?;
            self.files.insert(name, bytes.len() as u64);
            Ok(())
        });
        written.inspect_err(|_| drop(fs::remove_file(unfinished)))
    }

    pub(crate) fn remove(&self, key: &Key, range: &Range<u64>) {
        let name = name(key, range);
        self.files.remove(&name);
        let _ = fs::remove_file(self.directory.join(name));
    }
}

/// The directory of files that are being written. What a crash has left there is deleted at the next start.
const UNFINISHED: &str = "unfinished";

fn name(key: &Key, range: &Range<u64>) -> String {
    let id = key.0.filename().unwrap_or_default();
    format!("{id}-{}-{}", range.start, range.end)
}

/// Whether a file was named by `name`. Others are never counted, and so never deleted.
fn is_ours(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    let is_number = |part: &str| part.parse::<u64>().is_ok();
    matches!(parts[..], [id, start, end] if Uuid::try_parse(id).is_ok() && is_number(start) && is_number(end))
}

#[derive(Clone)]
struct Size;

impl Weighter<String, u64> for Size {
    fn weight(&self, _: &String, bytes: &u64) -> u64 {
        bytes + OVERHEAD
    }
}

/// Deletes the files that have to make way for others.
#[derive(Clone)]
struct Removal(Arc<Path>);

#[derive(Default)]
struct Evicted(Vec<PathBuf>);

impl Drop for Evicted {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

impl Lifecycle<String, u64> for Removal {
    type RequestState = Evicted;

    fn on_evict(&self, evicted: &mut Evicted, name: String, _: u64) {
        evicted.0.push(self.0.join(name));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use model::{PackId, Timestamp};

    use super::*;

    fn key() -> Key {
        Key::pack(PackId::new(Timestamp::from_micros(1)))
    }

    fn bytes_in(directory: &Path) -> u64 {
        files_in(directory).map(|file| file.len()).sum()
    }

    fn files_in(directory: &Path) -> impl Iterator<Item = fs::Metadata> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().metadata().unwrap());
        entries.filter(fs::Metadata::is_file)
    }

    #[tokio::test]
    async fn what_was_put_is_found_also_by_the_next_process() {
        let directory = tempfile::tempdir().unwrap();
        let (key, range) = (key(), 10..15);
        let cache = DiskCache::open(directory.path(), 1 << 20).unwrap();
        assert_eq!(cache.get(&key, &range).await, None);
        cache.put(&key, &range, "hello".into()).await;
        assert_eq!(cache.get(&key, &range).await, Some("hello".into()));
        // As when two requests miss it at once.
        cache.put(&key, &range, "hello".into()).await;
        assert_eq!(cache.get(&key, &range).await, Some("hello".into()));
        assert_eq!(cache.get(&key, &(10..14)).await, None);
        fs::write(directory.path().join(UNFINISHED).join("left"), "by a crash").unwrap();
        fs::write(directory.path().join("foreign"), vec![1; 2 << 20]).unwrap();
        let next = DiskCache::open(directory.path(), 1 << 20).unwrap();
        // A thread looks for them.
        while next.files.is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(next.get(&key, &range).await, Some("hello".into()));
        // A file that is not the cache's stays, however large.
        assert_eq!(files_in(directory.path()).count(), 2);
        assert_eq!(fs::read_dir(directory.path().join(UNFINISHED)).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn it_never_takes_more_than_its_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::open(directory.path(), 1 << 20).unwrap();
        let key = key();
        for number in 0..300 {
            cache.put(&key, &(number..number + 20_000), vec![1; 20_000].into()).await;
        }
        assert!(bytes_in(directory.path()) <= 1 << 20, "{}", bytes_in(directory.path()));
        assert!(bytes_in(directory.path()) > 1 << 19, "{}", bytes_in(directory.path()));
    }

    #[tokio::test]
    async fn a_file_that_was_cut_off_or_is_gone_is_not_found() {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::open(directory.path(), 1 << 20).unwrap();
        let (key, range) = (key(), 0..5);
        cache.put(&key, &range, "hello".into()).await;
        let file = directory.path().join(name(&key, &range));
        fs::write(&file, "hel").unwrap();
        assert_eq!(cache.get(&key, &range).await, None);
        fs::remove_file(&file).unwrap();
        assert_eq!(cache.get(&key, &range).await, None);
        cache.put(&key, &range, "hello".into()).await;
        cache.remove(&key, &range);
        assert_eq!(cache.get(&key, &range).await, None);
        assert_eq!(files_in(directory.path()).count(), 0);
    }
}
