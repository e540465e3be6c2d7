//! Reads objects: a range at once, or in pieces.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::{GetOptions, GetResultPayload, ObjectStore, ObjectStoreExt};
use tokio::task::spawn_blocking;

use crate::{Blob, Error, Key};

/// How much of a file is buffered while it is sent.
const PIECE_BYTES: u64 = 128 * 1024;

impl Blob {
    /// From the cache on the local disk, if it is there.
    pub async fn read(&self, key: &Key, range: Range<u64>) -> Result<Bytes, Error> {
        let Some(cache) = &self.cache else { return Ok(self.store.get_range(&key.0, range).await?) };
        if let Some(bytes) = cache.get(key, &range).await {
            return Ok(bytes);
        }
        let bytes = self.store.get_range(&key.0, range.clone()).await?;
        cache.put(key, &range, bytes.clone()).await;
        Ok(bytes)
    }

    /// What was read is not what was written. `true`: it may have come from the cache, so it should be read again.
    pub fn forget(&self, key: &Key, range: &Range<u64>) -> bool {
        let Some(cache) = &self.cache else { return false };
        cache.remove(key, range);
        true
    }

    /// For a range of any length: it is never buffered completely. `Missing` is returned before the first piece.
    pub async fn read_stream(
        &self,
        key: &Key,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, Error>>, Error> {
        // object_store does not support empty ranges.
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let found = self.store.get_opts(&key.0, GetOptions::new().with_range(Some(range))).await?;
        Ok(match found.payload {
            // object_store would read 8 KB at a time, each on another thread.
            GetResultPayload::File(file, _) => pieces(file, found.range).boxed(),
            GetResultPayload::Stream(pieces) => pieces.map_err(Error::from).boxed(),
        })
    }
}

fn pieces(file: File, range: Range<u64>) -> impl stream::Stream<Item = Result<Bytes, Error>> {
    let file = Arc::new(file);
    stream::try_unfold(range, move |rest| {
        let file = file.clone();
        async move {
            if rest.is_empty() {
                return Ok(None);
            }
            let end = rest.end.min(rest.start + PIECE_BYTES);
            let read = spawn_blocking(move || {
                let mut piece = vec![0; (end - rest.start) as usize];
                file.read_exact_at(&mut piece, rest.start).map(|()| piece)
            });
            let piece = read.await.map_err(std::io::Error::other).flatten();
            let piece = piece.map_err(|error| Error::Failed(format!("read an object: {error}")))?;
            Ok(Some((Bytes::from(piece), end..rest.end)))
        }
    })
}
