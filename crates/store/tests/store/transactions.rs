use std::io::Read;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc;

use model::{AccountId, AccountName};
use store::{Error, Location, Store, Tx, accounts};
use testing::Database;
use tokio::sync::oneshot;

use crate::{account, at, at_once, read, write};

testing::on_both_databases!(
    an_error_undoes_its_own_write_only,
    a_panic_undoes_its_own_write_only,
    a_failed_statement_ends_the_transaction,
    the_error_of_a_closure_is_returned,
    many_writes_at_once_are_all_there,
    a_read_sees_one_moment,
    a_read_changes_nothing,
    closing_finishes_what_was_queued,
    only_a_step_is_committed_without_a_sync,
    no_write_runs_at_the_lowest_priority,
);

fn add(tx: &mut Tx, name: &str) -> Result<(), Error> {
    accounts::insert(tx, AccountId::new(at(0)), &AccountName::parse(name).unwrap(), "pro", at(0))
}

async fn names(store: &Store) -> Vec<String> {
    let mut names: Vec<String> =
        read(store, accounts::list).await.into_iter().map(|account| account.name).collect();
    names.sort();
    names
}

/// Whether the commit of this transaction will be synced.
fn is_synced(tx: &mut Tx) -> Result<bool, Error> {
    if tx.is_sqlite() {
        let level = tx.query_one("PRAGMA synchronous", &[], |row| row.get::<i64>(0))?;
        return Ok(level == Some(2));
    }
    let level = tx.query_one("SHOW synchronous_commit", &[], |row| row.get::<String>(0))?;
    Ok(level.as_deref() == Some("on"))
}

async fn only_a_step_is_committed_without_a_sync(database: &Database) {
    let store = database.store();
    for _ in 0..3 {
        assert!(!store.write_step(false, is_synced).await.unwrap());
        let failed: Result<(), Error> =
            store.write_step(false, |_| Err(Error::Internal("refused".into()))).await;
        assert!(failed.is_err());
        assert!(write(store, is_synced).await);
    }
}

/// It would have the lock of all writes, and might be stopped for long.
async fn no_write_runs_at_the_lowest_priority(database: &Database) {
    let store = database.store().clone();
    let thread = std::thread::spawn(|| {
        let mut low = tokio::runtime::Builder::new_multi_thread();
        let low = low.worker_threads(2).enable_all().on_thread_start(priority::lower).build().unwrap();
        let task = low.spawn(async move {
            assert!(priority::is_low());
            let write = store.write(|_| Ok::<_, Error>(priority::is_low())).await.unwrap();
            (write, store.write_step(false, |_| Ok::<_, Error>(priority::is_low())).await.unwrap())
        });
        low.block_on(task).unwrap()
    });
    assert_eq!(thread.join().unwrap(), (false, false));
}

/// Occupies a connection (SQLite: the writer) until signalled. Writes that are queued meanwhile are one group.
async fn hold(store: &Store) -> mpsc::Sender<()> {
    let (release, released) = mpsc::channel::<()>();
    let (started, has_started) = oneshot::channel();
    let (store, mut started) = (store.clone(), Some(started));
    tokio::spawn(async move {
        let wait = move |_: &mut Tx| {
            started.take().map(|started| started.send(()));
            let _ = released.recv();
            Ok::<_, Error>(())
        };
        store.write(wait).await
    });
    has_started.await.unwrap();
    release
}

async fn an_error_undoes_its_own_write_only(database: &Database) {
    let store = database.store();
    let release = hold(store).await;
    let (before, refused, after, ()) = tokio::join!(
        store.write(|tx| add(tx, "before")),
        store.write(|tx| {
            add(tx, "refused")?;
            Err::<(), _>(Error::Internal("no".into()))
        }),
        store.write(|tx| add(tx, "after")),
        async { release.send(()).unwrap() },
    );
    before.unwrap();
    after.unwrap();
    assert_eq!(refused.unwrap_err().to_string(), "no");
    assert_eq!(names(store).await, ["after", "before"]);
}

async fn a_panic_undoes_its_own_write_only(database: &Database) {
    let store = database.store();
    // More of them than there are threads, each of which must live on. (`resume_unwind` keeps the output clean.)
    for round in 0..10 {
        let release = hold(store).await;
        let (before, panicked, after, ()) = tokio::join!(
            store.write(move |tx| add(tx, &format!("before {round}"))),
            store.write(|tx| -> Result<(), Error> {
                add(tx, "panicked")?;
                resume_unwind(Box::new("boom"))
            }),
            store.write(move |tx| add(tx, &format!("later {round}"))),
            async { release.send(()).unwrap() },
        );
        before.unwrap();
        after.unwrap();
        assert_eq!(panicked.unwrap_err().to_string(), "a transaction panicked: boom");
        let panicked =
            store.read(|_| -> Result<(), Error> { resume_unwind(Box::new("boom".to_owned())) }).await;
        assert_eq!(panicked.unwrap_err().to_string(), "a transaction panicked: boom");
    }
    assert_eq!(names(store).await.len(), 20);
}

async fn a_failed_statement_ends_the_transaction(database: &Database) {
    let store = database.store();
    let taken = account(store, "first").await;
    let answer = store.write(move |tx| {
        add(tx, "second")?;
        let name = AccountName::parse("third").unwrap();
        // The error is ignored here, but neither database may keep a part.
        let failed = accounts::insert(tx, taken, &name, "pro", at(0)).unwrap_err();
        let next = accounts::list(tx).unwrap_err();
        assert_eq!(next.to_string(), failed.to_string());
        Ok::<_, Error>(())
    });
    let error = answer.await.unwrap_err();
    assert!(matches!(&error, Error::Internal(text) if text.to_lowercase().contains("unique")), "{error:?}");
    assert_eq!(names(store).await, ["first"]);
    write(store, |tx| add(tx, "fourth")).await;
}

async fn the_error_of_a_closure_is_returned(database: &Database) {
    #[derive(Debug, PartialEq)]
    enum Refusal {
        Taken(u32),
        Store,
    }
    impl From<Error> for Refusal {
        fn from(_: Error) -> Refusal {
            Refusal::Store
        }
    }
    let store = database.store();
    assert_eq!(store.write(|_| Err::<(), _>(Refusal::Taken(7))).await, Err(Refusal::Taken(7)));
    assert_eq!(store.read(|_| Err::<(), _>(Refusal::Taken(8))).await, Err(Refusal::Taken(8)));
    let nothing = |tx: &mut Tx| Ok(tx.execute("DELETE FROM nothing", &[]).map(drop)?);
    assert_eq!(store.write(nothing).await, Err(Refusal::Store));
}

async fn many_writes_at_once_are_all_there(database: &Database) {
    let store = database.store();
    let commits_before = commits(database);
    let release = hold(store).await;
    let writes = at_once(200, |number| {
        let store = store.clone();
        async move { store.write(move |tx| add(tx, &format!("{number:03}"))).await.unwrap() }
    });
    let (writes, ()) = tokio::join!(writes, async { release.send(()).unwrap() });
    assert_eq!(writes.len(), 200);
    assert_eq!(names(store).await, (0..200).map(|number| format!("{number:03}")).collect::<Vec<_>>());
    if let (Some(before), Some(after)) = (commits_before, commits(database)) {
        assert!(after - before < 100, "{} commits for 200 writes", after - before);
    }
}

/// How often SQLite has committed so far: its log marks the last frame of each transaction with the size of the
/// database. <https://sqlite.org/fileformat2.html#the_write_ahead_log>
fn commits(database: &Database) -> Option<usize> {
    let Location::Sqlite { path, .. } = database.location() else { return None };
    let log = std::fs::read(path.with_extension("db-wal")).unwrap();
    let page_size = u32::from_be_bytes(log[8..12].try_into().unwrap()) as usize;
    let frames = log[32..].chunks_exact(24 + page_size);
    Some(frames.filter(|frame| frame[4..8] != [0; 4]).count())
}

#[test]
fn sqlite_s_log_restarts_under_continuous_writes() {
    let database = Database::sqlite();
    let Location::Sqlite { path, .. } = database.location() else { unreachable!() };
    let log = path.with_extension("db-wal");
    testing::block_on(async {
        let store = database.store();
        account(store, "a").await;
        let first = times_restarted(&log);
        // At most 3.8 GB.
        let restarted = at_once(8, |_| {
            let (store, log) = (store.clone(), log.clone());
            async move {
                let mut writes = 0;
                while times_restarted(&log) == first && writes < 600 {
                    write(&store, |tx| store::texts::insert(tx, &vec!["x".repeat(50_000); 16])).await;
                    writes += 1;
                }
                times_restarted(&log) > first
            }
        });
        assert!(restarted.await.iter().all(|restarted| *restarted));
    });
}

/// How often the log was restarted: its header counts that.
fn times_restarted(log: &Path) -> u32 {
    let mut header = [0; 16];
    std::fs::File::open(log).unwrap().read_exact(&mut header).unwrap();
    u32::from_be_bytes(header[12..].try_into().unwrap())
}

#[test]
fn a_full_disk_is_reported_and_the_database_keeps_working() {
    let database = Database::sqlite();
    testing::block_on(async {
        let store = database.store();
        account(store, "before").await;
        // As if the disk were full at this size; the writer has one connection.
        let limit = |sql: &'static str| write(store, move |tx| tx.query(sql, &[], |_| Ok(())));
        limit("PRAGMA max_page_count = 200").await;
        let release = hold(store).await;
        let (first, full, last, ()) = tokio::join!(
            store.write(|tx| add(tx, "first")),
            store.write(|tx| {
                add(tx, "full")?;
                store::texts::insert(tx, &vec!["x".repeat(100_000); 20]).map(drop)
            }),
            store.write(|tx| add(tx, "last")),
            async { release.send(()).unwrap() },
        );
        assert!(matches!(full, Err(Error::Full(_))), "{full:?}");
        // A write that shared the commit got the same error, or is stored.
        for (outcome, name) in [(first, "first"), (last, "last")] {
            match outcome {
                Ok(()) => assert!(names(store).await.contains(&name.to_owned())),
                Err(error) => {
                    assert!(matches!(error, Error::Full(_)), "{error:?}");
                    assert!(!names(store).await.contains(&name.to_owned()));
                }
            }
        }
        assert!(!names(store).await.contains(&"full".to_owned()));
        account(store, "small things fit").await;
        limit("PRAGMA max_page_count = 1000000").await;
        write(store, |tx| store::texts::insert(tx, &vec!["x".repeat(100_000); 20])).await;
    });
}

async fn a_read_sees_one_moment(database: &Database) {
    let store = database.store();
    account(store, "before").await;
    let (has_read, mut read_once) = tokio::sync::mpsc::unbounded_channel();
    let (written, go_on) = mpsc::channel::<()>();
    let reader = store.clone();
    let reading = tokio::spawn(async move {
        read(&reader, move |tx| {
            let before = accounts::list(tx)?.len();
            has_read.send(()).unwrap();
            go_on.recv().unwrap();
            Ok((before, accounts::list(tx)?.len()))
        })
        .await
    });
    read_once.recv().await.unwrap();
    write(store, |tx| add(tx, "meanwhile")).await;
    written.send(()).unwrap();
    assert_eq!(reading.await.unwrap(), (1, 1));
    assert_eq!(names(store).await.len(), 2);
}

async fn a_read_changes_nothing(database: &Database) {
    let store = database.store();
    let refused = store.read(|tx| add(tx, "written by a read")).await;
    assert!(matches!(refused, Err(Error::Internal(_))), "{refused:?}");
    assert!(names(store).await.is_empty());
}

async fn closing_finishes_what_was_queued(database: &Database) {
    let store = database.open();
    let release = hold(&store).await;
    let mut writes = Vec::new();
    for number in 0..20 {
        let (store, (queued, is_queued)) = (store.clone(), oneshot::channel());
        writes.push(tokio::spawn(async move {
            let write = store.write(move |tx| add(tx, &number.to_string()));
            let mut write = std::pin::pin!(write);
            // Polled once, it is in the queue.
            let first = std::future::poll_fn(|context| std::task::Poll::Ready(write.as_mut().poll(context)));
            assert!(first.await.is_pending());
            queued.send(()).unwrap();
            write.await
        }));
        is_queued.await.unwrap();
    }
    release.send(()).unwrap();
    for write in writes {
        write.await.unwrap().unwrap();
    }
    tokio::task::spawn_blocking(|| store.close()).await.unwrap();
    assert_eq!(names(database.store()).await.len(), 20);
}
