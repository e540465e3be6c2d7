//! SQLite's write-ahead log stays short during large writes, and becomes short again after a burst.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use store::{Location, Store, texts};
use testing::Database;

use crate::{account, write};

const SHORT: u64 = 32 << 20;
/// It takes about seven seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A database, and the path of its log.
fn database() -> (Database, PathBuf) {
    let database = Database::sqlite();
    let Location::Sqlite { path, .. } = database.location() else { unreachable!() };
    (database, path.with_extension("db-wal"))
}

/// Writes more than 100 MB faster than the log is copied.
async fn burst(store: &Store, log: &PathBuf) {
    write(store, |tx| texts::insert(tx, &vec!["x".repeat(100_000); 1100])).await;
    assert!(length(log) > 100 << 20, "{}", length(log));
}

fn length(log: &PathBuf) -> u64 {
    std::fs::metadata(log).unwrap().len()
}

/// Waits until the log is short, and meanwhile writes now and then.
async fn wait(log: &PathBuf, mut meanwhile: impl AsyncFnMut()) {
    let started = Instant::now();
    while length(log) > SHORT {
        assert!(started.elapsed() < PATIENCE, "it still has {} bytes", length(log));
        tokio::time::sleep(Duration::from_millis(500)).await;
        meanwhile().await;
    }
}

#[test]
fn the_log_stays_short_while_much_is_written_in_pieces() {
    let (database, log) = database();
    testing::block_on(async {
        let store = database.store();
        let piece = vec!["x".repeat(100_000); 20];
        for _ in 0..100 {
            let piece = piece.clone();
            store.write_step(false, move |tx| texts::insert(tx, &piece)).await.unwrap();
        }
        // Of 200 MB.
        assert!(length(&log) < 100 << 20, "{}", length(&log));
    });
}

#[test]
fn the_log_is_short_again_some_seconds_after_a_burst() {
    let (database, log) = database();
    testing::block_on(async {
        let store = database.store();
        burst(store, &log).await;
        wait(&log, async || {}).await;
        account(store, "after").await;
        assert!(length(&log) <= SHORT);
    });
}

#[test]
fn the_log_is_short_again_although_a_little_is_written_all_the_time() {
    let (database, log) = database();
    testing::block_on(async {
        let store = database.store();
        burst(store, &log).await;
        let little = async || {
            account(store, "meanwhile").await;
        };
        wait(&log, little).await;
    });
}
