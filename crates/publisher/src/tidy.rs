//! Keeps what is needed and no more: old releases are forgotten, packs nobody refers to are deleted, and many small
//! or mostly dead ones become one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use blob::Key;
use bytes::Bytes;
use model::{PackId, SiteId};
use store::files::Place;
use store::packs::Pack;
use store::{files, packs, releases, sites};

use crate::{Error, Publisher};

/// A pack that was found useless stays for a while: somebody may be about to read it.
const DOOM: Duration = Duration::from_secs(3600);
const LEASE: Duration = Duration::from_secs(3600);
/// Rows deleted in one transaction.
const ROWS: i64 = 2000;
const STEPS: usize = 200;
/// More packs than this are put together.
const MANY_PACKS: i64 = 64;
/// A pack smaller than this is worth putting together with others.
const SMALL: i64 = 8 * 1024 * 1024;
/// What one round puts together at most.
const ROUND: i64 = 256 * 1024 * 1024;

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
        for _ in 0..STEPS {
            let clock = self.clock.clone();
            let swept = self.store.write(move |tx| {
                let swept = files::sweep(tx, site, oldest, ROWS)?;
                packs::add_dead(tx, site, &swept.dead, clock.now().plus(DOOM))?;
                Ok::<_, Error>(swept.files)
            });
            match swept.await? {
                0 => break,
                some => files += some,
            }
        }
        Ok((dropped, files))
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
        let to = PackId::new(self.clock.now());
        let clock = self.clock.clone();
        self.store
            .write(move |tx| Ok::<_, Error>(packs::begin(tx, to, site, clock.now().plus(LEASE))?))
            .await?;
        let mut places = self.store.read(move |tx| Ok::<_, Error>(files::places(tx, site)?)).await?;
        places.retain(|place| chosen.contains_key(&place.pack));
        places.sort_by_key(|place| (place.pack, place.offset));
        let (offsets, size) = self.copy(&places, &chosen, to).await?;
        let clock = self.clock.clone();
        let joined = chosen.len() as u64;
        self.store
            .write(move |tx| {
                let now = clock.now();
                if !packs::keep(tx, to, size)? {
                    return Err(Error::Away("putting packs together took too long".into()));
                }
                files::relocate(tx, site, to, &places, &offsets)?;
                // What went meanwhile is dead in its new place; what came does not refer to packs of old.
                let alive: Vec<Place> = files::places(tx, site)?;
                let moved: i64 =
                    alive.iter().filter(|place| place.pack == to).map(|place| place.length).sum();
                let referred: HashSet<PackId> = alive.iter().map(|place| place.pack).collect();
                let mut dead: BTreeMap<PackId, i64> = BTreeMap::from([(to, size - moved)]);
                let left = chosen.values().filter(|pack| !referred.contains(&pack.id));
                dead.extend(left.map(|pack| (pack.id, pack.size - pack.dead)));
                Ok(packs::add_dead(tx, site, &dead, now.plus(DOOM))?)
            })
            .await?;
        Ok(joined)
    }

    /// Writes the bytes one after another; tells where each begins, and how much it is altogether.
    async fn copy(
        &self,
        places: &[Place],
        packs: &HashMap<PackId, Pack>,
        to: PackId,
    ) -> Result<(Vec<i64>, i64), Error> {
        let mut writer = self.blob.writer(&Key::pack(to));
        let mut offsets = Vec::with_capacity(places.len());
        let mut whole: Option<(PackId, Bytes)> = None;
        for place in places {
            offsets.push(writer.position() as i64);
            let range = place.offset as u64..(place.offset + place.length) as u64;
            if range.is_empty() {
                continue;
            }
            let key = Key::pack(place.pack);
            // A small pack is read once, a large one where it is alive.
            let bytes = match packs.get(&place.pack).filter(|pack| pack.size < SMALL) {
                None => self.blob.read(&key, range).await?,
                Some(pack) => {
                    if whole.as_ref().is_none_or(|(id, _)| *id != place.pack) {
                        whole = Some((place.pack, self.blob.read(&key, 0..pack.size as u64).await?));
                    }
                    let bytes = whole.as_ref().map(|(_, bytes)| bytes.clone()).unwrap_or_default();
                    bytes.slice(range.start as usize..range.end as usize)
                }
            };
            writer.write(bytes).await?;
        }
        Ok((offsets, writer.finish().await? as i64))
    }
}

/// Which packs are worth copying, as far as one round goes.
fn choose(packs: Vec<Pack>) -> HashMap<PackId, Pack> {
    let mut room = ROUND;
    let worth = packs.into_iter().filter(|pack| pack.size < SMALL || pack.dead * 2 > pack.size);
    let fits = worth.take_while(|pack| {
        room -= pack.size - pack.dead;
        room >= 0
    });
    fits.map(|pack| (pack.id, pack)).collect()
}
