//! Rows: one `Store`, SQLite or PostgreSQL inside.
//!
//! Work travels to the data: `store.write(|tx| …)` sends a closure to a thread that owns a connection, and
//! `store.read(|tx| …)` likewise. Inside, everything is synchronous and plain; each SQL text stands once, as a
//! constant beside the one function that uses it.

mod error;
mod job;
mod keeping;
mod log;
mod mark;
mod migrate;
#[cfg(test)]
mod plans;
mod postgres;
mod sqlite;
mod tx;
mod writer;

pub mod accounts;
pub mod bin;
pub mod building;
pub mod builds;
pub mod files;
pub mod former;
pub mod hosts;
pub mod media;
pub mod mentions;
pub mod objects;
pub mod packs;
pub mod pages;
pub mod releases;
pub mod server;
pub mod sites;
pub mod texts;
pub mod tokens;
pub mod transcodes;
pub mod turns;
pub mod usage;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

pub use crate::error::{Error, Result};
use crate::job::{Closure, Job, NoAnswer};
use crate::postgres::{Access, Postgres};
use crate::sqlite::Sqlite;
pub use crate::tx::{Bulk, Column, Param, Row, Tx};

/// Where the rows are.
#[derive(Debug, Clone)]
pub enum Location {
    /// `group` is the most writes that share a commit.
    Sqlite {
        path: PathBuf,
        group: usize,
    },
    Postgres {
        url: String,
        connections: usize,
        leases: LeaseClock,
    },
}

/// Whose clock says how long a lease lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseClock {
    /// The database's: the one clock that all its servers share.
    Database,
    /// The caller's, as with SQLite, where all processes are on one machine.
    Caller,
}

/// How long callers wait. A database can be silent for ever without being gone.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// For a transaction, all waiting included.
    pub transaction: Duration,
    /// For a look-up of a row or two, which a visitor waits for.
    pub peek: Duration,
    /// For SQLite's lock: a second process (a command beside the server) may be writing.
    pub lock: Duration,
}

impl Default for Deadlines {
    fn default() -> Deadlines {
        let seconds = Duration::from_secs;
        Deadlines { transaction: seconds(30), peek: seconds(5), lock: sqlite::BUSY_TIMEOUT }
    }
}

#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
    deadlines: Deadlines,
}

#[expect(clippy::large_enum_variant, reason = "there is one a process, behind an Arc")]
enum Inner {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Store {
    /// Opens the database and migrates it. Blocks: it is called once, at the start.
    pub fn open(location: &Location) -> Result<Store> {
        Store::open_with(location, Deadlines::default())
    }

    /// The same with other deadlines: tests do not wait that long.
    pub fn open_with(location: &Location, deadlines: Deadlines) -> Result<Store> {
        let inner = match location {
            Location::Sqlite { path, group } => Inner::Sqlite(Sqlite::open(path, *group, deadlines.lock)?),
            Location::Postgres { url, connections, leases } => {
                Inner::Postgres(Postgres::open(url, *connections, *leases)?)
            }
        };
        Ok(Store { inner: Arc::new(inner), deadlines })
    }

    /// Runs a transaction that may change rows. An `Err` undoes it; an `Ok` comes back once it is on disk.
    /// The closure may be run more than once.
    pub async fn write<T, E>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.send(Access::Write, self.deadlines.transaction, work).await
    }

    /// The same for a transaction that writes megabytes: it lets SQLite's log be copied first if that is long.
    pub async fn write_much<T, E>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if let Inner::Sqlite(sqlite) = &*self.inner {
            sqlite.log_length.short().await;
        }
        self.write(work).await
    }

    /// Runs a transaction that sees one moment and changes nothing.
    pub async fn read<T, E>(&self, work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.send(Access::Read, self.deadlines.transaction, work).await
    }

    /// A read of a row or two. SQLite answers it in a few microseconds, less than it takes to wake another thread,
    /// so it is asked right here; PostgreSQL is asked as by `read`.
    pub async fn peek<T, E>(
        &self,
        mut work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if let Inner::Sqlite(sqlite) = &*self.inner
            && let Some(answer) = sqlite.peek(&mut work)
        {
            return answer;
        }
        self.send(Access::Read, self.deadlines.peek, work).await
    }

    async fn send<T, E>(
        &self,
        access: Access,
        time: Duration,
        work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (job, answer) = Closure::new(work);
        let started = Instant::now();
        let silent = || format!("no answer within {} seconds", time.as_secs_f64());
        match timeout(time, self.queue(access, Box::new(job))).await {
            Ok(true) => {}
            Ok(false) => return Err(E::from(closed())),
            Err(_) => return Err(E::from(Error::Away(silent()))),
        }
        let error = match answer.within(time.saturating_sub(started.elapsed())).await {
            Ok(answer) => return answer,
            Err(NoAnswer::Closed) => closed(),
            // It may still be carried out.
            Err(NoAnswer::Unknown) if access == Access::Write => Error::Unknown(silent()),
            Err(NoAnswer::NotStarted | NoAnswer::Unknown) => Error::Away(silent()),
        };
        Err(E::from(error))
    }

    /// `false`: the store is closed.
    async fn queue(&self, access: Access, job: Box<dyn Job>) -> bool {
        match &*self.inner {
            Inner::Sqlite(sqlite) if access == Access::Write => {
                sqlite.writer.send(job).await;
                true
            }
            Inner::Sqlite(sqlite) => sqlite.reads.send(job).await.is_ok(),
            Inner::Postgres(postgres) if access == Access::Write => postgres.writes.send(job).await.is_ok(),
            Inner::Postgres(postgres) => postgres.reads.send(job).await.is_ok(),
        }
    }

    /// A number that changes when what visitors get may have changed, also by the hand of another process. While the
    /// database is away it stays as it is.
    pub fn mark(&self) -> u64 {
        match &*self.inner {
            Inner::Sqlite(sqlite) => sqlite.mark.now(),
            Inner::Postgres(postgres) => postgres.mark.now(),
        }
    }

    /// This process changed what visitors get, and the commit is through: the mark changes now, not when the
    /// database tells of it.
    pub fn touch(&self) {
        if let Inner::Postgres(postgres) = &*self.inner {
            postgres.mark.touch();
        }
    }

    /// Finishes what was queued and closes every connection. Only the last handle can close the store.
    pub fn close(self) {
        let Some(inner) = Arc::into_inner(self.inner) else { return };
        // The threads end once nobody can send them anything: the senders go first.
        let threads = match inner {
            Inner::Sqlite(Sqlite { writer, reads, peek, mark, threads, .. }) => {
                drop((writer, reads, peek, mark));
                threads
            }
            Inner::Postgres(Postgres { writes, reads, mark, threads }) => {
                drop((writes, reads, mark));
                threads
            }
        };
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// No lease and no pause before a deletion is longer. A time further ahead was stored by a clock that went wrong, and
/// counts as over.
const LONGEST_LEASE: Duration = Duration::from_secs(2 * 24 * 3600);

fn closed() -> Error {
    Error::Away("the store is closed".into())
}

const PING: &str = "
SELECT version
FROM sites
LIMIT 1";

/// Asks something small, to see whether the database answers.
pub fn ping(tx: &mut Tx) -> Result<()> {
    tx.query_one(PING, &[], |_| Ok(()))?;
    Ok(())
}

/// The next job of a queue that several threads share; `None` once the store is closed.
fn take<T>(queue: &Mutex<mpsc::Receiver<T>>) -> Option<T> {
    let mut queue: MutexGuard<_> = queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.blocking_recv()
}
