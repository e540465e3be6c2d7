use model::{BuildId, SiteId};
use store::Store;
use store::releases::{self, Move, Release};
use store::trash::{self, Purge};
use testing::Database;
use uuid::Uuid;

use crate::{at, delete, insert, page, read, site, write};

testing::on_both_databases!(
    releases_are_listed_newest_first,
    a_release_that_is_still_true_stands_for_a_later_version,
    nothing_is_live_before_the_first_build,
    a_rollback_lasts_until_a_build_is_requested,
    old_releases_are_dropped,
    a_site_is_crowded_by_more_releases_than_are_kept,
    a_release_that_may_show_a_purged_page_is_no_base,
    a_release_that_knows_of_a_deletion_outlives_the_purge,
);

/// A release of no pages.
pub fn release(number: i64) -> Release {
    Release {
        number,
        build: BuildId(Uuid::from_u128(number as u128)),
        version: number,
        as_of: at(number),
        made_with: "generator 1".into(),
        pages: 0,
        created_at: at(number),
        warnings: None,
    }
}

async fn add(store: &Store, site: SiteId, release: &Release) {
    let release = release.clone();
    write(store, move |tx| releases::insert(tx, site, &release)).await;
}

async fn go_live(store: &Store, site: SiteId, number: i64, by: Move) -> Option<i64> {
    write(store, move |tx| releases::go_live(tx, site, number, by)).await;
    read(store, move |tx| releases::live(tx, site)).await
}

async fn list(store: &Store, site: SiteId) -> Vec<Release> {
    read(store, move |tx| releases::list(tx, site)).await
}

async fn newest(store: &Store, site: SiteId) -> Option<Release> {
    read(store, move |tx| releases::newest(tx, site)).await
}

async fn releases_are_listed_newest_first(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let warnings = Some(r#"[{"url":"/a","message":"“too long”"}]"#.into());
    let filled = Release { version: 7, as_of: at(8), pages: 9, created_at: at(10), warnings, ..release(10) };
    for release in [&release(2), &filled, &release(1)] {
        add(store, books, release).await;
    }
    add(store, other, &release(11)).await;
    assert_eq!(list(store, books).await, [filled.clone(), release(2), release(1)]);
    assert_eq!(newest(store, books).await, Some(filled));
    assert_eq!(newest(store, SiteId::new(at(0))).await, None);
}

async fn a_release_that_is_still_true_stands_for_a_later_version(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, &release(1)).await;
    add(store, books, &release(2)).await;
    write(store, move |tx| releases::refresh(tx, books, 2, 8, at(9))).await;
    assert_eq!(list(store, books).await, [Release { version: 8, as_of: at(9), ..release(2) }, release(1)]);
}

async fn nothing_is_live_before_the_first_build(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, books, &release(1)).await;
    assert_eq!(read(store, move |tx| releases::live(tx, books)).await, None);
    assert_eq!(go_live(store, books, 1, Move::Schedule).await, Some(1));
    assert_eq!(read(store, move |tx| releases::live(tx, other)).await, None);
    assert_eq!(read(store, |tx| releases::live(tx, SiteId::new(at(0)))).await, None);
}

async fn a_rollback_lasts_until_a_build_is_requested(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    for (number, by, live) in [
        (1, Move::Build, 1),
        (2, Move::Schedule, 2),
        (1, Move::Rollback, 1),
        (3, Move::Schedule, 1),
        (2, Move::Rollback, 2),
        (4, Move::Schedule, 2),
        (5, Move::Build, 5),
        (6, Move::Schedule, 6),
    ] {
        assert_eq!(go_live(store, books, number, by).await, Some(live), "{by:?} of {number}");
    }
}

async fn old_releases_are_dropped(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for number in 1..=4 {
        add(store, books, &release(number)).await;
    }
    add(store, other, &release(1)).await;
    assert_eq!(write(store, move |tx| releases::drop_before(tx, books, 3)).await, 2);
    assert_eq!(write(store, move |tx| releases::drop_before(tx, books, 3)).await, 0);
    assert_eq!(list(store, books).await, [release(4), release(3)]);
    assert_eq!(list(store, other).await, [release(1)]);
}

async fn a_site_is_crowded_by_more_releases_than_are_kept(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for (site, numbers) in [(books, 1..=3), (other, 1..=2)] {
        for number in numbers {
            add(store, site, &release(number)).await;
        }
    }
    assert_eq!(read(store, |tx| releases::crowded(tx, 2)).await, [books]);
    assert_eq!(read(store, |tx| releases::crowded(tx, 3)).await, []);
}

async fn purge(store: &Store, site: SiteId, what: Purge) {
    assert_eq!(write(store, move |tx| trash::purge(tx, site, what, 10, at(6))).await, 1);
}

async fn a_release_that_may_show_a_purged_page_is_no_base(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for what in [Purge::One, |_| Purge::DeletedBefore(at(6))] {
        let gone = page("blog//a");
        for site in [books, other] {
            insert(store, site, std::slice::from_ref(&gone)).await;
        }
        let deleted = delete(store, books, &[gone.id], 5).await;
        delete(store, other, &[gone.id], 5).await;
        purge(store, books, what(gone.id)).await;
        // Also of a build that began before the page was deleted, and ended after the purge.
        let before = Release { version: deleted - 1, ..release(deleted) };
        for site in [books, other] {
            add(store, site, &before).await;
        }
        let spoiled = Release { made_with: String::new(), ..before.clone() };
        assert_eq!(newest(store, books).await, Some(spoiled));
        assert_eq!(newest(store, other).await, Some(before), "it can still learn of the deletion");
        purge(store, other, Purge::DeletedBefore(at(6))).await;
    }
}

async fn a_release_that_knows_of_a_deletion_outlives_the_purge(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let gone = [page("blog//a"), page("blog//b")];
    insert(store, books, &gone).await;
    delete(store, books, &[gone[0].id], 5).await;
    let deleted = delete(store, books, &[gone[1].id], 5).await;
    let after = Release { version: deleted, ..release(1) };
    add(store, books, &after).await;
    for page in gone {
        purge(store, books, Purge::One(page.id)).await;
        assert_eq!(newest(store, books).await, Some(after.clone()));
    }
}
