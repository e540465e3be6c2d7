//! The changed pages that a build reads.

use std::collections::HashSet;

use model::{PageId, SiteId};
use store::pages::{self, Changed, Page};
use store::{Store, sites};
use testing::Database;

use crate::{at, delete, insert, page, read, site, write};

testing::on_both_databases!(
    pages_are_reported_by_the_version_that_changed_them,
    changes_are_read_in_parts_in_the_order_of_their_versions,
    a_deleted_page_is_reported_as_deleted,
    a_restored_page_is_reported_again,
    a_page_that_became_due_is_reported,
    a_page_that_changed_and_became_due_is_reported_once,
    drafts_and_deleted_pages_have_no_time,
);

/// All pages that changed, read in parts.
async fn in_parts(store: &Store, site: SiteId, versions: (i64, i64), most: i64) -> Vec<Changed> {
    let (mut all, mut last) = (Vec::new(), None);
    loop {
        let part = read(store, move |tx| pages::changed(tx, site, versions, last, most)).await;
        assert!(part.len() <= most as usize);
        let Some(end) = part.last() else { return all };
        last = Some(end.place());
        all.extend(part);
    }
}

/// The changed pages by id, and which of them are deleted.
async fn changed(
    store: &Store,
    site: SiteId,
    versions: (i64, i64),
    (since, now): (i64, i64),
) -> (Vec<Page>, HashSet<PageId>) {
    let mut changed = in_parts(store, site, versions, 2).await;
    let due = move |tx: &mut store::Tx| pages::due(tx, site, (at(since), at(now)), versions.0);
    changed.extend(read(store, due).await);
    changed.sort_by_key(|changed| changed.page.id);
    let deleted = changed.iter().filter(|changed| changed.deleted).map(|changed| changed.page.id).collect();
    (changed.into_iter().map(|changed| changed.page).collect(), deleted)
}

const NEVER: (i64, i64) = (0, 0);

/// Written at second 10, to appear at second 100.
fn dated(key: &str) -> Page {
    Page { draft: false, published_at: at(100), updated_at: at(10), ..page(key) }
}

async fn pages_are_reported_by_the_version_that_changed_them(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let [a, b] = ["blog//a", "docs/guides/b"].map(page);
    insert(store, books, std::slice::from_ref(&a)).await;
    insert(store, books, std::slice::from_ref(&b)).await;
    insert(store, other, &[page("blog//a")]).await;
    let edited = Page { title: "Edited".into(), ..a.clone() };
    let row = edited.clone();
    write(store, move |tx| {
        let version = sites::next_version(tx, books)?.unwrap();
        pages::update(tx, books, version, &[&row])
    })
    .await;
    for (versions, mut expected) in [
        ((-1, 3), vec![edited.clone(), b.clone()]),
        ((1, 3), vec![edited.clone(), b.clone()]),
        ((2, 3), vec![edited]),
        ((1, 2), vec![b]),
        ((3, 3), vec![]),
    ] {
        expected.sort_by_key(|page| page.id);
        assert_eq!(changed(store, books, versions, NEVER).await, (expected, HashSet::new()), "{versions:?}");
    }
}

async fn changes_are_read_in_parts_in_the_order_of_their_versions(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let mut expected = Vec::new();
    for (version, count) in [(1, 5), (2, 1), (3, 7), (4, 3)] {
        let pages: Vec<Page> = (0..count).map(|number| page(&format!("blog//p{version}-{number}"))).collect();
        insert(store, books, &pages).await;
        insert(store, other, &[page(&format!("blog//p{version}"))]).await;
        let mut ids: Vec<PageId> = pages.iter().map(|page| page.id).collect();
        ids.sort();
        expected.extend(ids.into_iter().map(|id| (version, id)));
    }
    for most in [1, 2, 5, 100] {
        let found = in_parts(store, books, (1, 3), most).await;
        let places: Vec<(i64, PageId)> = found.iter().map(Changed::place).collect();
        assert_eq!(places, expected[5..13], "{most} at a time");
    }
}

async fn a_deleted_page_is_reported_as_deleted(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let gone = page("blog//a");
    insert(store, books, &[gone.clone(), page("blog//b")]).await;
    delete(store, books, &[gone.id], 20).await;
    let expected = (vec![gone.clone()], HashSet::from([gone.id]));
    assert_eq!(changed(store, books, (1, 2), NEVER).await, expected);
    assert_eq!(changed(store, books, (2, 2), NEVER).await, (vec![], HashSet::new()));
}

async fn a_restored_page_is_reported_again(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let back = page("blog//a");
    let id = back.id;
    insert(store, books, std::slice::from_ref(&back)).await;
    delete(store, books, &[id], 20).await;
    write(store, move |tx| store::trash::restore(tx, books, 3, id, at(30))).await;
    let expected = (vec![Page { updated_at: at(30), ..back }], HashSet::new());
    assert_eq!(changed(store, books, (2, 3), NEVER).await, expected);
}

async fn a_page_that_became_due_is_reported(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let page = dated("blog//a");
    insert(store, books, std::slice::from_ref(&page)).await;
    insert(store, other, &[dated("blog//a")]).await;
    for (times, expected) in
        [((0, 99), vec![]), ((99, 100), vec![page.clone()]), ((0, 200), vec![page]), ((100, 200), vec![])]
    {
        assert_eq!(changed(store, books, (1, 1), times).await, (expected, HashSet::new()), "{times:?}");
    }
}

async fn a_page_that_changed_and_became_due_is_reported_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let page = dated("blog//a");
    insert(store, books, std::slice::from_ref(&page)).await;
    for versions in [(-1, 1), (0, 1), (1, 1)] {
        let expected = (vec![page.clone()], HashSet::new());
        assert_eq!(changed(store, books, versions, (0, 200)).await, expected, "{versions:?}");
    }
}

async fn drafts_and_deleted_pages_have_no_time(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let gone = dated("blog//gone");
    let edited = Page { updated_at: at(150), ..dated("blog//edited") };
    insert(store, books, &[Page { draft: true, ..dated("blog//draft") }, gone.clone(), edited]).await;
    delete(store, books, &[gone.id], 20).await;
    assert_eq!(changed(store, books, (2, 2), (0, 200)).await, (vec![], HashSet::new()));
}
