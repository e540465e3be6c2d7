//! Deletes old releases and packs to which nothing refers, and merges small or mostly unused packs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use blob::Key;
use bytes::Bytes;
use model::{PackId, SiteId, Timestamp};
use store::files::PackedFile;
use store::packs::Pack;
use store::{Tx, files, packs, releases, sites};

use crate::sites::serving::short;
use crate::steps::in_steps;
use crate::{Error, Publisher};

/// How long a pack without files is kept: a request may be about to read it.
const DOOM: Duration = Duration::from_secs(3600);
const LEASE: Duration = Duration::from_secs(3600);
/// Rows of one transaction.
const ROWS: i64 = 500;
/// The packs of a site are merged when there are more than this.
const MANY_PACKS: i64 = 64;
/// Packs smaller than this are merged.
const SMALL: i64 = 8 * 1024 * 1024;
/// Limits of what one round copies; the rest of a larger pack waits for the next.
const ROUND_BYTES: i64 = 256 * 1024 * 1024;
const ROUND_FILES: usize = 100_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tidied {
    pub releases: u64,
    pub files: u64,
    pub packs_deleted: u64,
    pub packs_joined: u64,
}

impl Publisher {
    pub async fn tidy_releases(&self) -> Result<Tidied, Error> {
        let mut done = Tidied::default();
        let keep = self.settings.keep_releases as i64;
        for site in self.read(move |tx| Ok(releases::crowded(tx, keep)?)).await? {
            let (dropped, files) = self.forget_releases(site).await?;
            done.releases += dropped;
            done.files += files;
        }
        for site in self.read(move |tx| Ok(packs::scattered(tx, MANY_PACKS)?)).await? {
            done.packs_joined += self.join_packs(site).await?;
        }
        done.packs_deleted = self.delete_doomed().await?;
        Ok(done)
    }

    /// Deletes all but the newest releases, and the files that only they contain.
    async fn forget_releases(&self, site: SiteId) -> Result<(u64, u64), Error> {
        let keep = self.settings.keep_releases;
        let dropped = self.write(move |tx, _| {
            // Under the site's lock no command can roll back to a release that is being deleted.
            sites::lock(tx, site)?;
            let kept = releases::list(tx, site)?;
            let oldest = kept.iter().take(keep.max(1)).next_back().map_or(0, |release| release.number);
            let oldest = releases::live(tx, site)?.map_or(oldest, |live| live.min(oldest));
            Ok((releases::drop_before(tx, site, oldest)?, oldest))
        });
        let (dropped, oldest) = dropped.await?;
        let mut files = 0;
        loop {
            let swept = self.write(move |tx, now| {
                let swept = files::sweep(tx, site, oldest, ROWS)?;
                let after = doom_time(tx, now)?;
                packs::add_dead(tx, site, &swept.dead, after)?;
                Ok((swept.files, swept.pages))
            });
            match swept.await? {
                (0, 0) => return Ok((dropped, files)),
                (some, _) => files += some,
            }
        }
    }

    /// Deletes the object first, then its row: after a crash in between the next round continues.
    async fn delete_doomed(&self) -> Result<u64, Error> {
        let doomed = self.write(move |tx, now| Ok(packs::doomed(tx, now, ROWS)?)).await?;
        for pack in &doomed {
            let id = pack.id;
            self.blob.delete(&Key::pack(id)).await?;
            self.write(move |tx, _| Ok(packs::forget(tx, id)?)).await?;
        }
        Ok(doomed.len() as u64)
    }

    /// Copies the files that are still used in a site's small and mostly unused packs into a new pack.
    async fn join_packs(&self, site: SiteId) -> Result<u64, Error> {
        let chosen = self.read(move |tx| Ok(choose(packs::live(tx, site)?))).await?;
        if chosen.len() < 2 && chosen.values().all(|pack| pack.dead * 2 <= pack.size) {
            return Ok(0);
        }
        let places = self.places_in(site, &chosen).await?;
        if places.is_empty() {
            return Ok(0);
        }
        let to = PackId::new(self.clock.now());
        let begun = self.write(move |tx, now| {
            let lease = tx.lease_now(now)?.plus(LEASE);
            Ok(packs::begin(tx, to, site, lease)?)
        });
        begun.await?;
        let (places, offsets, size) = self.copy(places, &chosen, to).await?;
        self.relocate(site, to, size, places, offsets).await?;
        Ok(chosen.len() as u64)
    }

    /// The files in some packs, as many as one round copies, in their order in the packs.
    async fn places_in(&self, site: SiteId, packs: &HashMap<PackId, Pack>) -> Result<Vec<PackedFile>, Error> {
        let (mut chosen, mut bytes, mut last): (Vec<PackedFile>, i64, Option<PackedFile>) =
            (Vec::new(), 0, None);
        while bytes < ROUND_BYTES && chosen.len() < ROUND_FILES {
            let behind = last.clone();
            let places =
                self.read(move |tx| Ok(files::packed_files(tx, site, behind.as_ref(), ROWS)?)).await?;
            let Some(end) = places.last() else { break };
            last = Some(end.clone());
            for place in places.into_iter().filter(|place| packs.contains_key(&place.pack)) {
                bytes += place.length;
                chosen.push(place);
            }
        }
        chosen.sort_by_key(|place| (place.pack, place.offset));
        Ok(chosen)
    }

    /// Writes the bytes one after another; returns the files, their offsets, and the total size. A damaged file, whose
    /// bytes do not match its hash, is not copied.
    async fn copy(
        &self,
        places: Vec<PackedFile>,
        packs: &HashMap<PackId, Pack>,
        to: PackId,
    ) -> Result<(Vec<PackedFile>, Vec<i64>, i64), Error> {
        let mut writer = self.blob.writer(&Key::pack(to));
        let (mut copied, mut offsets) = (Vec::with_capacity(places.len()), Vec::with_capacity(places.len()));
        let mut whole: Option<(PackId, Bytes)> = None;
        for place in places {
            let range = place.offset as u64..(place.offset + place.length) as u64;
            let key = Key::pack(place.pack);
            // A small pack is read as a whole, a large one file by file.
            let bytes = match packs.get(&place.pack).filter(|pack| pack.size < SMALL) {
                _ if range.is_empty() => Bytes::new(),
                None => self.blob.read(&key, range).await?,
                Some(pack) => {
                    if whole.as_ref().is_none_or(|(id, _)| *id != place.pack) {
                        whole = Some((place.pack, self.blob.read(&key, 0..pack.size as u64).await?));
                    }
                    let bytes = whole.as_ref().map(|(_, bytes)| bytes.clone()).unwrap_or_default();
                    bytes.slice(range.start as usize..range.end as usize)
                }
            };
            if short(&blake3::hash(&bytes)) != place.hash {
                tracing::error!(pack = %place.pack, path = place.path, "stored file damaged, run `recto verify` to list all damage");
                continue;
            }
            offsets.push(writer.position() as i64);
            copied.push(place);
            writer.write(bytes).await?;
        }
        Ok((copied, offsets, writer.finish().await? as i64))
    }

    /// Points the files to the new pack. The count of unused bytes of each pack is right after each step.
    async fn relocate(
        &self,
        site: SiteId,
        to: PackId,
        size: i64,
        places: Vec<PackedFile>,
        offsets: Vec<i64>,
    ) -> Result<(), Error> {
        let (clock, moves) = (self.clock.clone(), Arc::new((places, offsets)));
        let step = move |tx: &mut Tx, from: &usize| {
            let (places, offsets) = &*moves;
            if *from == 0 && !packs::keep_unused(tx, to, size)? {
                return Err(Error::Unavailable("merging packs took longer than the lease".into()));
            }
            let end = (from + ROWS as usize).min(places.len());
            let dead = files::relocate(tx, site, to, &places[*from..end], &offsets[*from..end])?;
            let after = doom_time(tx, clock.now())?;
            packs::add_dead(tx, site, &dead, after)?;
            Ok((end < places.len()).then_some(end))
        };
        in_steps(&self.store, 0, step).await
    }
}

/// When a pack that is unused from now on is deleted.
fn doom_time(tx: &mut Tx, now: Timestamp) -> Result<Timestamp, Error> {
    Ok(tx.lease_now(now)?.plus(DOOM))
}

/// The packs that are worth merging.
fn choose(packs: Vec<Pack>) -> HashMap<PackId, Pack> {
    let worth = packs.into_iter().filter(|pack| pack.size < SMALL || pack.dead * 2 > pack.size);
    worth.map(|pack| (pack.id, pack)).collect()
}
