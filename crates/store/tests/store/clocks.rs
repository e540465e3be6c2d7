//! Clocks that went wrong, or differ from server to server.

use std::time::Duration;

use model::{Clock, PackId, SystemClock, Timestamp, Trigger};
use store::building;
use store::sites::{self, Cooldown};
use store::{LeaseClock, Location, Store, Tx, objects, packs, server, texts, transcodes};
use testing::Database;
use uuid::Uuid;

use crate::building::{ONE, TWO, claim, recover, waiting};
use crate::builds::queue;
use crate::media::add;
use crate::{at, at_once, read, site, write};

testing::on_both_databases!(
    a_lease_of_a_build_far_ahead_is_over,
    a_pause_far_ahead_is_over,
    leases_of_packs_and_objects_far_ahead_are_over,
    a_lease_of_a_transcode_far_ahead_is_over,
    a_last_build_far_ahead_holds_nothing_up,
    a_cooldown_holds_for_a_clock_that_is_a_little_behind,
    the_work_of_the_day_is_done_once_a_day,
    of_servers_whose_clocks_differ_one_does_the_work_of_the_day,
);

/// A clock that went wrong for a while.
const FAR: i64 = 1_000_000_000;

async fn a_lease_of_a_build_far_ahead_is_over(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let is_idle = |second| read(store, move |tx| building::is_idle(tx, at(second)));
    // Twice a lease ahead is what clocks of servers may differ by.
    for (claimed, over) in [(110, false), (111, true), (FAR, true)] {
        queue(store, &books, Trigger::Api, 1).await;
        let claimed = claim(store, &books, ONE, claimed).await.unwrap();
        assert_eq!(is_idle(100).await, !over);
        assert_eq!(recover(store, 100).await, usize::from(over));
        if !over {
            assert!(crate::building::end(store, &claimed, crate::building::SUCCESS, 101).await);
        }
        write(store, |tx| tx.execute("DELETE FROM builds", &[])).await;
    }
}

async fn a_pause_far_ahead_is_over(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let far = claim(store, &books, ONE, FAR).await.unwrap();
    write(store, move |tx| building::retry(tx, &far, "no", at(FAR))).await;
    assert_eq!(waiting(store, 100).await, [books.id]);
    assert!(!read(store, |tx| building::is_idle(tx, at(100))).await);
    assert_eq!(claim(store, &books, TWO, 100).await.unwrap().attempt, 2);
}

async fn leases_of_packs_and_objects_far_ahead_are_over(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let pack = |number| PackId(Uuid::from_u128(number));
    let two_days = 2 * 24 * 3600;
    write(store, move |tx| {
        for (number, lease) in [(1, two_days), (2, two_days + 1), (3, FAR)] {
            packs::begin(tx, pack(number), books, at(lease))?;
            objects::begin(tx, crate::objects::id(number), books, at(lease))?;
        }
        Ok(())
    })
    .await;
    let doomed = write(store, |tx| packs::doomed(tx, at(0), 9)).await;
    assert_eq!(doomed.iter().map(|pack| pack.id).collect::<Vec<_>>(), [pack(2), pack(3)]);
    assert_eq!(crate::objects::doomed(store, 0).await, [2, 3]);
    // Rows that were doomed by a wrong clock are swept, too.
    write(store, move |tx| packs::abandon(tx, pack(1), at(FAR))).await;
    assert_eq!(write(store, |tx| packs::doomed(tx, at(0), 9)).await.len(), 3);
}

async fn a_lease_of_a_transcode_far_ahead_is_over(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    add(store, books, 1, 1, 1, &["a.mov"]).await;
    let claim = |second| write(store, move |tx| transcodes::claim(tx, ONE, at(second)));
    assert!(claim(FAR).await.is_some());
    assert_eq!(claim(100).await.unwrap().attempt, 2);
    assert_eq!(claim(101).await, None);
}

async fn cooldown(store: &Store, site: model::SiteId, second: i64) -> Cooldown {
    write(store, move |tx| sites::start_cooldown(tx, site, at(second), at(second - 30))).await
}

async fn a_last_build_far_ahead_holds_nothing_up(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    assert_eq!(cooldown(store, books, FAR).await, Cooldown::Started);
    assert_eq!(cooldown(store, books, 100).await, Cooldown::Started);
    assert_eq!(cooldown(store, books, 110).await, Cooldown::Active { last: at(100) });
}

async fn a_cooldown_holds_for_a_clock_that_is_a_little_behind(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    assert_eq!(cooldown(store, books, 100).await, Cooldown::Started);
    for second in [99, 71, 70] {
        assert_eq!(cooldown(store, books, second).await, Cooldown::Active { last: at(100) }, "at {second}");
    }
    assert_eq!(cooldown(store, books, 69).await, Cooldown::Started, "further ahead than it can be");
}

const DAY: i64 = 24 * 3600;

async fn daily_work(store: &Store, second: i64) -> bool {
    write(store, move |tx| server::claim_daily_work(tx, at(second), at(second - DAY))).await
}

async fn the_work_of_the_day_is_done_once_a_day(database: &Database) {
    let store = database.store();
    for (second, expected) in [
        (DAY, true),
        (DAY, false),
        (2 * DAY - 1, false),
        (2 * DAY, true),
        (DAY, false),
        (FAR, true),
        (3 * DAY, true),
        (3 * DAY + 1, false),
    ] {
        assert_eq!(daily_work(store, second).await, expected, "at {second}");
    }
}

async fn of_servers_whose_clocks_differ_one_does_the_work_of_the_day(database: &Database) {
    let store = database.store();
    for day in 1..=5 {
        let claimed = at_once(16, |task| {
            let store = store.clone();
            async move { daily_work(&store, 2 * day * DAY - task as i64 * 7 % 16).await }
        });
        assert_eq!(claimed.await.into_iter().filter(|claimed| *claimed).count(), 1, "day {day}");
    }
}

/// The clock of this machine, which is also the database's, and how far it is wrong.
fn wrong_by(seconds: i64) -> Timestamp {
    Timestamp::from_micros(SystemClock.now().micros() + seconds * 1_000_000)
}

const HOUR: i64 = 3600;

/// Runs a test on a store that asks PostgreSQL for the time.
fn by_the_clock_of_postgres(test: impl AsyncFn(&Store)) {
    let Some(database) = Database::postgres() else { return };
    let location = Location::Postgres { url: database.url(), connections: 4, leases: LeaseClock::Database };
    let store = Store::open(&location).unwrap();
    testing::block_on(test(&store));
    store.close();
}

/// As if this many seconds had passed.
async fn pass(store: &Store, column: &'static str, seconds: i64) {
    write(store, move |tx| tx.execute(column, &[&(seconds * 1_000_000)])).await;
}

#[test]
fn callers_whose_clocks_are_wrong_neither_steal_a_live_build_nor_keep_a_dead_one() {
    by_the_clock_of_postgres(async |store| {
        let books = site(store, "books").await;
        let site = (books.id, books.account);
        for claims in [-HOUR, 0, HOUR] {
            queue(store, &books, Trigger::Api, 1).await;
            let claim = write(store, move |tx| building::claim(tx, site, ONE, wrong_by(claims)));
            let claim = claim.await.unwrap();
            for looks in [-HOUR, 0, HOUR] {
                let recovered = write(store, move |tx| building::recover(tx, wrong_by(looks))).await;
                assert_eq!(recovered, 0, "claimed by {claims}, looked at by {looks}");
                assert!(read(store, move |tx| building::is_idle(tx, wrong_by(looks))).await);
            }
            assert!(write(store, move |tx| building::extend(tx, &claim, None, wrong_by(claims))).await);
            pass(store, "UPDATE building SET lease_until = lease_until - $1", 11).await;
            let recovered = write(store, move |tx| building::recover(tx, wrong_by(claims))).await;
            assert_eq!(recovered, 1, "its lease was over by the one clock that counts");
            write(store, |tx| tx.execute("DELETE FROM builds", &[])).await;
        }
    });
}

#[test]
fn pauses_go_by_the_clock_of_postgres() {
    by_the_clock_of_postgres(async |store| {
        let books = site(store, "books").await;
        let site = (books.id, books.account);
        queue(store, &books, Trigger::Api, 1).await;
        let mut claim = write(store, move |tx| building::claim(tx, site, ONE, wrong_by(0))).await.unwrap();
        for wrong in [-HOUR, HOUR] {
            // The pauses are of 1 and 5 seconds; a test must not depend on the first.
            claim.attempt = 3;
            write(store, move |tx| building::retry(tx, &claim, "no", wrong_by(wrong))).await;
            for looks in [-HOUR, 0, HOUR] {
                assert_eq!(read(store, move |tx| building::waiting(tx, wrong_by(looks))).await, []);
            }
            pass(store, "UPDATE builds SET due_at = due_at - $1", 26).await;
            for looks in [-HOUR, 0, HOUR] {
                assert_eq!(read(store, move |tx| building::waiting(tx, wrong_by(looks))).await, [site]);
            }
            claim = write(store, move |tx| building::claim(tx, site, ONE, wrong_by(wrong))).await.unwrap();
        }
    });
}

#[test]
fn transcodes_go_by_the_clock_of_postgres() {
    by_the_clock_of_postgres(async |store| {
        let books = site(store, "books").await.id;
        add(store, books, 1, 1, 1, &["a.mov"]).await;
        let claim = |wrong| write(store, move |tx| transcodes::claim(tx, ONE, wrong_by(wrong)));
        let mut claimed = claim(HOUR).await.unwrap();
        for wrong in [-HOUR, HOUR] {
            for looks in [-HOUR, 0, HOUR] {
                assert_eq!(claim(looks).await, None);
            }
            let beat = claimed.clone();
            assert!(write(store, move |tx| transcodes::heartbeat(tx, &beat, 5, wrong_by(wrong))).await);
            pass(store, "UPDATE transcodes SET due_at = due_at - $1", 31).await;
            claimed = claim(wrong).await.unwrap();
        }
    });
}

#[test]
fn sweeps_go_by_the_clock_of_postgres() {
    by_the_clock_of_postgres(async |store| {
        let books = site(store, "books").await.id;
        // A minute ahead and a minute ago, by the database's clock.
        write(store, move |tx| {
            let now = tx.lease_now(wrong_by(12 * HOUR))?;
            let minute = Duration::from_secs(60);
            for (number, lease) in [(1, now.plus(minute)), (2, now.minus(minute))] {
                packs::begin(tx, PackId(Uuid::from_u128(number)), books, lease)?;
                objects::begin(tx, crate::objects::id(number), books, lease)?;
                texts::stash(tx, &["text".into()], lease)?;
            }
            Ok(())
        })
        .await;
        let sweep = |wrong: i64| {
            write(store, move |tx: &mut Tx| {
                let packs = packs::doomed(tx, wrong_by(wrong), 9)?.len();
                let objects = objects::doomed(tx, wrong_by(wrong), 9)?.len();
                Ok((packs, objects, texts::sweep(tx, wrong_by(wrong), 1000)?))
            })
        };
        assert_eq!(sweep(-HOUR).await, (1, 1, 1));
        assert_eq!(sweep(HOUR).await, (1, 1, 0));
    });
}
