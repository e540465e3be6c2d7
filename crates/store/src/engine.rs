//! How a closure reaches a connection of either database, and how its answer comes back.
//!
//! Each of these files uses only those before it: `row` (what was found), `announcements` (what changed), `tx` (a transaction and its
//! statements), `job` (a closure on its way to a thread), `migrate` with `copying` (the mark of an unfinished copy); then SQLite's `group_commit`, `checkpoint` and
//! `sqlite`, PostgreSQL's `postgres`, and the `Store` here, which is one of the two.

mod announcements;
pub(crate) mod bulk;
mod checkpoint;
pub(crate) mod copying;
mod group_commit;
mod job;
mod migrate;
#[cfg(test)]
mod plans;
mod postgres;
pub(crate) mod row;
mod sqlite;
mod tx;

use std::fmt;
use std::future::ready;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Context, Poll};
use std::time::Duration;

use model::SiteId;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, timeout};

use self::announcements::Announcements;
pub use self::announcements::Mark;
pub use self::bulk::Bulk;
use self::job::{Answer, End, Job, NoAnswer};
pub use self::migrate::{NEWEST as NEWEST_SCHEMA, Schema, SchemaVersions};
pub use self::postgres::with_password;
use self::postgres::{Access, Postgres};
pub use self::row::Row;
use self::sqlite::Sqlite;
pub use self::tx::{Column, LeaseClock, Param, Tx};
pub(crate) use self::tx::{Engine, PgConnection};
use crate::{Error, Result};

type CarriedOut<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// Connections outside of a `Store`.
pub(crate) mod connect {
    pub(crate) use super::postgres::connect as postgres;
    pub(crate) use super::sqlite::connect as sqlite;
}

/// Where the rows are.
#[derive(Clone)]
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

/// Without the URL, which may contain a password.
impl fmt::Debug for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Sqlite { path, .. } => formatter.debug_tuple("Sqlite").field(path).finish(),
            Location::Postgres { .. } => formatter.write_str("Postgres"),
        }
    }
}

/// How long callers wait. A database can be silent for ever without being gone.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// For a transaction, all waiting included.
    pub transaction: Duration,
    /// For a look-up of a row or two, which a visitor waits for.
    pub peek: Duration,
    /// For SQLite's lock: a second process (a command next to the server) may be writing.
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
    /// Opens the database and upgrades its schema. Blocks: it is called once, at the start.
    pub fn open(location: &Location) -> Result<Store> {
        Store::open_with(location, Schema::Upgrade, Deadlines::default())
    }

    /// The same with a schema that may not be changed, or with other deadlines (tests do not wait that long).
    pub fn open_with(location: &Location, schema: Schema, deadlines: Deadlines) -> Result<Store> {
        let inner = match location {
            Location::Sqlite { path, group } => {
                Inner::Sqlite(Sqlite::open(path, schema, *group, deadlines.lock)?)
            }
            Location::Postgres { url, connections, leases } => {
                Inner::Postgres(Postgres::open(url, schema, *connections, *leases)?)
            }
        };
        Ok(Store { inner: Arc::new(inner), deadlines })
    }

    /// Upgrades the schema, and returns what it was before.
    pub fn upgrade(location: &Location) -> Result<SchemaVersions> {
        match location {
            Location::Sqlite { path, .. } => sqlite::upgrade(path),
            Location::Postgres { url, leases, .. } => postgres::upgrade(url, *leases),
        }
    }

    /// The schema of a database, which is not changed. An empty, old or unfinished one is an error.
    pub fn schema(location: &Location) -> Result<SchemaVersions> {
        match location {
            Location::Sqlite { path, .. } => sqlite::schema(path),
            Location::Postgres { url, leases, .. } => postgres::schema(url, *leases),
        }
    }

    /// Runs a transaction that may change rows. An `Err` undoes it; an `Ok` comes back once it is on disk.
    /// The closure may be run more than once.
    pub fn write<T, E>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Transaction<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.send(Access::Write, self.deadlines.transaction, work)
    }

    /// The same for one of many steps, of megabytes each, that prepare a later write: it is on disk as soon as that one
    /// is, and a crash before may undo it. It lets SQLite's log be copied first if that is long, and keeps it shorter
    /// while others write.
    pub fn write_step<T, E>(
        &self,
        others_write: bool,
        mut work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Transaction<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let step = move |tx: &mut Tx| {
            tx.commit_without_sync()?;
            work(tx)
        };
        self.send(Access::Step { others_write }, self.deadlines.transaction, step)
    }

    /// Runs a transaction that sees one moment and changes nothing.
    pub fn read<T, E>(
        &self,
        work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Transaction<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.send(Access::Read, self.deadlines.transaction, work)
    }

    /// A read of a row or two. SQLite answers it in a few microseconds, less than it takes to wake another thread,
    /// so it is asked right here, not when the answer is awaited; PostgreSQL is asked as by `read`.
    pub fn peek<T, E>(
        &self,
        mut work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Transaction<'_, T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        if let Inner::Sqlite(sqlite) = &*self.inner {
            let mut answer = None;
            if sqlite.peek(&mut |tx| answer = Some(work(tx))) {
                return Transaction::answered(answer);
            }
        }
        self.send(Access::Read, self.deadlines.peek, work)
    }

    fn send<T, E>(
        &self,
        access: Access,
        time: Duration,
        work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Transaction<'_, T, E>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let (job, end, answer) = Job::new(work);
        Transaction { carried_out: self.carry_out(access, time, job, end), answer }
    }

    /// Has the job run, and waits until it has an answer. Boxed, so that it is compiled once: an async function is compiled
    /// by every crate that awaits it.
    fn carry_out(&self, access: Access, time: Duration, job: Job, end: End) -> CarriedOut<'_> {
        let silent = move || format!("no answer within {} seconds", time.as_secs_f64());
        Box::pin(async move {
            if let (Access::Step { others_write }, Inner::Sqlite(sqlite)) = (access, &*self.inner) {
                sqlite.log_length.short(others_write).await;
            }
            let started = Instant::now();
            match timeout(time, self.queue(access, job)).await {
                Ok(true) => {}
                Ok(false) => return Err(closed()),
                Err(_) => return Err(Error::Unavailable(silent())),
            }
            match end.within(time.saturating_sub(started.elapsed())).await {
                Ok(outcome) => outcome,
                Err(NoAnswer::Closed) => Err(closed()),
                // It may still be carried out.
                Err(NoAnswer::Unknown) if access != Access::Read => Err(Error::CommitUnknown(silent())),
                Err(NoAnswer::NotStarted | NoAnswer::Unknown) => Err(Error::Unavailable(silent())),
            }
        })
    }

    /// How many writes can run at the same time.
    pub fn writes_at_once(&self) -> usize {
        match &*self.inner {
            Inner::Sqlite(_) => 1,
            Inner::Postgres(postgres) => postgres.writers,
        }
    }

    /// `false`: the store is closed.
    async fn queue(&self, access: Access, job: Job) -> bool {
        match &*self.inner {
            Inner::Sqlite(sqlite) if access == Access::Read => sqlite.reads.send(job).await.is_ok(),
            Inner::Sqlite(sqlite) => {
                sqlite.writer.send(job, matches!(access, Access::Step { .. })).await;
                true
            }
            Inner::Postgres(postgres) if access == Access::Read => postgres.reads.send(job).await.is_ok(),
            Inner::Postgres(postgres) => postgres.writes.send(job).await.is_ok(),
        }
    }

    /// Changes when what visitors of a site get may have changed, also by another process. While the database is
    /// unavailable it stays as it is.
    pub fn mark(&self, site: SiteId) -> Mark {
        self.announcements().mark(site)
    }

    /// Changes with every mark, before it does. A look-up that began before this changed may be older than a mark that was
    /// read after it.
    pub fn changes(&self) -> u64 {
        self.announcements().changes()
    }

    /// Ready once a build or a transcode was queued since this call, in this process or, on PostgreSQL, in any.
    pub fn work_queued(&self) -> Notified<'_> {
        self.announcements().work()
    }

    fn announcements(&self) -> &Announcements {
        match &*self.inner {
            Inner::Sqlite(sqlite) => {
                sqlite.watch.look(&sqlite.announcements);
                &sqlite.announcements
            }
            Inner::Postgres(postgres) => &postgres.announcements,
        }
    }

    /// Finishes what was queued and closes every connection. Only the last handle can close the store.
    pub fn close(self) {
        let Some(inner) = Arc::into_inner(self.inner) else { return };
        // The threads end once nothing can be sent to them: the senders go first.
        let threads = match inner {
            Inner::Sqlite(Sqlite { writer, reads, peek, watch, threads, .. }) => {
                drop((writer, reads, peek, watch));
                threads
            }
            Inner::Postgres(Postgres { writes, reads, announcements, threads, .. }) => {
                drop((writes, reads, announcements));
                threads
            }
        };
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// A transaction to wait for. If it is dropped meanwhile, it may be carried out all the same.
///
/// A type with a name: an async function would be compiled for each of hundreds of closures.
#[must_use = "it may begin only when it is awaited"]
pub struct Transaction<'s, T, E> {
    carried_out: CarriedOut<'s>,
    answer: Answer<T, E>,
}

impl<T, E> Transaction<'_, T, E> {
    fn answered(answer: Option<Result<T, E>>) -> Self {
        Transaction { carried_out: Box::pin(ready(Ok(()))), answer: Arc::new(Mutex::new(answer)) }
    }
}

impl<T, E: From<Error>> Future for Transaction<'_, T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, E>> {
        task::ready!(self.carried_out.as_mut().poll(context))?;
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        Poll::Ready(
            answer.unwrap_or_else(|| Err(E::from(Error::Internal("the transaction never ran".into())))),
        )
    }
}

fn closed() -> Error {
    Error::Unavailable("the store is closed".into())
}
