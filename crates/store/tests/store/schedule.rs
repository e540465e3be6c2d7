//! When builds for future-dated pages are due.

use model::{AccountId, SiteId, Trigger};
use store::Store;
use store::building;
use store::pages::Page;
use store::releases::{self, Release};
use testing::Database;

use crate::building::{ONE, SUCCESS, claim, end};
use crate::builds::queue;
use crate::releases::release;
use crate::{at, delete, insert, page, read, site, write};

testing::on_both_databases!(
    a_site_is_due_when_the_time_of_a_page_has_come,
    some_pages_are_never_due,
    what_the_newest_release_has_seen_is_not_due,
    a_site_with_a_queued_build_is_not_due,
    a_site_is_due_again_a_minute_after_its_last_scheduled_build,
    a_build_that_was_scheduled_by_a_wrong_clock_holds_nothing_up,
    a_site_that_is_being_deleted_is_not_due,
);

/// Written at second 10, to appear at second 100.
fn dated(key: &str) -> Page {
    Page { draft: false, published_at: at(100), updated_at: at(10), ..page(key) }
}

/// What is due, with a minute between two builds of a site.
async fn due(store: &Store, since: i64, now: i64) -> Vec<(SiteId, AccountId)> {
    read(store, move |tx| building::due(tx, at(since), at(now), at(now - 60))).await
}

async fn a_site_is_due_when_the_time_of_a_page_has_come(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    insert(store, books.id, &[dated("blog//a"), dated("blog//b")]).await;
    insert(store, other.id, &[Page { published_at: at(101), ..dated("blog//a") }]).await;
    let books = (books.id, books.account);
    for (since, now, expected) in
        [(0, 99, vec![]), (0, 100, vec![books]), (99, 100, vec![books]), (100, 100, vec![])]
    {
        assert_eq!(due(store, since, now).await, expected, "after {since} up to {now}");
    }
    assert_eq!(due(store, 0, 101).await.len(), 2);
}

async fn some_pages_are_never_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let deleted = dated("blog//deleted");
    let pages = [
        Page { draft: true, ..dated("blog//draft") },
        Page { updated_at: at(100), ..dated("blog//edited-at-its-time") },
        Page { updated_at: at(150), ..dated("blog//edited-later") },
        deleted.clone(),
    ];
    insert(store, books, &pages).await;
    delete(store, books, &[deleted.id], 20).await;
    assert_eq!(due(store, 0, 1000).await, []);
}

async fn what_the_newest_release_has_seen_is_not_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    insert(store, books, &[dated("blog//a")]).await;
    // The clock was set back before the last release, which has not seen what the one before it has.
    for (number, as_of, expected) in [(1, 99, 1), (2, 100, 0), (3, 99, 1)] {
        let release = Release { as_of: at(as_of), ..release(number) };
        write(store, move |tx| releases::insert(tx, books, &release)).await;
        assert_eq!(due(store, 0, 200).await.len(), expected, "as of {as_of}");
    }
}

async fn a_site_with_a_queued_build_is_not_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    insert(store, books.id, &[dated("blog//a")]).await;
    queue(store, &books, Trigger::Api, 100).await;
    assert_eq!(due(store, 0, 101).await, []);
    // A running build may have taken its snapshot too early.
    claim(store, &books, ONE, 101).await.unwrap();
    assert_eq!(due(store, 0, 101).await, [(books.id, books.account)]);
}

async fn a_site_is_due_again_a_minute_after_its_last_scheduled_build(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    for site in [&books, &other] {
        insert(store, site.id, &[dated("blog//a")]).await;
    }
    queue(store, &books, Trigger::Schedule, 100).await;
    let first = claim(store, &books, ONE, 100).await.unwrap();
    end(store, &first, SUCCESS, 101).await;
    // A requested build does not delay a scheduled one.
    queue(store, &other, Trigger::Api, 100).await;
    let asked_for = claim(store, &other, ONE, 100).await.unwrap();
    end(store, &asked_for, SUCCESS, 101).await;
    assert_eq!(due(store, 0, 101).await, [(other.id, other.account)]);
    assert_eq!(due(store, 0, 159).await, [(other.id, other.account)]);
    assert_eq!(due(store, 0, 160).await.len(), 2, "both became due");
}

async fn a_build_that_was_scheduled_by_a_wrong_clock_holds_nothing_up(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    insert(store, books.id, &[dated("blog//a")]).await;
    queue(store, &books, Trigger::Schedule, 1_000_000).await;
    let wrong = claim(store, &books, ONE, 1_000_000).await.unwrap();
    end(store, &wrong, SUCCESS, 1_000_001).await;
    assert_eq!(due(store, 0, 100).await, [(books.id, books.account)]);
}

async fn a_site_that_is_being_deleted_is_not_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    insert(store, books, &[dated("blog//a")]).await;
    write(store, move |tx| store::sites::delete(tx, books, at(99))).await;
    assert_eq!(due(store, 0, 100).await, []);
}
