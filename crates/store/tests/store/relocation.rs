//! Files that move from one pack to another, and the counters of the packs.

use std::collections::BTreeMap;

use model::{PackId, SiteId};
use store::files::{self, PackedFile};
use store::packs::{self, Pack};
use store::{Error, Store, Tx};
use testing::Database;
use uuid::Uuid;

use crate::files::{OTHER_PACK, PACK, file, hash, made, redirect};
use crate::{at, read, site, write};

testing::on_both_databases!(
    every_file_with_bytes_has_a_place,
    only_files_that_are_still_there_move,
    packs_know_their_dead_bytes_at_every_step,
    files_do_not_move_to_a_pack_that_is_being_deleted,
    a_sweep_that_runs_at_once_is_counted_once,
);

const THIRD: PackId = PackId(Uuid::from_u128(3));

fn place(site: SiteId, path: &str, from_release: i64, pack: PackId, offset: i64, length: u8) -> PackedFile {
    let (path, hash) = (path.into(), hash(length));
    PackedFile { site, path, from_release, pack, offset, length: length.into(), hash }
}

/// All places of a site, read in parts.
async fn packed_files(store: &Store, site: SiteId) -> Vec<PackedFile> {
    let mut places: Vec<PackedFile> = Vec::new();
    loop {
        let behind = places.last().cloned();
        let part = read(store, move |tx| files::packed_files(tx, site, behind.as_ref(), 2)).await;
        if part.is_empty() {
            return places;
        }
        assert!(part.len() <= 2);
        places.extend(part);
    }
}

/// Packs of these sizes whose bytes are all used.
async fn live(store: &Store, site: SiteId, sizes: &[(PackId, i64)]) {
    let sizes = sizes.to_vec();
    write(store, move |tx| {
        for (pack, size) in &sizes {
            packs::begin(tx, *pack, site, at(10))?;
            assert!(packs::keep(tx, *pack, *size)?);
        }
        Ok(())
    })
    .await;
}

async fn every_file_with_bytes_has_a_place(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    made(store, books, 1, &[], &[file("/a", 1), redirect("/r", "/a"), file("/z", 3)]).await;
    made(store, books, 2, &["/a"], &[file("/a", 2)]).await;
    made(store, books, 3, &["/a"], &[file("/a", 4)]).await;
    let expected = [
        place(books, "/a", 1, PACK, 10, 1),
        place(books, "/a", 2, PACK, 20, 2),
        place(books, "/a", 3, PACK, 40, 4),
        place(books, "/z", 1, PACK, 30, 3),
    ];
    assert_eq!(packed_files(store, books).await, expected);
    assert_eq!(packed_files(store, other).await, []);
}

async fn only_files_that_are_still_there_move(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for site in [books, other] {
        made(store, site, 1, &[], &[file("/a", 1), file("/b", 2), file("/swept", 3), file("/moved", 4)])
            .await;
    }
    live(store, books, &[(PACK, 100), (OTHER_PACK, 100), (THIRD, 100)]).await;
    let found = packed_files(store, books).await;
    let theirs = packed_files(store, other).await;
    made(store, books, 2, &["/b", "/swept"], &[file("/b", 5)]).await;
    write(store, move |tx| {
        tx.execute("DELETE FROM release_files WHERE site_id = $1 AND path = '/swept'", &[&books.0])?;
        files::relocate(tx, books, OTHER_PACK, &[place(books, "/moved", 1, PACK, 40, 4)], &[7])
    })
    .await;
    // In the order of their paths: /a, /b, /moved, /swept.
    let moved =
        write(store, move |tx| files::relocate(tx, books, THIRD, &found, &[100, 200, 300, 400])).await;
    assert_eq!(moved, BTreeMap::from([(PACK, 3), (THIRD, -3)]));
    let expected = [
        place(books, "/a", 1, THIRD, 100, 1),
        place(books, "/b", 1, THIRD, 200, 2),
        place(books, "/b", 2, PACK, 50, 5),
        place(books, "/moved", 1, OTHER_PACK, 7, 4),
    ];
    assert_eq!(packed_files(store, books).await, expected);
    assert_eq!(packed_files(store, other).await, theirs);
}

/// One step of a move: at most two files, and the unused bytes of their old packs.
fn step(tx: &mut Tx, site: SiteId, places: &[PackedFile], from: usize) -> store::Result<()> {
    let end = (from + 2).min(places.len());
    let offsets: Vec<i64> = (from..end).map(|index| index as i64 * 10).collect();
    let dead = files::relocate(tx, site, THIRD, &places[from..end], &offsets)?;
    packs::add_dead(tx, site, &dead, at(100))
}

/// Checks that each pack knows how many of its bytes are dead, and that none is doomed that a file refers to.
async fn check(store: &Store, site: SiteId, when: &str) {
    let places = packed_files(store, site).await;
    let live = read(store, move |tx| packs::live(tx, site)).await;
    for Pack { id, size, dead, .. } in &live {
        let alive: i64 = places.iter().filter(|place| place.pack == *id).map(|place| place.length).sum();
        assert_eq!(size - dead, alive, "{when}: {id:?}");
    }
    for place in places {
        assert!(live.iter().any(|pack| pack.id == place.pack), "{when}: {place:?}");
    }
}

/// A site whose second release closed half of the first one's files, and the pack to which all of them will move.
async fn before_a_move(store: &Store, name: &str) -> (SiteId, Vec<PackedFile>) {
    let id = site(store, name).await.id;
    let files: Vec<_> = (1..=9).map(|number| file(&format!("/{number}"), number)).collect();
    made(store, id, 1, &[], &files).await;
    made(store, id, 2, &["/1", "/2", "/4", "/6", "/8"], &[]).await;
    live(store, id, &[(PACK, 45)]).await;
    write(store, move |tx| packs::begin(tx, THIRD, id, at(10))).await;
    (id, packed_files(store, id).await)
}

async fn sweep(store: &Store, site: SiteId, most: i64) {
    write(store, move |tx| {
        let swept = files::sweep(tx, site, 2, most)?;
        packs::add_dead(tx, site, &swept.dead, at(100))
    })
    .await;
}

async fn packs_know_their_dead_bytes_at_every_step(database: &Database) {
    let store = database.store();
    let (books, found) = before_a_move(store, "books").await;
    assert!(write(store, |tx| packs::keep_unused(tx, THIRD, 45)).await);
    check(store, books, "before").await;
    for from in (0..found.len()).step_by(2) {
        let places = found.clone();
        write(store, move |tx| step(tx, books, &places, from)).await;
        check(store, books, "after a step").await;
        // It sweeps files that have moved, and files that would have.
        sweep(store, books, 1).await;
        check(store, books, "after a sweep").await;
    }
    let live = read(store, move |tx| packs::live(tx, books)).await;
    let alive = 3 + 5 + 7 + 9;
    assert_eq!(live, [Pack { id: THIRD, site: books, size: 45, dead: 45 - alive }]);
    let doomed = write(store, |tx| packs::doomed(tx, at(101), 9)).await;
    assert_eq!(doomed.iter().map(|pack| pack.id).collect::<Vec<_>>(), [PACK]);
}

async fn files_do_not_move_to_a_pack_that_is_being_deleted(database: &Database) {
    let store = database.store();
    let (books, found) = before_a_move(store, "books").await;
    // All files that the first step would move are swept before it: nothing refers to the new pack then.
    sweep(store, books, 2).await;
    let places = found.clone();
    write(store, move |tx| {
        assert!(packs::keep_unused(tx, THIRD, 45)?);
        step(tx, books, &places, 0)
    })
    .await;
    let before = database.dump();
    let refused = store.write(move |tx| step(tx, books, &found, 2)).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    assert_eq!(database.dump(), before);
    check(store, books, "after the refused step").await;
}

async fn a_sweep_that_runs_at_once_is_counted_once(database: &Database) {
    let store = database.store();
    let mut moved = 0;
    for round in 0..20 {
        let (books, found) = before_a_move(store, &format!("books-{round}")).await;
        let relocate = write(store, move |tx| {
            assert!(packs::keep_unused(tx, THIRD, 45)?);
            let dead = files::relocate(tx, books, THIRD, &found, &[0; 9])?;
            let moved = -dead[&THIRD];
            packs::add_dead(tx, books, &dead, at(100)).map(|()| moved)
        });
        // The order changes from round to round.
        let bytes = match round % 2 {
            0 => tokio::join!(relocate, sweep(store, books, 100)).0,
            _ => tokio::join!(sweep(store, books, 100), relocate).1,
        };
        moved += usize::from(bytes == 45);
        check(store, books, "after both").await;
        write(store, |tx| tx.execute("DELETE FROM packs", &[])).await;
    }
    assert!(moved > 0 && moved < 20, "no race: the sweep was {moved} times the last");
}
