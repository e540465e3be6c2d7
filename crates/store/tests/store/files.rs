use std::collections::BTreeMap;

use model::{PackId, PageId, SiteId};
use store::files::{self, ChangeCounts, File, Hash, PageChange, Stored, Swept};
use store::releases;
use store::{Store, Tx};
use testing::Database;
use uuid::Uuid;

use crate::releases::release;
use crate::{read, site, write};

testing::on_both_databases!(
    a_file_is_seen_from_one_release_up_to_another,
    a_path_can_be_empty_for_a_while,
    a_redirect_has_a_target_and_no_bytes,
    files_are_listed_in_the_order_of_their_paths,
    the_hashes_are_those_of_the_newest_release,
    an_asset_is_found_in_any_release_that_came_to_be,
    a_release_being_written_leaves_the_live_one_as_it_is,
    pages_are_remembered_as_the_newest_release_shows_them,
    what_changed_between_two_releases_is_known,
    a_sweep_takes_only_what_no_kept_release_has,
    a_sweep_of_files_takes_no_more_than_its_limit,
    remembered_pages_are_swept_with_the_files,
);

pub const PACK: PackId = PackId(Uuid::from_u128(1));
pub const OTHER_PACK: PackId = PackId(Uuid::from_u128(2));

/// A file of `size` bytes, whose hash says so too.
pub fn file(path: &str, size: u8) -> File {
    let hash = hash(size);
    let stored = Stored::Bytes { pack: PACK, offset: i64::from(size) * 10, length: size.into(), hash };
    File { path: path.into(), stored, hash }
}

pub fn hash(number: u8) -> Hash {
    [number; 16]
}

pub fn redirect(path: &str, target: &str) -> File {
    File { path: path.into(), stored: Stored::Redirect(target.into()), hash: hash(0) }
}

/// One release: the files that end, and those that begin.
pub fn change(tx: &mut Tx, site: SiteId, number: i64, closed: &[&str], new: &[File]) -> store::Result<()> {
    let closed: Vec<String> = closed.iter().map(|path| (*path).into()).collect();
    files::close(tx, site, number, &closed)?;
    files::insert(tx, site, number, new)
}

/// A release that went live.
pub async fn made(store: &Store, site: SiteId, number: i64, closed: &'static [&str], new: &[File]) {
    let new = new.to_vec();
    write(store, move |tx| {
        change(tx, site, number, closed, &new)?;
        releases::insert(tx, site, &release(number))
    })
    .await;
}

async fn at_path(store: &Store, site: SiteId, number: i64, path: &'static str) -> Option<Stored> {
    read(store, move |tx| files::at(tx, site, number, path)).await
}

pub async fn list(store: &Store, site: SiteId, number: i64) -> Vec<File> {
    read(store, move |tx| files::list(tx, site, number, "", 100)).await
}

async fn a_file_is_seen_from_one_release_up_to_another(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    made(store, books, 2, &[], &[file("/a", 1)]).await;
    made(store, books, 4, &["/a"], &[file("/a", 2)]).await;
    for (number, expected) in [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(2)), (99, Some(2))] {
        let expected = expected.map(|size| file("/a", size).stored);
        assert_eq!(at_path(store, books, number, "/a").await, expected, "release {number}");
    }
    assert_eq!(at_path(store, books, 2, "/b").await, None);
    assert_eq!(at_path(store, other, 2, "/a").await, None);
}

async fn a_path_can_be_empty_for_a_while(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    made(store, books, 1, &[], &[file("/a", 1), file("/b", 2)]).await;
    made(store, books, 2, &["/a", "/never"], &[]).await;
    made(store, books, 3, &[], &[file("/a", 3)]).await;
    assert_eq!(list(store, books, 1).await, [file("/a", 1), file("/b", 2)]);
    assert_eq!(list(store, books, 2).await, [file("/b", 2)]);
    assert_eq!(list(store, books, 3).await, [file("/a", 3), file("/b", 2)]);
}

async fn a_redirect_has_a_target_and_no_bytes(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    made(store, books, 1, &[], &[redirect("/old", "/new?a=“b”")]).await;
    let expected = Some(Stored::Redirect("/new?a=“b”".into()));
    assert_eq!(at_path(store, books, 1, "/old").await, expected);
    assert_eq!(list(store, books, 1).await, [redirect("/old", "/new?a=“b”")]);
}

async fn files_are_listed_in_the_order_of_their_paths(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    // The order of the bytes, also on PostgreSQL.
    let files = ["/B", "/a", "/a-b", "/a/b", "/é"].map(|path| file(path, 1));
    let mut shuffled = files.to_vec();
    shuffled.reverse();
    made(store, books, 1, &[], &shuffled).await;
    for most in [1, 2, 5] {
        let mut listed: Vec<File> = Vec::new();
        loop {
            let after = listed.last().map(|file| file.path.clone()).unwrap_or_default();
            let part = read(store, move |tx| files::list(tx, books, 1, &after, most)).await;
            if part.is_empty() {
                break;
            }
            assert!(part.len() <= most as usize);
            listed.extend(part);
        }
        assert_eq!(listed, files, "{most} at a time");
    }
}

async fn the_hashes_are_those_of_the_newest_release(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    made(store, books, 1, &[], &[file("/a", 1), file("/b", 2), file("/gone", 3)]).await;
    made(store, books, 2, &["/a", "/gone"], &[file("/a", 4)]).await;
    made(store, other, 1, &[], &[file("/a", 9)]).await;
    let named = |paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|path| (*path).into()).collect();
        read(store, move |tx| files::hashes(tx, books, &paths))
    };
    assert_eq!(named(&["/a", "/gone", "/never"]).await, [("/a".into(), hash(4))]);
    assert_eq!(named(&[]).await, []);
    let open = |after: &'static str, most| read(store, move |tx| files::open_files(tx, books, after, most));
    assert_eq!(open("", 9).await, [("/a".into(), hash(4)), ("/b".into(), hash(2))]);
    assert_eq!(open("", 1).await, [("/a".into(), hash(4))]);
    assert_eq!(open("/a", 9).await, [("/b".into(), hash(2))]);
}

async fn an_asset_is_found_in_any_release_that_came_to_be(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let found = |path| read(store, move |tx| files::in_any_release(tx, books, path));
    write(store, move |tx| change(tx, books, 1, &[], &[file("/a.css", 1)])).await;
    assert_eq!(found("/a.css").await, None, "its pack may not be there yet");
    made(store, books, 1, &[], &[]).await;
    made(store, books, 2, &["/a.css"], &[file("/b.css", 2)]).await;
    write(store, move |tx| change(tx, books, 3, &[], &[file("/a.css", 3)])).await;
    assert_eq!(found("/a.css").await, Some(file("/a.css", 1).stored));
    assert_eq!(found("/b.css").await, Some(file("/b.css", 2).stored));
    assert_eq!(found("/c.css").await, None);
}

async fn a_release_being_written_leaves_the_live_one_as_it_is(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let before = [file("/a", 1), file("/b", 2)];
    made(store, books, 1, &[], &before).await;
    write(store, move |tx| releases::go_live(tx, books, 1, releases::Move::Build)).await;
    write(store, move |tx| change(tx, books, 2, &["/a", "/b"], &[file("/a", 3), file("/c", 4)])).await;
    let live = || read(store, move |tx| Ok(releases::live(tx, books)?.unwrap()));
    assert_eq!(list(store, books, live().await).await, before);
    write(store, move |tx| releases::go_live(tx, books, 2, releases::Move::Build)).await;
    assert_eq!(list(store, books, live().await).await, [file("/a", 3), file("/c", 4)]);
}

/// The remembered pages, sorted.
pub async fn pages(store: &Store, site: SiteId) -> Vec<String> {
    let mut pages = read(store, move |tx| files::pages(tx, site, |meta| Ok(meta.to_owned()))).await;
    pages.sort();
    pages
}

async fn pages_are_remembered_as_the_newest_release_shows_them(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let [one, two, three] = [1, 2, 3].map(|number| PageId(Uuid::from_u128(number)));
    let remember = |number, pages: &[(PageId, Option<&str>)]| {
        let pages: Vec<_> = pages.iter().map(|(id, meta)| (*id, meta.map(str::to_owned))).collect();
        write(store, move |tx| files::remember(tx, books, number, &pages))
    };
    remember(1, &[(one, Some("1")), (two, Some("2")), (three, None)]).await;
    assert_eq!(pages(store, books).await, ["1", "2"]);
    remember(2, &[(one, Some("1, changed")), (two, None), (three, Some("3"))]).await;
    assert_eq!(pages(store, books).await, ["1, changed", "3"]);
    remember(3, &[]).await;
    assert_eq!(pages(store, books).await, ["1, changed", "3"]);
    assert_eq!(pages(store, other).await, [""; 0]);
    let refused: Result<Vec<()>, _> =
        store.read(move |tx| files::pages(tx, books, |_| Err(store::Error::Internal("no".into())))).await;
    assert!(refused.is_err(), "{refused:?}");
}

async fn what_changed_between_two_releases_is_known(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let [one, two, three, four] = [1, 2, 3, 4].map(|number| PageId(Uuid::from_u128(number)));
    let remember = |site, number, pages: &[(PageId, Option<&str>)]| {
        let pages: Vec<_> = pages.iter().map(|(id, meta)| (*id, meta.map(str::to_owned))).collect();
        write(store, move |tx| files::remember(tx, site, number, &pages))
    };
    remember(books, 1, &[(one, Some("1")), (two, Some("2")), (three, Some("3"))]).await;
    remember(other, 2, &[(one, Some("of another site"))]).await;
    // The third is remembered again as it was.
    let second = [(one, Some("1, changed")), (two, None), (three, Some("3")), (four, Some("4"))];
    remember(books, 2, &second).await;
    remember(books, 3, &[(one, Some("1, again"))]).await;
    let changes = |releases, after: PageId, most| {
        read(store, move |tx| {
            let changes = files::page_changes(tx, books, releases, after, most)?;
            Ok((changes, files::count_changes(tx, books, releases)?))
        })
    };
    let change = |page, before: Option<&str>, after: Option<&str>| PageChange {
        page,
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    let all = [
        change(one, Some("1"), Some("1, changed")),
        change(two, Some("2"), None),
        change(four, None, Some("4")),
    ];
    let nil = PageId(Uuid::nil());
    let counts = ChangeCounts { pages: 3, before: 2, after: 2 };
    assert_eq!(changes((1, 2), nil, 10).await, (all.to_vec(), counts));
    assert_eq!(changes((1, 2), one, 1).await, (all[1..2].to_vec(), counts));
    let first = changes((0, 1), nil, 10).await;
    assert_eq!(first.1, ChangeCounts { pages: 3, before: 0, after: 3 });
    assert_eq!(changes((2, 3), nil, 10).await.0, [change(one, Some("1, changed"), Some("1, again"))]);
    assert_eq!(changes((1, 3), nil, 10).await.0[0], change(one, Some("1"), Some("1, again")));
}

async fn sweep(store: &Store, site: SiteId, oldest: i64, most: i64) -> Swept {
    write(store, move |tx| files::sweep(tx, site, oldest, most)).await
}

async fn a_sweep_takes_only_what_no_kept_release_has(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    for site in [books, other] {
        let mut elsewhere = file("/b", 2);
        elsewhere.stored = Stored::Bytes { pack: OTHER_PACK, offset: 0, length: 2, hash: hash(2) };
        let first = [file("/a", 1), elsewhere, redirect("/c", "/a"), file("/stays", 5), file("/d", 6)];
        made(store, site, 1, &[], &first).await;
        made(store, site, 2, &["/a", "/b", "/c", "/d"], &[file("/a", 3)]).await;
        made(store, site, 3, &["/a"], &[file("/a", 4)]).await;
    }
    let kept = [list(store, books, 2).await, list(store, books, 3).await];
    assert_eq!(sweep(store, books, 1, 100).await, Swept::default());
    let dead = BTreeMap::from([(PACK, 1 + 6), (OTHER_PACK, 2)]);
    assert_eq!(sweep(store, books, 2, 100).await, Swept { files: 4, pages: 0, dead });
    assert_eq!([list(store, books, 2).await, list(store, books, 3).await], kept);
    let dead = BTreeMap::from([(PACK, 3)]);
    assert_eq!(sweep(store, books, 99, 100).await, Swept { files: 1, pages: 0, dead });
    assert_eq!(list(store, books, 3).await, kept[1], "what is valid until further notice stays");
    assert_eq!(list(store, other, 1).await.len(), 5);
}

async fn a_sweep_of_files_takes_no_more_than_its_limit(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let ids: Vec<PageId> = (1..=5).map(|number| PageId(Uuid::from_u128(number))).collect();
    write(store, move |tx| {
        let pages =
            |meta: Option<&str>| -> Vec<_> { ids.iter().map(|id| (*id, meta.map(str::to_owned))).collect() };
        files::remember(tx, books, 1, &pages(Some("1")))?;
        files::remember(tx, books, 2, &pages(None))
    })
    .await;
    made(store, books, 1, &[], &[file("/a", 1), file("/b", 1), file("/c", 1)]).await;
    made(store, books, 2, &["/a", "/b", "/c"], &[]).await;
    for expected in [(2, 2), (1, 2), (0, 1), (0, 0)] {
        let swept = sweep(store, books, 2, 2).await;
        assert_eq!((swept.files, swept.pages), expected);
    }
}

async fn remembered_pages_are_swept_with_the_files(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let [one, two] = [1, 2].map(|number| PageId(Uuid::from_u128(number)));
    write(store, move |tx| files::remember(tx, books, 1, &[(one, Some("1".into()))])).await;
    write(store, move |tx| files::remember(tx, books, 2, &[(two, Some("2".into()))])).await;
    let before = database.dump();
    write(store, move |tx| files::remember(tx, books, 2, &[(one, None)])).await;
    assert_eq!(sweep(store, books, 1, 100).await, Swept::default());
    assert_eq!(database.dump().len(), before.len());
    assert_eq!(sweep(store, books, 2, 100).await, Swept { pages: 1, ..Swept::default() });
    assert_eq!(database.dump().len(), before.len() - 1);
    assert_eq!(pages(store, books).await, ["2"]);
}
