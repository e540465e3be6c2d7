use model::{AccountId, BuildId, BuildStatus, SiteId, Timestamp, Trigger};
use store::building::{self, Claim, Worker};
use store::builds::Build;
use store::pages::{self, Page};
use store::releases::{self, Release};
use store::sites::Site;
use store::{Store, Tx};
use testing::Database;
use uuid::Uuid;

use crate::builds::queue;
use crate::releases::release;
use crate::{at, insert, page, read, site, write};

testing::on_both_databases!(
    a_claim_takes_all_queued_builds_of_a_site_together,
    a_claimed_site_is_refused_to_another_worker,
    a_site_with_nothing_queued_is_not_claimed,
    who_waited_longest_is_first,
    two_sites_are_claimed_by_two_workers,
    only_builds_that_nobody_asked_for_are_scheduled,
    an_ended_build_tells_how_it_ended,
    a_build_queued_while_the_site_is_built_waits_for_the_next_claim,
    a_site_given_back_waits_again,
    the_builds_of_a_dead_worker_wait_again,
    a_dead_workers_site_is_taken_over_with_its_builds,
    a_worker_that_says_so_lives,
    a_late_worker_changes_nothing,
    there_is_work_when_a_build_is_queued_or_a_worker_is_dead,
    a_site_is_due_when_the_time_of_a_page_has_come,
    some_pages_are_never_due,
    what_the_newest_release_has_seen_is_not_due,
    a_site_with_a_queued_build_is_not_due,
);

const ONE: Worker = Worker(Uuid::from_u128(1));
const TWO: Worker = Worker(Uuid::from_u128(2));

/// A claim whose lease ends ten seconds later.
async fn claim(store: &Store, site: &Site, worker: Worker, second: i64) -> Option<Claim> {
    let site = site.id;
    write(store, move |tx| building::claim(tx, site, worker, at(second), at(second + 10))).await
}

async fn end(
    store: &Store,
    site: &Site,
    worker: Worker,
    outcome: Result<(), &'static str>,
    second: i64,
) -> bool {
    let site = site.id;
    write(store, move |tx| building::end(tx, site, worker, outcome, at(second))).await
}

async fn recover(store: &Store, second: i64) -> usize {
    write(store, move |tx| building::recover(tx, at(second))).await
}

const BUILDS: &str = "
SELECT id, status, triggered_by, created_at, started_at, completed_at, error
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
            created_at: at(row.get::<i64>(3)? / 1_000_000),
            started_at: row.get::<Option<i64>>(4)?.map(Timestamp::from_micros),
            completed_at: row.get::<Option<i64>>(5)?.map(Timestamp::from_micros),
            error: row.get(6)?,
        })
    })
}

async fn builds_of(store: &Store, site: &Site) -> Vec<Build> {
    let site = site.id;
    read(store, move |tx| builds(tx, site)).await
}

/// A build of second 1 that waits.
fn waiting(id: BuildId) -> Build {
    Build {
        id,
        status: BuildStatus::Queued,
        triggered_by: Trigger::Api,
        created_at: at(1),
        started_at: None,
        completed_at: None,
        error: None,
    }
}

fn running(id: BuildId, since: i64) -> Build {
    Build { status: BuildStatus::Running, started_at: Some(at(since)), ..waiting(id) }
}

async fn a_claim_takes_all_queued_builds_of_a_site_together(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    let first = queue(store, &books, Trigger::Api, 1).await;
    let newest = queue(store, &books, Trigger::Api, 3).await;
    let second = queue(store, &books, Trigger::Api, 2).await;
    let theirs = queue(store, &other, Trigger::Api, 1).await;
    let expected = Claim { site: books.id, build: newest, scheduled: false };
    assert_eq!(claim(store, &books, ONE, 5).await, Some(expected));
    let created = |second, build| Build { created_at: at(second), ..build };
    let expected = [running(first, 5), created(2, running(second, 5)), created(3, running(newest, 5))];
    assert_eq!(builds_of(store, &books).await, expected);
    assert_eq!(builds_of(store, &other).await, [waiting(theirs)]);
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
    assert_eq!(database.dump(), before, "nobody has the site");
}

async fn who_waited_longest_is_first(database: &Database) {
    let store = database.store();
    let sites = [site(store, "a").await, site(store, "b").await, site(store, "c").await];
    let [a, b, c] = &sites;
    for (site, second) in [(b, 4), (a, 2), (c, 3), (b, 1), (a, 9)] {
        queue(store, site, Trigger::Api, second).await;
    }
    assert_eq!(read(store, building::waiting).await, [b.id, a.id, c.id]);
    claim(store, b, ONE, 10).await.unwrap();
    queue(store, b, Trigger::Api, 11).await;
    assert_eq!(read(store, building::waiting).await, [a.id, c.id, b.id], "it waits anew");
    end(store, b, ONE, Ok(()), 12).await;
    claim(store, b, ONE, 13).await.unwrap();
    assert_eq!(read(store, building::waiting).await, [a.id, c.id]);
}

async fn two_sites_are_claimed_by_two_workers(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await, site(store, "b").await);
    let (build_a, build_b) =
        (queue(store, &a, Trigger::Api, 1).await, queue(store, &b, Trigger::Api, 1).await);
    assert_eq!(claim(store, &a, ONE, 5).await.unwrap().build, build_a);
    assert_eq!(claim(store, &b, TWO, 5).await.unwrap().build, build_b);
    assert!(end(store, &a, ONE, Ok(()), 6).await);
    assert_eq!(builds_of(store, &b).await, [running(build_b, 5)]);
}

async fn only_builds_that_nobody_asked_for_are_scheduled(database: &Database) {
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
        assert_eq!(claim(store, &books, ONE, 5).await.unwrap().scheduled, expected, "{triggers:?}");
        end(store, &books, ONE, Ok(()), 6).await;
    }
}

async fn an_ended_build_tells_how_it_ended(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    for (outcome, status, error) in
        [(Ok(()), BuildStatus::Success, None), (Err("no title"), BuildStatus::Failed, Some("no title"))]
    {
        let id = queue(store, &books, Trigger::Api, 1).await;
        claim(store, &books, ONE, 5).await.unwrap();
        assert!(end(store, &books, ONE, outcome, 7).await);
        let expected =
            Build { status, completed_at: Some(at(7)), error: error.map(str::to_owned), ..running(id, 5) };
        assert!(builds_of(store, &books).await.contains(&expected), "{expected:?}");
    }
}

async fn a_build_queued_while_the_site_is_built_waits_for_the_next_claim(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    let later = queue(store, &books, Trigger::Api, 6).await;
    end(store, &books, ONE, Ok(()), 7).await;
    assert_eq!(builds_of(store, &books).await[1], Build { created_at: at(6), ..waiting(later) });
    assert_eq!(claim(store, &books, TWO, 8).await.unwrap().build, later);
}

async fn a_site_given_back_waits_again(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = queue(store, &books, Trigger::Api, 1).await;
    let before = database.dump();
    claim(store, &books, ONE, 5).await.unwrap();
    let site = books.id;
    write(store, move |tx| building::give_back(tx, site, ONE)).await;
    assert_eq!(database.dump(), before);
    assert_eq!(claim(store, &books, TWO, 5).await.unwrap().build, id);
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
    assert_eq!(builds_of(store, &dead).await, [waiting(id)]);
    assert_eq!(builds_of(store, &lives).await, [running(other, 6)]);
}

async fn a_dead_workers_site_is_taken_over_with_its_builds(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    // Also when something else is queued: what somebody asked for is not scheduled.
    let expected = Claim { site: books.id, build: id, scheduled: false };
    assert_eq!(claim(store, &books, TWO, 16).await, Some(expected));
    let scheduled = queue(store, &books, Trigger::Schedule, 17).await;
    let expected = Claim { site: books.id, build: scheduled, scheduled: false };
    assert_eq!(claim(store, &books, ONE, 27).await, Some(expected));
    assert_eq!(builds_of(store, &books).await[0], running(id, 27));
}

async fn a_worker_that_says_so_lives(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = books.id;
    queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    assert!(write(store, move |tx| building::extend(tx, id, ONE, at(30))).await);
    assert!(!write(store, move |tx| building::extend(tx, id, TWO, at(90))).await);
    assert_eq!((recover(store, 30).await, recover(store, 31).await), (0, 1));
    assert!(!write(store, move |tx| building::extend(tx, id, ONE, at(60))).await);
}

async fn a_late_worker_changes_nothing(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let id = books.id;
    queue(store, &books, Trigger::Api, 1).await;
    claim(store, &books, ONE, 5).await.unwrap();
    claim(store, &books, TWO, 16).await.unwrap();
    let before = database.dump();
    assert!(!end(store, &books, ONE, Ok(()), 17).await);
    assert!(!end(store, &books, ONE, Err("late"), 17).await);
    assert!(!write(store, move |tx| building::extend(tx, id, ONE, at(90))).await);
    write(store, move |tx| building::give_back(tx, id, ONE)).await;
    assert_eq!(database.dump(), before);
    assert!(end(store, &books, TWO, Ok(()), 18).await);
    assert!(!end(store, &books, TWO, Ok(()), 19).await, "once is enough");
}

async fn there_is_work_when_a_build_is_queued_or_a_worker_is_dead(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let is_idle = |second| read(store, move |tx| building::is_idle(tx, at(second)));
    assert!(is_idle(0).await);
    queue(store, &books, Trigger::Api, 1).await;
    assert!(!is_idle(1).await);
    claim(store, &books, ONE, 5).await.unwrap();
    assert!(is_idle(15).await);
    assert!(!is_idle(16).await);
    end(store, &books, ONE, Ok(()), 17).await;
    assert!(is_idle(17).await);
}

/// Written at second 10, to appear at second 100.
fn dated(key: &str) -> Page {
    Page { draft: false, published_at: at(100), updated_at: at(10), ..page(key) }
}

async fn due(store: &Store, since: i64, now: i64) -> Vec<(SiteId, AccountId)> {
    read(store, move |tx| building::due(tx, at(since), at(now))).await
}

async fn a_site_is_due_when_the_time_of_a_page_has_come(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    insert(store, books.id, &[dated("blog//a"), dated("blog//b")]).await;
    insert(store, other.id, &[Page { published_at: at(101), ..dated("blog//a") }]).await;
    let books = (books.id, books.account);
    for (since, now, expected) in
        [(0, 99, vec![]), (0, 100, vec![books]), (99, 100, vec![books]), (100, 100, vec![])]
    {
        assert_eq!(due(store, since, now).await, expected, "after {since} up to {now}");
    }
    assert_eq!(due(store, 0, 101).await.len(), 2);
}

async fn some_pages_are_never_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let deleted = dated("blog//deleted");
    let pages = [
        Page { draft: true, ..dated("blog//draft") },
        Page { updated_at: at(100), ..dated("blog//edited-at-its-time") },
        Page { updated_at: at(150), ..dated("blog//edited-later") },
        deleted.clone(),
    ];
    insert(store, books, &pages).await;
    write(store, move |tx| pages::delete(tx, books, 2, &[deleted.id], at(20))).await;
    assert_eq!(due(store, 0, 1000).await, []);
}

async fn what_the_newest_release_has_seen_is_not_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    insert(store, books, &[dated("blog//a")]).await;
    // The clock was set back before the last one: it has not seen what the one before it has.
    for (number, as_of, expected) in [(1, 99, 1), (2, 100, 0), (3, 99, 1)] {
        let release = Release { as_of: at(as_of), ..release(number) };
        write(store, move |tx| releases::insert(tx, books, &release)).await;
        assert_eq!(due(store, 0, 200).await.len(), expected, "as of {as_of}");
    }
}

async fn a_site_with_a_queued_build_is_not_due(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    insert(store, books.id, &[dated("blog//a")]).await;
    queue(store, &books, Trigger::Api, 100).await;
    assert_eq!(due(store, 0, 101).await, []);
    // One that runs may have looked too early.
    claim(store, &books, ONE, 101).await.unwrap();
    assert_eq!(due(store, 0, 101).await, [(books.id, books.account)]);
}
