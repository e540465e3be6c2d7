//! Writes objects piece by piece.

use std::fs::File;
use std::path::{Path, PathBuf};

use bytes::{Bytes, BytesMut};
use object_store::buffered::BufWriter;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::{Blob, Error, Key, failed};

/// How much a writer buffers before it writes: the minimum size of a part in S3. There are at most 10,000 parts, so an
/// object has at most 50 GB.
const PART_BYTES: usize = 5 * 1024 * 1024;
/// The same for a file: how much it is synced at a time at least.
const FILE_PART_BYTES: usize = 512 * 1024;
/// How much of a file is read at once.
const PIECE_BYTES: usize = 1024 * 1024;

pub struct Writer {
    /// `None` once it is finished or aborted.
    inner: Option<BufWriter>,
    written: u64,
    /// The file that is being written, if objects are files.
    unfinished: Option<PathBuf>,
}

impl Blob {
    /// Writes an object piece by piece. It exists once `finish` has returned, not before.
    pub fn writer(&self, key: &Key) -> Writer {
        let unfinished = self.unfinished(key);
        let part = if unfinished.is_some() { FILE_PART_BYTES } else { PART_BYTES };
        let inner = BufWriter::with_capacity(self.store.clone(), key.0.clone(), part).with_max_concurrency(2);
        Writer { inner: Some(inner), written: 0, unfinished }
    }
}

impl Writer {
    /// The offset of the next byte.
    pub fn position(&self) -> u64 {
        self.written
    }

    pub async fn write(&mut self, bytes: Bytes) -> Result<(), Error> {
        self.written += bytes.len() as u64;
        let inner = self.inner.as_mut().expect("the writer was already finished or aborted");
        Ok(inner.put(bytes).await?)
    }

    /// Syncs what is in the file so far. Otherwise all of it is synced by `finish`, and everything else that is synced on
    /// that disk waits meanwhile.
    pub async fn sync(&mut self) {
        if let Some(file) = self.unfinished.clone() {
            // An error is reported again by `finish`. There may be no file yet.
            let _ = spawn_blocking(move || File::open(file)?.sync_data()).await;
        }
    }

    /// Completes the object, which is on disk when this returns. Returns its size.
    pub async fn finish(mut self) -> Result<u64, Error> {
        if let Some(mut inner) = self.inner.take() {
            let full = |error: &std::io::Error| crate::is_full(error);
            inner.shutdown().await.map_err(|error| match full(&error) {
                true => Error::Full(error.to_string()),
                false => Error::Failed(error.to_string()),
            })?;
        }
        Ok(self.written)
    }

    /// Discards everything written so far.
    pub async fn abort(mut self) -> Result<(), Error> {
        match self.inner.take() {
            Some(mut inner) => Ok(inner.abort().await?),
            None => Ok(()),
        }
    }

    /// Writes a whole file, or nothing if that fails.
    pub(crate) async fn write_file(mut self, path: &Path) -> Result<u64, Error> {
        if let Err(error) = self.copy(path).await {
            // The first error is the one to report.
            let _ = self.abort().await;
            return Err(error);
        }
        self.finish().await
    }

    async fn copy(&mut self, path: &Path) -> Result<(), Error> {
        let mut file = tokio::fs::File::open(path).await.map_err(|error| failed(path, &error))?;
        loop {
            let mut piece = BytesMut::with_capacity(PIECE_BYTES);
            if file.read_buf(&mut piece).await.map_err(|error| failed(path, &error))? == 0 {
                return Ok(());
            }
            self.write(piece.freeze()).await?;
        }
    }
}

/// S3 keeps, and charges for, the parts of an upload that is never finished: this aborts one whose request was
/// cancelled.
impl Drop for Writer {
    fn drop(&mut self) {
        if let (Some(mut inner), Ok(runtime)) = (self.inner.take(), Handle::try_current()) {
            runtime.spawn(async move { inner.abort().await });
        }
    }
}
