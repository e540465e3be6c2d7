use std::collections::HashMap;

use model::{Dimensions, MediaHash, MediaUrl, SiteId};
use store::media::{self, Kept, Medium, Stored, Upload};
use store::transcodes::{Status, Transcode};
use store::usage::{Exceeded, Limited, Quota};
use store::{Store, sites, usage};
use testing::Database;

use crate::objects::{begin, doomed, id};
use crate::{at, delete_site, read, site, site_named, write};

testing::on_both_databases!(
    a_kept_file_is_found_by_its_url,
    a_url_of_another_site_hash_name_or_size_finds_nothing,
    equal_bytes_are_kept_and_counted_once,
    a_file_that_is_already_there_costs_nothing_and_gets_its_new_name,
    an_upload_that_lost_the_race_is_doomed,
    what_was_deleted_or_swept_meanwhile_has_to_be_written_again,
    an_object_of_another_site_is_not_kept,
    uploads_over_the_quota_change_nothing,
    the_quota_is_of_all_the_accounts_sites,
    nothing_is_kept_for_a_deleted_site,
    a_medium_stays_until_its_last_name_is_deleted,
    all_names_are_deleted_at_once,
    bytes_that_were_deleted_are_uploaded_as_a_new_object,
    media_are_listed_newest_first_in_steps,
    a_deleted_site_frees_its_storage,
);

pub(crate) const QUOTA: u64 = 1000;

/// This many bytes of media, and nothing else.
pub(crate) fn quota(storage: u64) -> Quota {
    Quota { storage, pages: 0, text: 0 }
}

fn over_quota(required: u64, remaining: u64) -> Kept {
    Kept::OverQuota(Exceeded { what: Limited::Storage, required, remaining })
}

pub(crate) fn hash(number: u8) -> MediaHash {
    MediaHash([number; 16])
}

pub(crate) fn upload(object: u128, number: u8, size: u64, names: &[&str]) -> Upload {
    let names = names.iter().map(|name| name.to_string()).collect();
    Upload { object: Some(id(object)), hash: hash(number), size, dimensions: None, source: None, names }
}

fn known(number: u8, size: u64, names: &[&str]) -> Upload {
    Upload { object: None, ..upload(0, number, size, names) }
}

/// At second 1.
pub(crate) async fn try_keep(store: &Store, site: SiteId, uploads: impl Into<Vec<Upload>>) -> Kept {
    let uploads = uploads.into();
    write(store, move |tx| media::keep(tx, site, &uploads, &quota(QUOTA), at(1))).await
}

pub(crate) async fn keep(store: &Store, site: SiteId, uploads: impl Into<Vec<Upload>>) {
    assert_eq!(try_keep(store, site, uploads).await, Kept::Done);
}

/// Uploads bytes that are new to the site.
pub(crate) async fn add(store: &Store, site: SiteId, object: u128, number: u8, size: u64, names: &[&str]) {
    begin(store, site, object).await;
    keep(store, site, [upload(object, number, size, names)]).await;
}

pub(crate) async fn used(store: &Store, site: &sites::Site) -> u64 {
    let account = site.account;
    read(store, move |tx| usage::of_account(tx, account)).await.storage
}

fn url(number: u8, name: &str) -> MediaUrl {
    MediaUrl { hash: hash(number), dimensions: None, name: name.to_owned() }
}

/// The number of the object at a URL.
pub(crate) async fn find(store: &Store, site: SiteId, number: u8, name: &str) -> Option<u128> {
    let url = url(number, name);
    let found = read(store, move |tx| media::find(tx, site, &url)).await;
    found.map(|stored| stored.object.0.as_u128())
}

pub(crate) async fn delete(store: &Store, site: SiteId, number: u8, name: Option<&str>) -> Option<u64> {
    let name = name.map(str::to_owned);
    write(store, move |tx| media::delete(tx, site, hash(number), name.as_deref(), at(100))).await
}

async fn a_kept_file_is_found_by_its_url(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let size = Some(Dimensions { width: 640, height: u16::MAX });
    begin(store, books.id, 1).await;
    assert_eq!(find(store, books.id, 1, "a.webp").await, None);
    keep(store, books.id, [Upload { dimensions: size, ..upload(1, 1, 70, &["a.webp"]) }]).await;
    let (id, url) = (books.id, MediaUrl { dimensions: size, ..url(1, "a.webp") });
    let found = read(store, move |tx| media::find(tx, id, &url)).await;
    assert_eq!(
        found,
        Some(Stored { object: crate::objects::id(1), size: 70, created_at: at(1), dimensions: size })
    );
    assert_eq!(used(store, &books).await, 70);
}

async fn a_url_of_another_site_hash_name_or_size_finds_nothing(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, books, 1, 1, 70, &["a.png"]).await;
    assert_eq!(find(store, books, 1, "a.png").await, Some(1));
    assert_eq!(find(store, other, 1, "a.png").await, None);
    assert_eq!(find(store, books, 2, "a.png").await, None);
    assert_eq!(find(store, books, 1, "b.png").await, None);
    let sized = MediaUrl { dimensions: Some(Dimensions { width: 1, height: 1 }), ..url(1, "a.png") };
    assert_eq!(read(store, move |tx| media::find(tx, books, &sized)).await, None);
}

async fn equal_bytes_are_kept_and_counted_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    for number in [1, 2, 3] {
        begin(store, books.id, number).await;
    }
    let uploads = [upload(1, 1, 70, &["a.png"]), upload(2, 1, 70, &["b.png"]), upload(3, 2, 5, &["c.png"])];
    keep(store, books.id, uploads).await;
    assert_eq!(used(store, &books).await, 75);
    assert_eq!(doomed(store, 2).await, [2]);
    for (number, name, object) in [(1, "a.png", 1), (1, "b.png", 1), (2, "c.png", 3)] {
        assert_eq!(find(store, books.id, number, name).await, Some(object));
    }
}

async fn a_file_that_is_already_there_costs_nothing_and_gets_its_new_name(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    add(store, books.id, 1, 1, QUOTA, &["a.png"]).await;
    let id = books.id;
    let kept = read(store, move |tx| media::already_kept(tx, id, &[hash(1), hash(2)])).await;
    assert_eq!(kept, HashMap::from([(hash(1), QUOTA)]));
    keep(store, books.id, [known(1, QUOTA, &["a.png", "b.png"])]).await;
    assert_eq!(used(store, &books).await, QUOTA);
    assert_eq!(find(store, books.id, 1, "b.png").await, Some(1));
}

async fn an_upload_that_lost_the_race_is_doomed(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    begin(store, books.id, 2).await;
    add(store, books.id, 1, 1, 70, &["a.png"]).await;
    keep(store, books.id, [upload(2, 1, 70, &["a.png"])]).await;
    assert_eq!((find(store, books.id, 1, "a.png").await, doomed(store, 2).await), (Some(1), vec![2]));
    assert_eq!(used(store, &books).await, 70);
}

async fn what_was_deleted_or_swept_meanwhile_has_to_be_written_again(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    begin(store, books, 2).await;
    write(store, |tx| store::objects::extend(tx, &[id(2)], at(50))).await;
    doomed(store, 11).await;
    let before = database.dump();
    let uploads = [upload(2, 2, 5, &["b.png"]), upload(1, 1, 5, &["a.png"]), known(3, 5, &["c.png"])];
    assert_eq!(try_keep(store, books, uploads).await, Kept::Gone(vec![hash(1), hash(3)]));
    assert_eq!(database.dump(), before);
}

async fn an_object_of_another_site_is_not_kept(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    begin(store, other, 1).await;
    let gone = Kept::Gone(vec![hash(1)]);
    assert_eq!(try_keep(store, books, [upload(1, 1, 5, &["a.png"])]).await, gone);
}

async fn uploads_over_the_quota_change_nothing(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    add(store, books.id, 1, 1, 900, &["a.png"]).await;
    for number in [2, 3, 4] {
        begin(store, books.id, number).await;
    }
    let before = database.dump();
    let uploads =
        |size| [known(1, 900, &["z.png"]), upload(2, 2, 50, &["b.png"]), upload(3, 3, size, &["c.png"])];
    let refused = try_keep(store, books.id, uploads(51)).await;
    assert_eq!(refused, over_quota(101, 100));
    assert_eq!(database.dump(), before);
    keep(store, books.id, uploads(50)).await;
    assert_eq!(used(store, &books).await, QUOTA);
    // The plan was changed to a smaller one.
    let id = books.id;
    let keep_within_ten = |upload| {
        write(store, move |tx| media::keep(tx, id, std::slice::from_ref(&upload), &quota(10), at(1)))
    };
    assert_eq!(keep_within_ten(upload(4, 4, 1, &["d.png"])).await, over_quota(1, 0));
    assert_eq!(keep_within_ten(known(1, 900, &["d.png"])).await, Kept::Done);
}

async fn the_quota_is_of_all_the_accounts_sites(database: &Database) {
    let store = database.store();
    let (books, stranger) = (site(store, "books").await, site(store, "stranger").await);
    let second = site_named(books.account, "second");
    let row = second.clone();
    write(store, move |tx| sites::insert(tx, &row)).await;
    add(store, books.id, 1, 1, 600, &["a.png"]).await;
    add(store, stranger.id, 2, 1, 600, &["a.png"]).await;
    begin(store, second.id, 3).await;
    let refused = try_keep(store, second.id, [upload(3, 1, 600, &["a.png"])]).await;
    assert_eq!(refused, over_quota(600, 400));
}

async fn nothing_is_kept_for_a_deleted_site(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    begin(store, books, 1).await;
    delete_site(store, books, 1).await;
    assert_eq!(try_keep(store, books, [upload(1, 1, 5, &["a.png"])]).await, Kept::NoSite);
    assert_eq!(
        (doomed(store, 10).await, doomed(store, 11).await),
        (vec![], vec![1]),
        "it may still be written"
    );
}

async fn a_medium_stays_until_its_last_name_is_deleted(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    add(store, books.id, 1, 1, 70, &["a.png", "b.png"]).await;
    add(store, other.id, 2, 1, 70, &["a.png"]).await;
    assert_eq!(delete(store, books.id, 1, Some("c.png")).await, None);
    assert_eq!(delete(store, books.id, 2, Some("a.png")).await, None);
    assert_eq!(delete(store, books.id, 1, Some("a.png")).await, Some(0));
    assert_eq!(find(store, books.id, 1, "a.png").await, None);
    assert_eq!((find(store, books.id, 1, "b.png").await, used(store, &books).await), (Some(1), 70));
    assert_eq!(delete(store, books.id, 1, Some("b.png")).await, Some(70));
    assert_eq!((find(store, books.id, 1, "b.png").await, used(store, &books).await), (None, 0));
    assert_eq!(delete(store, books.id, 1, None).await, None);
    assert_eq!(
        (doomed(store, 100).await, doomed(store, 101).await),
        (vec![], vec![1]),
        "a visitor may be reading it"
    );
    assert_eq!((find(store, other.id, 1, "a.png").await, used(store, &other).await), (Some(2), 70));
}

async fn all_names_are_deleted_at_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    add(store, books.id, 1, 1, 70, &["a.png", "b.png"]).await;
    assert_eq!(delete(store, books.id, 1, None).await, Some(70));
    assert_eq!((doomed(store, 101).await, used(store, &books).await), (vec![1], 0));
}

async fn bytes_that_were_deleted_are_uploaded_as_a_new_object(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    add(store, books.id, 1, 1, 70, &["a.png"]).await;
    delete(store, books.id, 1, None).await;
    add(store, books.id, 2, 1, 70, &["a.png"]).await;
    assert_eq!((find(store, books.id, 1, "a.png").await, used(store, &books).await), (Some(2), 70));
    assert_eq!(doomed(store, 101).await, [1]);
}

async fn media_are_listed_newest_first_in_steps(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    add(store, other, 9, 9, 5, &["z.png"]).await;
    for (number, second) in [(1, 5), (3, 7), (2, 7), (4, 6)] {
        begin(store, books, number.into()).await;
        let upload = upload(number.into(), number, 5, &["b.mov", "a.png"]);
        let upload = Upload { dimensions: Some(Dimensions { width: 3, height: 2 }), ..upload };
        write(store, move |tx| {
            media::keep(tx, books, std::slice::from_ref(&upload), &quota(QUOTA), at(second))
        })
        .await;
    }
    let list = |behind| read(store, move |tx| media::list(tx, books, behind, 3));
    let numbers = |media: &[Medium]| media.iter().map(|medium| medium.hash.0[0]).collect::<Vec<_>>();
    let first = list(None).await;
    assert_eq!(numbers(&first), [2, 3, 4]);
    let expected = Medium {
        hash: hash(2),
        size: 5,
        dimensions: Some(Dimensions { width: 3, height: 2 }),
        created_at: at(7),
        names: vec!["a.png".into(), "b.mov".into()],
        transcode: Some(Transcode { status: Status::Queued, percent: 0, error: None }),
    };
    assert_eq!(first[0], expected);
    assert_eq!(numbers(&list(Some((at(7), hash(2)))).await), [3, 4, 1]);
    assert_eq!(numbers(&list(Some((at(5), hash(1)))).await), [0; 0]);
    assert_eq!(read(store, move |tx| media::list(tx, other, None, 3)).await[0].transcode, None);
}

async fn a_deleted_site_frees_its_storage(database: &Database) {
    let store = database.store();
    let stays = site(store, "stays").await;
    let gone = site_named(stays.account, "gone");
    add(store, stays.id, 1, 1, 70, &["a.mov"]).await;
    let before = database.dump();
    let row = gone.clone();
    write(store, move |tx| sites::insert(tx, &row)).await;
    add(store, gone.id, 2, 1, 30, &["a.mov", "b.png"]).await;
    add(store, gone.id, 3, 2, 20, &["c.png"]).await;
    assert_eq!(used(store, &stays).await, 120);
    delete_site(store, gone.id, 5).await;
    assert_eq!(used(store, &stays).await, 70);
    let mut left = doomed(store, 6).await;
    left.sort();
    assert_eq!(left, [2, 3]);
    for number in left {
        write(store, move |tx| store::objects::forget(tx, crate::objects::id(number))).await;
    }
    assert_eq!(database.dump(), before);
}
