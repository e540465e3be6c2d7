//! Objects that have no row: a process died, or was stopped, between the two. Nothing refers to them.

use std::collections::HashSet;
use std::hash::Hash;
use std::pin::pin;
use std::time::Duration;

use blob::Key;
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::{ObjectId, PackId};
use serde::Serialize;
use store::{Tx, objects, packs, server};

use crate::{AdminError, Error, Publisher};

/// Younger ones are left alone: whoever puts an older database back may still want them. Ids tell their age.
const AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Ids that are looked up at once.
const CHUNK: usize = 1000;
/// More than so many, and more than a tenth of all objects: then something else is wrong, and nothing is deleted.
const SUSPICIOUS: u64 = 10;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What was found in the object store.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Orphans {
    pub objects: u64,
    /// Of them, those that the database does not know and that are older than a week.
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
    /// Counts them, and changes nothing. It lists the whole object store.
    pub async fn count_orphans(&self) -> Result<Orphans, Error> {
        self.each_orphan(Treatment::Count).await
    }

    /// Deletes them, if they are this installation's and not suspiciously many; `force` deletes many, too.
    pub async fn sweep_orphans(&self, force: bool) -> Result<Orphans, AdminError> {
        let own = self.installation().await?;
        if self.blob.installation().await? != Some(own) {
            return Err(AdminError::refused("the object store does not belong to this installation"));
        }
        let found = self.count_orphans().await.map_err(admin)?;
        if found.are_suspicious() && !force {
            let Orphans { objects, orphans } = found;
            return Err(AdminError::refused(format!(
                "{orphans} of {objects} objects are unknown to the database, which is suspiciously many: nothing was \
                 deleted. Is store.url right? `recto objects sweep --force` deletes them"
            )));
        }
        match found.orphans {
            0 => Ok(found),
            _ => self.each_orphan(Treatment::Delete).await.map_err(admin),
        }
    }

    /// What is done once a day, by one server; `false`: it is not time yet.
    pub async fn claim_daily_work(&self) -> Result<bool, Error> {
        let now = self.clock.now();
        self.store.write(move |tx| Ok(server::claim_daily_work(tx, now, now.minus(DAY))?)).await
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
            let known = self.store.read(move |tx| Ok::<_, Error>(known(tx, &asked)?)).await?;
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

fn admin(error: Error) -> AdminError {
    AdminError::refused(error.to_string())
}
