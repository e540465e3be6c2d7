//! PostgreSQL: a bounded pool of threads, each with a connection of its own.

mod handshake;
mod password;
mod tls;
mod url;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use postgres::error::{DbError, Severity};
use postgres::{Config, NoTls, SimpleQueryMessage};
use tokio::sync::mpsc;

use self::handshake::{Connector, is_refusal};
pub use self::password::with_password;
use self::tls::TlsParameters;
use self::url::Url;
use super::announcements::{Announcements, Listener, NotListening};
use super::job::{Job, QUEUE, Undo, spawn, take};
use super::migrate::{self, Schema, SchemaVersions};
use super::tx::{Engine, LeaseClock, PgConnection};
use crate::error::{Error, Result, Retry, SHARED_SESSIONS, describe};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A machine that acknowledges nothing for this long is gone.
const SILENCE: Duration = Duration::from_secs(20);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// Statements and locks give up before the caller does (see `Deadlines`). The last one is for us: a process that is
/// stopped in the middle of a transaction does not hold its locks for ever.
const TIMEOUTS: &str = "
SET statement_timeout = '25s';
SET lock_timeout = '20s';
SET idle_in_transaction_session_timeout = '30s'";
const NO_TLS: &str = "the server does not support TLS, which sslmode demands: switch it on (ssl = on in postgresql.conf), \
    or set sslmode=disable if the network is trusted";
/// How often a transaction that lost a race or its connection is run again.
const TRIES: u32 = 5;

/// A build sees one moment, as it does in SQLite's read transaction.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

pub(crate) struct Postgres {
    pub(crate) writers: usize,
    pub(crate) writes: mpsc::Sender<Job>,
    pub(crate) reads: mpsc::Sender<Job>,
    pub(crate) announcements: Arc<Announcements>,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// A write that a later one makes durable.
    Step {
        others_write: bool,
    },
}

impl Postgres {
    pub(crate) fn open(
        url: &str,
        schema: Schema,
        connections: usize,
        leases: LeaseClock,
    ) -> Result<Postgres> {
        let server = Server::new(url, leases)?;
        let mut first = server.connect()?;
        let mut listening = server.connect()?;
        refuse_shared_sessions(&mut first, &mut listening)?;
        migrate::postgres(&mut first, schema)?;
        let mut spare = Some(first);
        let (writes, write_queue) = mpsc::channel(QUEUE);
        let (reads, read_queue) = mpsc::channel(QUEUE);
        let (write_queue, read_queue) = (Arc::new(Mutex::new(write_queue)), Arc::new(Mutex::new(read_queue)));
        // Writers of one site wait for each other; look-ups do not wait behind them.
        let readers = connections.div_ceil(4);
        let writers = connections.saturating_sub(readers).max(1);
        let kinds = [(Access::Write, writers, write_queue), (Access::Read, readers, read_queue)];
        let (announcements, mut threads) = (Arc::<Announcements>::default(), Vec::new());
        for (access, count, queue) in kinds {
            for _ in 0..count {
                let (server, queue, announcements) = (server.clone(), queue.clone(), announcements.clone());
                let connection = spare.take();
                let work = move || work_loop(&server, connection, access, &queue, &announcements);
                threads.push(spawn("recto-postgres", work)?);
            }
        }
        let listener = Listener::new(&announcements);
        let connect = move || match server.try_connect() {
            Ok(connection) => Ok(connection.client),
            Err(error) => Err(NotListening { answered: error.code().is_some() }),
        };
        threads.push(spawn("recto-listen", move || listener.run(listening.client, &connect))?);
        Ok(Postgres { writers, writes, reads, announcements, threads })
    }
}

/// Behind a pooler that shares sessions, two connections are the same session of the server. There, prepared statements and
/// timeouts belong to other connections, and notifications get lost: visitors would get old releases.
fn refuse_shared_sessions(one: &mut PgConnection, other: &mut PgConnection) -> Result<()> {
    match session(one)? == session(other)? {
        true => Err(Error::Unavailable(SHARED_SESSIONS.to_owned())),
        false => Ok(()),
    }
}

const SESSION: &str = "SELECT pg_backend_pid()";

/// The process of the server for a connection. Without a prepared statement, which a pooler may not support.
fn session(connection: &mut PgConnection) -> Result<Option<String>> {
    let answers = connection.client.simple_query(SESSION).map_err(|error| Error::from_postgres(&error).0)?;
    let row = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    Ok(row)
}

pub(crate) fn upgrade(url: &str, leases: LeaseClock) -> Result<SchemaVersions> {
    migrate::postgres(&mut connect(url, leases)?, Schema::Upgrade)
}

pub(crate) fn schema(url: &str, leases: LeaseClock) -> Result<SchemaVersions> {
    migrate::postgres(&mut connect(url, leases)?, Schema::Keep)
}

pub(crate) fn connect(url: &str, leases: LeaseClock) -> Result<PgConnection> {
    Server::new(url, leases)?.connect()
}

/// What it takes to connect.
#[derive(Clone)]
pub(crate) struct Server {
    config: Config,
    /// `None`: connections are not encrypted.
    encryption: Option<Connector>,
    leases: LeaseClock,
}

impl Server {
    fn new(url: &str, leases: LeaseClock) -> Result<Server> {
        let mut url = Url::new(url);
        let tls = TlsParameters::take(&mut url);
        let parsed = url.text().parse::<Config>();
        let mut config =
            parsed.map_err(|error| Error::Internal(format!("the database URL: {}", describe(&error))))?;
        let encryption = tls.apply(&mut config)?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.tcp_user_timeout(SILENCE);
        config.keepalives_idle(SILENCE).keepalives_interval(KEEPALIVE_INTERVAL).keepalives_retries(3);
        config.application_name("recto");
        config.notice_callback(|notice| log_notice(&notice));
        Ok(Server { config, encryption, leases })
    }

    pub(crate) fn connect(&self) -> Result<PgConnection> {
        self.try_connect().map_err(|error| match Error::from_postgres(&error) {
            _ if is_refusal(&error) => Error::Unavailable(NO_TLS.to_owned()),
            (Error::Internal(text), _) => Error::Unavailable(text),
            (other, _) => other,
        })
    }

    fn try_connect(&self) -> Result<PgConnection, postgres::Error> {
        let mut client = match &self.encryption {
            Some(connector) => self.config.connect(connector.clone())?,
            None => self.config.connect(NoTls)?,
        };
        client.batch_execute(TIMEOUTS)?;
        Ok(PgConnection { client, statements: HashMap::new(), leases: self.leases })
    }
}

/// Such as a warning, at connecting, that the database was created with another version of its collation.
fn log_notice(notice: &DbError) {
    match notice.parsed_severity() {
        Some(Severity::Warning) => tracing::warn!("PostgreSQL: {}", notice.message()),
        _ => tracing::debug!("PostgreSQL: {}", notice.message()),
    }
}

fn work_loop(
    server: &Server,
    mut connection: Option<PgConnection>,
    access: Access,
    queue: &Mutex<mpsc::Receiver<Job>>,
    announcements: &Announcements,
) {
    while let Some(mut job) = take(queue) {
        if job.begin() {
            let outcome = run(server, &mut connection, access, &mut job);
            if outcome.is_ok() {
                announcements.note(job.announced());
            }
            job.finish(outcome);
        }
    }
}

/// Runs the job until it is committed or refused. What was not committed may be run again: closures are written
/// to be repeatable.
fn run(server: &Server, connection: &mut Option<PgConnection>, access: Access, job: &mut Job) -> Result<()> {
    let mut tries = 1;
    loop {
        let (error, retry) = match attempt(server, connection, access, job) {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        if retry == Retry::NewConnection {
            *connection = None;
        }
        if retry == Retry::No || tries == TRIES {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(5 << tries));
        tries += 1;
    }
}

fn attempt(
    server: &Server,
    slot: &mut Option<PgConnection>,
    access: Access,
    job: &mut Job,
) -> Result<(), (Error, Retry)> {
    if slot.as_ref().is_none_or(|connection| connection.client.is_closed()) {
        *slot = Some(server.connect().map_err(|error| (error, Retry::No))?);
    }
    let Some(connection) = slot else {
        return Err((Error::Unavailable("no connection".into()), Retry::NewConnection));
    };
    let begin = if access == Access::Read { BEGIN_READ } else { BEGIN_WRITE };
    connection.client.batch_execute(begin).map_err(|error| Error::from_postgres(&error))?;
    match job.run(Engine::Postgres(connection)) {
        Ok(()) => {}
        Err(undo) => {
            if connection.client.batch_execute("ROLLBACK").is_err() {
                // Its state is unknown.
                *slot = None;
            }
            return match undo {
                Undo::Failed(error, retry) => Err((error, retry)),
                Undo::Refused => Ok(()),
            };
        }
    }
    connection.client.batch_execute("COMMIT").map_err(|error| match Error::from_postgres(&error) {
        // It was sent; whether it was carried out is unknown.
        (Error::Unavailable(text), Retry::NewConnection) if access == Access::Write => {
            (Error::CommitUnknown(text), Retry::No)
        }
        other => other,
    })
}
