//! The change mark, on separate databases: PostgreSQL's notifications reach all clients of a database.

use std::time::{Duration, Instant};

use model::{BuildId, SiteId, SiteName, Trigger};
use postgres::NoTls;
use store::releases::{self, Move};
use store::{Error, LeaseClock, Location, Mark, Store, accounts, builds, hosts, sites};
use testing::Database;

use crate::{at, insert, page, read, site, write};

/// How long a test waits for a notification of PostgreSQL.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long nothing must happen.
const QUIET: Duration = Duration::from_millis(300);

/// Runs a test on two stores that share a SQLite database, and on two that share a PostgreSQL one.
fn on_each(test: impl AsyncFn(&Store, &Store)) {
    let database = Database::sqlite();
    run(&database.location(), &test);
    let Some(alone) = Alone::new() else { return };
    run(&alone.location(), &test);
}

fn run(location: &Location, test: impl AsyncFn(&Store, &Store)) {
    let (one, two) = (Store::open(location).unwrap(), Store::open(location).unwrap());
    testing::block_on(async {
        if let Location::Postgres { .. } = location {
            // Starting to listen counts as a change.
            wait_until(|| one.changes() > 0 && two.changes() > 0).await;
        }
        test(&one, &two).await;
    });
    one.close();
    two.close();
}

/// A PostgreSQL database that no other test uses.
pub struct Alone {
    server: String,
    name: String,
}

impl Alone {
    /// `None`: there is no server, skip the test.
    pub fn new() -> Option<Alone> {
        let server = testing::server(testing::POSTGRES)?;
        let name = format!("test_{}", uuid::Uuid::now_v7().simple());
        execute(&server, &format!("CREATE DATABASE {name}"));
        Some(Alone { server, name })
    }

    fn url(&self) -> String {
        format!("{}/{}", self.server.rsplit_once('/').unwrap().0, self.name)
    }

    fn location(&self) -> Location {
        self.location_with(2)
    }

    pub fn location_with(&self, connections: usize) -> Location {
        Location::Postgres { url: self.url(), connections, leases: LeaseClock::Caller }
    }

    /// How many PostgreSQL has found there so far.
    pub fn deadlocks(&self) -> i64 {
        let count = || {
            let mut client = postgres::Client::connect(&self.server, NoTls).unwrap();
            let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = $1";
            client.query_one(sql, &[&self.name]).unwrap().get(0)
        };
        std::thread::scope(|scope| scope.spawn(count).join().unwrap())
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        execute(&self.server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

fn execute(url: &str, sql: &str) {
    postgres::Client::connect(url, NoTls).unwrap().batch_execute(sql).unwrap();
}

async fn wait_until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "it never came true");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until the mark of a site is another one.
async fn wait_for_change(store: &Store, site: SiteId, from: Mark) {
    wait_until(|| store.mark(site) != from).await;
}

/// PostgreSQL may send several notifications, one after another.
async fn settled(store: &Store, site: SiteId) -> Mark {
    let mut changes = store.changes();
    loop {
        tokio::time::sleep(QUIET).await;
        if store.changes() == changes {
            return store.mark(site);
        }
        changes = store.changes();
    }
}

#[test]
fn the_mark_stays_while_nothing_is_announced() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        let marks = (settled(one, id).await, settled(two, id).await);
        insert(one, id, &[page("blog//a")]).await;
        let refused = one.write(move |tx| {
            releases::go_live(tx, id, 1, Move::Build)?;
            Err::<(), _>(Error::Internal("no".into()))
        });
        assert!(refused.await.is_err());
        for store in [one, two] {
            read(store, move |tx| hosts::list(tx, id)).await;
            read(store, sites::list).await;
        }
        tokio::time::sleep(QUIET).await;
        assert_eq!((one.mark(id), two.mark(id)), marks);
    });
}

#[test]
fn a_release_that_goes_live_changes_the_mark_of_its_site_in_every_process() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        for (number, by) in [(1, Move::Build), (2, Move::Schedule), (1, Move::Rollback)] {
            let marks = (settled(one, id).await, settled(two, id).await);
            write(one, move |tx| releases::go_live(tx, id, number, by)).await;
            wait_for_change(one, id, marks.0).await;
            wait_for_change(two, id, marks.1).await;
        }
    });
}

#[test]
fn other_sites_keep_their_marks() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        // Sites share counters: not all others have the same one.
        let mut others = Vec::new();
        for number in 0..5 {
            others.push(site(one, &format!("other-{number}")).await.id);
        }
        // On SQLite, another process learns that something changed, not what.
        let is_sqlite = one.read(|tx| Ok::<_, Error>(tx.is_sqlite())).await.unwrap();
        let stores = if is_sqlite { vec![one] } else { vec![one, two] };
        for store in stores {
            settled(store, id).await;
            let marks: Vec<Mark> = others.iter().map(|other| store.mark(*other)).collect();
            let own = store.mark(id);
            write(one, move |tx| releases::go_live(tx, id, 1, Move::Build)).await;
            wait_for_change(store, id, own).await;
            let kept = others.iter().zip(&marks).filter(|(other, mark)| store.mark(**other) == **mark);
            assert!(kept.count() >= 4);
        }
    });
}

#[test]
fn whatever_visitors_notice_changes_the_mark() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        let changes: [fn(&mut store::Tx, SiteId) -> store::Result<()>; 6] = [
            |tx, id| hosts::add(tx, "example.com", id, at(0)).map(drop),
            |tx, id| hosts::remove(tx, "example.com", id).map(drop),
            |tx, id| {
                let protection = hosts::Protection { password_hash: "a".into(), cookie_key: vec![1] };
                hosts::protect(tx, id, Some(&protection))
            },
            |tx, id| hosts::protect(tx, id, None),
            |tx, id| sites::rename(tx, id, &SiteName::parse("renamed").unwrap()).map(drop),
            |tx, id| sites::delete(tx, id, at(1)).map(drop),
        ];
        for change in changes {
            let mark = settled(two, id).await;
            write(one, move |tx| change(tx, id)).await;
            wait_for_change(two, id, mark).await;
        }
    });
}

#[test]
fn the_suspension_of_an_account_changes_the_marks_of_its_sites() {
    on_each(async |one, two| {
        let site = site(one, "books").await;
        let mark = settled(two, site.id).await;
        write(one, move |tx| accounts::set_suspended(tx, site.account, Some(at(1)))).await;
        wait_for_change(two, site.id, mark).await;
    });
}

#[test]
fn a_change_by_this_process_is_counted_before_its_caller_has_the_answer() {
    on_each(async |one, _| {
        let id = site(one, "books").await.id;
        for number in 1..=20 {
            let mark = one.mark(id);
            write(one, move |tx| releases::go_live(tx, id, number, Move::Build)).await;
            assert_ne!(one.mark(id), mark);
        }
    });
}

/// A look-up may be remembered under the mark that is read after it if `changes` is still the same: then the mark of what
/// it found has not changed either, not even while the two were being read.
#[test]
fn a_look_up_remembered_under_its_mark_is_never_out_of_date() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        settled(two, id).await;
        let writer = one.clone();
        let writes = tokio::spawn(async move {
            for number in 1..=300 {
                write(&writer, move |tx| releases::go_live(tx, id, number, Move::Build)).await;
            }
        });
        let mut remembered: Option<(Mark, Option<i64>)> = None;
        while !writes.is_finished() {
            let changes = two.changes();
            let live = read(two, move |tx| releases::live(tx, id)).await;
            let mark = two.mark(id);
            if two.changes() == changes {
                if let Some((before, number)) = remembered
                    && before == mark
                {
                    assert!(live >= number, "{live:?} after {number:?}");
                }
                remembered = Some((mark, live));
            }
            tokio::task::yield_now().await;
        }
        writes.await.unwrap();
        // What was remembered does not stay: once nothing is written any more, its mark is no longer the site's, or it is right.
        // On a busy machine something may have changed during every look-up.
        if let Some((mark, number)) = remembered {
            assert!(settled(two, id).await != mark || number == Some(300));
        }
    });
}

#[test]
fn a_listener_that_lost_its_connection_counts_that_as_a_change() {
    let Some(alone) = Alone::new() else { return };
    run(&alone.location(), async |one, two| {
        let id = site(one, "books").await.id;
        let mark = settled(two, id).await;
        let url = alone.url();
        let kill = move || {
            execute(
                &url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LISTEN recto_sites%' AND pid <> pg_backend_pid()",
            )
        };
        tokio::task::spawn_blocking(kill).await.unwrap();
        wait_for_change(two, id, mark).await;
        // And it listens again.
        let mark = settled(two, id).await;
        write(one, move |tx| releases::go_live(tx, id, 1, Move::Build)).await;
        wait_for_change(two, id, mark).await;
    });
}

#[test]
fn a_queued_build_wakes_the_workers_of_every_process() {
    on_each(async |one, two| {
        let site = site(one, "books").await;
        let is_sqlite = one.read(|tx| Ok::<_, Error>(tx.is_sqlite())).await.unwrap();
        // On SQLite, other processes look once a second.
        let stores = if is_sqlite { vec![one] } else { vec![one, two] };
        for (number, store) in (1..).zip(stores) {
            // What was announced before does not count.
            tokio::time::sleep(QUIET).await;
            let woken = store.work_queued();
            let (account, id) = (site.account, site.id);
            let build = BuildId(uuid::Uuid::from_u128(number));
            write(one, move |tx| builds::insert(tx, build, account, id, Trigger::Api, at(1))).await;
            tokio::time::timeout(PATIENCE, woken).await.expect("a notification");
        }
    });
}
