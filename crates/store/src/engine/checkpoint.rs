//! SQLite's write-ahead log, which a thread copies into the database while the writer goes on: otherwise that would happen inside
//! a caller's commit.
//!
//! While the log is long, large writes wait. Next to them it would never be copied to its end, and would grow until the
//! disk is full; and small writes would wait behind them for the disk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::error::Result;

/// It is looked at this often at most: to wake this thread for each small write would cost the writer more than the look.
const LOOK_PAUSE: Duration = Duration::from_millis(10);
/// The log is copied once it holds this many pages (4 MB).
const COPY_PAGES: i64 = 1000;
/// A burst of writes comes to its end first: what it writes twice is copied once.
const COPY_PAUSE: Duration = Duration::from_secs(1);
/// Beyond this it is copied at once and restarted: 64 MB, two of the largest publishes, or 4 MB while small writes of
/// others would wait for the disk meanwhile.
const LONG_PAGES: i64 = 16384;
const LONG_PAGES_SHARED: i64 = 1024;
/// It is copied at most this often before all writes wait for the rest.
const COPIES: usize = 4;
/// A file that a burst has left longer than this is cut off: by SQLite, once the log is copied to its end and the next
/// write restarts it, or by us, when nothing was written for a while.
pub(crate) const FILE_BYTES: u64 = 32 << 20;
const QUIET: Duration = Duration::from_secs(5);
/// How long the log waits for readers of its old end, and the writer with it.
const READERS_TIMEOUT: Duration = Duration::from_millis(100);
/// A large write waits no longer: a reader may keep the log long, which no waiting changes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Says whether large writes should wait.
pub(crate) struct Length {
    is_long: watch::Receiver<bool>,
    others_write: Arc<AtomicBool>,
}

impl Length {
    /// Waits while the log is being copied because it is long. `others_write`: a long log would delay others.
    pub(crate) async fn short(&self, others_write: bool) {
        self.others_write.store(others_write, Ordering::Relaxed);
        let mut is_long = self.is_long.clone();
        let _ = timeout(PATIENCE, is_long.wait_for(|is_long| !is_long)).await;
    }
}

/// Gives a restart of the log its turn: writes that follow each other without a gap would never let it in.
#[derive(Clone, Default)]
pub(crate) struct Restart(Arc<Mutex<()>>);

impl Restart {
    /// Before a write begins.
    pub(crate) fn wait(&self) {
        self.alone(|| ());
    }

    fn alone<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

pub(crate) struct Log {
    connection: Connection,
    file: PathBuf,
    /// Something was written.
    written: Receiver<()>,
    is_long: watch::Sender<bool>,
    others_write: Arc<AtomicBool>,
    restart: Restart,
    /// When what was written is copied, if it is enough.
    due: Option<Instant>,
    /// A reader kept the log from being restarted: the next attempt is not made before this time.
    blocked_until: Option<Instant>,
}

impl Log {
    /// Of the database at `path`.
    pub(crate) fn new(
        connection: Connection,
        path: &Path,
        written: Receiver<()>,
        restart: Restart,
    ) -> Result<(Log, Length)> {
        connection.busy_timeout(READERS_TIMEOUT)?;
        let mut file = path.as_os_str().to_owned();
        file.push("-wal");
        let (sender, is_long) = watch::channel(false);
        let length = Length { is_long, others_write: Arc::default() };
        let log = Log {
            connection,
            file: file.into(),
            written,
            is_long: sender,
            others_write: length.others_write.clone(),
            restart,
            due: None,
            blocked_until: None,
        };
        Ok((log, length))
    }

    /// Copies what is written, until the store is closed.
    pub(crate) fn copy(mut self) {
        loop {
            let wait = match self.due {
                Some(due) => due.saturating_duration_since(Instant::now()),
                // While the file is long, it is looked at again when nothing was written for a while.
                None if self.is_file_long() => QUIET,
                None => Duration::MAX,
            };
            let copied = match self.written.recv_timeout(wait) {
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) if self.due.is_none() => self.checkpoint("TRUNCATE").map(drop),
                Ok(()) | Err(RecvTimeoutError::Timeout) => self.copy_if_needed(),
            };
            if let Err(error) = copied {
                tracing::warn!(%error, "the write-ahead log was not copied; the next attempt follows");
                self.due = later();
            }
            std::thread::sleep(LOOK_PAUSE);
        }
    }

    fn copy_if_needed(&mut self) -> Result<()> {
        let Checkpoint { pages, copied, .. } = self.checkpoint("NOOP")?;
        let long = match self.others_write.load(Ordering::Relaxed) {
            true => LONG_PAGES_SHARED,
            false => LONG_PAGES,
        };
        if pages > long && is_over(self.blocked_until) {
            self.is_long.send_replace(true);
            let restarted = self.restart();
            self.is_long.send_replace(false);
            (self.due, self.blocked_until) = (None, if restarted? { None } else { later() });
            return Ok(());
        }
        let enough = if self.is_file_long() { 0 } else { COPY_PAGES };
        if pages - copied <= enough {
            self.due = None;
        } else if self.due.is_none() {
            self.due = later();
        } else if is_over(self.due) {
            self.due = None;
            self.checkpoint("PASSIVE")?;
        }
        Ok(())
    }

    /// Copies the log, the last of it while all writes wait, so that the next write restarts it. `false`: a reader kept it
    /// from that.
    ///
    /// SQLite syncs the database only after copying the log to its very end. The first time new pages have nearly always
    /// followed meanwhile; without another copy, all writes would wait for that sync.
    fn restart(&self) -> Result<bool> {
        for _ in 0..COPIES {
            self.checkpoint("PASSIVE")?;
            let Checkpoint { pages, copied, .. } = self.checkpoint("NOOP")?;
            if copied == pages {
                break;
            }
        }
        Ok(self.restart.alone(|| self.checkpoint("RESTART"))?.is_whole)
    }

    fn is_file_long(&self) -> bool {
        std::fs::metadata(&self.file).is_ok_and(|file| file.len() > FILE_BYTES)
    }

    fn checkpoint(&self, mode: &str) -> Result<Checkpoint> {
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        let read = |row: &Row| {
            Ok(Checkpoint { is_whole: row.get::<_, i64>(0)? == 0, pages: row.get(1)?, copied: row.get(2)? })
        };
        Ok(self.connection.query_row(&sql, [], read)?)
    }
}

/// What became of a checkpoint.
struct Checkpoint {
    /// No reader or writer kept it from copying everything.
    is_whole: bool,
    /// Of the log.
    pages: i64,
    /// How many of them are in the database too.
    copied: i64,
}

fn later() -> Option<Instant> {
    Some(Instant::now() + COPY_PAUSE)
}

fn is_over(time: Option<Instant>) -> bool {
    time.is_none_or(|time| time <= Instant::now())
}
