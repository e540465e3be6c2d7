//! Object storage: one `Blob`, backed by a directory, a bucket or memory. A key is written once and never changed.
//! Backends are not asked to reject a second write: not every S3 implementation does, and the ids in keys are unique.

mod backups;
mod client;
mod directory;
mod disk_cache;
mod installation;
mod key;
mod reading;
mod s3;
mod unfinished;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::task::spawn_blocking;

use crate::disk_cache::DiskCache;
pub use crate::key::Key;
pub use crate::s3::S3;
use crate::unfinished::Bucket;
pub use crate::writer::Writer;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such object; it may have been swept.
    #[error("there is no object {0}")]
    Missing(String),
    /// The stored bytes are not those that were written.
    #[error("the stored bytes are damaged: {0}")]
    Damaged(String),
    /// The disk is full.
    #[error("no space is left in the object store: {0}")]
    Full(String),
    #[error("object store: {0}")]
    Failed(String),
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Error {
        match error {
            object_store::Error::NotFound { path, .. } => Error::Missing(path),
            other if is_full(&other) => Error::Full(other.to_string()),
            other => Error::Failed(other.to_string()),
        }
    }
}

/// Whether any source of an error is a disk without free space.
fn is_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let full = |error: &std::io::Error| error.kind() == std::io::ErrorKind::StorageFull;
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.filter_map(|error| error.downcast_ref::<std::io::Error>()).any(full)
}

#[derive(Clone)]
pub struct Blob {
    store: Arc<dyn ObjectStore>,
    /// Set if the objects are local files.
    directory: Option<PathBuf>,
    cache: Option<DiskCache>,
    /// Set if the objects are in a bucket.
    bucket: Option<Arc<Bucket>>,
}

impl Blob {
    /// `file:<directory>` or `s3://<bucket>/<prefix>`. The other settings of S3 come from environment variables (see
    /// `S3::new`).
    pub fn from_url(url: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<Blob, Error> {
        if let Some(path) = url.strip_prefix("file:") {
            return Blob::directory(Path::new(path));
        }
        match url.strip_prefix("s3://") {
            Some(place) => Blob::s3(S3::new(place, lookup)?),
            None => {
                Err(Error::Failed(format!("{url:?} is neither file:<directory> nor s3://<bucket>/<prefix>")))
            }
        }
    }

    /// A directory, created if it is missing. Writes are on disk before they are acknowledged.
    pub fn directory(path: &Path) -> Result<Blob, Error> {
        directory::make_private(path).map_err(|error| failed(path, &error))?;
        let store = LocalFileSystem::new_with_prefix(path)?.with_fsync(true);
        Ok(Blob { store: Arc::new(store), directory: Some(path.to_owned()), bucket: None, cache: None })
    }

    /// For tests: lost when the process ends.
    pub fn memory() -> Blob {
        Blob { store: Arc::new(InMemory::new()), directory: None, bucket: None, cache: None }
    }

    /// Keeps what `read` has read from a remote store in this directory, up to this many bytes.
    pub fn with_cache(self, directory: &Path, bytes: u64) -> Result<Blob, Error> {
        if self.directory.is_some() || bytes == 0 {
            return Ok(self);
        }
        let cache = DiskCache::open(directory, bytes).map_err(|error| failed(directory, &error))?;
        Ok(Blob { cache: Some(cache), ..self })
    }

    /// Stores a file and returns its size. A directory takes the file itself, so it may no longer exist afterwards.
    pub async fn put_file(&self, key: &Key, path: &Path) -> Result<u64, Error> {
        if let Some(directory) = &self.directory {
            let (source, target) = (path.to_owned(), directory.join(key.0.as_ref()));
            let taken = spawn_blocking(move || directory::move_in(&source, &target)).await;
            match taken.map_err(std::io::Error::other).flatten() {
                // It is on another disk.
                Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {}
                taken => return taken.map_err(|error| failed(path, &error)),
            }
        }
        self.writer(key).write_file(path).await
    }

    /// The path of an object's file if objects are local, for programs that read files.
    pub fn local_path(&self, key: &Key) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(key.0.as_ref()))
    }

    /// Deletes an object, and the unfinished file of a process that crashed while writing it. Deleting a missing object
    /// is fine: a sweep may have been interrupted between its two steps.
    pub async fn delete(&self, key: &Key) -> Result<(), Error> {
        self.delete_unfinished(key).await;
        match self.store.delete(&key.0).await {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    /// Deletes the unfinished file of a process that crashed while writing an object.
    pub async fn delete_unfinished(&self, key: &Key) {
        if let Some(unfinished) = self.unfinished(key) {
            let _ = spawn_blocking(move || std::fs::remove_file(unfinished)).await;
        }
    }

    /// object_store writes to a temporary file next to the object and renames it at the end.
    fn unfinished(&self, key: &Key) -> Option<PathBuf> {
        let directory = self.directory.as_ref()?;
        Some(directory.join(format!("{}#1", key.0)))
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    let text = format!("{}: {error}", path.display());
    if is_full(error) { Error::Full(text) } else { Error::Failed(text) }
}

#[cfg(test)]
mod tests;
