//! Bytes: one `Blob`, a directory or memory inside. A key is written once and never changed.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use model::PackId;
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::io::AsyncWriteExt;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such object: it was swept, perhaps.
    #[error("there is no object {0}")]
    Missing(String),
    #[error("the object store: {0}")]
    Failed(String),
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Error {
        match error {
            object_store::Error::NotFound { path, .. } => Error::Missing(path),
            other => Error::Failed(other.to_string()),
        }
    }
}

/// Where an object is. Only this type knows how the objects are laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(object_store::path::Path);

impl Key {
    /// Two levels, by the end of the id: its beginning is the time, and would put them all into one directory.
    pub fn pack(id: PackId) -> Key {
        let name = id.0.simple().to_string();
        Key(object_store::path::Path::from_iter(["packs", &name[30..], &name]))
    }
}

#[derive(Clone)]
pub struct Blob {
    store: Arc<dyn ObjectStore>,
    /// Where the objects are files.
    directory: Option<PathBuf>,
}

/// What a writer holds before it writes it down.
const PART: usize = 8 * 1024 * 1024;

impl Blob {
    /// A directory, made when it is missing. What was written is on disk before it is acknowledged.
    pub fn directory(path: &Path) -> Result<Blob, Error> {
        let failed = |error: std::io::Error| Error::Failed(format!("{}: {error}", path.display()));
        make_private(path).map_err(failed)?;
        let store = LocalFileSystem::new_with_prefix(path)?.with_fsync(true);
        Ok(Blob { store: Arc::new(store), directory: Some(path.to_owned()) })
    }

    /// For tests: gone with the process.
    pub fn memory() -> Blob {
        Blob { store: Arc::new(InMemory::new()), directory: None }
    }

    /// Writes an object piece by piece. It is there once `finish` has answered, and not before.
    pub fn writer(&self, key: &Key) -> Writer {
        let inner = BufWriter::with_capacity(self.store.clone(), key.0.clone(), PART).with_max_concurrency(2);
        Writer { inner, written: 0 }
    }

    pub async fn read(&self, key: &Key, range: Range<u64>) -> Result<Bytes, Error> {
        Ok(self.store.get_range(&key.0, range).await?)
    }

    /// Deletes an object, and what a process that died left of it. Deleting what is not there is fine: perhaps a sweep
    /// was broken off between its two steps.
    pub async fn delete(&self, key: &Key) -> Result<(), Error> {
        if let Some(directory) = &self.directory {
            // object_store writes beside the object's place and renames at the end.
            let unfinished = directory.join(format!("{}#1", key.0));
            let _ = tokio::task::spawn_blocking(move || std::fs::remove_file(unfinished)).await;
        }
        match self.store.delete(&key.0).await {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            other => Ok(other?),
        }
    }
}

/// Only its owner may look inside.
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

pub struct Writer {
    inner: BufWriter,
    written: u64,
}

impl Writer {
    /// Where the next byte goes.
    pub fn position(&self) -> u64 {
        self.written
    }

    pub async fn write(&mut self, bytes: Bytes) -> Result<(), Error> {
        self.written += bytes.len() as u64;
        Ok(self.inner.put(bytes).await?)
    }

    /// The object is whole and on disk; tells its size.
    pub async fn finish(mut self) -> Result<u64, Error> {
        self.inner.shutdown().await.map_err(|error| Error::Failed(error.to_string()))?;
        Ok(self.written)
    }

    /// Leaves nothing behind.
    pub async fn abort(mut self) -> Result<(), Error> {
        Ok(self.inner.abort().await?)
    }
}

#[cfg(test)]
mod tests;
