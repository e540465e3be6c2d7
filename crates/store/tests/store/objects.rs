use std::collections::HashSet;

use model::{ObjectId, SiteId};
use store::{Store, objects};
use testing::Database;
use uuid::Uuid;

use crate::media::{keep, upload};
use crate::{at, read, site, write};

testing::on_both_databases!(
    a_lease_that_is_over_dooms_the_object,
    an_extended_lease_keeps_the_object,
    an_abandoned_object_is_doomed_at_once_and_a_kept_one_stays,
    the_longest_doomed_are_returned_first,
    only_what_is_doomed_is_forgotten,
    known_is_what_has_a_row,
);

pub(crate) fn id(number: u128) -> ObjectId {
    ObjectId(Uuid::from_u128(number))
}

/// An object whose lease ends at second 10.
pub(crate) async fn begin(store: &Store, site: SiteId, number: u128) {
    write(store, move |tx| objects::begin(tx, id(number), site, at(10))).await;
}

/// The numbers of the objects that are due for deletion.
pub(crate) async fn doomed(store: &Store, second: i64) -> Vec<u128> {
    let doomed = write(store, move |tx| objects::doomed(tx, at(second), 100)).await;
    doomed.iter().map(|id| id.0.as_u128()).collect()
}

async fn a_lease_that_is_over_dooms_the_object(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let before = database.dump();
    begin(store, books, 1).await;
    assert_eq!(doomed(store, 10).await, [0; 0]);
    assert_eq!(doomed(store, 11).await, [1]);
    assert_eq!(doomed(store, 11).await, [1], "until its bytes are gone");
    write(store, |tx| objects::forget(tx, id(1))).await;
    assert_eq!(database.dump(), before);
}

async fn an_extended_lease_keeps_the_object(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    let extend = |second| write(store, move |tx| objects::extend(tx, &[id(1), id(2)], at(second)));
    assert!(extend(20).await);
    assert_eq!(doomed(store, 20).await, [0; 0]);
    write(store, |tx| objects::abandon(tx, &[id(2)], at(20))).await;
    assert!(!extend(30).await, "not both");
    assert_eq!(doomed(store, 31).await, [2, 1]);
    assert!(!extend(50).await);
}

async fn an_abandoned_object_is_doomed_at_once_and_a_kept_one_stays(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    keep(store, books, [upload(2, 2, 5, &["a.png"])]).await;
    write(store, |tx| objects::abandon(tx, &[id(1), id(2)], at(3))).await;
    assert_eq!(doomed(store, 4).await, [1]);
}

async fn the_longest_doomed_are_returned_first(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    for (number, lease) in [(1, 30), (2, 10), (3, 20)] {
        write(store, move |tx| objects::begin(tx, id(number), books, at(lease))).await;
    }
    assert_eq!(write(store, |tx| objects::doomed(tx, at(50), 2)).await, [id(2), id(3)]);
}

async fn only_what_is_doomed_is_forgotten(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    keep(store, books, [upload(1, 1, 5, &["a.png"])]).await;
    let before = database.dump();
    for number in [1, 2] {
        write(store, move |tx| objects::forget(tx, id(number))).await;
    }
    assert_eq!(database.dump(), before);
}

async fn known_is_what_has_a_row(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    write(store, |tx| objects::abandon(tx, &[id(2)], at(0))).await;
    let found = read(store, |tx| objects::known(tx, &[id(1), id(2), id(3)])).await;
    assert_eq!(found, HashSet::from([id(1), id(2)]));
}
