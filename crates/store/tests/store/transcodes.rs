use model::{SiteId, Timestamp};
use store::building::Worker;
use store::transcodes::{self, ATTEMPTS, Claim, Status, Transcode};
use store::{Store, media, sites};
use testing::Database;
use uuid::Uuid;

use crate::media::{QUOTA, add, delete, find, hash, quota, used};
use crate::objects::{begin, doomed, id};
use crate::{at, delete_site, read, site, write};

testing::on_both_databases!(
    each_mov_is_transcoded_once,
    a_finished_twin_is_at_the_same_url_as_mp4,
    an_mp4_that_was_uploaded_goes_before_a_twin,
    the_transcode_that_is_due_longest_is_first,
    a_lease_that_is_over_gives_the_transcode_to_another_worker,
    a_failed_attempt_is_repeated_later_but_not_forever,
    a_transcode_that_kills_its_workers_is_given_up,
    an_attempt_that_was_given_back_does_not_count,
    a_twin_is_deleted_with_the_last_mov,
    a_twin_that_comes_too_late_is_doomed,
    a_twin_whose_lease_is_over_is_made_again,
    a_deleted_site_loses_its_twins,
);

const FIRST: Worker = Worker(Uuid::from_u128(1));
const SECOND: Worker = Worker(Uuid::from_u128(2));

/// The lease is of thirty seconds.
pub async fn claim(store: &Store, worker: Worker, second: i64) -> Option<Claim> {
    write(store, move |tx| transcodes::claim(tx, worker, at(second))).await
}

async fn finish(store: &Store, claim: &Claim, twin: u128, size: u64) -> bool {
    let claim = claim.clone();
    write(store, move |tx| transcodes::finish(tx, &claim, id(twin), size, at(3))).await
}

async fn fail(store: &Store, claim: &Claim, second: i64) -> bool {
    let claim = claim.clone();
    write(store, move |tx| transcodes::fail(tx, &claim, "it broke", at(second))).await
}

async fn next_due(store: &Store) -> Option<Timestamp> {
    read(store, transcodes::next_due).await
}

async fn state(store: &Store, site: SiteId) -> Option<Transcode> {
    read(store, move |tx| media::list(tx, site, None, 10)).await[0].transcode.clone()
}

fn is(status: Status, percent: u8, error: Option<&str>) -> Option<Transcode> {
    Some(Transcode { status, percent, error: error.map(str::to_owned) })
}

/// A site with a MOV, object 1, and its twin, object 2.
async fn with_twin(store: &Store, names: &[&str]) -> sites::Site {
    let books = site(store, "books").await;
    add(store, books.id, 1, 1, 70, names).await;
    let claim = claim(store, FIRST, 1).await.unwrap();
    begin(store, books.id, 2).await;
    assert!(finish(store, &claim, 2, 500).await);
    books
}

async fn each_mov_is_transcoded_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.png"]).await;
    assert_eq!((next_due(store).await, claim(store, FIRST, 1).await), (None, None));
    crate::media::keep(store, books, [crate::media::upload(9, 1, 70, &["a.mov", "b.mov"])]).await;
    assert_eq!(
        (next_due(store).await, state(store, books).await),
        (Some(at(1)), is(Status::Queued, 0, None))
    );
    assert_eq!(claim(store, FIRST, 0).await, None, "not yet");
    let claimed = claim(store, FIRST, 1).await.unwrap();
    let expected = Claim { site: books, hash: hash(1), source: id(1), size: 70, worker: FIRST, attempt: 1 };
    assert_eq!(claimed, expected);
    assert_eq!((claim(store, SECOND, 2).await, next_due(store).await), (None, Some(at(31))));
    begin(store, books, 2).await;
    assert!(finish(store, &claimed, 2, 500).await);
    assert_eq!((next_due(store).await, claim(store, SECOND, 99).await), (None, None));
    crate::media::keep(store, books, [crate::media::upload(9, 1, 70, &["c.mov"])]).await;
    assert_eq!((next_due(store).await, state(store, books).await), (None, is(Status::Done, 100, None)));
}

async fn a_finished_twin_is_at_the_same_url_as_mp4(database: &Database) {
    let store = database.store();
    let books = with_twin(store, &["a.mov", "b.mov", "c.png"]).await;
    for (name, object) in [("a.mov", Some(1)), ("a.mp4", Some(2)), ("b.mp4", Some(2)), ("c.mp4", None)] {
        assert_eq!(find(store, books.id, 1, name).await, object, "{name}");
    }
    assert_eq!(find(store, books.id, 2, "a.mp4").await, None);
    assert_eq!(used(store, &books).await, 70, "a twin costs nothing");
    let id = books.id;
    let kept = read(store, move |tx| media::list(tx, id, None, 10)).await;
    assert_eq!(kept.len(), 1, "and is no medium of its own");
}

async fn an_mp4_that_was_uploaded_goes_before_a_twin(database: &Database) {
    let store = database.store();
    let books = with_twin(store, &["a.mov", "a.mp4"]).await;
    assert_eq!(find(store, books.id, 1, "a.mp4").await, Some(1));
}

async fn the_transcode_that_is_due_longest_is_first(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    for (number, second) in [(1, 3), (2, 1), (3, 2)] {
        begin(store, books, number.into()).await;
        let upload = crate::media::upload(number.into(), number, 5, &["a.mov"]);
        write(store, move |tx| {
            media::keep(tx, books, std::slice::from_ref(&upload), &quota(QUOTA), at(second))
        })
        .await;
    }
    let mut order = Vec::new();
    while let Some(claim) = claim(store, FIRST, 5).await {
        order.push(claim.hash);
    }
    assert_eq!(order, [hash(2), hash(3), hash(1)]);
}

async fn a_lease_that_is_over_gives_the_transcode_to_another_worker(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.mov"]).await;
    let first = claim(store, FIRST, 1).await.unwrap();
    let (beat, late) = (first.clone(), first.clone());
    assert!(write(store, move |tx| transcodes::heartbeat(tx, &beat, 40, at(20))).await);
    assert_eq!(
        (state(store, books).await, next_due(store).await),
        (is(Status::Running, 40, None), Some(at(50)))
    );
    assert_eq!(claim(store, SECOND, 49).await, None);
    let second = claim(store, SECOND, 50).await.unwrap();
    assert_eq!((second.worker, second.attempt), (SECOND, 2));
    assert!(!write(store, move |tx| transcodes::heartbeat(tx, &late, 50, at(99))).await);
    assert!(!fail(store, &first, 51).await);
    assert_eq!(
        (state(store, books).await, next_due(store).await),
        (is(Status::Running, 0, None), Some(at(80)))
    );
}

async fn a_failed_attempt_is_repeated_later_but_not_forever(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.mov"]).await;
    let mut second = 1;
    for (attempt, minutes) in [(1, 1), (2, 4), (3, 16), (4, 64)] {
        let claim = claim(store, FIRST, second).await.unwrap();
        assert_eq!(claim.attempt, attempt);
        assert!(fail(store, &claim, second).await);
        second += minutes * 60;
        let queued = is(Status::Queued, 0, Some("it broke"));
        assert_eq!((state(store, books).await, next_due(store).await), (queued, Some(at(second))));
    }
    let last = claim(store, FIRST, second).await.unwrap();
    assert_eq!(last.attempt, ATTEMPTS);
    assert!(fail(store, &last, second).await);
    let failed = is(Status::Failed, 0, Some("it broke"));
    assert_eq!((state(store, books).await, next_due(store).await), (failed, None));
    assert_eq!(claim(store, FIRST, second * 9).await, None);
}

async fn a_transcode_that_kills_its_workers_is_given_up(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.mov"]).await;
    for attempt in 0..ATTEMPTS {
        assert!(claim(store, FIRST, 1 + attempt * 30).await.is_some());
    }
    assert_eq!(claim(store, FIRST, 1000).await, None);
    assert_eq!((state(store, books).await.unwrap().status, next_due(store).await), (Status::Failed, None));
}

async fn an_attempt_that_was_given_back_does_not_count(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.mov"]).await;
    for _ in 0..2 * ATTEMPTS {
        let claim = claim(store, FIRST, 5).await.unwrap();
        assert_eq!(claim.attempt, 1);
        assert!(write(store, move |tx| transcodes::give_back(tx, &claim, at(5))).await);
    }
    assert_eq!(
        (state(store, books).await, next_due(store).await),
        (is(Status::Queued, 0, None), Some(at(5)))
    );
}

async fn a_twin_is_deleted_with_the_last_mov(database: &Database) {
    let store = database.store();
    let books = with_twin(store, &["a.mov", "b.mov", "c.png"]).await;
    delete(store, books.id, 1, Some("a.mov")).await;
    assert_eq!(find(store, books.id, 1, "a.mp4").await, None);
    assert_eq!(find(store, books.id, 1, "b.mp4").await, Some(2));
    assert_eq!(doomed(store, 101).await, [0; 0]);
    assert_eq!(delete(store, books.id, 1, Some("b.mov")).await, Some(0));
    assert_eq!((doomed(store, 101).await, state(store, books.id).await), (vec![2], None));
    assert_eq!((delete(store, books.id, 1, None).await, used(store, &books).await), (Some(70), 0));
}

async fn a_twin_that_comes_too_late_is_doomed(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.mov"]).await;
    let claim = claim(store, FIRST, 1).await.unwrap();
    begin(store, books, 2).await;
    delete(store, books, 1, None).await;
    assert!(!finish(store, &claim, 2, 500).await);
    assert_eq!(doomed(store, 4).await, [2]);
    let (back, again) = (claim.clone(), claim.clone());
    assert!(!write(store, move |tx| transcodes::give_back(tx, &back, at(3))).await);
    assert!(!write(store, move |tx| transcodes::heartbeat(tx, &again, 1, at(30))).await);
    assert!(!fail(store, &claim, 4).await);
    assert_eq!(next_due(store).await, None);
}

async fn a_twin_whose_lease_is_over_is_made_again(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 70, &["a.mov"]).await;
    let claimed = claim(store, FIRST, 5).await.unwrap();
    begin(store, books, 2).await;
    assert_eq!(doomed(store, 11).await, [2]);
    assert!(!finish(store, &claimed, 2, 500).await);
    assert_eq!(find(store, books, 1, "a.mp4").await, None);
    assert!(claim(store, SECOND, 35).await.is_some());
}

async fn a_deleted_site_loses_its_twins(database: &Database) {
    let store = database.store();
    let books = with_twin(store, &["a.mov"]).await.id;
    delete_site(store, books, 5).await;
    let mut gone = doomed(store, 6).await;
    gone.sort();
    assert_eq!(gone, [1, 2]);
}
