use std::collections::HashMap;

use store::Store;
use store::texts::{self, Stash, TextId};
use testing::Database;

use crate::{after_grace, at, read, write};

testing::on_both_databases!(
    texts_are_kept_in_the_order_given,
    no_texts_are_no_range,
    a_doomed_text_is_swept_when_its_time_has_come,
    an_adopted_text_is_never_swept,
    what_was_swept_cannot_be_adopted,
    an_abandoned_stash_is_swept_before_its_lease_ends,
    an_adopted_stash_cannot_be_abandoned,
    a_released_text_is_swept_alone,
    a_sweep_takes_no_more_than_its_limit,
    bodies_are_found_by_their_ids,
);

async fn stash(store: &Store, texts: &[&str], lease: i64) -> Stash {
    let bodies: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    write(store, move |tx| texts::stash(tx, &bodies, at(lease))).await.unwrap()
}

async fn sweep(store: &Store, now: i64) -> u64 {
    write(store, move |tx| texts::sweep(tx, at(now), 100)).await
}

async fn texts_are_kept_in_the_order_given(database: &Database) {
    let store = database.store();
    let bodies = vec![String::from("one"), "“zwei” 💡\n".repeat(10_000), "".into()];
    let expected = bodies.clone();
    let range = write(store, move |tx| texts::insert(tx, &bodies)).await.unwrap();
    assert_eq!(range.last.0 - range.first.0, 2);
    for (offset, body) in expected.into_iter().enumerate() {
        let id = TextId(range.first.0 + offset as i64);
        assert_eq!(read(store, move |tx| texts::body(tx, id)).await, Some(body));
    }
    let next = write(store, |tx| texts::insert(tx, &["four".into()])).await.unwrap();
    assert!(next.first > range.last);
    assert_eq!(read(store, texts::count).await, 4);
}

async fn no_texts_are_no_range(database: &Database) {
    let store = database.store();
    assert_eq!(write(store, |tx| texts::insert(tx, &[])).await, None);
    assert!(write(store, |tx| texts::adopt(tx, &[])).await);
    assert_eq!(write(store, |tx| texts::stash(tx, &[], at(0))).await, None);
    write(store, |tx| texts::abandon(tx, &[], at(0))).await;
    write(store, |tx| texts::release(tx, std::iter::empty(), at(0))).await;
}

async fn a_doomed_text_is_swept_when_its_time_has_come(database: &Database) {
    let store = database.store();
    stash(store, &["one", "two", "three"], 10).await;
    stash(store, &["later"], 20).await;
    assert_eq!(sweep(store, 9).await, 0);
    assert_eq!(sweep(store, 10).await, 3);
    assert_eq!(sweep(store, 10).await, 0);
    assert_eq!(read(store, texts::count).await, 1);
}

async fn an_adopted_text_is_never_swept(database: &Database) {
    let store = database.store();
    let ranges = [stash(store, &["one", "two"], 10).await, stash(store, &["three"], 10).await];
    assert!(write(store, move |tx| texts::adopt(tx, &ranges)).await);
    assert_eq!(sweep(store, 1000).await, 0);
    assert_eq!(read(store, texts::count).await, 3);
}

async fn what_was_swept_cannot_be_adopted(database: &Database) {
    let store = database.store();
    let swept = stash(store, &["one"], 10).await;
    sweep(store, 10).await;
    let still_there = stash(store, &["two"], 20).await;
    assert!(!write(store, move |tx| texts::adopt(tx, &[swept])).await);
    assert!(!write(store, move |tx| texts::adopt(tx, &[swept, still_there])).await);
}

async fn an_abandoned_stash_is_swept_before_its_lease_ends(database: &Database) {
    let store = database.store();
    let abandoned = stash(store, &["one", "two"], 1000).await;
    stash(store, &["kept"], 1000).await;
    write(store, move |tx| texts::abandon(tx, &[abandoned], at(5))).await;
    assert_eq!(sweep(store, 5).await, 2);
    assert_eq!(read(store, texts::count).await, 1);
}

async fn an_adopted_stash_cannot_be_abandoned(database: &Database) {
    let store = database.store();
    let adopted = stash(store, &["one", "two"], 1000).await;
    assert!(write(store, move |tx| texts::adopt(tx, &[adopted])).await);
    write(store, move |tx| texts::abandon(tx, &[adopted], at(5))).await;
    assert_eq!(sweep(store, 2000).await, 0);
}

async fn a_released_text_is_swept_alone(database: &Database) {
    let store = database.store();
    let stash = stash(store, &["one", "two", "three"], 10).await;
    let range = stash.range;
    write(store, move |tx| texts::adopt(tx, &[stash])).await;
    // The first of a stash too: its row of doom had the same number.
    for id in [range.first, TextId(range.first.0 + 1)] {
        write(store, move |tx| texts::release(tx, std::iter::once(id), at(20))).await;
    }
    assert_eq!(sweep(store, 20).await, 0, "a build may be reading them");
    assert_eq!(write(store, |tx| texts::sweep(tx, after_grace(20), 100)).await, 2);
    assert_eq!(read(store, move |tx| texts::body(tx, range.last)).await.as_deref(), Some("three"));
}

async fn a_sweep_takes_no_more_than_its_limit(database: &Database) {
    let store = database.store();
    for second in 0..5 {
        stash(store, &["text"], second).await;
    }
    let rounds = [2, 2, 1, 0];
    for expected in rounds {
        assert_eq!(write(store, |tx| texts::sweep(tx, at(10), 2)).await, expected);
    }
}

async fn bodies_are_found_by_their_ids(database: &Database) {
    let store = database.store();
    let range = stash(store, &["one", "two", "three"], 10).await.range;
    let (one, three, unknown) = (range.first, range.last, TextId(range.last.0 + 1));
    let found = read(store, move |tx| texts::bodies(tx, &[three, unknown, one, one])).await;
    assert_eq!(found, HashMap::from([(one, "one".into()), (three, "three".into())]));
    assert_eq!(read(store, |tx| texts::bodies(tx, &[])).await, HashMap::new());
}
