//! SQLite: one writer thread with group commit, some reader threads, and one that checkpoints.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::mpsc;

use crate::error::{Error, Result};
use crate::job::{Job, Undo};
use crate::tx::{Engine, Tx};

/// How long a write waits for a second process (a command beside the server) to end its own.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// A group is bounded in number and in time, so that the first in it does not wait long for its commit.
const GROUP_TIME: Duration = Duration::from_millis(5);
const READERS: usize = 4;
/// What may wait for the writer or the readers; beyond it, callers wait to be queued.
const QUEUE: usize = 1024;
/// The log is copied into the database once it holds this many pages (4 MB).
const CHECKPOINT_PAGES: i64 = 1000;
const CHECKPOINT_PAUSE: Duration = Duration::from_millis(100);
/// Beyond this (128 MB) the writer pauses for a moment, so that the log begins anew. While it writes without a pause
/// the log is never copied to its end, and would grow until the disk is full.
const LONG_LOG_PAGES: i64 = 32768;
/// How long that moment may be when readers still need the log; then the next group goes first.
const RESTART_TIMEOUT: Duration = Duration::from_millis(100);

pub(crate) struct Sqlite {
    pub(crate) writes: mpsc::Sender<Box<dyn Job>>,
    pub(crate) reads: mpsc::Sender<Box<dyn Job>>,
    /// For look-ups on the caller's own thread.
    pub(crate) peek: Mutex<Connection>,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, group: usize) -> Result<Sqlite> {
        let mut writer = connect(path)?;
        crate::migrate::sqlite(&mut writer)?;
        let (writes, write_queue) = mpsc::channel(QUEUE);
        let (reads, read_queue) = mpsc::channel(QUEUE);
        let (wake, woken) = std::sync::mpsc::sync_channel(1);
        let long_log = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        let checkpointer = connect(path)?;
        let noted = long_log.clone();
        threads.push(spawn("recto-checkpoint", move || checkpoint_loop(&checkpointer, &woken, &noted))?);
        threads.push(spawn("recto-writer", move || write_loop(&writer, write_queue, group, &wake, &long_log))?);
        let read_queue = Arc::new(Mutex::new(read_queue));
        for _ in 0..READERS {
            let (path, queue) = (PathBuf::from(path), read_queue.clone());
            let reader = connect(&path)?;
            // What PostgreSQL's READ ONLY refuses is refused here too.
            reader.execute_batch("PRAGMA query_only = ON")?;
            threads.push(spawn("recto-reader", move || read_loop(&reader, &queue))?);
        }
        let peek = connect(path)?;
        // The caller's thread has better things to do than to wait for a lock.
        peek.busy_timeout(Duration::ZERO)?;
        peek.execute_batch("PRAGMA query_only = ON")?;
        Ok(Sqlite { writes, reads, peek: Mutex::new(peek), threads })
    }

    /// Runs a look-up here and now, if a connection is free and it succeeds.
    pub(crate) fn peek<T>(&self, mut work: impl FnMut(&mut Tx) -> Result<T>) -> Option<T> {
        let connection = self.peek.try_lock().ok()?;
        work(&mut Tx::new(Engine::Sqlite(&connection))).ok()
    }
}

pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(body);
    thread.map_err(|error| Error::Internal(format!("start a database thread: {error}")))
}

fn connect(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)
        .map_err(|error| Error::Away(format!("open {}: {error}", path.display())))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    configure(&connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// FULL: a commit is on disk before it is acknowledged. Checkpoints have a thread of their own.
const PRAGMAS: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA wal_autocheckpoint = 0;
PRAGMA cache_size = -16384;
PRAGMA temp_store = MEMORY;";

/// The busy timeout does not hold for the turn of a new database to WAL: when several processes start at once, all
/// but one are told "database is locked" without a wait.
fn configure(connection: &Connection) -> Result<()> {
    let started = Instant::now();
    loop {
        match connection.execute_batch(PRAGMAS).map_err(Error::from) {
            Err(Error::Away(_)) if started.elapsed() < BUSY_TIMEOUT => std::thread::sleep(BUSY_PAUSE),
            outcome => return outcome,
        }
    }
}

/// Takes the closures that wait, runs each in a savepoint of one transaction, commits once, answers them all.
fn write_loop(
    connection: &Connection,
    mut queue: mpsc::Receiver<Box<dyn Job>>,
    most: usize,
    wake: &std::sync::mpsc::SyncSender<()>,
    long_log: &AtomicBool,
) {
    while let Some(first) = queue.blocking_recv() {
        if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE") {
            first.finish(Err(error.into()));
            continue;
        }
        let started = Instant::now();
        let mut group = Vec::new();
        let mut next = Some(first);
        let mut outcome = Ok(());
        while let Some(mut job) = next {
            outcome = run_in_savepoint(connection, job.as_mut());
            group.push(job);
            let full = group.len() >= most || started.elapsed() >= GROUP_TIME;
            next = if outcome.is_err() || full { None } else { queue.try_recv().ok() };
        }
        let outcome = outcome.and_then(|()| commit(connection)).inspect_err(|_| roll_back(connection));
        metrics::histogram!("recto_store_group_size").record(group.len() as f64);
        for job in group {
            job.finish(outcome.clone());
        }
        // Full means it is awake already.
        let _ = wake.try_send(());
        if long_log.swap(false, Ordering::Relaxed)
            && let Err(error) = restart_log(connection)
        {
            tracing::warn!(%error, "the log was not begun anew");
        }
    }
}

/// An error here ends the whole group: the engine gave its transaction up (disk full, I/O error), or a savepoint
/// could not be undone.
fn run_in_savepoint(connection: &Connection, job: &mut dyn Job) -> Result<()> {
    cached(connection, "SAVEPOINT job")?;
    if let Err(undo) = job.run(Engine::Sqlite(connection)) {
        if let Undo::Failed(error, _) = &undo
            && connection.is_autocommit()
        {
            return Err(error.clone());
        }
        cached(connection, "ROLLBACK TO job")?;
    }
    cached(connection, "RELEASE job")
}

fn commit(connection: &Connection) -> Result<()> {
    if connection.is_autocommit() {
        return Err(Error::Away("the database gave the transaction up; is the disk full?".into()));
    }
    cached(connection, "COMMIT")
}

/// Leaves no transaction open, on which the next BEGIN would fail.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}

fn cached(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn read_loop(connection: &Connection, queue: &Mutex<mpsc::Receiver<Box<dyn Job>>>) {
    while let Some(mut job) = crate::take(queue) {
        let outcome = cached(connection, "BEGIN").map(|()| {
            let _ = job.run(Engine::Sqlite(connection));
            // A read has nothing to keep.
            let _ = connection.execute_batch("ROLLBACK");
        });
        job.finish(outcome);
    }
}

/// Copies the log into the database beside the writer, which would otherwise do it inside somebody's commit.
fn checkpoint_loop(connection: &Connection, woken: &std::sync::mpsc::Receiver<()>, long_log: &AtomicBool) {
    while woken.recv().is_ok() {
        std::thread::sleep(CHECKPOINT_PAUSE);
        match copy_log(connection) {
            Ok(pages) => long_log.store(pages > LONG_LOG_PAGES, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "checkpoint failed"),
        }
    }
}

/// Copies the log if much of it waits; tells how long the log is.
fn copy_log(connection: &Connection) -> Result<i64> {
    let (pages, copied) = checkpoint(connection, "NOOP")?;
    if pages - copied > CHECKPOINT_PAGES {
        checkpoint(connection, "PASSIVE")?;
    }
    Ok(pages)
}

/// Copies the rest of the log and lets the next write begin it anew.
fn restart_log(connection: &Connection) -> Result<()> {
    connection.busy_timeout(RESTART_TIMEOUT)?;
    let restarted = checkpoint(connection, "RESTART");
    connection.busy_timeout(BUSY_TIMEOUT)?;
    restarted.map(drop)
}

/// The pages of the log, and how many of them are in the database too.
fn checkpoint(connection: &Connection, mode: &str) -> Result<(i64, i64)> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    Ok(connection.query_row(&sql, [], |row| Ok((row.get(1)?, row.get(2)?)))?)
}
