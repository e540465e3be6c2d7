//! Builds that are repeated, and fail in the end.

use model::{BuildStatus, Trigger};
use store::Store;
use store::building::{self, ATTEMPTS, Claim};
use store::builds::Build;
use testing::Database;

use crate::building::{ONE, TWO, builds_of, claim, queued, recover, running, waiting};
use crate::builds::queue;
use crate::{at, read, site, write};

testing::on_both_databases!(
    each_attempt_waits_longer_than_the_one_before,
    a_build_has_failed_after_its_last_attempt,
    a_newer_build_outlives_the_one_whose_attempts_are_used_up,
    a_new_build_does_not_wait_for_the_pause_of_an_old_one,
    a_build_given_back_was_not_tried,
    a_worker_that_died_has_tried,
    a_build_that_kills_its_workers_is_given_up,
);

async fn retry(store: &Store, claim: &Claim, error: &'static str, second: i64) {
    let claim = *claim;
    write(store, move |tx| building::retry(tx, &claim, error, at(second))).await;
}

async fn each_attempt_waits_longer_than_the_one_before(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    let id = queue(store, &books, Trigger::Api, 1).await;
    let mut second = 10;
    for (attempt, pause) in [(1, 1), (2, 5), (3, 25), (4, 125), (5, 625)] {
        let claim = claim(store, &books, ONE, second).await.unwrap();
        assert_eq!((claim.attempt, claim.build), (attempt, id));
        assert_eq!(builds_of(store, &books).await, [running(id, second)]);
        retry(store, &claim, "no", second + 3).await;
        assert_eq!(builds_of(store, &books).await, [queued(id)], "the failure is not reported yet");
        second += 3 + pause;
        let is_idle = |second| read(store, move |tx| building::is_idle(tx, at(second)));
        assert_eq!((waiting(store, second - 1).await, is_idle(second - 1).await), (vec![], true));
        assert_eq!((waiting(store, second).await, is_idle(second).await), (vec![books.id], false));
    }
    assert_eq!(builds_of(store, &other).await, []);
}

/// Lets all attempts but the last one fail; returns when the next one is due.
async fn almost_used_up(store: &Store, site: &store::sites::Site) -> i64 {
    let mut second = 10;
    for _ in 1..ATTEMPTS {
        let claim = claim(store, site, ONE, second).await.unwrap();
        retry(store, &claim, "no", second).await;
        second += 1000;
    }
    second
}

async fn a_build_has_failed_after_its_last_attempt(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = queue(store, &books, Trigger::Api, 1).await;
    let second = almost_used_up(store, &books).await;
    let last = claim(store, &books, ONE, second).await.unwrap();
    assert_eq!(last.attempt, ATTEMPTS);
    retry(store, &last, "the disk is full", second + 5).await;
    let failed = Build {
        status: BuildStatus::Failed,
        completed_at: Some(at(second + 5)),
        error: Some("the disk is full".into()),
        ..running(id, second)
    };
    assert_eq!(builds_of(store, &books).await, [failed]);
    assert_eq!(waiting(store, second * 9).await, []);
    queue(store, &books, Trigger::Api, second + 10).await;
    let next = claim(store, &books, ONE, second + 10).await.unwrap();
    assert_eq!(next.attempt, 1, "the next one starts with its first attempt");
}

async fn a_newer_build_outlives_the_one_whose_attempts_are_used_up(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let old = queue(store, &books, Trigger::Api, 1).await;
    let second = almost_used_up(store, &books).await;
    let new = queue(store, &books, Trigger::Api, second).await;
    let both = claim(store, &books, ONE, second).await.unwrap();
    assert_eq!((both.attempt, both.build), (ATTEMPTS, new));
    retry(store, &both, "no", second).await;
    let builds = builds_of(store, &books).await;
    assert_eq!((builds[0].id, builds[0].status), (old, BuildStatus::Failed));
    assert_eq!(builds[1], Build { created_at: at(second), ..queued(new) });
    assert_eq!(claim(store, &books, ONE, second + 1000).await.unwrap().attempt, 2);
}

async fn a_new_build_does_not_wait_for_the_pause_of_an_old_one(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let old = queue(store, &books, Trigger::Api, 1).await;
    let second = almost_used_up(store, &books).await - 900;
    assert_eq!(waiting(store, second).await, []);
    let new = queue(store, &books, Trigger::Api, second).await;
    assert_eq!(waiting(store, second).await, [books.id]);
    assert_eq!(claim(store, &books, ONE, second).await.unwrap().build, new);
    // The old build runs with it: both end together.
    assert_eq!(builds_of(store, &books).await[0], running(old, second));
}

async fn a_build_given_back_was_not_tried(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = queue(store, &books, Trigger::Api, 1).await;
    for _ in 0..2 * ATTEMPTS {
        let claim = claim(store, &books, ONE, 5).await.unwrap();
        assert_eq!(claim.attempt, 1);
        write(store, move |tx| building::give_back(tx, &claim)).await;
        assert_eq!(builds_of(store, &books).await, [queued(id)]);
        assert_eq!(waiting(store, 5).await, [books.id], "at once");
    }
}

async fn a_worker_that_died_has_tried(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    assert_eq!(recover(store, 20).await, 1);
    assert_eq!((waiting(store, 20).await, waiting(store, 21).await), (vec![], vec![books.id]));
    assert_eq!(claim(store, &books, TWO, 21).await.unwrap().attempt, 2);
}

async fn a_build_that_kills_its_workers_is_given_up(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    for attempt in 1..=ATTEMPTS {
        assert_eq!(claim(store, &books, ONE, attempt * 1000).await.unwrap().attempt, attempt);
        assert_eq!(recover(store, attempt * 1000 + 20).await, 1);
    }
    let build = builds_of(store, &books).await.remove(0);
    assert_eq!((build.status, build.completed_at), (BuildStatus::Failed, Some(at(ATTEMPTS * 1000 + 20))));
    assert_eq!(build.error.as_deref(), Some("the server stopped during each attempt"));
}
