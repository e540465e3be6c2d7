//! Notices on SQLite what other processes have announced.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Announcements;

/// How long an answer of SQLite's holds. Another process (a command) takes longer to end after its commit.
const LOOK_EVERY: Duration = Duration::from_millis(1);

const CHANGES: &str = "
SELECT changes
FROM server";

/// Looks whether another process has changed something, while there are requests.
pub(crate) struct SqliteWatch {
    connection: Mutex<Watched>,
    opened: Instant,
    /// Microseconds after `opened`.
    next_look: AtomicU64,
}

struct Watched {
    connection: Connection,
    /// SQLite counts the commits of all other connections, in any process; this connection never writes.
    version: i64,
}

impl SqliteWatch {
    pub(crate) fn new(connection: Connection) -> SqliteWatch {
        let connection = Mutex::new(Watched { connection, version: 0 });
        SqliteWatch { connection, opened: Instant::now(), next_look: AtomicU64::new(0) }
    }

    pub(crate) fn look(&self, announcements: &Announcements) {
        let now = self.opened.elapsed();
        if now.as_micros() < u128::from(self.next_look.load(Ordering::Acquire)) {
            return;
        }
        let mut watched = match self.connection.try_lock() {
            Ok(watched) => watched,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Another request is looking for us all.
            Err(TryLockError::WouldBlock) => return,
        };
        // While the database cannot be read, everything stays as it is.
        if let Ok(Some(number)) = watched.new_number()
            && announcements.number.fetch_max(number, Ordering::SeqCst) < number
        {
            announcements.note_change(None);
        }
        let next = (now + LOOK_EVERY).as_micros() as u64;
        self.next_look.store(next, Ordering::Release);
    }
}

impl Watched {
    /// `None`: nothing was committed since the last look.
    fn new_number(&mut self) -> rusqlite::Result<Option<i64>> {
        let read = |sql| self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
        let version = read("PRAGMA data_version")?;
        if version == self.version {
            return Ok(None);
        }
        let number = read(CHANGES)?;
        self.version = version;
        Ok(Some(number))
    }
}
