//! SQLite: one writer (see `writer`), some reader threads, and one that checkpoints.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tokio::sync::mpsc;

use crate::error::{Error, Result};
use crate::job::Job;
use crate::mark::SqliteMark;
use crate::tx::{Engine, Tx};
use crate::writer::Writer;

/// How long a process waits for another (a command beside the server) that has the database locked.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(5);
const READERS: usize = 4;
/// What may wait for the writer or the readers; beyond it, callers wait to be queued.
pub(crate) const QUEUE: usize = 1024;
/// The log is copied into the database once it holds this many pages (4 MB).
const CHECKPOINT_PAGES: i64 = 1000;
/// A burst of writes comes to its end first: what it writes twice is copied once.
const CHECKPOINT_PAUSE: Duration = Duration::from_secs(1);
/// A file that a burst has left longer than this (`journal_size_limit`) is cut off: by SQLite, once the log is copied to
/// its end and the next write begins it anew, or by us, when nothing was written for a while.
const LOG_FILE_BYTES: u64 = 16 << 20;
const QUIET: Duration = Duration::from_secs(5);
const TRUNCATE_TIMEOUT: Duration = Duration::from_millis(100);
/// Beyond this (128 MB) the writer pauses for a moment, so that the log begins anew. While it writes without a pause
/// the log is never copied to its end, and would grow until the disk is full.
const LONG_LOG_PAGES: i64 = 32768;

pub(crate) struct Sqlite {
    pub(crate) writer: Arc<Writer>,
    pub(crate) reads: mpsc::Sender<Box<dyn Job>>,
    /// For look-ups on the caller's own thread.
    pub(crate) peek: Mutex<Connection>,
    pub(crate) mark: SqliteMark,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, group: usize, lock: Duration) -> Result<Sqlite> {
        let mut writer = connect(path)?;
        crate::migrate::sqlite(&mut writer)?;
        let (reads, read_queue) = mpsc::channel(QUEUE);
        let (written, woken) = std::sync::mpsc::sync_channel(1);
        let long_log = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        let checkpointer = connect(path)?;
        checkpointer.busy_timeout(TRUNCATE_TIMEOUT)?;
        let checkpointer =
            Checkpointer { connection: checkpointer, log: log_of(path), woken, long_log: long_log.clone() };
        threads.push(spawn("recto-checkpoint", move || checkpointer.run())?);
        let writer = Arc::new(Writer::new(writer, group, lock, written, long_log));
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
        let mark = SqliteMark::new(connect(path)?);
        Ok(Sqlite { writer, reads, peek: Mutex::new(peek), mark, threads })
    }

    /// Runs a look-up here and now. `None`: the connection is not free, or it failed.
    pub(crate) fn peek<T, E>(&self, mut work: impl FnMut(&mut Tx) -> Result<T, E>) -> Option<Result<T, E>> {
        let connection = match self.peek.try_lock() {
            Ok(connection) => connection,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        roll_back(&connection);
        cached(&connection, "BEGIN").ok()?;
        let mut tx = Tx::new(Engine::Sqlite(&connection));
        let answer = work(&mut tx);
        let failed = tx.failure.is_some();
        let ended = cached(&connection, "ROLLBACK");
        (!failed && ended.is_ok()).then_some(answer)
    }
}

pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(body);
    thread.map_err(|error| Error::Internal(format!("start a database thread: {error}")))
}

/// Only its owner may read it: it holds everybody's pages. SQLite gives its log the same mode.
fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    file.map(drop).map_err(|error| Error::Away(format!("open {}: {error}", path.display())))
}

fn connect(path: &Path) -> Result<Connection> {
    make_private(path)?;
    let connection =
        Connection::open(path).map_err(|error| Error::Away(format!("open {}: {error}", path.display())))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // One plan a statement. Otherwise each new value of a parameter has the statement planned anew, which costs more
    // than to run it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
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
PRAGMA journal_size_limit = 16777216;
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

/// Leaves no transaction open, on which the next BEGIN would fail.
pub(crate) fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}

pub(crate) fn cached(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn read_loop(connection: &Connection, queue: &Mutex<mpsc::Receiver<Box<dyn Job>>>) {
    while let Some(mut job) = crate::take(queue) {
        if !job.begin() {
            continue;
        }
        let outcome = cached(connection, "BEGIN").map(|()| {
            let _ = job.run(Engine::Sqlite(connection));
            // A read has nothing to keep.
            let _ = connection.execute_batch("ROLLBACK");
        });
        job.finish(outcome);
    }
}

/// Copies the log into the database beside the writer, which would otherwise do it inside somebody's commit.
struct Checkpointer {
    connection: Connection,
    log: PathBuf,
    /// Something was written.
    woken: std::sync::mpsc::Receiver<()>,
    long_log: Arc<AtomicBool>,
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

impl Checkpointer {
    /// Until the store is closed.
    fn run(&self) {
        loop {
            // While the file is long, it is looked at again when nothing was written for a while.
            let quiet = if self.is_file_long() { QUIET } else { Duration::MAX };
            match self.woken.recv_timeout(quiet) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(error) = checkpoint(&self.connection, "TRUNCATE") {
                        tracing::debug!(%error, "the write-ahead log was not truncated");
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if !self.pause() {
                return;
            }
            let least = if self.is_file_long() { 0 } else { CHECKPOINT_PAGES };
            match copy_log(&self.connection, least) {
                Ok(pages) => self.long_log.store(pages > LONG_LOG_PAGES, Ordering::Relaxed),
                Err(error) => tracing::warn!(%error, "checkpoint failed"),
            }
        }
    }

    fn is_file_long(&self) -> bool {
        std::fs::metadata(&self.log).is_ok_and(|file| file.len() > LOG_FILE_BYTES)
    }

    /// Waits a while, whatever is written meanwhile; `false` once the store is closed.
    fn pause(&self) -> bool {
        let until = Instant::now() + CHECKPOINT_PAUSE;
        loop {
            match self.woken.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }
}

/// Copies the log if more than `least` pages of it wait; returns how long the log is.
fn copy_log(connection: &Connection, least: i64) -> Result<i64> {
    let (pages, copied) = checkpoint(connection, "NOOP")?;
    if pages - copied > least {
        checkpoint(connection, "PASSIVE")?;
    }
    Ok(pages)
}

/// The pages of the log, and how many of them are in the database too.
pub(crate) fn checkpoint(connection: &Connection, mode: &str) -> Result<(i64, i64)> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    Ok(connection.query_row(&sql, [], |row| Ok((row.get(1)?, row.get(2)?)))?)
}
