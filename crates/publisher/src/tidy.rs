//! Keeps what is needed and no more: old releases are forgotten, packs that nothing refers to are deleted, and many small
//! or mostly dead ones become one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use blob::Key;
use bytes::Bytes;
use model::{Clock, PackId, SiteId, Timestamp};
use store::files::Place;
use store::packs::Pack;
use store::{Tx, files, packs, releases, sites};

use crate::serving::short;
use crate::steps::in_steps;
use crate::{Error, Publisher};

/// A pack that was found useless stays for a while: somebody may be about to read it.
const DOOM: Duration = Duration::from_secs(3600);
const LEASE: Duration = Duration::from_secs(3600);
/// Rows of one transaction.
const ROWS: i64 = 500;
/// More packs than this are put together.
const MANY_PACKS: i64 = 64;
/// A pack smaller than this is worth putting together with others.
const SMALL: i64 = 8 * 1024 * 1024;
/// What one round copies at most; the rest of a larger pack waits for the next.
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
        for site in self.store.read(move |tx| Ok::<_, Error>(releases::crowded(tx, keep)?)).await? {
            let (dropped, files) = self.forget_releases(site).await?;
            done.releases += dropped;
            done.files += files;
        }
        for site in self.store.read(move |tx| Ok::<_, Error>(packs::scattered(tx, MANY_PACKS)?)).await? {
            done.packs_joined += self.join_packs(site).await?;
        }
        done.packs_deleted = self.delete_doomed().await?;
        Ok(done)
    }

    /// All but the newest releases go, and with them the files that only they had.
    async fn forget_releases(&self, site: SiteId) -> Result<(u64, u64), Error> {
        let keep = self.settings.keep_releases;
        let dropped = self.store.write(move |tx| {
            // The site's lock: nobody rolls back to a release that goes.
            sites::lock(tx, site)?;
            let kept = releases::list(tx, site)?;
            let oldest = kept.iter().take(keep.max(1)).next_back().map_or(0, |release| release.number);
            let oldest = releases::live(tx, site)?.map_or(oldest, |live| live.min(oldest));
            Ok::<_, Error>((releases::drop_before(tx, site, oldest)?, oldest))
        });
        let (dropped, oldest) = dropped.await?;
        let mut files = 0;
        loop {
            let clock = self.clock.clone();
            let swept = self.store.write(move |tx| {
                let swept = files::sweep(tx, site, oldest, ROWS)?;
                let after = doom_time(tx, &*clock)?;
                packs::add_dead(tx, site, &swept.dead, after)?;
                Ok::<_, Error>((swept.files, swept.pages))
            });
            match swept.await? {
                (0, 0) => return Ok((dropped, files)),
                (some, _) => files += some,
            }
        }
    }

    /// The object goes first, then its row: a crash in between is made good by the next round.
    async fn delete_doomed(&self) -> Result<u64, Error> {
        let clock = self.clock.clone();
        let doomed =
            self.store.write(move |tx| Ok::<_, Error>(packs::doomed(tx, clock.now(), ROWS)?)).await?;
        for pack in &doomed {
            let id = pack.id;
            self.blob.delete(&Key::pack(id)).await?;
            self.store.write(move |tx| Ok::<_, Error>(packs::forget(tx, id)?)).await?;
        }
        Ok(doomed.len() as u64)
    }

    /// Copies what is alive in a site's small and mostly dead packs into a new one.
    async fn join_packs(&self, site: SiteId) -> Result<u64, Error> {
        let chosen = self.store.read(move |tx| Ok::<_, Error>(choose(packs::live(tx, site)?))).await?;
        if chosen.len() < 2 && chosen.values().all(|pack| pack.dead * 2 <= pack.size) {
            return Ok(0);
        }
        let places = self.places_in(site, &chosen).await?;
        if places.is_empty() {
            return Ok(0);
        }
        let (to, clock) = (PackId::new(self.clock.now()), self.clock.clone());
        let begin = move |tx: &mut Tx| {
            let lease = tx.lease_now(clock.now())?.plus(LEASE);
            Ok::<_, Error>(packs::begin(tx, to, site, lease)?)
        };
        self.store.write(begin).await?;
        let (places, offsets, size) = self.copy(places, &chosen, to).await?;
        self.relocate(site, to, size, places, offsets).await?;
        Ok(chosen.len() as u64)
    }

    /// The files in some packs, as many as one round copies, in the order in which they lie there.
    async fn places_in(&self, site: SiteId, packs: &HashMap<PackId, Pack>) -> Result<Vec<Place>, Error> {
        let (mut chosen, mut bytes, mut last): (Vec<Place>, i64, Option<Place>) = (Vec::new(), 0, None);
        while bytes < ROUND_BYTES && chosen.len() < ROUND_FILES {
            let behind = last.clone();
            let read = move |tx: &mut Tx| Ok::<_, Error>(files::places(tx, site, behind.as_ref(), ROWS)?);
            let places = self.store.read(read).await?;
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

    /// Writes the bytes one after another; returns which files those are, where each begins, and how much it is
    /// altogether. What does not have its hash any more is left where it is, and never taken for whole.
    async fn copy(
        &self,
        places: Vec<Place>,
        packs: &HashMap<PackId, Pack>,
        to: PackId,
    ) -> Result<(Vec<Place>, Vec<i64>, i64), Error> {
        let mut writer = self.blob.writer(&Key::pack(to));
        let (mut copied, mut offsets) = (Vec::with_capacity(places.len()), Vec::with_capacity(places.len()));
        let mut whole: Option<(PackId, Bytes)> = None;
        for place in places {
            let range = place.offset as u64..(place.offset + place.length) as u64;
            let key = Key::pack(place.pack);
            // A small pack is read once, a large one where it is alive.
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
                tracing::error!(pack = %place.pack, path = place.path, "a stored file is damaged; `recto verify` lists all");
                continue;
            }
            offsets.push(writer.position() as i64);
            copied.push(place);
            writer.write(bytes).await?;
        }
        Ok((copied, offsets, writer.finish().await? as i64))
    }

    /// From here on the files are read from the new pack. At every moment each pack knows which of its bytes are dead.
    async fn relocate(
        &self,
        site: SiteId,
        to: PackId,
        size: i64,
        places: Vec<Place>,
        offsets: Vec<i64>,
    ) -> Result<(), Error> {
        let (clock, moves) = (self.clock.clone(), Arc::new((places, offsets)));
        let step = move |tx: &mut Tx, from: &usize| {
            let (places, offsets) = &*moves;
            if *from == 0 && !packs::keep_unused(tx, to, size)? {
                return Err(Error::Away("putting packs together took too long".into()));
            }
            let end = (from + ROWS as usize).min(places.len());
            let dead = files::relocate(tx, site, to, &places[*from..end], &offsets[*from..end])?;
            let after = doom_time(tx, &*clock)?;
            packs::add_dead(tx, site, &dead, after)?;
            Ok((end < places.len()).then_some(end))
        };
        in_steps(&self.store, 0, step).await
    }
}

/// When what is found useless now is deleted.
fn doom_time(tx: &mut Tx, clock: &dyn Clock) -> Result<Timestamp, Error> {
    Ok(tx.lease_now(clock.now())?.plus(DOOM))
}

/// Which packs are worth copying.
fn choose(packs: Vec<Pack>) -> HashMap<PackId, Pack> {
    let worth = packs.into_iter().filter(|pack| pack.size < SMALL || pack.dead * 2 > pack.size);
    worth.map(|pack| (pack.id, pack)).collect()
}
