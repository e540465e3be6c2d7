//! A release whose rows are written ahead, and undone if it never goes live.

use std::collections::BTreeMap;

use model::{PageId, SiteId};
use store::files::{self, Cursor, File};
use store::{Store, Tx};
use testing::Database;
use uuid::Uuid;

use crate::files::{change, file, list, made, pages};
use crate::{at, read, site, write};

testing::on_both_databases!(
    an_undo_restores_the_newest_release,
    an_undo_of_the_first_release_leaves_nothing,
    an_undo_runs_in_bounded_steps,
    an_interrupted_undo_is_started_again,
    all_pages_are_forgotten_for_a_build_from_scratch,
    pages_are_forgotten_in_bounded_steps,
    pages_that_the_new_release_remembers_are_not_forgotten,
);

/// Runs steps until there is none left; returns how many there were.
async fn in_steps(
    store: &Store,
    step: impl Fn(&mut Tx, &Cursor) -> store::Result<Option<Cursor>> + Clone + Send + 'static,
) -> usize {
    let (mut next, mut steps) = (Some(Cursor::default()), 0);
    while let Some(from) = next {
        let step = step.clone();
        next = write(store, move |tx| step(tx, &from)).await;
        steps += 1;
    }
    steps
}

async fn undo(store: &Store, site: SiteId, newest: i64, most: i64) -> usize {
    in_steps(store, move |tx, from| files::undo(tx, site, newest, from, most)).await
}

async fn forget_pages(store: &Store, site: SiteId, release: i64, most: i64) -> usize {
    in_steps(store, move |tx, from| files::forget_pages(tx, site, release, from, most)).await
}

fn page(number: u128) -> PageId {
    PageId(Uuid::from_u128(number))
}

fn remembered(numbers: impl Iterator<Item = u128>, meta: &str) -> Vec<(PageId, Option<String>)> {
    numbers.map(|number| (page(number), Some(meta.to_owned()))).collect()
}

fn paths(numbers: impl Iterator<Item = u128>) -> Vec<String> {
    numbers.map(|number| format!("/{number:03}")).collect()
}

fn files_at(paths: &[String], size: u8) -> Vec<File> {
    paths.iter().map(|path| file(path, size)).collect()
}

async fn an_undo_restores_the_newest_release(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    made(store, books, 1, &[], &[file("/a", 1), file("/b", 2), file("/c", 3)]).await;
    made(store, books, 2, &["/a"], &[file("/a", 4)]).await;
    write(store, move |tx| {
        files::remember(tx, books, 1, &[(page(1), Some("1".into())), (page(2), Some("2".into()))])?;
        files::remember(tx, books, 2, &[(page(1), Some("1, again".into()))])
    })
    .await;
    let before = database.dump();
    for most in [1, 2, 100] {
        write(store, move |tx| files::stage(tx, books, Some(3))).await;
        forget_pages(store, books, 3, most).await;
        write(store, move |tx| {
            let pages = [(page(1), Some("1, at last".into())), (page(3), Some("3".into()))];
            files::remember(tx, books, 3, &pages)?;
            change(tx, books, 3, &["/a", "/b"], &[file("/a", 5), file("/d", 6)])
        })
        .await;
        assert_eq!(read(store, move |tx| files::staged(tx, books)).await, Some(3));
        undo(store, books, 2, most).await;
        assert_eq!(database.dump(), before, "{most} at a time");
        assert_eq!(read(store, move |tx| files::staged(tx, books)).await, None);
    }
}

async fn an_undo_of_the_first_release_leaves_nothing(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    made(store, other, 1, &[], &[file("/a", 1)]).await;
    let before = database.dump();
    write(store, move |tx| {
        files::stage(tx, books, Some(1))?;
        files::remember(tx, books, 1, &[(PageId::new(at(0)), Some("1".into()))])?;
        change(tx, books, 1, &[], &[file("/a", 1)])
    })
    .await;
    undo(store, books, 0, 100).await;
    assert_eq!(database.dump(), before);
}

/// A site with a release of 50 files and pages, and another that replaced most of them and never went live.
async fn with_a_staged_release(store: &Store, site: SiteId) {
    let old = files_at(&paths(0..50), 1);
    made(store, site, 1, &[], &old).await;
    write(store, move |tx| files::remember(tx, site, 1, &remembered(1..51, "1"))).await;
}

async fn stage_a_release(store: &Store, site: SiteId) {
    write(store, move |tx| {
        files::stage(tx, site, Some(2))?;
        files::close(tx, site, 2, &paths(10..50))?;
        files::insert(tx, site, 2, &files_at(&paths(20..70), 2))?;
        files::remember(tx, site, 2, &remembered(30..80, "2"))
    })
    .await;
}

async fn an_undo_runs_in_bounded_steps(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for site in [books, other] {
        with_a_staged_release(store, site).await;
    }
    stage_a_release(store, other).await;
    let before = rows_by_key(database);
    stage_a_release(store, books).await;
    let (mut next, mut last) = (Some(Cursor::default()), rows_by_key(database));
    while let Some(from) = next {
        next = write(store, move |tx| files::undo(tx, books, 1, &from, 7)).await;
        let now = rows_by_key(database);
        let changed = last.iter().filter(|(key, rows)| now.get(*key) != Some(*rows)).count();
        // Files and pages are reopened in one step; a path may have several rows.
        assert!(changed <= 2 * 7 + 1, "{changed} rows in one step");
        assert_eq!(list(store, books, 1).await.len(), 50, "what is live stays as it is");
        last = now;
    }
    assert_eq!(last, before);
}

/// The rows of the database, counted.
fn rows_by_key(database: &Database) -> BTreeMap<String, usize> {
    let mut rows = BTreeMap::new();
    for row in database.dump() {
        *rows.entry(row).or_default() += 1;
    }
    rows
}

async fn an_interrupted_undo_is_started_again(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    with_a_staged_release(store, books).await;
    let before = database.dump();
    for steps in 1.. {
        stage_a_release(store, books).await;
        let mut next = Some(Cursor::default());
        for _ in 0..steps {
            if let Some(from) = next {
                next = write(store, move |tx| files::undo(tx, books, 1, &from, 20)).await;
            }
        }
        if next.is_none() {
            assert!(steps > 5, "{steps}");
            return;
        }
        assert_eq!(read(store, move |tx| files::staged(tx, books)).await, Some(2), "it is continued");
        undo(store, books, 1, 20).await;
        assert_eq!(database.dump(), before, "after {steps} steps");
    }
}

async fn all_pages_are_forgotten_for_a_build_from_scratch(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for site in [books, other] {
        let pages = [(page(1), Some("1".into())), (page(2), Some("2".into()))];
        write(store, move |tx| files::remember(tx, site, 1, &pages)).await;
    }
    forget_pages(store, books, 2, 100).await;
    assert_eq!(pages(store, books).await, [""; 0]);
    write(store, move |tx| files::remember(tx, books, 2, &[(page(1), Some("1, changed".into()))])).await;
    assert_eq!(pages(store, books).await, ["1, changed"]);
    assert_eq!(pages(store, other).await, ["1", "2"]);
}

async fn pages_are_forgotten_in_bounded_steps(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    write(store, move |tx| files::remember(tx, books, 1, &remembered(1..101, "1"))).await;
    let (mut next, mut left) = (Some(Cursor::default()), 100);
    while let Some(from) = next {
        next = write(store, move |tx| files::forget_pages(tx, books, 2, &from, 30)).await;
        let now = pages(store, books).await.len();
        assert!(left - now <= 30 && (now < left || next.is_none()), "from {left} to {now}");
        left = now;
    }
    assert_eq!(left, 0);
}

async fn pages_that_the_new_release_remembers_are_not_forgotten(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    write(store, move |tx| files::remember(tx, books, 1, &remembered(1..11, "1"))).await;
    write(store, move |tx| files::remember(tx, books, 2, &remembered(5..16, "2"))).await;
    forget_pages(store, books, 2, 4).await;
    assert_eq!(pages(store, books).await, ["2"; 11]);
}
