//! Every wait ends: for a database that does not answer, and for one that is locked.

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use model::{AccountId, AccountName};
use store::{Deadlines, Error, LeaseClock, Location, Schema, Store, Tx, accounts};
use testing::{Cluster, Database};
use tokio::task::JoinHandle;

use crate::{at, read, write};

testing::on_both_databases!(
    a_write_that_was_not_started_in_time_is_never_run,
    a_write_that_was_started_and_takes_too_long_is_unknown,
);

const TRANSACTION: Duration = Duration::from_millis(1500);
const PEEK: Duration = Duration::from_millis(500);
const LOCK: Duration = Duration::from_millis(1000);
/// The delay that a busy machine may add.
const SLACK: Duration = Duration::from_secs(3);

fn deadlines() -> Deadlines {
    Deadlines { transaction: TRANSACTION, peek: PEEK, lock: LOCK }
}

async fn open(database: &Database) -> Store {
    let location = database.location();
    tokio::task::spawn_blocking(move || Store::open_with(&location, Schema::Upgrade, deadlines()).unwrap())
        .await
        .unwrap()
}

fn add(tx: &mut Tx, name: &str) -> Result<(), Error> {
    accounts::insert(tx, AccountId::new(at(0)), &AccountName::parse(name).unwrap(), "pro", at(0))
}

async fn names(store: &Store) -> Vec<String> {
    let mut names: Vec<String> =
        read(store, accounts::list).await.into_iter().map(|account| account.name).collect();
    names.sort();
    names
}

type Outcome = (Result<(), Error>, Duration);

/// The result that a caller waits for, and how long it took.
fn timed(work: impl Future<Output = Result<(), Error>> + Send + 'static) -> JoinHandle<Outcome> {
    let started = Instant::now();
    tokio::spawn(async move { (work.await, started.elapsed()) })
}

fn write_named(store: &Store, name: String) -> JoinHandle<Outcome> {
    let store = store.clone();
    timed(async move { store.write(move |tx| add(tx, &name)).await })
}

fn about(elapsed: Duration, deadline: Duration) -> bool {
    (deadline.mul_f64(0.9)..deadline + SLACK).contains(&elapsed)
}

/// Occupies every connection that writes until the returned value is dropped.
async fn occupy(store: &Store) -> Vec<mpsc::Sender<()>> {
    let mut held = Vec::new();
    // More than there are connections; SQLite has one.
    for _ in 0..8 {
        let (release, released) = mpsc::channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (store, mut started) = (store.clone(), Some(started));
        tokio::spawn(async move {
            let wait = move |_: &mut Tx| {
                started.take().map(|started| started.send(()));
                let _ = released.recv();
                Ok::<_, Error>(())
            };
            let _ = store.write(wait).await;
        });
        held.push(release);
        if tokio::time::timeout(Duration::from_millis(300), has_started).await.is_err() {
            return held;
        }
    }
    held
}

async fn a_write_that_was_not_started_in_time_is_never_run(database: &Database) {
    let store = &open(database).await;
    let held = occupy(store).await;
    let (refused, elapsed) = write_named(store, "too late".into()).await.unwrap();
    assert!(matches!(&refused, Err(Error::Unavailable(text)) if text.contains("1.5 seconds")), "{refused:?}");
    assert!(about(elapsed, TRANSACTION), "{elapsed:?}");
    drop(held);
    write(store, |tx| add(tx, "in time")).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(names(store).await, ["in time"]);
}

async fn a_write_that_was_started_and_takes_too_long_is_unknown(database: &Database) {
    let store = &open(database).await;
    let held = occupy(store).await;
    let slow = timed({
        let store = store.clone();
        async move {
            store
                .write(|tx| {
                    add(tx, "slow")?;
                    std::thread::sleep(2 * TRANSACTION);
                    Ok(())
                })
                .await
        }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    drop(held);
    let (unknown, elapsed) = slow.await.unwrap();
    assert!(matches!(unknown, Err(Error::CommitUnknown(_))), "{unknown:?}");
    assert!(about(elapsed, TRANSACTION), "{elapsed:?}");
    // It was executed nevertheless.
    let started = Instant::now();
    while names(store).await != ["slow"] {
        assert!(started.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn a_frozen_postgres_times_out_and_works_again_when_it_resumes() {
    let cluster = Cluster::start();
    let location = Location::Postgres { url: cluster.url(), connections: 4, leases: LeaseClock::Database };
    let store = Store::open_with(&location, Schema::Upgrade, deadlines()).unwrap();
    testing::block_on(async {
        write(&store, |tx| add(tx, "before")).await;
        assert_eq!(names(&store).await, ["before"]);
        cluster.freeze();
        let reads: Vec<_> = (0..4)
            .map(|_| {
                let store = store.clone();
                timed(async move { store.read(|tx| accounts::list(tx).map(drop)).await })
            })
            .collect();
        let writes: Vec<_> = (0..8).map(|number| write_named(&store, format!("during {number}"))).collect();
        for read in reads {
            let (outcome, elapsed) = read.await.unwrap();
            assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
            assert!(about(elapsed, TRANSACTION), "{elapsed:?}");
        }
        let (mut never_run, mut unknown) = (Vec::new(), 0);
        for (number, write) in writes.into_iter().enumerate() {
            let (outcome, elapsed) = write.await.unwrap();
            assert!(about(elapsed, TRANSACTION), "{elapsed:?}");
            match outcome {
                Err(Error::Unavailable(_)) => never_run.push(format!("during {number}")),
                Err(Error::CommitUnknown(_)) => unknown += 1,
                outcome => panic!("{outcome:?}"),
            }
        }
        assert_eq!(unknown, 3, "as many as there are connections were started");
        for _ in 0..3 {
            let store = store.clone();
            let peek = timed(async move { store.peek(|tx| accounts::list(tx).map(drop)).await });
            let (outcome, elapsed) = peek.await.unwrap();
            assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
            assert!(about(elapsed, PEEK), "{elapsed:?}");
        }
        cluster.thaw();
        write(&store, |tx| add(tx, "after")).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let names = names(&store).await;
        assert!(names.contains(&"before".into()) && names.contains(&"after".into()), "{names:?}");
        assert!(never_run.iter().all(|name| !names.contains(name)), "{never_run:?} of {names:?}");
    });
    store.close();
}

/// Another process that writes to the database for a long time.
struct Lock(rusqlite::Connection);

impl Lock {
    fn take(path: PathBuf) -> Lock {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        Lock(connection)
    }
}

#[test]
fn writes_that_wait_for_a_locked_sqlite_fail_together() {
    let database = Database::sqlite();
    let Location::Sqlite { path, .. } = database.location() else { unreachable!() };
    testing::block_on(async {
        let store = &open(&database).await;
        write(store, |tx| add(tx, "before")).await;
        let lock = Lock::take(path);
        let together: Vec<_> = (0..20).map(|number| write_named(store, format!("during {number}"))).collect();
        tokio::time::sleep(LOCK / 2).await;
        let later = write_named(store, "later".into());
        for write in together {
            let (outcome, elapsed) = write.await.unwrap();
            assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
            assert!(about(elapsed, LOCK), "not one after the other: {elapsed:?}");
        }
        let (outcome, elapsed) = later.await.unwrap();
        assert!(matches!(outcome, Err(Error::Unavailable(_))), "{outcome:?}");
        assert!(about(elapsed, LOCK), "{elapsed:?}");
        assert_eq!(names(store).await, ["before"], "it can be read all the while");
        drop(lock);
        write(store, |tx| add(tx, "after")).await;
        assert_eq!(names(store).await, ["after", "before"]);
    });
}

#[test]
fn a_write_that_waits_for_a_locked_sqlite_is_done_when_it_is_free() {
    let database = Database::sqlite();
    let Location::Sqlite { path, .. } = database.location() else { unreachable!() };
    testing::block_on(async {
        let store = &open(&database).await;
        let lock = Lock::take(path);
        let writes: Vec<_> = (0..20).map(|number| write_named(store, number.to_string())).collect();
        tokio::time::sleep(LOCK / 2).await;
        drop(lock);
        for write in writes {
            assert!(write.await.unwrap().0.is_ok());
        }
        assert_eq!(names(store).await.len(), 20);
    });
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.execute_batch("ROLLBACK").unwrap();
    }
}
