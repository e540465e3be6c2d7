use model::{Dimensions, MediaUrl, SiteId};
use store::copies::{self, ATTEMPTS, Claim, Copy, Smaller};
use store::media::Upload;
use store::{Store, objects, sites};
use testing::Database;

use crate::media::{delete, hash, keep, upload, used};
use crate::objects::{begin, doomed, id};
use crate::{at, delete_site, read, site, write};

testing::on_both_databases!(
    a_large_image_is_queued_once,
    an_image_without_smaller_copies_is_sent_instead,
    a_copy_is_found_by_the_image_and_its_width,
    copies_cost_nothing_and_are_no_media,
    an_attempt_is_repeated_when_its_lease_is_over_but_not_forever,
    an_attempt_that_was_given_back_does_not_count,
    copies_are_deleted_with_the_last_name_of_the_image,
    copies_of_a_deleted_image_are_doomed,
    copies_of_an_earlier_upload_are_replaced,
    a_deleted_site_loses_its_copies,
    accounts_take_turns_at_copies,
    a_turn_taken_by_a_wrong_clock_does_not_count,
);

const LARGE: Dimensions = Dimensions { width: 1000, height: 500 };

/// Uploads an image that is new to the site, at second 1.
pub(crate) async fn add_image(store: &Store, site: SiteId, object: u128, number: u8, dimensions: Dimensions) {
    begin(store, site, object).await;
    keep(store, site, [image(object, number, dimensions)]).await;
}

fn image(object: u128, number: u8, dimensions: Dimensions) -> Upload {
    Upload { dimensions: Some(dimensions), ..upload(object, number, 70, &["a.webp"]) }
}

/// The lease is of ten minutes.
async fn claim(store: &Store, second: i64) -> Option<Claim> {
    write(store, move |tx| copies::claim(tx, at(second))).await
}

fn copy(object: u128, width: u16) -> Copy {
    let dimensions = Dimensions { width, height: width / 2 };
    Copy { object: id(object), size: 9, hash: hash(200), dimensions }
}

async fn finish(store: &Store, claim: &Claim, made: &[Copy]) -> bool {
    for copy in made {
        begin(store, claim.site, copy.object.0.as_u128()).await;
    }
    let (claim, made) = (claim.clone(), made.to_vec());
    write(store, move |tx| copies::finish(tx, &claim, &made, at(3))).await
}

/// What is sent for a width of the image with this number.
async fn find(store: &Store, site: SiteId, number: u8, width: u16) -> Option<Smaller> {
    let url = MediaUrl { hash: hash(number), dimensions: Some(LARGE), name: "a.webp".to_owned() };
    read(store, move |tx| copies::find_smaller(tx, site, &url, width)).await
}

/// Whether the image itself is sent, and was never queued.
async fn is_original(store: &Store, site: SiteId, width: u16) -> Option<bool> {
    match find(store, site, 1, width).await.unwrap() {
        Smaller::Original { is_new, .. } => Some(is_new),
        Smaller::Copy(_) => None,
    }
}

/// A site with an image, object 1, and a copy of 640 pixels, object 2.
async fn with_copy(store: &Store) -> sites::Site {
    let books = site(store, "books").await;
    add_image(store, books.id, 1, 1, LARGE).await;
    let claim = claim(store, 1).await.unwrap();
    assert!(finish(store, &claim, &[copy(2, 640)]).await);
    books
}

async fn a_large_image_is_queued_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add_image(store, books, 1, 1, Dimensions { width: 640, height: 9000 }).await;
    assert_eq!(claim(store, 1).await, None, "small");
    add_image(store, books, 2, 2, LARGE).await;
    assert_eq!(claim(store, 0).await, None, "not yet");
    let claimed = claim(store, 1).await.unwrap();
    assert_eq!(claimed, Claim { site: books, hash: hash(2), source: id(2), size: 70, attempt: 1 });
    assert_eq!(claim(store, 2).await, None, "another worker has it");
    assert!(finish(store, &claimed, &[]).await);
    keep(store, books, [Upload { object: None, ..image(9, 2, LARGE) }]).await;
    assert_eq!(claim(store, 9999).await, None, "sent again");
}

async fn an_image_without_smaller_copies_is_sent_instead(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add_image(store, books, 1, 1, LARGE).await;
    assert_eq!(is_original(store, books, 640).await, Some(false));
    database.execute("UPDATE objects SET copies_due = NULL");
    assert_eq!(is_original(store, books, 640).await, Some(true), "as stored by an earlier version");
    write(store, move |tx| copies::queue(tx, books, &[hash(1)], at(2))).await;
    assert_eq!(is_original(store, books, 640).await, Some(false));
    let claim = claim(store, 2).await.unwrap();
    assert!(finish(store, &claim, &[]).await);
    assert_eq!(is_original(store, books, 640).await, Some(false), "there will be none");
    assert_eq!(find(store, books, 2, 640).await, None);
}

async fn a_copy_is_found_by_the_image_and_its_width(database: &Database) {
    let store = database.store();
    let books = with_copy(store).await.id;
    assert_eq!(find(store, books, 1, 640).await, Some(Smaller::Copy(copy(2, 640))));
    assert_eq!(is_original(store, books, 960).await, Some(false));
    let other = site(store, "other").await.id;
    assert_eq!(find(store, other, 1, 640).await, None);
    assert_eq!(read(store, move |tx| copies::of_image(tx, books, hash(1))).await, [copy(2, 640)]);
}

async fn copies_cost_nothing_and_are_no_media(database: &Database) {
    let store = database.store();
    let books = with_copy(store).await;
    assert_eq!(used(store, &books).await, 70);
    let id = books.id;
    assert_eq!(read(store, move |tx| store::media::list(tx, id, None, 10)).await.len(), 1);
}

async fn an_attempt_is_repeated_when_its_lease_is_over_but_not_forever(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add_image(store, books, 1, 1, LARGE).await;
    for attempt in 1..=ATTEMPTS {
        let claimed = claim(store, 1000 * attempt).await.unwrap();
        assert_eq!(claimed.attempt, attempt);
        assert_eq!(claim(store, 1000 * attempt + 599).await, None);
    }
    assert_eq!(claim(store, 90_000).await, None);
    assert_eq!(is_original(store, books, 640).await, Some(false));
    let late = Claim { site: books, hash: hash(1), source: id(1), size: 70, attempt: ATTEMPTS };
    assert!(!finish(store, &late, &[copy(2, 640)]).await, "it was given up");
    assert_eq!(doomed(store, 99).await, [2]);
}

async fn an_attempt_that_was_given_back_does_not_count(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add_image(store, books, 1, 1, LARGE).await;
    let first = claim(store, 1).await.unwrap();
    let returned = first.clone();
    write(store, move |tx| copies::give_back(tx, &returned, at(2))).await;
    assert!(!finish(store, &Claim { attempt: 2, ..first.clone() }, &[]).await);
    assert_eq!(claim(store, 2).await, Some(first));
}

async fn copies_are_deleted_with_the_last_name_of_the_image(database: &Database) {
    let store = database.store();
    let books = with_copy(store).await;
    keep(store, books.id, [upload(9, 1, 70, &["b.webp"])]).await;
    delete(store, books.id, 1, Some("a.webp")).await;
    assert_eq!(doomed(store, 99_999).await, [0; 0]);
    delete(store, books.id, 1, Some("b.webp")).await;
    let mut gone = doomed(store, 99_999).await;
    gone.sort_unstable();
    assert_eq!(gone, [1, 2]);
    assert_eq!((find(store, books.id, 1, 640).await, used(store, &books).await), (None, 0));
}

async fn copies_of_a_deleted_image_are_doomed(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add_image(store, books, 1, 1, LARGE).await;
    let claim = claim(store, 1).await.unwrap();
    delete(store, books, 1, None).await;
    assert!(!finish(store, &claim, &[copy(2, 640), copy(3, 960)]).await);
    let mut gone = doomed(store, 99_999).await;
    gone.sort_unstable();
    assert_eq!(gone, [1, 2, 3]);
}

async fn copies_of_an_earlier_upload_are_replaced(database: &Database) {
    let store = database.store();
    let books = with_copy(store).await.id;
    database.execute("UPDATE objects SET copies_attempts = 0 WHERE state = 'kept'");
    write(store, move |tx| copies::queue(tx, books, &[hash(1)], at(4))).await;
    let claim = claim(store, 4).await.unwrap();
    assert!(finish(store, &claim, &[copy(3, 640)]).await);
    assert_eq!(find(store, books, 1, 640).await, Some(Smaller::Copy(copy(3, 640))));
    assert_eq!(doomed(store, 9).await, [2]);
}

async fn a_deleted_site_loses_its_copies(database: &Database) {
    let store = database.store();
    let books = with_copy(store).await.id;
    delete_site(store, books, 5).await;
    let mut gone = write(store, |tx| objects::doomed(tx, at(99_999), 100)).await;
    gone.sort_unstable();
    assert_eq!(gone, [id(1), id(2)]);
}

async fn accounts_take_turns_at_copies(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await.id, site(store, "b").await.id);
    for number in 1..=3u8 {
        add_image(store, a, number.into(), number, LARGE).await;
    }
    assert_eq!(claim(store, 5).await.unwrap().site, a);
    add_image(store, b, 10, 1, LARGE).await;
    assert_eq!(claim(store, 6).await.unwrap().site, b);
    assert_eq!(claim(store, 7).await.unwrap().site, a);
    write(store, move |tx| sites::delete(tx, a, at(2))).await;
    assert_eq!(claim(store, 8).await, None, "the site is deleted");
}

async fn a_turn_taken_by_a_wrong_clock_does_not_count(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await.id, site(store, "b").await.id);
    add_image(store, a, 1, 1, LARGE).await;
    assert_eq!(claim(store, 31_536_000).await.unwrap().site, a);
    add_image(store, b, 2, 2, LARGE).await;
    assert_eq!(claim(store, 5).await.unwrap().site, b);
    assert_eq!(claim(store, 6).await.unwrap().site, a, "its lease lies too far ahead as well");
}
