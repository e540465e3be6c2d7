//! Feeds that are announced to hubs.

use model::SiteId;
use store::pings::{self, ATTEMPTS, Ping};
use store::{Store, sites};
use testing::Database;

use crate::{at, delete_site, site, site_named, write};

testing::on_both_databases!(
    a_site_is_announced_once,
    a_newer_release_is_announced_again,
    a_failed_attempt_is_repeated_later_and_later_but_not_forever,
    an_attempt_without_an_end_is_repeated,
    accounts_take_turns_at_pings,
    a_deleted_site_is_not_announced,
);

const HUB: &str = "https://hub.example.com/";

async fn queue(store: &Store, site: SiteId, release: i64, second: i64) {
    write(store, move |tx| pings::queue(tx, site, HUB, release, at(second))).await;
}

async fn claim(store: &Store, second: i64) -> Option<Ping> {
    write(store, move |tx| pings::claim(tx, at(second))).await
}

async fn finish(store: &Store, ping: Ping) {
    write(store, move |tx| pings::finish(tx, &ping)).await;
}

async fn retry(store: &Store, ping: Ping, second: i64) -> bool {
    write(store, move |tx| pings::retry(tx, &ping, at(second))).await
}

async fn a_site_is_announced_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, books.id, 3, 1).await;
    let ping = claim(store, 2).await.unwrap();
    let expected = Ping { site: books.id, name: books.name, hub: HUB.to_owned(), release: 3, attempt: 1 };
    assert_eq!(ping, expected);
    assert_eq!(claim(store, 3).await, None, "another worker has it");
    finish(store, ping).await;
    assert_eq!(claim(store, 1000).await, None);
}

async fn a_newer_release_is_announced_again(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    queue(store, books, 3, 1).await;
    let former = claim(store, 2).await.unwrap();
    queue(store, books, 4, 3).await;
    finish(store, former.clone()).await;
    assert!(retry(store, former, 3).await, "it changes nothing");
    let ping = claim(store, 4).await.unwrap();
    assert_eq!((ping.release, ping.attempt), (4, 1));
}

async fn a_failed_attempt_is_repeated_later_and_later_but_not_forever(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let mut second = 1;
    queue(store, books, 3, second).await;
    for (attempt, minutes) in (1..).zip([1, 5, 30, 120, 480]) {
        let ping = claim(store, second).await.unwrap();
        assert_eq!(ping.attempt, attempt);
        assert!(retry(store, ping, second).await);
        second += 60 * minutes;
        assert_eq!(claim(store, second - 1).await, None, "{minutes} minutes");
    }
    let last = claim(store, second).await.unwrap();
    assert_eq!(last.attempt, ATTEMPTS);
    assert!(!retry(store, last, second).await);
    assert_eq!(claim(store, second + 86_400).await, None);
}

async fn an_attempt_without_an_end_is_repeated(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    queue(store, books, 3, 1).await;
    for attempt in 1..=ATTEMPTS {
        assert_eq!(claim(store, 100 * attempt).await.unwrap().attempt, attempt);
        assert_eq!(claim(store, 100 * attempt + 59).await, None);
    }
    assert_eq!(claim(store, 10_000).await, None, "each worker died");
}

async fn accounts_take_turns_at_pings(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await, site(store, "b").await.id);
    let second = site_named(a.account, "a-second");
    let (a, other) = (a.id, second.id);
    assert!(write(store, move |tx| sites::insert(tx, &second)).await);
    queue(store, a, 1, 1).await;
    queue(store, other, 1, 2).await;
    assert_eq!(claim(store, 5).await.unwrap().site, a);
    queue(store, b, 1, 6).await;
    assert_eq!(claim(store, 7).await.unwrap().site, b);
    assert_eq!(claim(store, 8).await.unwrap().site, other);
}

async fn a_deleted_site_is_not_announced(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    queue(store, books, 3, 1).await;
    delete_site(store, books, 2).await;
    assert_eq!(claim(store, 3).await, None);
}
