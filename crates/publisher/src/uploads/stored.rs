//! Files whose bytes are in the object store, but which nothing refers to yet: the publish decides.

use std::collections::BTreeMap;
use std::time::Duration;

use blob::Key;
use model::{MediaHash, ObjectId, SiteId};
use store::media::{self, Kept, Upload};
use store::usage::{self, Quota};
use store::{Tx, objects};
use tokio::runtime::Handle;

use super::Files;
use super::ready::{Bytes, Ready};
use crate::{Error, Publisher};

/// For the bytes of one file to be written. Whoever takes longer starts anew.
pub(crate) const OBJECT_LEASE: Duration = Duration::from_secs(24 * 3600);

/// Dropped, what was written for nothing is left to the sweep at once.
pub(crate) struct Stored {
    publisher: Publisher,
    site: SiteId,
    uploads: Vec<Upload>,
    quota: Quota,
    /// It may be dropped on a thread of the database, which has none.
    runtime: Handle,
}

impl Files {
    /// Writes those bytes that the site does not have, unless the account has no space for them.
    pub(crate) async fn store(
        &self,
        publisher: &Publisher,
        site: SiteId,
        quota: Quota,
    ) -> Result<Stored, Error> {
        let (uploads, runtime) = (self.uploads(), Handle::current());
        let mut stored = Stored { publisher: publisher.clone(), site, uploads, quota, runtime };
        let (sizes, clock): (Vec<(MediaHash, u64)>, _) = (
            stored.uploads.iter().map(|upload| (upload.hash, upload.size)).collect(),
            publisher.clock.clone(),
        );
        let begun = publisher.store.write(move |tx| {
            // First: what another request keeps meanwhile is missing no longer, and not counted against this one.
            let used = usage::of_owner(tx, site)?;
            let hashes: Vec<MediaHash> = sizes.iter().map(|(hash, _)| *hash).collect();
            let kept = media::already_kept(tx, site, &hashes)?;
            let missing = || sizes.iter().filter(|(hash, _)| !kept.contains_key(hash));
            // Judged once more, under the account's lock, when they are kept.
            let required: u64 = missing().map(|(_, size)| size).sum();
            if let Some(exceeded) = used.exceeds(required, &quota) {
                return Err(exceeded.into());
            }
            let (now, lease_now) = (clock.now(), tx.lease_now(clock.now())?);
            let mut objects = BTreeMap::new();
            for (hash, _) in missing() {
                let id = ObjectId::new(now);
                objects::begin(tx, id, site, lease_now.plus(OBJECT_LEASE))?;
                objects.insert(*hash, id);
            }
            Ok::<_, Error>(objects)
        });
        let begun = begun.await?;
        for upload in &mut stored.uploads {
            upload.object = begun.get(&upload.hash).copied();
        }
        for upload in &stored.uploads {
            // Of files with the same bytes any one will do.
            let file = self.ready.iter().find(|(_, file)| file.url.hash == upload.hash);
            if let (Some(id), Some((_, file))) = (upload.object, file) {
                file.write(publisher, &Key::media(id)).await?;
            }
        }
        Ok(stored)
    }

    /// One for each hash, with all its names.
    fn uploads(&self) -> Vec<Upload> {
        let mut uploads: Vec<Upload> = Vec::with_capacity(self.ready.len());
        for (_, file) in &self.ready {
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

impl Ready {
    async fn write(&self, publisher: &Publisher, key: &Key) -> Result<(), Error> {
        let made;
        let path = match &self.bytes {
            Bytes::Made { path, .. } => path,
            Bytes::Known(sent) => {
                made = sent.make(publisher).await?;
                match &made.bytes {
                    Bytes::Made { path, .. } if made.url == self.url => path,
                    // The pages of this request have the address of what was made before.
                    _ => {
                        let source = sent.source();
                        publisher.store.write(move |tx| media::forget_source(tx, source)).await?;
                        return Err(Error::Away(format!(
                            "{} was processed in another way before",
                            sent.name
                        )));
                    }
                }
            }
        };
        publisher.blob.put_file(key, path).await?;
        Ok(())
    }

    /// What it was made of, if it was made this time.
    fn source(&self) -> Option<MediaHash> {
        match self.bytes {
            Bytes::Made { source, .. } => source,
            Bytes::Known(_) => None,
        }
    }
}

impl Stored {
    /// In the transaction that also writes what refers to them.
    pub(crate) fn keep(&self, tx: &mut Tx) -> Result<(), Error> {
        match media::keep(tx, self.site, &self.uploads, &self.quota, self.publisher.clock.now())? {
            Kept::Done => Ok(()),
            Kept::OverQuota(exceeded) => Err(exceeded.into()),
            Kept::NoSite => Err(Error::NoSuchSite),
            Kept::Gone(_) => Err(Error::Away("a file was deleted while it was being uploaded again".into())),
        }
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        let objects: Vec<ObjectId> = self.uploads.iter().filter_map(|upload| upload.object).collect();
        // What was kept is not touched; if the process is about to end, the lease will do.
        if !objects.is_empty() {
            let (store, clock) = (self.publisher.store.clone(), self.publisher.clock.clone());
            self.runtime.spawn(async move {
                let abandon = store.write(move |tx| objects::abandon(tx, &objects, clock.now()));
                if let Err(error) = abandon.await {
                    tracing::warn!(%error, "files of a refused request stay until their lease ends");
                }
            });
        }
    }
}
