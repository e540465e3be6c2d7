//! Files whose bytes are in the object store, but to which nothing refers yet: the publish's transaction keeps them.

use std::collections::BTreeMap;
use std::time::Duration;

use blob::Key;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::{MediaHash, ObjectId, SiteId};
use store::media::{self, Kept, Upload};
use store::usage::{self, Change, Quota};
use store::{Tx, objects};
use tokio::runtime::Handle;

use super::ProcessedFiles;
use super::processed::{ProcessedBytes, ProcessedFile};
use crate::{Error, Publisher};

/// The time for writing the bytes of one file. After it the object is swept, and the upload fails.
pub(crate) const OBJECT_LEASE: Duration = Duration::from_secs(24 * 3600);

/// Files of one request that are written at the same time: a bucket takes as long to answer for a small one as for ten.
const WRITES_AT_ONCE: usize = 8;

/// When dropped, objects that were not kept are left to the sweep at once.
pub(crate) struct StoredFiles {
    publisher: Publisher,
    site: SiteId,
    uploads: Vec<Upload>,
    quota: Quota,
    /// For the drop, which may happen on a database thread without a runtime.
    runtime: Handle,
}

impl ProcessedFiles {
    /// Writes the bytes that the site does not have, unless they exceed the account's storage.
    pub(crate) async fn store(
        &self,
        publisher: &Publisher,
        site: SiteId,
        quota: Quota,
    ) -> Result<StoredFiles, Error> {
        let (uploads, runtime) = (self.uploads(), Handle::current());
        let mut stored = StoredFiles { publisher: publisher.clone(), site, uploads, quota, runtime };
        let sizes: Vec<(MediaHash, u64)> =
            stored.uploads.iter().map(|upload| (upload.hash, upload.size)).collect();
        let begun = publisher.write(move |tx, now| {
            // Read first: files that another request keeps meanwhile are then not counted against this one.
            let used = usage::of_owner(tx, site)?;
            let hashes: Vec<MediaHash> = sizes.iter().map(|(hash, _)| *hash).collect();
            let kept = media::already_kept(tx, site, &hashes)?;
            let missing = || sizes.iter().filter(|(hash, _)| !kept.contains_key(hash));
            // Checked again under the account's lock when the files are kept.
            let required: u64 = missing().map(|(_, size)| size).sum();
            if let Some(exceeded) =
                used.exceeds(Change { storage: required as i64, ..Change::default() }, &quota)
            {
                return Err(exceeded.into());
            }
            let lease_now = tx.lease_now(now)?;
            let mut objects = BTreeMap::new();
            for (hash, _) in missing() {
                let id = ObjectId::new(now);
                objects::begin(tx, id, site, lease_now.plus(OBJECT_LEASE))?;
                objects.insert(*hash, id);
            }
            Ok(objects)
        });
        let begun = begun.await?;
        for upload in &mut stored.uploads {
            upload.object = begun.get(&upload.hash).copied();
        }
        self.write(publisher, &stored.uploads).await?;
        Ok(stored)
    }

    /// The stored bytes, each once.
    pub(crate) fn sizes(&self) -> Vec<(MediaHash, u64)> {
        self.uploads().iter().map(|upload| (upload.hash, upload.size)).collect()
    }

    /// Writes several objects at a time. After the first error no other one is begun, and those that are being written
    /// are waited for: none may appear after the sweep has looked for it.
    async fn write(&self, publisher: &Publisher, uploads: &[Upload]) -> Result<(), Error> {
        let missing = uploads.iter().filter_map(|upload| {
            // Any of the files with these bytes.
            let (_, file) = self.processed.iter().find(|(_, file)| file.url.hash == upload.hash)?;
            Some(file.write(publisher, Key::media(upload.object?)))
        });
        let mut waiting = missing.collect::<Vec<_>>().into_iter();
        let mut under_way: FuturesUnordered<_> = waiting.by_ref().take(WRITES_AT_ONCE).collect();
        let mut outcome = Ok(());
        while let Some(written) = under_way.next().await {
            outcome = outcome.and(written);
            if outcome.is_ok() {
                under_way.extend(waiting.next());
            }
        }
        outcome
    }

    /// One upload for each hash, with all its names.
    fn uploads(&self) -> Vec<Upload> {
        let mut uploads: Vec<Upload> = Vec::with_capacity(self.processed.len());
        for (_, file) in &self.processed {
            let (hash, name) = (file.url.hash, file.url.name.clone());
            match uploads.iter_mut().find(|upload| upload.hash == hash) {
                Some(upload) => upload.names.push(name),
                None => uploads.push(Upload {
                    object: None,
                    hash,
                    size: file.size,
                    dimensions: file.url.dimensions,
                    source: file.source(),
                    names: vec![name],
                }),
            }
        }
        uploads
    }
}

impl ProcessedFile {
    async fn write(&self, publisher: &Publisher, key: Key) -> Result<(), Error> {
        let made;
        let path = match &self.bytes {
            ProcessedBytes::New { path, .. } => path,
            ProcessedBytes::Known(received) => {
                made = received.process_in_worker(publisher).await?;
                match &made.bytes {
                    ProcessedBytes::New { path, .. } if made.url == self.url => path,
                    // The pages of this request contain the address of the earlier result.
                    _ => {
                        let source = received.source();
                        publisher.store.write(move |tx| media::forget_source(tx, source)).await?;
                        return Err(Error::Unavailable(format!(
                            "{} was processed in another way before",
                            received.name
                        )));
                    }
                }
            }
        };
        publisher.blob.put_file(&key, path).await?;
        Ok(())
    }

    /// What it was made of, if it was processed for this request.
    fn source(&self) -> Option<MediaHash> {
        match self.bytes {
            ProcessedBytes::New { source, .. } => source,
            ProcessedBytes::Known(_) => None,
        }
    }
}

impl StoredFiles {
    /// To be called in the transaction that also writes the pages that refer to the files.
    pub(crate) fn keep(&self, tx: &mut Tx) -> Result<(), Error> {
        match media::keep(tx, self.site, &self.uploads, &self.quota, self.publisher.clock.now())? {
            Kept::Done => Ok(()),
            Kept::OverQuota(exceeded) => Err(exceeded.into()),
            Kept::NoSite => Err(Error::NoSuchSite),
            Kept::Gone(_) => Err(Error::Overtaken("a file was deleted while it was being uploaded again")),
        }
    }
}

impl Drop for StoredFiles {
    fn drop(&mut self) {
        let objects: Vec<ObjectId> = self.uploads.iter().filter_map(|upload| upload.object).collect();
        // Kept objects are not affected. If the process is about to end, the lease expires instead.
        if !objects.is_empty() {
            let (store, clock) = (self.publisher.store.clone(), self.publisher.clock.clone());
            self.runtime.spawn(async move {
                let abandon = store.write(move |tx| objects::abandon(tx, &objects, clock.now()));
                if let Err(error) = abandon.await {
                    tracing::warn!(%error, "objects of a refused request not abandoned, swept when their lease expires");
                }
            });
        }
    }
}
