//! The change mark, on separate databases: PostgreSQL's notifications reach all clients of a database.

use std::time::{Duration, Instant};

use model::SiteName;
use postgres::NoTls;
use store::releases::{self, Move};
use store::{Error, LeaseClock, Location, Store, hosts, sites};
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
            wait_for_change(&one, 0).await;
            wait_for_change(&two, 0).await;
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

async fn wait_for_change(store: &Store, from: u64) -> u64 {
    let started = Instant::now();
    loop {
        let mark = store.mark();
        if mark != from {
            return mark;
        }
        assert!(started.elapsed() < PATIENCE, "the mark is still {from}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// PostgreSQL may send several notifications, one after another.
async fn settled(store: &Store) -> u64 {
    let mut mark = store.mark();
    loop {
        tokio::time::sleep(QUIET).await;
        if store.mark() == mark {
            return mark;
        }
        mark = store.mark();
    }
}

#[test]
fn the_mark_stays_while_nothing_is_written() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        let marks = (settled(one).await, settled(two).await);
        for store in [one, two] {
            read(store, move |tx| hosts::list(tx, id)).await;
            read(store, sites::list).await;
        }
        tokio::time::sleep(QUIET).await;
        assert_eq!((one.mark(), two.mark()), marks);
    });
}

#[test]
fn a_release_that_goes_live_changes_the_mark_of_every_process() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        for (number, by) in [(1, Move::Build), (2, Move::Schedule), (1, Move::Rollback)] {
            let marks = (settled(one).await, settled(two).await);
            write(one, move |tx| releases::go_live(tx, id, number, by)).await;
            wait_for_change(one, marks.0).await;
            wait_for_change(two, marks.1).await;
        }
    });
}

#[test]
fn whatever_visitors_notice_changes_the_mark() {
    on_each(async |one, two| {
        let id = site(one, "books").await.id;
        let changes: [fn(&mut store::Tx, model::SiteId) -> store::Result<()>; 6] = [
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
            let mark = settled(two).await;
            write(one, move |tx| change(tx, id)).await;
            wait_for_change(two, mark).await;
        }
    });
}

#[test]
fn a_touch_changes_the_mark_immediately() {
    on_each(async |one, _| {
        let id = site(one, "books").await.id;
        for number in 1..=20 {
            let mark = one.mark();
            write(one, move |tx| releases::go_live(tx, id, number, Move::Build)).await;
            one.touch();
            assert_ne!(one.mark(), mark);
        }
    });
}

#[test]
fn only_what_is_announced_changes_the_mark_on_postgres() {
    let Some(alone) = Alone::new() else { return };
    run(&alone.location(), async |one, two| {
        let id = site(one, "books").await.id;
        let marks = (settled(one).await, settled(two).await);
        insert(one, id, &[page("blog//a")]).await;
        let refused = one.write(move |tx| {
            releases::go_live(tx, id, 1, Move::Build)?;
            Err::<(), _>(Error::Internal("no".into()))
        });
        assert!(refused.await.is_err());
        tokio::time::sleep(QUIET).await;
        assert_eq!((one.mark(), two.mark()), marks);
    });
}

#[test]
fn a_listener_that_lost_its_connection_counts_that_as_a_change() {
    let Some(alone) = Alone::new() else { return };
    run(&alone.location(), async |one, two| {
        let id = site(one, "books").await.id;
        let mark = settled(two).await;
        let url = alone.url();
        let kill = move || {
            execute(
                &url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%LISTEN recto_sites' AND pid <> pg_backend_pid()",
            )
        };
        tokio::task::spawn_blocking(kill).await.unwrap();
        let mark = wait_for_change(two, mark).await;
        // And it listens again.
        write(one, move |tx| releases::go_live(tx, id, 1, Move::Build)).await;
        wait_for_change(two, mark).await;
    });
}
