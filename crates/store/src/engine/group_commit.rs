//! SQLite's one writer, with group commit.
//!
//! A caller that finds no write running becomes the writer, on its own thread: a lone write wakes no other thread, which
//! would cost as much as the write itself. A caller that finds a write running leaves its work in the queue and waits. The writer runs what it
//! finds there, each piece in a savepoint of one transaction, commits once, and answers them all.
//!
//! A thread of the lowest priority never becomes the writer: it may be stopped in the middle of a write, for as long as other
//! threads are busy, and all other writes would wait. It leaves its work to a thread that only writes.
//!
//! A step of a larger write is committed by itself and without a sync: the next commit with one syncs the whole log.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use prometheus::{Histogram, exponential_buckets, register_histogram};
use rusqlite::Connection;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

use super::announcements::Announcements;
use super::checkpoint::Restart;
use super::job::{Job, QUEUE, Undo, spawn};
use super::tx::{Engine, cached, roll_back};
use crate::error::{Error, Result};

/// A group is bounded in number and in time, so that the first in it does not wait long for its commit.
const GROUP_TIME: Duration = Duration::from_millis(5);

static GROUP_SIZE: LazyLock<Histogram> = LazyLock::new(|| {
    let most = exponential_buckets(1.0, 2.0, 10).expect("growing");
    register_histogram!("recto_store_group_size", "Writes that shared a commit.", most)
        .expect("registered once")
});

pub(crate) struct Writer {
    connection: Mutex<Connection>,
    queue: Mutex<VecDeque<Queued>>,
    /// What may wait in the queue; beyond it, callers wait to be queued.
    free_places: Semaphore,
    /// The most writes of a group.
    most: usize,
    /// How long a write waits for another process to end its own.
    lock: Duration,
    /// Wakes the thread that only writes.
    queued: SyncSender<()>,
    /// For the thread that copies the log.
    written: SyncSender<()>,
    restart: Restart,
    announcements: Arc<Announcements>,
    /// Whether the connection's commits are synced now. Changed only by the one who holds the connection.
    syncs: AtomicBool,
}

struct Queued {
    job: Job,
    is_step: bool,
    since: Instant,
}

impl Writer {
    /// The thread ends with the writer.
    pub(crate) fn start(
        connection: Connection,
        most: usize,
        lock: Duration,
        written: SyncSender<()>,
        restart: Restart,
        announcements: Arc<Announcements>,
    ) -> Result<(Arc<Writer>, JoinHandle<()>)> {
        let (connection, queue) = (Mutex::new(connection), Mutex::default());
        let (queued, woken) = sync_channel(1);
        let writer = Arc::new(Writer {
            connection,
            queue,
            free_places: Semaphore::new(QUEUE),
            most,
            lock,
            queued,
            written,
            restart,
            announcements,
            syncs: AtomicBool::new(true),
        });
        let writing = Arc::downgrade(&writer);
        let thread = spawn("recto-writer", move || {
            while let (Ok(()), Some(writer)) = (woken.recv(), writing.upgrade()) {
                writer.write_all();
            }
        })?;
        Ok((writer, thread))
    }

    /// Has the job run: by this caller, or by the one that is writing now. `is_step`: a later commit makes it durable.
    pub(crate) async fn send(&self, job: Job, is_step: bool) {
        if let Ok(permit) = self.free_places.acquire().await {
            // Given back when the job is taken from the queue.
            permit.forget();
        }
        self.queue().push_back(Queued { job, is_step, since: Instant::now() });
        match Handle::current().runtime_flavor() {
            RuntimeFlavor::MultiThread if !priority::is_low() => self.write_one_group(),
            _ => self.write_elsewhere(),
        }
    }

    /// Writes once. What was queued meanwhile is for another thread: this one's caller waits for an answer.
    fn write_one_group(&self) {
        let Some(connection) = self.connection() else { return };
        tokio::task::block_in_place(|| self.write_group(&connection));
        drop(connection);
        // Only now: work that was queued while we held the connection relies on us to see it.
        if !self.queue().is_empty() {
            self.write_elsewhere();
        }
    }

    fn write_elsewhere(&self) {
        // Full means it will look at the queue anyway.
        let _ = self.queued.try_send(());
    }

    fn write_all(&self) {
        loop {
            let Some(connection) = self.connection() else { return };
            self.write_group(&connection);
            drop(connection);
            if self.queue().is_empty() {
                return;
            }
        }
    }

    /// `None`: another caller is writing.
    fn connection(&self) -> Option<MutexGuard<'_, Connection>> {
        match self.connection.try_lock() {
            Ok(connection) => Some(connection),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Queued>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job whose caller still waits.
    fn take(&self) -> Option<Queued> {
        loop {
            let queued = self.queue().pop_front()?;
            self.free_places.add_permits(1);
            if queued.job.begin() {
                return Some(queued);
            }
        }
    }

    fn write_group(&self, connection: &Connection) {
        let Some(first) = self.take() else { return };
        roll_back(connection);
        self.restart.wait();
        // What it waited in the queue it need not wait again: waits for a locked database do not add up.
        let patience = self.lock.saturating_sub(first.since.elapsed());
        let begun = connection.busy_timeout(patience).map_err(Error::from);
        let begun = begun.and_then(|()| self.sync_commits(connection, !first.is_step));
        if let Err(error) = begun.and_then(|()| cached(connection, "BEGIN IMMEDIATE")) {
            return first.job.finish(Err(error));
        }
        let started = Instant::now();
        let mut group = Vec::new();
        let mut next = Some(first.job);
        let mut outcome = Ok(());
        while let Some(mut job) = next {
            outcome = run_in_savepoint(connection, &mut job);
            group.push(job);
            let full = first.is_step || group.len() >= self.most || started.elapsed() >= GROUP_TIME;
            next = if outcome.is_err() || full { None } else { self.take().map(|queued| queued.job) };
        }
        let outcome = outcome.and_then(|()| commit(connection)).inspect_err(|_| roll_back(connection));
        GROUP_SIZE.observe(group.len() as f64);
        for job in group {
            if outcome.is_ok() {
                self.announcements.note(job.announced());
            }
            job.finish(outcome.clone());
        }
        // Full means it is awake already.
        let _ = self.written.try_send(());
    }

    /// Whether commits from now on are synced. Not possible inside a transaction.
    fn sync_commits(&self, connection: &Connection, syncs: bool) -> Result<()> {
        if self.syncs.load(Ordering::Relaxed) != syncs {
            let level = if syncs { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" };
            connection.execute_batch(level)?;
            self.syncs.store(syncs, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// An error here ends the whole group: the engine gave its transaction up (disk full, I/O error), or a savepoint
/// could not be undone.
fn run_in_savepoint(connection: &Connection, job: &mut Job) -> Result<()> {
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
        return Err(Error::Full("the database gave up the transaction".into()));
    }
    cached(connection, "COMMIT")
}
