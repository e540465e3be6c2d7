use model::{PageId, SiteId};
use store::Store;
use store::former::{self, MOST};
use store::releases::{self, Release};
use store::trash::{self, Purge};
use testing::Database;
use uuid::Uuid;

use crate::releases::release;
use crate::{at, delete, insert, page, read, site, write};

testing::on_both_databases!(
    a_url_leads_to_the_page_that_left_it_last,
    of_pages_that_leave_a_url_at_once_the_last_wins,
    urls_are_reported_by_the_version_that_left_them,
    former_urls_are_deleted_with_their_site,
    of_too_many_urls_of_a_page_the_older_half_is_forgotten,
    forgotten_urls_cause_a_build_from_scratch,
    urls_of_a_purged_page_are_forgotten,
);

const ONE: PageId = PageId(Uuid::from_u128(1));
const TWO: PageId = PageId(Uuid::from_u128(2));

type Left = (String, PageId);

fn left(url: &str, page: PageId) -> Left {
    (url.into(), page)
}

async fn add(store: &Store, site: SiteId, version: i64, left: &[Left]) {
    let left = left.to_vec();
    write(store, move |tx| former::add(tx, site, version, &left)).await;
}

async fn between(store: &Store, site: SiteId, after: i64, until: i64) -> Vec<Left> {
    read(store, move |tx| former::between(tx, site, after, until)).await
}

async fn a_url_leads_to_the_page_that_left_it_last(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, books, 1, &[left("/b", ONE), left("/a", ONE)]).await;
    add(store, other, 1, &[left("/a", ONE)]).await;
    add(store, books, 2, &[left("/a", TWO)]).await;
    add(store, books, 3, &[]).await;
    assert_eq!(between(store, books, -1, 3).await, [left("/a", TWO), left("/b", ONE)]);
    assert_eq!(between(store, other, -1, 3).await, [left("/a", ONE)]);
}

async fn of_pages_that_leave_a_url_at_once_the_last_wins(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    // `standalone/docs/a` and `docs//a` have the same one.
    add(store, books, 1, &[left("/docs/a", ONE), left("/docs/a", TWO)]).await;
    assert_eq!(between(store, books, -1, 1).await, [left("/docs/a", TWO)]);
}

async fn urls_are_reported_by_the_version_that_left_them(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, &[left("/a", ONE)]).await;
    add(store, books, 2, &[left("/b", ONE)]).await;
    add(store, books, 4, &[left("/a", TWO)]).await;
    let (a, b) = (left("/a", TWO), left("/b", ONE));
    for (after, until, expected) in
        [(-1, 1, vec![]), (0, 2, vec![&b]), (1, 4, vec![&a, &b]), (2, 4, vec![&a]), (2, 3, vec![])]
    {
        let found = between(store, books, after, until).await;
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "after {after} up to {until}");
    }
}

async fn former_urls_are_deleted_with_their_site(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for site in [books, other] {
        add(store, site, 1, &[left("/a", ONE)]).await;
    }
    crate::delete_site(store, books, 5).await;
    assert_eq!(between(store, books, -1, 9).await, []);
    assert_eq!(between(store, other, -1, 9).await, [left("/a", ONE)]);
}

async fn of_too_many_urls_of_a_page_the_older_half_is_forgotten(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, books, 0, &[left("/of-another-page", TWO)]).await;
    for site in [books, other] {
        for version in 1..=MOST {
            add(store, site, version, &[left(&format!("/{version:03}"), ONE)]).await;
        }
    }
    assert_eq!(between(store, books, -1, 999).await.len() as i64, MOST + 1);
    // Two at once are one too many twice, and still only half goes.
    add(store, books, MOST + 1, &[left("/y", ONE), left("/z", ONE)]).await;
    let mut expected: Vec<Left> =
        (MOST / 2 + 1..=MOST).map(|version| left(&format!("/{version:03}"), ONE)).collect();
    expected.extend([left("/of-another-page", TWO), left("/y", ONE), left("/z", ONE)]);
    assert_eq!(between(store, books, -1, 999).await, expected);
    assert_eq!(between(store, other, -1, 999).await.len() as i64, MOST);
}

async fn forgotten_urls_cause_a_build_from_scratch(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let base = Release { version: MOST, ..release(1) };
    let row = base.clone();
    write(store, move |tx| releases::insert(tx, books, &row)).await;
    for version in 1..=MOST {
        add(store, books, version, &[left(&format!("/{version}"), ONE)]).await;
    }
    let newest = || read(store, move |tx| releases::newest(tx, books));
    assert_eq!(newest().await, Some(base.clone()));
    add(store, books, MOST + 1, &[left("/a", ONE)]).await;
    assert_eq!(newest().await, Some(Release { made_with: String::new(), ..base }));
}

async fn urls_of_a_purged_page_are_forgotten(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let (gone, stays) = (page("blog//gone"), page("blog//stays"));
    for site in [books, other] {
        insert(store, site, &[gone.clone(), stays.clone()]).await;
        add(store, site, 1, &[left("/a", gone.id), left("/b", gone.id), left("/c", stays.id)]).await;
        delete(store, site, &[gone.id], 5).await;
    }
    let purge = move |tx: &mut store::Tx| trash::purge(tx, books, Purge::One(gone.id), 1, at(6));
    assert_eq!(write(store, purge).await, 1);
    assert_eq!(between(store, books, -1, 9).await, [left("/c", stays.id)]);
    assert_eq!(between(store, other, -1, 9).await.len(), 3);
}
