//! Objects that have no row: a process died, or was told to stop, between the two. They belong to nobody.

use std::collections::HashSet;
use std::hash::Hash;
use std::pin::pin;
use std::time::Duration;

use blob::Key;
use futures_util::{Stream, StreamExt, TryStreamExt};
use model::{ObjectId, PackId};
use store::{Tx, objects, packs};

use crate::{Error, Publisher};

/// Younger ones are left alone: whoever puts an older database back may still want them. Ids tell their age.
const AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Ids that are looked up at once.
const CHUNK: usize = 1000;

impl Publisher {
    /// Deletes them; tells how many there were. It lists the whole object store.
    pub async fn sweep_orphans(&self) -> Result<u64, Error> {
        let long_ago = self.clock.now().minus(AGE);
        let media =
            self.sweep_unknown(self.blob.media(), ObjectId::new(long_ago), objects::known, Key::media);
        let packs = self.sweep_unknown(self.blob.packs(), PackId::new(long_ago), packs::known, Key::pack);
        Ok(media.await? + packs.await?)
    }

    async fn sweep_unknown<Id: Copy + Ord + Hash + Send + Sync + 'static>(
        &self,
        all: impl Stream<Item = Result<Id, blob::Error>>,
        youngest: Id,
        known: fn(&mut Tx, &[Id]) -> store::Result<HashSet<Id>>,
        key: fn(Id) -> Key,
    ) -> Result<u64, Error> {
        let (mut all, mut swept) = (pin!(all.try_chunks(CHUNK)), 0);
        while let Some(ids) = all.next().await {
            let mut ids = ids.map_err(|error| error.1)?;
            ids.retain(|id| *id < youngest);
            let asked = ids.clone();
            let known = self.store.read(move |tx| Ok::<_, Error>(known(tx, &asked)?)).await?;
            for id in ids.into_iter().filter(|id| !known.contains(id)) {
                self.blob.delete(&key(id)).await?;
                swept += 1;
            }
        }
        Ok(swept)
    }
}
