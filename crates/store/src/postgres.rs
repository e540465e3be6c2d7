//! PostgreSQL: a bounded pool of threads, each with a connection of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use postgres::{Config, NoTls};
use tokio::sync::mpsc;

use crate::error::{Error, Result, Retry};
use crate::job::{Job, Undo};
use crate::sqlite::spawn;
use crate::tx::{Engine, PgConnection};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a transaction that lost a race or its connection is run again.
const TRIES: u32 = 5;
const QUEUE: usize = 1024;

/// A build sees one moment, as it does in SQLite's read transaction.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

pub(crate) struct Postgres {
    pub(crate) jobs: mpsc::Sender<(Access, Box<dyn Job>)>,
    pub(crate) threads: Vec<JoinHandle<()>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Postgres {
    pub(crate) fn open(url: &str, connections: usize) -> Result<Postgres> {
        let mut config: Config =
            url.parse().map_err(|error| Error::Internal(format!("the database URL: {error}")))?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.application_name("recto");
        let mut first = connect(&config)?;
        crate::migrate::postgres(&mut first)?;
        let mut spare = Some(first);
        let (jobs, queue) = mpsc::channel(QUEUE);
        let queue = Arc::new(Mutex::new(queue));
        let threads = (0..connections)
            .map(|_| {
                let (config, queue, connection) = (config.clone(), queue.clone(), spare.take());
                spawn("recto-postgres", move || work_loop(&config, connection, &queue))
            })
            .collect::<Result<_>>()?;
        Ok(Postgres { jobs, threads })
    }
}

fn connect(config: &Config) -> Result<PgConnection> {
    let client = config.connect(NoTls).map_err(|error| match Error::from_postgres(&error) {
        (Error::Internal(text) | Error::Away(text), _) => Error::Away(text),
        (other, _) => other,
    })?;
    Ok(PgConnection { client, statements: HashMap::new() })
}

fn work_loop(
    config: &Config,
    mut connection: Option<PgConnection>,
    queue: &Mutex<mpsc::Receiver<(Access, Box<dyn Job>)>>,
) {
    while let Some((access, mut job)) = crate::take(queue) {
        let outcome = run(config, &mut connection, access, job.as_mut());
        job.finish(outcome);
    }
}

/// Runs the job until it is committed or refused. What was not committed may be run again: closures are written
/// to be repeatable.
fn run(
    config: &Config,
    connection: &mut Option<PgConnection>,
    access: Access,
    job: &mut dyn Job,
) -> Result<()> {
    let mut tries = 1;
    loop {
        let (error, retry) = match attempt(config, connection, access, job) {
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
    config: &Config,
    slot: &mut Option<PgConnection>,
    access: Access,
    job: &mut dyn Job,
) -> Result<(), (Error, Retry)> {
    if slot.as_ref().is_none_or(|connection| connection.client.is_closed()) {
        *slot = Some(connect(config).map_err(|error| (error, Retry::No))?);
    }
    let Some(connection) = slot else {
        return Err((Error::Away("no connection".into()), Retry::NewConnection));
    };
    let begin = if access == Access::Read { BEGIN_READ } else { BEGIN_WRITE };
    connection.client.batch_execute(begin).map_err(|error| Error::from_postgres(&error))?;
    match job.run(Engine::Postgres(connection)) {
        Ok(()) => {}
        Err(undo) => {
            if connection.client.batch_execute("ROLLBACK").is_err() {
                // Nobody knows what state it is in.
                *slot = None;
            }
            return match undo {
                Undo::Failed(error, retry) => Err((error, retry)),
                Undo::Refused => Ok(()),
            };
        }
    }
    connection.client.batch_execute("COMMIT").map_err(|error| match Error::from_postgres(&error) {
        // It was sent; whether it was carried out nobody told us.
        (Error::Away(text), Retry::NewConnection) if access == Access::Write => {
            (Error::Unknown(text), Retry::No)
        }
        other => other,
    })
}
