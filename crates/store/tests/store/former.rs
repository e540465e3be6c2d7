use model::{PageId, SiteId};
use store::Store;
use store::former;
use testing::Database;
use uuid::Uuid;

use crate::{read, site, write};

testing::on_both_databases!(
    a_url_leads_to_the_page_that_left_it_last,
    of_pages_that_leave_a_url_at_once_the_last_wins,
    urls_are_told_by_the_version_that_left_them,
    former_urls_go_with_their_site,
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

async fn urls_are_told_by_the_version_that_left_them(database: &Database) {
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

async fn former_urls_go_with_their_site(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for site in [books, other] {
        add(store, site, 1, &[left("/a", ONE)]).await;
    }
    write(store, move |tx| former::remove_site(tx, books)).await;
    assert_eq!(between(store, books, -1, 9).await, []);
    assert_eq!(between(store, other, -1, 9).await, [left("/a", ONE)]);
}
