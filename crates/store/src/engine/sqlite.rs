//! SQLite: one writer (see `group_commit`), some reader threads, and one that copies the log (see `checkpoint`).

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tokio::sync::mpsc;

use super::announcements::{Announcements, SqliteWatch};
use super::checkpoint::{Length, Log, Restart};
use super::group_commit::Writer;
use super::job::{Job, QUEUE, spawn, take};
use super::migrate::{self, Schema, SchemaVersions};
use super::tx::{Engine, Tx, cached, roll_back};
use crate::error::{Error, Result};

/// How long a process waits for another (a command next to the server) that has the database locked.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(5);
const READERS: usize = 4;

pub(crate) struct Sqlite {
    pub(crate) writer: Arc<Writer>,
    pub(crate) reads: mpsc::Sender<Job>,
    pub(crate) log_length: Length,
    /// For look-ups on the caller's own thread.
    pub(crate) peek: Mutex<Connection>,
    pub(crate) announcements: Arc<Announcements>,
    pub(crate) watch: SqliteWatch,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

impl Sqlite {
    pub(crate) fn open(path: &Path, schema: Schema, group: usize, lock: Duration) -> Result<Sqlite> {
        if schema == Schema::Keep {
            must_exist(path)?;
        }
        let mut writer = connect(path)?;
        migrate::sqlite(&mut writer, schema)?;
        let (reads, read_queue) = mpsc::channel(QUEUE);
        let (written, woken) = std::sync::mpsc::sync_channel(1);
        let mut threads = Vec::new();
        let restart = Restart::default();
        let (log, log_length) = Log::new(connect(path)?, path, woken, restart.clone())?;
        threads.push(spawn("recto-log", move || log.copy())?);
        let announcements = Arc::<Announcements>::default();
        let (writer, thread) = Writer::start(writer, group, lock, written, restart, announcements.clone())?;
        threads.push(thread);
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
        let watch = SqliteWatch::new(connect(path)?);
        Ok(Sqlite { writer, reads, log_length, peek: Mutex::new(peek), announcements, watch, threads })
    }

    /// Runs a look-up here and now. `false`: the connection is not free, or it failed.
    pub(crate) fn peek(&self, work: &mut dyn FnMut(&mut Tx)) -> bool {
        let connection = match self.peek.try_lock() {
            Ok(connection) => connection,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        roll_back(&connection);
        if cached(&connection, "BEGIN").is_err() {
            return false;
        }
        let mut tx = Tx::new(Engine::Sqlite(&connection));
        work(&mut tx);
        let failed = tx.failure.is_some();
        let ended = cached(&connection, "ROLLBACK");
        !failed && ended.is_ok()
    }
}

pub(crate) fn upgrade(path: &Path) -> Result<SchemaVersions> {
    migrate::sqlite(&mut connect(path)?, Schema::Upgrade)
}

pub(crate) fn schema(path: &Path) -> Result<SchemaVersions> {
    must_exist(path)?;
    migrate::sqlite(&mut connect(path)?, Schema::Keep)
}

/// To connect would create it. Without its directory, to connect fails with a better message.
fn must_exist(path: &Path) -> Result<()> {
    if !path.exists() && path.parent().is_some_and(Path::is_dir) {
        let path = path.display();
        return Err(Error::Schema(format!("there is no database at {path}: `recto serve` creates it")));
    }
    Ok(())
}

/// Only its owner may read it: it holds the pages of all accounts. SQLite gives its log the same mode.
fn make_private(path: &Path) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    file.map(drop).map_err(|error| Error::Unavailable(format!("open {}: {error}", path.display())))
}

pub(crate) fn connect(path: &Path) -> Result<Connection> {
    make_private(path)?;
    let connection = Connection::open(path)
        .map_err(|error| Error::Unavailable(format!("open {}: {error}", path.display())))?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // One plan a statement. Otherwise each new value of a parameter has the statement planned again, which costs more
    // than to run it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    configure(&connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

/// FULL: a commit is on disk before it is acknowledged. The log is copied by a thread of its own, and cut off at `checkpoint::FILE_BYTES`.
const PRAGMAS: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA wal_autocheckpoint = 0;
PRAGMA journal_size_limit = 33554432;
PRAGMA cache_size = -8192;
PRAGMA temp_store = MEMORY;";

/// The busy timeout does not hold for the turn of a new database to WAL: when several processes start at once, all
/// but one fail with "database is locked" without a wait.
fn configure(connection: &Connection) -> Result<()> {
    let started = Instant::now();
    loop {
        match connection.execute_batch(PRAGMAS).map_err(Error::from) {
            Err(Error::Unavailable(_)) if started.elapsed() < BUSY_TIMEOUT => std::thread::sleep(BUSY_PAUSE),
            outcome => return outcome,
        }
    }
}

fn read_loop(connection: &Connection, queue: &Mutex<mpsc::Receiver<Job>>) {
    while let Some(mut job) = take(queue) {
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
