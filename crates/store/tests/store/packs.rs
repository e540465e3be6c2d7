use std::collections::{BTreeMap, HashSet};

use model::{PackId, SiteId};
use store::Store;
use store::packs::{self, Pack};
use testing::Database;
use uuid::Uuid;

use crate::{at, delete_site, read, site, write};

testing::on_both_databases!(
    a_pack_that_is_kept_is_live,
    a_lease_that_is_over_dooms_the_pack,
    an_extended_lease_keeps_the_pack,
    a_pack_that_the_sweep_took_cannot_be_kept,
    an_abandoned_pack_is_doomed_at_once,
    a_pack_without_live_files_is_doomed,
    a_live_pack_is_not_forgotten,
    known_is_what_has_a_row,
    the_longest_doomed_are_returned_first,
    a_deleted_sites_packs_are_doomed,
    a_site_is_scattered_over_many_or_mostly_dead_packs,
);

fn id(number: u128) -> PackId {
    PackId(Uuid::from_u128(number))
}

/// A pack whose lease ends at second 10.
async fn begin(store: &Store, site: SiteId, number: u128) {
    write(store, move |tx| packs::begin(tx, id(number), site, at(10))).await;
}

async fn keep(store: &Store, number: u128, size: i64) -> bool {
    write(store, move |tx| packs::keep(tx, id(number), size)).await
}

async fn live(store: &Store, site: SiteId) -> Vec<Pack> {
    read(store, move |tx| packs::live(tx, site)).await
}

/// The numbers of the packs that are due for deletion.
async fn doomed(store: &Store, second: i64) -> Vec<u128> {
    let doomed = write(store, move |tx| packs::doomed(tx, at(second), 100)).await;
    doomed.iter().map(|pack| pack.id.0.as_u128()).collect()
}

async fn add_dead(store: &Store, site: SiteId, lost: &[(u128, i64)]) {
    let lost: BTreeMap<PackId, i64> = lost.iter().map(|(number, bytes)| (id(*number), *bytes)).collect();
    write(store, move |tx| packs::add_dead(tx, site, &lost, at(100))).await;
}

async fn a_pack_that_is_kept_is_live(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    begin(store, books, 2).await;
    begin(store, books, 1).await;
    begin(store, books, 3).await;
    assert_eq!(live(store, books).await, []);
    assert!(keep(store, 2, 20).await);
    assert!(keep(store, 1, 10).await);
    let pack = |number, size| Pack { id: id(number), site: books, size, dead: 0 };
    assert_eq!(live(store, books).await, [pack(1, 10), pack(2, 20)]);
    assert_eq!(live(store, other).await, []);
    assert!(!keep(store, 1, 99).await, "once");
    assert!(!keep(store, 9, 99).await, "there is none");
    assert_eq!(doomed(store, 1000).await, [3]);
}

async fn a_lease_that_is_over_dooms_the_pack(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let before = database.dump();
    begin(store, books, 1).await;
    assert_eq!(doomed(store, 10).await, [0; 0]);
    let expected = Pack { id: id(1), site: books, size: 0, dead: 0 };
    assert_eq!(write(store, |tx| packs::doomed(tx, at(11), 100)).await, [expected]);
    assert_eq!(doomed(store, 11).await, [1], "until its object is gone");
    write(store, |tx| packs::forget(tx, id(1))).await;
    assert_eq!(database.dump(), before);
}

async fn an_extended_lease_keeps_the_pack(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    assert!(write(store, |tx| packs::extend(tx, id(1), at(20))).await);
    assert_eq!(doomed(store, 20).await, [0; 0]);
    assert_eq!(doomed(store, 21).await, [1]);
    assert!(!write(store, |tx| packs::extend(tx, id(1), at(50))).await);
    assert_eq!(doomed(store, 21).await, [1]);
}

async fn a_pack_that_the_sweep_took_cannot_be_kept(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    doomed(store, 11).await;
    assert!(!keep(store, 1, 5).await);
    assert_eq!((live(store, books).await, doomed(store, 11).await), (vec![], vec![1]));
}

async fn an_abandoned_pack_is_doomed_at_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    keep(store, 2, 5).await;
    for number in [1, 2] {
        write(store, move |tx| packs::abandon(tx, id(number), at(3))).await;
    }
    assert_eq!(doomed(store, 4).await, [1], "what is referred to stays");
    assert!(!keep(store, 1, 5).await);
}

async fn a_pack_without_live_files_is_doomed(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for (site, number) in [(books, 1), (books, 2), (other, 3)] {
        begin(store, site, number).await;
        keep(store, number, 10).await;
    }
    add_dead(store, books, &[(1, 4), (2, 9)]).await;
    let pack = |number, dead| Pack { id: id(number), site: books, size: 10, dead };
    assert_eq!(live(store, books).await, [pack(1, 4), pack(2, 9)]);
    add_dead(store, books, &[(1, 6)]).await;
    add_dead(store, books, &[]).await;
    assert_eq!(live(store, books).await, [pack(2, 9)]);
    assert_eq!(live(store, other).await.len(), 1);
    assert_eq!(doomed(store, 100).await, [0; 0], "a request may be about to read it");
    assert_eq!(doomed(store, 101).await, [1]);
}

async fn a_live_pack_is_not_forgotten(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    keep(store, 1, 10).await;
    let before = database.dump();
    for number in [1, 2] {
        write(store, move |tx| packs::forget(tx, id(number))).await;
    }
    assert_eq!(database.dump(), before);
}

async fn known_is_what_has_a_row(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    write(store, |tx| packs::abandon(tx, id(2), at(0))).await;
    let found = read(store, |tx| packs::known(tx, &[id(1), id(2), id(3)])).await;
    assert_eq!(found, HashSet::from([id(1), id(2)]));
}

async fn the_longest_doomed_are_returned_first(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    for (number, lease) in [(1, 30), (2, 10), (3, 20)] {
        write(store, move |tx| packs::begin(tx, id(number), books, at(lease))).await;
    }
    let found = write(store, |tx| packs::doomed(tx, at(50), 2)).await;
    assert_eq!(found.iter().map(|pack| pack.id).collect::<Vec<_>>(), [id(2), id(3)]);
}

async fn a_deleted_sites_packs_are_doomed(database: &Database) {
    let store = database.store();
    let (gone, stays) = (site(store, "gone").await.id, site(store, "stays").await.id);
    for (site, number) in [(gone, 1), (gone, 2), (stays, 3)] {
        begin(store, site, number).await;
    }
    keep(store, 1, 10).await;
    delete_site(store, gone, 5).await;
    assert!(!keep(store, 2, 10).await);
    assert_eq!(doomed(store, 5).await, [0; 0]);
    assert_eq!(doomed(store, 6).await, [1]);
    assert!(keep(store, 3, 10).await);
    assert_eq!(doomed(store, 11).await, [1, 2], "a worker may be writing it until its lease expires");
}

async fn a_site_is_scattered_over_many_or_mostly_dead_packs(database: &Database) {
    let store = database.store();
    let (many, dead, fine) =
        (site(store, "many").await.id, site(store, "dead").await.id, site(store, "fine").await.id);
    for (site, number) in [(many, 1), (many, 2), (many, 3), (dead, 4), (dead, 5), (fine, 6), (fine, 7)] {
        begin(store, site, number).await;
        keep(store, number, 10).await;
    }
    // One that is being written does not count.
    begin(store, fine, 8).await;
    add_dead(store, dead, &[(4, 9), (5, 2)]).await;
    add_dead(store, fine, &[(6, 9), (7, 1)]).await;
    let scattered = |most| read(store, move |tx| packs::scattered(tx, most));
    let mut both = scattered(2).await;
    both.sort();
    let mut expected = [many, dead];
    expected.sort();
    assert_eq!(both, expected);
    assert_eq!(scattered(3).await, [dead]);
}
