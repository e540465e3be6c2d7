//! The deletion of a site with thousands of rows: it disappears at once, its rows are deleted in steps.

use model::{MediaHash, ObjectId, PackId, PageId, SiteId, Trigger};
use store::media::{self, Kept, Upload};
use store::pages::{self, Page};
use store::releases::{self, Move};
use store::sites::{self, Site};
use store::texts::{self, Text, TextId};
use store::usage::{self, Quota, Usage};
use store::{Store, Tx, building, files, former, hosts, objects, packs};
use testing::Database;
use uuid::Uuid;

use crate::building::{ONE, builds_of, claim};
use crate::builds::queue;
use crate::files::file;
use crate::{at, page, read, site_named, write};

testing::on_both_databases!(
    a_site_is_deleted_in_bounded_steps_without_touching_other_sites,
    an_interrupted_deletion_is_continued,
    a_deleted_site_is_not_found_and_its_names_are_free_at_once,
    a_build_of_a_deleted_site_ends,
    objects_that_are_being_written_are_swept_when_their_lease_expires,
);

const ROWS: usize = 1200;
const STEP: i64 = 250;

/// A site of the account with more than a thousand rows of each kind.
async fn large(store: &Store, owner: &Site, name: &str, number: u128) -> Site {
    let site = site_named(owner.account, name);
    let (row, id) = (site.clone(), site.id);
    write(store, move |tx| {
        assert!(sites::insert(tx, &row)?);
        add_pages(tx, id)?;
        add_files(tx, id)?;
        add_packs_and_media(tx, id, number)?;
        hosts::add(tx, &format!("{number}.example.com"), id, at(0)).map(drop)
    })
    .await;
    site
}

/// Half of them are deleted.
fn add_pages(tx: &mut Tx, site: SiteId) -> store::Result<()> {
    let version = sites::next_version(tx, site)?.unwrap();
    let range = texts::insert(tx, &vec!["text".to_owned(); 2 * ROWS])?.unwrap();
    let mut texts = (range.first.0..).map(|id| Text { id: TextId(id), bytes: 4 });
    let pages: Vec<Page> = (0..ROWS)
        .map(|number| Page {
            content: texts.next(),
            params: texts.next(),
            ..page(&format!("blog//p{number}"))
        })
        .collect();
    let ids: Vec<PageId> = pages.iter().map(|page| page.id).collect();
    let left: Vec<_> = ids.iter().enumerate().map(|(number, id)| (format!("/old/{number}"), *id)).collect();
    pages::insert(tx, site, version, &pages.iter().collect::<Vec<_>>())?;
    pages::delete(tx, site, version, &ids[..ROWS / 2], at(1))?;
    former::add(tx, site, version, &left)?;
    let live = ROWS - ROWS / 2;
    usage::count(tx, site, usage::Change { pages: live as i64, text: 8 * ROWS as i64, storage: 0 })
}

fn add_files(tx: &mut Tx, site: SiteId) -> store::Result<()> {
    let files: Vec<_> = (0..ROWS).map(|number| file(&format!("/{number}"), 1)).collect();
    files::insert(tx, site, 1, &files)?;
    let remembered: Vec<_> =
        (0..ROWS).map(|number| (PageId(Uuid::from_u128(1 + number as u128)), Some("{}".into()))).collect();
    files::remember(tx, site, 1, &remembered)?;
    for number in 1..=ROWS as i64 {
        releases::insert(tx, site, &crate::releases::release(number))?;
    }
    releases::go_live(tx, site, 1, Move::Build)
}

fn add_packs_and_media(tx: &mut Tx, site: SiteId, number: u128) -> store::Result<()> {
    let ids = (0..ROWS as u128).map(|index| number * 1_000_000 + index);
    let mut uploads = Vec::new();
    for id in ids {
        packs::begin(tx, PackId(Uuid::from_u128(id)), site, at(10))?;
        packs::keep(tx, PackId(Uuid::from_u128(id)), 5)?;
        let object = ObjectId(Uuid::from_u128(id));
        objects::begin(tx, object, site, at(10))?;
        let names = vec!["a.mov".into(), "b.png".into()];
        let hash = MediaHash(id.to_be_bytes());
        uploads.push(Upload { object: Some(object), hash, size: 3, dimensions: None, source: None, names });
    }
    let quota = Quota { storage: u64::MAX, ..Quota::default() };
    assert_eq!(media::keep(tx, site, &uploads, &quota, at(1))?, Kept::Done);
    Ok(())
}

/// Tables that have rows of sites, and the condition for rows that still count.
const TABLES: [&str; 10] = [
    "SELECT count(*) FROM pages WHERE site_id = $1",
    "SELECT count(*) FROM former_urls WHERE site_id = $1",
    "SELECT count(*) FROM release_files WHERE site_id = $1",
    "SELECT count(*) FROM release_pages WHERE site_id = $1",
    "SELECT count(*) FROM releases WHERE site_id = $1",
    "SELECT count(*) FROM packs WHERE site_id = $1 AND state <> 'doomed'",
    "SELECT count(*) FROM objects WHERE site_id = $1 AND state <> 'doomed'",
    "SELECT count(*) FROM media WHERE site_id = $1",
    "SELECT count(*) FROM transcodes WHERE site_id = $1",
    "SELECT count(*) FROM sites WHERE id = $1",
];

async fn counts(store: &Store, site: SiteId) -> Vec<i64> {
    read(store, move |tx| {
        let count = |sql: &'static str| Ok(tx.query_one(sql, &[&site.0], |row| row.get(0))?.unwrap());
        TABLES.into_iter().map(count).collect()
    })
    .await
}

async fn step(store: &Store, site: SiteId) -> bool {
    write(store, move |tx| sites::remove_some(tx, site, STEP, at(20))).await
}

async fn used(store: &Store, site: &Site) -> Usage {
    let account = site.account;
    let (counted, recounted) =
        read(store, move |tx| Ok((usage::of_account(tx, account)?, usage::recounted(tx, account)?))).await;
    assert_eq!(counted, recounted);
    counted
}

/// Deletes the rows that a deletion leaves to the sweeps.
async fn sweep(store: &Store) {
    while write(store, |tx| texts::sweep(tx, at(21), i64::MAX)).await > 0 {}
    write(store, |tx| {
        for pack in packs::doomed(tx, at(21), i64::MAX)? {
            packs::forget(tx, pack.id)?;
        }
        for object in objects::doomed(tx, at(21), i64::MAX)? {
            objects::forget(tx, object)?;
        }
        Ok(())
    })
    .await;
}

async fn a_site_is_deleted_in_bounded_steps_without_touching_other_sites(database: &Database) {
    let store = database.store();
    let first = crate::site(store, "first").await;
    large(store, &first, "stays", 1).await;
    let before = (database.dump(), used(store, &first).await);
    let gone = large(store, &first, "gone", 2).await;
    let all = ROWS as i64;
    assert_eq!(counts(store, gone.id).await, [all, all, all, all, all, all, all, 2 * all, all, 1]);
    let id = gone.id;
    assert!(write(store, move |tx| sites::delete(tx, id, at(20))).await);
    let (mut last, mut steps) = (counts(store, id).await, 0);
    loop {
        let left = step(store, id).await;
        let now = counts(store, id).await;
        for ((before, now), table) in last.iter().zip(&now).zip(TABLES) {
            assert!(before - now <= STEP, "step {steps}: from {before} to {now} of {table}");
        }
        used(store, &first).await;
        assert_eq!(read(store, sites::deleted).await, left.then_some(id));
        if !left {
            break;
        }
        assert_ne!(now, last, "step {steps} did nothing");
        (last, steps) = (now, steps + 1);
    }
    assert_eq!(counts(store, id).await, [0; TABLES.len()]);
    assert!(!step(store, id).await, "nothing is left");
    sweep(store).await;
    assert_eq!((database.dump(), used(store, &first).await), before);
}

async fn an_interrupted_deletion_is_continued(database: &Database) {
    let store = database.store();
    let first = crate::site(store, "first").await;
    let before = used(store, &first).await;
    let gone = large(store, &first, "gone", 1).await.id;
    write(store, move |tx| sites::delete(tx, gone, at(20))).await;
    for _ in 0..7 {
        assert!(step(store, gone).await);
    }
    // Another process continues in the middle of the pages' rows.
    let another = database.open();
    assert_eq!(read(&another, sites::deleted).await, Some(gone));
    // A step that is undone, as by a crash, changes nothing.
    let now = counts(&another, gone).await;
    let crashed = another.write(move |tx| {
        sites::remove_some(tx, gone, STEP, at(20))?;
        Err::<(), _>(store::Error::Internal("a crash".into()))
    });
    assert!(crashed.await.is_err());
    assert_eq!(counts(&another, gone).await, now);
    while step(&another, gone).await {}
    assert_eq!(counts(store, gone).await, [0; TABLES.len()]);
    assert_eq!(used(store, &first).await, before);
}

async fn a_deleted_site_is_not_found_and_its_names_are_free_at_once(database: &Database) {
    let store = database.store();
    let first = crate::site(store, "first").await;
    let gone = large(store, &first, "gone", 1).await;
    let (id, account) = (gone.id, gone.account);
    write(store, move |tx| sites::delete(tx, id, at(20))).await;
    let name = gone.name.clone();
    let found = write(store, move |tx| {
        let sites = [sites::get(tx, id)?, sites::of_account(tx, account, id)?, sites::by_name(tx, &name)?];
        let hosts = [hosts::by_name(tx, &name)?, hosts::by_domain(tx, "1.example.com")?];
        Ok((sites, hosts, sites::next_version(tx, id)?, sites::lock(tx, id)?, sites::count(tx, account)?))
    });
    assert_eq!(found.await, ([None, None, None], [None, None], None, false, 1));
    assert_eq!(read(store, sites::list).await, [Site { version: 0, ..first.clone() }]);
    let renamed = gone.name.clone();
    assert!(!write(store, move |tx| sites::rename(tx, id, &renamed)).await, "it does not get its name back");
    // Another account takes both before the first step.
    let next = site_named(first.account, "gone");
    let row = next.clone();
    assert!(write(store, move |tx| sites::insert(tx, &row)).await);
    let next = next.id;
    assert!(write(store, move |tx| hosts::add(tx, "1.example.com", next, at(21))).await);
    while step(store, id).await {}
    let hosted = read(store, |tx| hosts::by_domain(tx, "1.example.com")).await;
    assert_eq!(hosted.map(|hosted| hosted.id), Some(next));
}

async fn a_build_of_a_deleted_site_ends(database: &Database) {
    let store = database.store();
    let (gone, stays) = (crate::site(store, "gone").await, crate::site(store, "stays").await);
    for site in [&gone, &stays] {
        queue(store, site, Trigger::Api, 1).await;
    }
    let running = claim(store, &gone, ONE, 5).await.unwrap();
    queue(store, &gone, Trigger::Api, 6).await;
    let id = gone.id;
    write(store, move |tx| sites::delete(tx, id, at(20))).await;
    step(store, id).await;
    assert!(!write(store, move |tx| building::hold(tx, &running)).await, "it is interrupted");
    for build in builds_of(store, &gone).await {
        assert_eq!(
            (build.error.as_deref(), build.completed_at),
            (Some("the site was deleted"), Some(at(20)))
        );
    }
    assert_eq!(crate::building::waiting(store, 30).await, [stays.id]);
}

async fn objects_that_are_being_written_are_swept_when_their_lease_expires(database: &Database) {
    let store = database.store();
    let gone = crate::site(store, "gone").await.id;
    let pack = PackId(Uuid::from_u128(1));
    write(store, move |tx| {
        packs::begin(tx, pack, gone, at(100))?;
        objects::begin(tx, crate::objects::id(1), gone, at(100))
    })
    .await;
    crate::delete_site(store, gone, 20).await;
    let doomed = |second| {
        write(store, move |tx| {
            Ok((packs::doomed(tx, at(second), 9)?.len(), objects::doomed(tx, at(second), 9)?.len()))
        })
    };
    assert_eq!((doomed(100).await, doomed(101).await), ((0, 0), (1, 1)));
    assert!(!write(store, move |tx| packs::keep(tx, pack, 5)).await);
}
