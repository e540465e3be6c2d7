//! Writes bytes to the spool and reads them again, in pieces: one is being written while the next one arrives.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use model::MediaHash;
use tempfile::TempDir;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::Error;
use crate::limits::disk::write_error;
use crate::limits::open_bytes::HeldBytes;

/// Bytes that are collected before they are written.
const PIECE: usize = 1 << 20;
/// Chunks that are collected at most: a client that sends byte by byte must not make the list longer than its bytes.
const CHUNKS: usize = 512;
const READ: usize = 256 << 10;
/// A large file is synced piece by piece while it arrives. At the end that would take long, and commits of others would wait.
const SYNC_BYTES: usize = 16 << 20;

pub struct SpoolWriter {
    path: PathBuf,
    size: u64,
    waiting: Vec<Bytes>,
    waiting_bytes: usize,
    /// Writes the previous piece, then returns the sink.
    sink: JoinHandle<io::Result<Sink>>,
    /// Counts the bytes on disk against the account's limit.
    held: Option<Arc<Mutex<HeldBytes>>>,
}

struct Sink {
    file: File,
    hasher: blake3::Hasher,
    unsynced: usize,
    /// Kept until the last byte is written: a file created while its directory is being deleted would prevent that.
    _directory: Arc<TempDir>,
}

/// A complete file in the spool.
pub struct SpooledFile {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) hash: MediaHash,
}

impl SpoolWriter {
    pub(crate) fn new(
        directory: Arc<TempDir>,
        name: &str,
        held: Option<Arc<Mutex<HeldBytes>>>,
    ) -> SpoolWriter {
        let path = directory.path().join(name);
        let target = path.clone();
        let create = move || {
            let (file, hasher) = (File::create_new(target)?, blake3::Hasher::new());
            Ok(Sink { file, hasher, unsynced: 0, _directory: directory })
        };
        SpoolWriter {
            path,
            size: 0,
            waiting: Vec::new(),
            waiting_bytes: 0,
            sink: spawn_blocking(create),
            held,
        }
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub async fn write(&mut self, chunk: Bytes) -> Result<(), Error> {
        if let Some(held) = &self.held {
            held.lock().unwrap_or_else(PoisonError::into_inner).add(chunk.len() as u64)?;
        }
        self.size += chunk.len() as u64;
        self.waiting_bytes += chunk.len();
        self.waiting.push(chunk);
        if self.waiting_bytes >= PIECE || self.waiting.len() >= CHUNKS {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), Error> {
        let chunks = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let mut sink = self.wait_for_write().await?;
        self.sink = spawn_blocking(move || {
            for chunk in chunks {
                sink.hasher.update(&chunk);
                sink.file.write_all(&chunk)?;
                sink.unsynced += chunk.len();
            }
            if sink.unsynced >= SYNC_BYTES {
                sink.file.sync_data()?;
                sink.unsynced = 0;
            }
            Ok(sink)
        });
        Ok(())
    }

    /// Waits until the previous piece is written.
    async fn wait_for_write(&mut self) -> Result<Sink, Error> {
        let written = (&mut self.sink).await.map_err(io::Error::other).flatten();
        written.map_err(|error| write_error("write the upload", &self.path, &error))
    }

    pub async fn finish(mut self) -> Result<SpooledFile, Error> {
        self.flush().await?;
        let sink = self.wait_for_write().await?;
        let hash = MediaHash::of_digest(sink.hasher.finalize().as_bytes());
        Ok(SpooledFile { path: self.path, size: self.size, hash })
    }
}

impl SpooledFile {
    pub async fn read(&self) -> Result<SpoolReader, Error> {
        let path = self.path.clone();
        let file = blocking(move || File::open(path)).await;
        Ok(SpoolReader { file: Some(file.map_err(|error| failed("read", &self.path, &error))?) })
    }
}

/// Reads a spooled file from the beginning.
pub struct SpoolReader {
    file: Option<File>,
}

impl SpoolReader {
    /// The next piece, never empty; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(file) = self.file.take() else { return Ok(None) };
        let read = blocking(move || {
            let mut piece = Vec::with_capacity(READ);
            (&file).take(READ as u64).read_to_end(&mut piece)?;
            Ok((file, piece))
        });
        let (file, piece) =
            read.await.map_err(|error| Error::Internal(format!("read an upload: {error}")))?;
        if piece.is_empty() {
            return Ok(None);
        }
        self.file = Some(file);
        Ok(Some(piece.into()))
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other).flatten()
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::Internal(format!("{what} the upload {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_directory_is_deleted_even_while_a_file_is_being_created_in_it() {
        let parent = tempfile::tempdir().unwrap();
        for _ in 0..500 {
            let directory = Arc::new(tempfile::tempdir_in(&parent).unwrap());
            drop(SpoolWriter::new(directory, "0", None));
        }
        for _ in 0..500 {
            if std::fs::read_dir(&parent).unwrap().count() == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{} directories are left", std::fs::read_dir(&parent).unwrap().count());
    }
}
