//! Orphans: objects without a row, left by a process that died between writing the two. Nothing refers to them.

use std::collections::HashSet;
use std::hash::Hash;
use std::pin::pin;
use std::time::Duration;

use blob::Key;
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::{ObjectId, PackId};
use serde::Serialize;
use store::{Tx, objects, packs, server};

use crate::{Error, Publisher};

/// Younger objects are kept: an operator who restores an older database may still need them. Ids contain the time.
const AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Ids that are looked up at once.
const CHUNK: usize = 1000;
/// With more orphans than this, and more than a tenth of all objects, something else is wrong, and nothing is deleted.
const SUSPICIOUS: u64 = 10;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The numbers of objects found in the object store.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Orphans {
    pub objects: u64,
    /// Those that the database does not know and that are older than a week.
    pub orphans: u64,
}

impl Orphans {
    pub fn are_suspicious(&self) -> bool {
        self.orphans > SUSPICIOUS && self.orphans * 10 > self.objects
    }
}

/// What to do with orphans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    Count,
    Delete,
}

impl Publisher {
    /// Counts orphans, and changes nothing. It lists the whole object store.
    pub async fn count_orphans(&self) -> Result<Orphans, Error> {
        self.each_orphan(Treatment::Count).await
    }

    /// Deletes orphans, if the objects belong to this installation and there are not suspiciously many; `force` deletes
    /// even many.
    pub async fn sweep_orphans(&self, force: bool) -> Result<Orphans, Error> {
        self.check_ownership().await?;
        let found = self.count_orphans().await?;
        if found.are_suspicious() && !force {
            let Orphans { objects, orphans } = found;
            return Err(Error::refused(format!(
                "{orphans} of {objects} objects are unknown to the database, which is suspiciously many: nothing was \
                 deleted. Is store.url right? `recto objects sweep --force` deletes them"
            )));
        }
        match found.orphans {
            0 => Ok(found),
            _ => self.each_orphan(Treatment::Delete).await,
        }
    }

    /// Aborts uploads to S3 that a process began more than a week ago and never finished, and returns how many.
    pub async fn abort_unfinished_uploads(&self) -> Result<u64, Error> {
        self.check_ownership().await?;
        Ok(self.blob.abort_unfinished(self.clock.now().minus(AGE)).await?)
    }

    /// Nothing is deleted in an object store that belongs to another installation.
    async fn check_ownership(&self) -> Result<(), Error> {
        let own = self.installation().await?;
        match self.blob.installation().await? == Some(own) {
            true => Ok(()),
            false => Err(Error::refused("the object store does not belong to this installation")),
        }
    }

    /// Claims the work that one server does once a day; `false`: it is not due yet.
    pub async fn claim_daily_work(&self) -> Result<bool, Error> {
        self.write(move |tx, now| Ok(server::claim_daily_work(tx, now, now.minus(DAY))?)).await
    }

    async fn each_orphan(&self, treatment: Treatment) -> Result<Orphans, Error> {
        let long_ago = self.clock.now().minus(AGE);
        let media =
            self.unknown(treatment, self.blob.media(), ObjectId::new(long_ago), objects::known, Key::media);
        let packs =
            self.unknown(treatment, self.blob.packs(), PackId::new(long_ago), packs::known, Key::pack);
        let (media, packs) = (media.await?, packs.await?);
        Ok(Orphans { objects: media.objects + packs.objects, orphans: media.orphans + packs.orphans })
    }

    async fn unknown<Id: Copy + Ord + Hash + Send + Sync + 'static>(
        &self,
        treatment: Treatment,
        all: impl Stream<Item = Result<Id, blob::Error>>,
        youngest: Id,
        known: fn(&mut Tx, &[Id]) -> store::Result<HashSet<Id>>,
        key: fn(Id) -> Key,
    ) -> Result<Orphans, Error> {
        let (mut all, mut found) = (pin!(all.try_chunks(CHUNK)), Orphans::default());
        while let Some(ids) = all.next().await {
            let mut ids = ids.map_err(|error| error.1)?;
            found.objects += ids.len() as u64;
            ids.retain(|id| *id < youngest);
            let asked = ids.clone();
            let known = self.read(move |tx| Ok(known(tx, &asked)?)).await?;
            for id in ids.into_iter().filter(|id| !known.contains(id)) {
                found.orphans += 1;
                if treatment == Treatment::Delete {
                    self.blob.delete(&key(id)).await?;
                }
            }
        }
        Ok(found)
    }
}
