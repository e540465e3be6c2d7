//! A number that changes when what visitors get may have changed, so that look-ups can be remembered until then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator;
use rusqlite::Connection;

use crate::error::Result;

/// SQLite counts the commits of all other connections, in any process; this connection never writes.
pub(crate) struct SqliteMark(Mutex<(Connection, u64)>);

impl SqliteMark {
    pub(crate) fn new(connection: Connection) -> SqliteMark {
        SqliteMark(Mutex::new((connection, 0)))
    }

    pub(crate) fn now(&self) -> u64 {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (connection, last) = &mut *inner;
        let read = connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)));
        if let Ok(version) = read {
            *last = version as u64;
        }
        *last
    }
}

pub(crate) const ANNOUNCE: &str = "
NOTIFY recto_sites";
const LISTEN: &str = "
LISTEN recto_sites";

/// How soon the listener notices that the store is closed.
const GLANCE: Duration = Duration::from_millis(500);
const RECONNECT: Duration = Duration::from_secs(1);

/// PostgreSQL notifies its listeners.
#[derive(Default)]
pub(crate) struct PostgresMark(Arc<AtomicU64>);

impl PostgresMark {
    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// This process changed something: it need not wait for the notification.
    pub(crate) fn touch(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn listener(&self) -> Listener {
        Listener(Arc::downgrade(&self.0))
    }
}

pub(crate) struct Listener(Weak<AtomicU64>);

impl Listener {
    /// Listens until the store is closed. A new connection counts as a change: notifications may have been missed.
    pub(crate) fn run(&self, first: postgres::Client, connect: &impl Fn() -> Result<postgres::Client>) {
        let mut next = Ok(first);
        while self.0.strong_count() > 0 {
            if let Ok(mut client) = next {
                let _ = self.listen(&mut client);
            }
            if self.0.strong_count() == 0 {
                return;
            }
            tracing::warn!("lost the database connection that reports new releases, reconnecting");
            std::thread::sleep(RECONNECT);
            next = connect();
        }
    }

    fn listen(&self, client: &mut postgres::Client) -> Result<(), postgres::Error> {
        client.batch_execute(LISTEN)?;
        self.count();
        while self.0.strong_count() > 0 {
            while client.notifications().timeout_iter(GLANCE).next()?.is_some() {
                self.count();
            }
            if client.is_closed() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn count(&self) {
        if let Some(mark) = self.0.upgrade() {
            mark.fetch_add(1, Ordering::AcqRel);
        }
    }
}
