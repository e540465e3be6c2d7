use std::collections::HashMap;

use model::SiteId;
use store::Store;
use store::pages::Page;
use store::texts::{self, Stash, TextId};
use testing::Database;

use crate::{at, insert, page, read, site, text, write};

testing::on_both_databases!(
    texts_are_kept_in_the_order_given,
    no_texts_are_no_range,
    a_doomed_text_is_swept_when_its_time_has_come,
    an_adopted_text_is_never_swept,
    what_was_swept_cannot_be_adopted,
    an_abandoned_stash_is_swept_before_its_lease_ends,
    an_adopted_stash_cannot_be_abandoned,
    a_released_text_is_swept_alone,
    a_sweep_ends_with_the_range_that_reaches_its_limit,
    bodies_are_found_by_their_ids,
    as_many_bodies_are_read_as_fit_but_at_least_one,
    pages_whose_texts_are_not_whole_are_found,
);

async fn stash(store: &Store, texts: &[&str], lease: i64) -> Stash {
    let bodies: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    write(store, move |tx| texts::stash(tx, &bodies, at(lease))).await.unwrap()
}

async fn sweep(store: &Store, now: i64) -> u64 {
    write(store, move |tx| texts::sweep(tx, at(now), 1000)).await
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
    let next = write(store, |tx| texts::insert(tx, &["four"])).await.unwrap();
    assert!(next.first > range.last);
    assert_eq!(read(store, texts::count).await, 4);
}

async fn no_texts_are_no_range(database: &Database) {
    let store = database.store();
    assert_eq!(write(store, |tx| texts::insert::<String>(tx, &[])).await, None);
    assert!(write(store, |tx| texts::adopt(tx, &[])).await);
    assert_eq!(write(store, |tx| texts::stash(tx, &[], at(0))).await, None);
    write(store, |tx| texts::abandon(tx, &[], at(0))).await;
    let site = SiteId::new(at(0));
    write(store, move |tx| texts::release(tx, site, 1, std::iter::empty(), at(0))).await;
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
    // The first text of a stash, too: its row in `doomed_texts` had the same number.
    let books = site(store, "books").await.id;
    for id in [range.first.0, range.first.0 + 1] {
        write(store, move |tx| texts::release(tx, books, 1, std::iter::once(text(id, 3)), at(20))).await;
    }
    assert_eq!(sweep(store, 19).await, 0);
    assert_eq!(sweep(store, 20).await, 2);
    assert_eq!(read(store, move |tx| texts::body(tx, range.last)).await.as_deref(), Some("three"));
}

async fn a_sweep_ends_with_the_range_that_reaches_its_limit(database: &Database) {
    let store = database.store();
    for second in 0..5 {
        stash(store, &["text", "more"], second).await;
    }
    // Each range has eight bytes and is swept as a whole.
    for (bytes, texts) in [(0, 0), (8, 2), (9, 4), (1, 2), (1000, 2), (1000, 0)] {
        assert_eq!(write(store, move |tx| texts::sweep(tx, at(10), bytes)).await, texts, "{bytes} bytes");
    }
}

async fn bodies_are_found_by_their_ids(database: &Database) {
    let store = database.store();
    let range = stash(store, &["one", "two", "three"], 10).await.range;
    let (one, three, unknown) = (range.first, range.last, TextId(range.last.0 + 1));
    let found = read(store, move |tx| texts::some_bodies(tx, &[three, unknown, one, one], 100)).await;
    assert_eq!(found, HashMap::from([(one, "one".into()), (three, "three".into())]));
    assert_eq!(read(store, |tx| texts::some_bodies(tx, &[], 100)).await, HashMap::new());
}

async fn as_many_bodies_are_read_as_fit_but_at_least_one(database: &Database) {
    let store = database.store();
    let bodies = ["", "12345", "", "678", "90"];
    let first = stash(store, &bodies, 10).await.range.first.0;
    let ids: Vec<TextId> = [-1, 0, 1, 2, 3, 4].map(|offset| TextId(first + offset)).to_vec();
    for (bytes, read_up_to) in [(0, 2), (4, 2), (5, 3), (7, 3), (8, 4), (9, 4), (10, 5), (99, 5)] {
        let wanted = ids.clone();
        let found = read(store, move |tx| texts::some_bodies(tx, &wanted, bytes)).await;
        let expected = bodies[..read_up_to].iter().zip(&ids[1..]);
        let expected: HashMap<TextId, String> = expected.map(|(body, id)| (*id, (*body).into())).collect();
        assert_eq!(found, expected, "{bytes} bytes");
    }
}

async fn pages_whose_texts_are_not_whole_are_found(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let range = write(store, |tx| texts::insert(tx, &["“one”", "two"])).await.unwrap();
    let (one, two) = (text(range.first.0, 9), text(range.last.0, 3));
    let gone = text(range.last.0 + 1, 3);
    let with = |key: &str, content, params| Page { content, params, ..page(key) };
    let whole = [
        with("blog//a", Some(one), Some(two)),
        with("blog//b", None, None),
        with("blog//c", Some(two), None),
    ];
    let mut broken = [
        with("blog//d", Some(gone), Some(two)),
        with("blog//e", Some(one), Some(gone)),
        with("blog//f", Some(text(one.id.0, 5)), None),
        with("blog//g", None, Some(text(two.id.0, 4))),
    ];
    insert(store, books, &whole).await;
    insert(store, books, &broken).await;
    insert(store, other, &[with("blog//a", Some(gone), None)]).await;
    broken.sort_by_key(|page| page.id);
    let missing = |behind| read(store, move |tx| texts::missing(tx, books, behind, 3));
    let mut found = missing(None).await;
    found.extend(missing(found.last().copied()).await);
    assert_eq!(found, broken.map(|page| page.id));
}
