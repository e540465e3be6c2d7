use model::{BuildId, BuildStatus, SiteId, Timestamp, Trigger};
use store::building::{self, Claim, End, Worker};
use store::builds::Build;
use store::sites::Site;
use store::{Store, Tx};
use testing::Database;
use uuid::Uuid;

use crate::builds::queue;
use crate::{at, read, site, write};

testing::on_both_databases!(
    a_claim_takes_all_queued_builds_of_a_site_together,
    a_claimed_site_is_refused_to_another_worker,
    a_site_with_nothing_queued_is_not_claimed,
    two_sites_are_claimed_by_two_workers,
    only_builds_without_a_request_are_scheduled,
    an_ended_build_says_how_it_ended,
    a_build_queued_while_the_site_is_built_waits_for_the_next_claim,
    the_builds_of_a_dead_worker_wait_again,
    a_dead_workers_site_is_taken_over_with_its_builds,
    a_heartbeat_extends_the_lease,
    how_far_a_build_is_can_be_read,
    there_is_work_when_a_build_is_queued_or_a_worker_is_dead,
    a_build_is_open_until_it_ends,
);

pub const ONE: Worker = Worker(Uuid::from_u128(1));
pub const TWO: Worker = Worker(Uuid::from_u128(2));
pub const SUCCESS: End = End::Success { warnings: None };

/// A claim whose lease ends ten seconds later.
pub async fn claim(store: &Store, site: &Site, worker: Worker, second: i64) -> Option<Claim> {
    let site = (site.id, site.account);
    write(store, move |tx| building::claim(tx, site, worker, at(second))).await
}

pub async fn end(store: &Store, claim: &Claim, end: End<'static>, second: i64) -> bool {
    let claim = *claim;
    write(store, move |tx| building::end(tx, &claim, end, at(second))).await
}

pub async fn recover(store: &Store, second: i64) -> usize {
    write(store, move |tx| building::recover(tx, at(second))).await
}

/// The sites with waiting builds, the next one first.
pub async fn waiting(store: &Store, second: i64) -> Vec<SiteId> {
    let waiting = read(store, move |tx| building::waiting(tx, at(second))).await;
    waiting.into_iter().map(|(site, _)| site).collect()
}

const BUILDS: &str = "
SELECT id, status, triggered_by, created_at, started_at, completed_at, error, warnings
FROM builds
WHERE site_id = $1
ORDER BY created_at";

/// All builds of a site, oldest first.
pub fn builds(tx: &mut Tx, site: SiteId) -> store::Result<Vec<Build>> {
    tx.query(BUILDS, &[&site.0], |row| {
        Ok(Build {
            id: BuildId(row.get(0)?),
            status: BuildStatus::parse(row.text(1)?).unwrap(),
            triggered_by: Trigger::parse(row.text(2)?).unwrap(),
            created_at: Timestamp::from_micros(row.get(3)?),
            started_at: row.get::<Option<i64>>(4)?.map(Timestamp::from_micros),
            completed_at: row.get::<Option<i64>>(5)?.map(Timestamp::from_micros),
            error: row.get(6)?,
            warnings: row.get(7)?,
        })
    })
}

pub async fn builds_of(store: &Store, site: &Site) -> Vec<Build> {
    let site = site.id;
    read(store, move |tx| builds(tx, site)).await
}

/// A build of second 1 that waits.
pub fn queued(id: BuildId) -> Build {
    Build {
        id,
        status: BuildStatus::Queued,
        triggered_by: Trigger::Api,
        created_at: at(1),
        started_at: None,
        completed_at: None,
        error: None,
        warnings: None,
    }
}

pub fn running(id: BuildId, since: i64) -> Build {
    Build { status: BuildStatus::Running, started_at: Some(at(since)), ..queued(id) }
}

async fn a_claim_takes_all_queued_builds_of_a_site_together(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    let first = queue(store, &books, Trigger::Api, 1).await;
    let newest = queue(store, &books, Trigger::Api, 3).await;
    let second = queue(store, &books, Trigger::Api, 2).await;
    let theirs = queue(store, &other, Trigger::Api, 1).await;
    let expected = Claim { site: books.id, worker: ONE, build: newest, scheduled: false, attempt: 1 };
    assert_eq!(claim(store, &books, ONE, 5).await, Some(expected));
    let created = |second, build| Build { created_at: at(second), ..build };
    let expected = [running(first, 5), created(2, running(second, 5)), created(3, running(newest, 5))];
    assert_eq!(builds_of(store, &books).await, expected);
    assert_eq!(builds_of(store, &other).await, [queued(theirs)]);
}

async fn a_claimed_site_is_refused_to_another_worker(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    queue(store, &books, Trigger::Api, 6).await;
    let before = database.dump();
    // The lease ends at 15.
    for second in [5, 15] {
        assert_eq!(claim(store, &books, TWO, second).await, None);
    }
    assert_eq!(database.dump(), before);
}

async fn a_site_with_nothing_queued_is_not_claimed(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let before = database.dump();
    assert_eq!(claim(store, &books, ONE, 5).await, None);
    assert_eq!(database.dump(), before, "no worker has the site, and no account had a turn");
}

async fn two_sites_are_claimed_by_two_workers(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await, site(store, "b").await);
    let (build_a, build_b) =
        (queue(store, &a, Trigger::Api, 1).await, queue(store, &b, Trigger::Api, 1).await);
    let claimed = claim(store, &a, ONE, 5).await.unwrap();
    assert_eq!(claimed.build, build_a);
    assert_eq!(claim(store, &b, TWO, 5).await.unwrap().build, build_b);
    assert!(end(store, &claimed, SUCCESS, 6).await);
    assert_eq!(builds_of(store, &b).await, [running(build_b, 5)]);
}

async fn only_builds_without_a_request_are_scheduled(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    for (triggers, expected) in [
        (&[Trigger::Schedule][..], true),
        (&[Trigger::Schedule, Trigger::Schedule], true),
        (&[Trigger::Api, Trigger::Schedule], false),
        (&[Trigger::Cli], false),
    ] {
        for trigger in triggers {
            queue(store, &books, *trigger, 1).await;
        }
        let claim = claim(store, &books, ONE, 5).await.unwrap();
        assert_eq!(claim.scheduled, expected, "{triggers:?}");
        end(store, &claim, SUCCESS, 6).await;
    }
}

async fn an_ended_build_says_how_it_ended(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let warnings = r#"[{"url":"/a","message":"“too long”"}]"#;
    for (outcome, status, error, warnings) in [
        (SUCCESS, BuildStatus::Success, None, None),
        (End::Success { warnings: Some(warnings) }, BuildStatus::Success, None, Some(warnings)),
        (End::Failed("no title"), BuildStatus::Failed, Some("no title"), None),
    ] {
        let id = queue(store, &books, Trigger::Api, 1).await;
        let claim = claim(store, &books, ONE, 5).await.unwrap();
        assert!(end(store, &claim, outcome, 7).await);
        let (error, warnings) = (error.map(str::to_owned), warnings.map(str::to_owned));
        let expected = Build { status, completed_at: Some(at(7)), error, warnings, ..running(id, 5) };
        assert!(builds_of(store, &books).await.contains(&expected), "{expected:?}");
    }
}

async fn a_build_queued_while_the_site_is_built_waits_for_the_next_claim(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let first = claim(store, &books, ONE, 5).await.unwrap();
    let later = queue(store, &books, Trigger::Api, 6).await;
    end(store, &first, SUCCESS, 7).await;
    assert_eq!(builds_of(store, &books).await[1], Build { created_at: at(6), ..queued(later) });
    assert_eq!(claim(store, &books, TWO, 8).await.unwrap().build, later);
}

async fn the_builds_of_a_dead_worker_wait_again(database: &Database) {
    let store = database.store();
    let (dead, lives) = (site(store, "dead").await, site(store, "lives").await);
    let id = queue(store, &dead, Trigger::Api, 1).await;
    let other = queue(store, &lives, Trigger::Api, 1).await;
    claim(store, &dead, ONE, 5).await.unwrap();
    claim(store, &lives, TWO, 6).await.unwrap();
    assert_eq!(recover(store, 15).await, 0, "its lease ends at 15");
    assert_eq!(recover(store, 16).await, 1);
    assert_eq!(recover(store, 16).await, 0);
    assert_eq!(builds_of(store, &dead).await, [queued(id)]);
    assert_eq!(builds_of(store, &lives).await, [running(other, 6)]);
}

async fn a_dead_workers_site_is_taken_over_with_its_builds(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    recover(store, 16).await;
    let expected = Claim { site: books.id, worker: TWO, build: id, scheduled: false, attempt: 2 };
    assert_eq!(claim(store, &books, TWO, 17).await, Some(expected));
    // Even with another build queued: a requested build is not a scheduled one.
    let scheduled = queue(store, &books, Trigger::Schedule, 18).await;
    recover(store, 28).await;
    let expected = Claim { site: books.id, worker: ONE, build: scheduled, scheduled: false, attempt: 3 };
    assert_eq!(claim(store, &books, ONE, 40).await, Some(expected));
    assert_eq!(builds_of(store, &books).await[0], running(id, 40));
}

async fn a_heartbeat_extends_the_lease(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let claim = claim(store, &books, ONE, 5).await.unwrap();
    let extend = |second| write(store, move |tx| building::extend(tx, &claim, None, at(second)));
    assert!(extend(20).await);
    assert_eq!((recover(store, 30).await, recover(store, 31).await), (0, 1));
    assert!(!extend(32).await);
}

async fn how_far_a_build_is_can_be_read(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let progress = || read(store, move |tx| building::progress(tx, books.id));
    assert_eq!(progress().await, None);
    queue(store, &books, Trigger::Api, 1).await;
    let claim = claim(store, &books, ONE, 5).await.unwrap();
    assert_eq!(progress().await, Some((0, 0)));
    write(store, move |tx| building::note_progress(tx, &claim, (3, 10))).await;
    assert_eq!(progress().await, Some((3, 10)));
    end(store, &claim, SUCCESS, 17).await;
    assert_eq!(progress().await, None);
}

async fn there_is_work_when_a_build_is_queued_or_a_worker_is_dead(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let is_idle = |second| read(store, move |tx| building::is_idle(tx, at(second)));
    assert!(is_idle(0).await);
    queue(store, &books, Trigger::Api, 1).await;
    assert!(!is_idle(1).await);
    let claim = claim(store, &books, ONE, 5).await.unwrap();
    assert!(is_idle(15).await);
    assert!(!is_idle(16).await);
    end(store, &claim, SUCCESS, 17).await;
    assert!(is_idle(17).await);
}

async fn a_build_is_open_until_it_ends(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    queue(store, &books, Trigger::Api, 1).await;
    let is_open = |site| read(store, move |tx| building::is_open(tx, site));
    assert_eq!((is_open(books.id).await, is_open(other.id).await), (true, false));
    let claim = claim(store, &books, ONE, 5).await.unwrap();
    assert_eq!((is_open(books.id).await, is_open(other.id).await), (true, false));
    end(store, &claim, SUCCESS, 6).await;
    assert!(!is_open(books.id).await);
}
