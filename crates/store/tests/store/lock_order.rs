//! Everything at once on PostgreSQL: locks are taken in one order, so that no two transactions wait for each other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use model::{AccountId, BuildId, Dimensions, ObjectId, PackId, PageId, SiteId, SiteName, Trigger};
use store::building::{self, Claim, End, Seen, Worker};
use store::copies::{self, Copy};
use store::files::{self, Cursor};
use store::media::{self, Upload};
use store::pages::{self, Page};
use store::releases::{self, Move, Release};
use store::sites::Site;
use store::trash::{self, Purge};
use store::usage::{self, Change, Quota};
use store::{Store, Tx, accounts, builds, hosts, objects, packs, sites, texts, transcodes};
use uuid::Uuid;

use crate::files::file;
use crate::mark::Alone;
use crate::media::hash;
use crate::{account, at, page, read, site_named, text, write};

const QUOTA: Quota = Quota { storage: 1 << 40, pages: 1 << 40, text: 1 << 40 };
const TASKS: usize = 16;
const STEPS: usize = 60;

/// The state that the tasks share.
struct World {
    store: Store,
    accounts: [AccountId; 2],
    seconds: AtomicI64,
}

/// Pseudorandom numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

#[test]
fn nothing_that_runs_at_once_deadlocks() {
    let Some(alone) = Alone::new() else { return };
    let store = Store::open(&alone.location_with(TASKS)).unwrap();
    let store = testing::block_on(async {
        let accounts = [account(&store, "a").await, account(&store, "b").await];
        let world = Arc::new(World { store, accounts, seconds: AtomicI64::new(1000) });
        for _ in 0..4 {
            world.add_site(&mut Numbers(7)).await;
        }
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let world = world.clone();
                tokio::spawn(async move { world.work(Numbers(task as u64 + 1)).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        for account in world.accounts {
            let (counted, recounted) = read(&world.store, move |tx| {
                Ok((usage::of_account(tx, account)?, usage::recounted(tx, account)?))
            })
            .await;
            assert_eq!(counted, recounted);
        }
        Arc::into_inner(world).unwrap().store
    });
    // A connection reports what it has counted when it ends.
    store.close();
    assert_eq!(alone.deadlocks(), 0);
}

impl World {
    async fn work(&self, mut numbers: Numbers) {
        for _ in 0..STEPS {
            match numbers.below(16) {
                0..3 => self.publish(&mut numbers).await,
                3 => self.delete_and_restore(&mut numbers).await,
                4 => self.purge(&mut numbers).await,
                5 => self.trigger(&mut numbers).await,
                6..9 => self.build(&mut numbers).await,
                9..11 => self.upload(&mut numbers).await,
                11 => {
                    self.transcode().await;
                    self.shrink().await;
                }
                12 => self.tidy(&mut numbers).await,
                13 => self.sweep().await,
                14 => self.command(&mut numbers).await,
                _ => self.delete_site(&mut numbers).await,
            }
        }
    }

    fn now(&self) -> i64 {
        self.seconds.fetch_add(1, Ordering::Relaxed)
    }

    async fn site(&self, numbers: &mut Numbers) -> Option<Site> {
        let sites = read(&self.store, sites::list).await;
        let index = numbers.below(sites.len().max(1));
        sites.into_iter().nth(index)
    }

    async fn add_site(&self, numbers: &mut Numbers) {
        let name = format!("s{}", Uuid::new_v4().simple());
        let site = site_named(self.accounts[numbers.below(2)], &name);
        assert!(write(&self.store, move |tx| sites::insert(tx, &site)).await);
    }

    async fn publish(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let (now, page) = (self.now(), page(&format!("blog//p{}", Uuid::new_v4().simple())));
        write(&self.store, move |tx| {
            let Some(version) = sites::next_version(tx, site.id)? else { return Ok(()) };
            let range = texts::insert(tx, &["one", "two"])?.unwrap();
            let (content, params) = (text(range.first.0, 3), text(range.last.0, 3));
            let page = Page { content: Some(content), params: Some(params), ..page.clone() };
            let change = Change { pages: 1, text: 6, storage: 0 };
            assert_eq!(usage::charge(tx, site.id, change, &QUOTA)?, None);
            pages::insert(tx, site.id, version, &[&page])?;
            queue(tx, &site, now)
        })
        .await;
    }

    async fn delete_and_restore(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let (now, restore) = (self.now(), numbers.below(2) == 0);
        write(&self.store, move |tx| {
            let Some(version) = sites::next_version(tx, site.id)? else { return Ok(()) };
            if restore {
                let deleted = trash::list_deleted(tx, site.id)?;
                return match deleted.first() {
                    Some(page) => trash::restore(tx, site.id, version, page.id, at(now)).map(drop),
                    None => Ok(()),
                };
            }
            let mut ids: Vec<PageId> = Vec::new();
            pages::scan(tx, site.id, |page| ids.push(page.id))?;
            ids.truncate(3);
            pages::delete(tx, site.id, version, &ids, at(now))?;
            usage::count(tx, site.id, Change { pages: -(ids.len() as i64), ..Change::default() })
        })
        .await;
    }

    async fn purge(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let now = self.now();
        let purge = move |tx: &mut Tx| trash::purge(tx, site.id, Purge::DeletedBefore(at(now)), 2, at(now));
        write(&self.store, purge).await;
    }

    async fn trigger(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let now = self.now();
        write(&self.store, move |tx| queue(tx, &site, now)).await;
    }

    /// A build from its claim to a random end, with heartbeats in between.
    async fn build(&self, numbers: &mut Numbers) {
        let (now, worker) = (self.now(), Worker(Uuid::new_v4()));
        let claimed = write(&self.store, move |tx| {
            building::recover(tx, at(now))?;
            for site in building::waiting(tx, at(now))? {
                if let Some(claim) = building::claim(tx, site, worker, at(now))? {
                    let pack = PackId(Uuid::new_v4());
                    packs::begin(tx, pack, claim.site, at(now + 100_000))?;
                    return Ok(Some((claim, pack)));
                }
            }
            Ok(None)
        });
        let Some((claim, pack)) = claimed.await else { return };
        let beat = self.heartbeat(claim, pack, now);
        let ending = numbers.below(8);
        let ((), ()) = tokio::join!(beat, async {
            match ending {
                0 => write(&self.store, move |tx| building::give_back(tx, &claim)).await,
                1 => {
                    write(&self.store, move |tx| building::retry(tx, &claim, "no", at(now))).await;
                }
                2 => {}
                _ => self.go_live(claim, pack, now).await,
            }
        });
    }

    async fn heartbeat(&self, claim: Claim, pack: PackId, now: i64) {
        for _ in 0..3 {
            let beat = move |tx: &mut Tx| {
                let version = sites::get(tx, claim.site)?.map_or(0, |site| site.version);
                let seen = Some(Seen { version, texts_below: texts::below(tx)? });
                building::extend(tx, &claim, seen, at(now))?;
                packs::extend(tx, pack, at(now + 100_000))
            };
            write(&self.store, beat).await;
        }
    }

    async fn go_live(&self, claim: Claim, pack: PackId, now: i64) {
        let undo = move |tx: &mut Tx, from: &Cursor| match building::hold(tx, &claim)? {
            true => {
                let newest = releases::newest(tx, claim.site)?.map_or(0, |release| release.number);
                files::undo(tx, claim.site, newest, from, 5)
            }
            false => Ok(None),
        };
        let mut next = Some(Cursor::default());
        while let Some(from) = next {
            next = write(&self.store, move |tx| undo(tx, &from)).await;
        }
        write(&self.store, move |tx| {
            if !building::hold(tx, &claim)? {
                return Ok(());
            }
            let number = 1 + releases::newest(tx, claim.site)?.map_or(0, |release| release.number);
            files::stage(tx, claim.site, Some(number))?;
            write_files(tx, claim.site, number, &["/a", "/b"], pack)
        })
        .await;
        write(&self.store, move |tx| {
            if !building::hold(tx, &claim)? {
                return Ok(());
            }
            let number = 1 + releases::newest(tx, claim.site)?.map_or(0, |release| release.number);
            write_files(tx, claim.site, number, &["/c"], pack)?;
            files::stage(tx, claim.site, None)?;
            let release = Release { build: claim.build, ..crate::releases::release(number) };
            releases::insert(tx, claim.site, &release)?;
            packs::keep(tx, pack, 30)?;
            releases::go_live(tx, claim.site, number, Move::Build)?;
            building::end(tx, &claim, End::Success { warnings: None }, at(now)).map(drop)
        })
        .await;
    }

    async fn upload(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let (now, number, object) = (self.now(), numbers.below(6) as u8, ObjectId(Uuid::new_v4()));
        write(&self.store, move |tx| objects::begin(tx, object, site.id, at(now + 100_000))).await;
        let names = vec!["a.mov".to_owned()];
        let (dimensions, source) = (Some(Dimensions { width: 1000, height: 500 }), Some(hash(number)));
        let upload = Upload { object: Some(object), hash: hash(number), size: 5, dimensions, source, names };
        write(&self.store, move |tx| {
            media::keep(tx, site.id, std::slice::from_ref(&upload), &QUOTA, at(now))
        })
        .await;
        if number % 2 == 0 {
            write(&self.store, move |tx| media::delete(tx, site.id, hash(number), None, at(now))).await;
        }
    }

    async fn transcode(&self) {
        let (now, worker, twin) = (self.now(), Worker(Uuid::new_v4()), ObjectId(Uuid::new_v4()));
        let claim = write(&self.store, move |tx| transcodes::claim(tx, worker, at(now))).await;
        let Some(claim) = claim else { return };
        let beat = claim.clone();
        write(&self.store, move |tx| {
            objects::begin(tx, twin, beat.site, at(now + 100_000))?;
            transcodes::heartbeat(tx, &beat, 50, at(now))
        })
        .await;
        write(&self.store, move |tx| transcodes::finish(tx, &claim, twin, 9, at(now))).await;
    }

    async fn shrink(&self) {
        let (now, object) = (self.now(), ObjectId(Uuid::new_v4()));
        let claim = write(&self.store, move |tx| copies::claim(tx, at(now))).await;
        let Some(claim) = claim else { return };
        let site = claim.site;
        write(&self.store, move |tx| objects::begin(tx, object, site, at(now + 100_000))).await;
        let copy =
            Copy { object, size: 9, hash: hash(99), dimensions: Dimensions { width: 640, height: 320 } };
        write(&self.store, move |tx| copies::finish(tx, &claim, &[copy], at(now))).await;
    }

    async fn tidy(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let (site, now) = (site.id, self.now());
        let oldest = write(&self.store, move |tx| {
            sites::lock(tx, site)?;
            let newest = releases::newest(tx, site)?.map_or(0, |release| release.number);
            releases::drop_before(tx, site, newest - 1)?;
            Ok(newest - 1)
        })
        .await;
        write(&self.store, move |tx| {
            let swept = files::sweep(tx, site, oldest, 3)?;
            packs::add_dead(tx, site, &swept.dead, at(now))
        })
        .await;
        self.join_packs(site, now).await;
    }

    async fn join_packs(&self, site: SiteId, now: i64) {
        let places = read(&self.store, move |tx| files::packed_files(tx, site, None, 6)).await;
        let (to, size) = (PackId(Uuid::new_v4()), places.iter().map(|place| place.length).sum());
        let moved = self.store.write(move |tx| {
            packs::begin(tx, to, site, at(now + 100_000))?;
            packs::keep_unused(tx, to, size)?;
            let offsets = vec![0; places.len()];
            let dead: BTreeMap<PackId, i64> = files::relocate(tx, site, to, &places, &offsets)?;
            packs::add_dead(tx, site, &dead, at(now))
        });
        moved.await.unwrap();
    }

    async fn sweep(&self) {
        let now = self.now();
        write(&self.store, move |tx| texts::sweep(tx, at(now), 20)).await;
        write(&self.store, move |tx| packs::doomed(tx, at(now), 9).map(drop)).await;
        write(&self.store, move |tx| objects::doomed(tx, at(now), 9).map(drop)).await;
        write(&self.store, move |tx| builds::forget_before(tx, at(now - 50), 5)).await;
    }

    async fn command(&self, numbers: &mut Numbers) {
        let Some(site) = self.site(numbers).await else { return };
        let (now, choice) = (self.now(), numbers.below(4));
        write(&self.store, move |tx| match choice {
            0 => sites::set_default(tx, site.account, site.id).map(drop),
            1 => hosts::add(tx, &format!("{}.com", Uuid::new_v4().simple()), site.id, at(now)).map(drop),
            2 => accounts::set_suspended(tx, site.account, None).map(drop),
            _ => {
                let name = SiteName::parse(&format!("r{}", Uuid::new_v4().simple())).unwrap();
                sites::rename(tx, site.id, &name).map(drop)
            }
        })
        .await;
    }

    async fn delete_site(&self, numbers: &mut Numbers) {
        self.add_site(numbers).await;
        if numbers.below(3) > 0 {
            return;
        }
        let (Some(site), now) = (self.site(numbers).await, self.now()) else { return };
        write(&self.store, move |tx| sites::delete(tx, site.id, at(now))).await;
        while write(&self.store, move |tx| sites::remove_some(tx, site.id, 4, at(now))).await {}
    }
}

/// Queues a build like the use case: first the site, then its account.
fn queue(tx: &mut Tx, site: &Site, now: i64) -> store::Result<()> {
    if !sites::lock(tx, site.id)? {
        return Ok(());
    }
    accounts::lock_builds(tx, site.account, at(now))?;
    sites::start_cooldown(tx, site.id, at(now), at(now))?;
    accounts::count_build(tx, site.account, u64::MAX, at(now))?;
    builds::insert(tx, BuildId(Uuid::new_v4()), site.account, site.id, Trigger::Api, at(now))
}

fn write_files(tx: &mut Tx, site: SiteId, number: i64, paths: &[&str], pack: PackId) -> store::Result<()> {
    let closed: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let files: Vec<_> = paths
        .iter()
        .map(|path| {
            let mut file = file(path, 10);
            if let files::Stored::Bytes { pack: of, .. } = &mut file.stored {
                *of = pack;
            }
            file
        })
        .collect();
    files::close(tx, site, number, &closed)?;
    files::insert(tx, site, number, &files)?;
    let page = PageId(Uuid::from_u128(paths.len() as u128));
    files::remember(tx, site, number, &[(page, Some("{}".into()))])
}
