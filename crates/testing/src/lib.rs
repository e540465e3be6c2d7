//! For tests only: an empty database of either kind, and macros that run a test on both, or on each configuration.
//!
//! ```text
//! testing::on_both_databases!(an_account_is_listed, an_account_is_suspended);
//!
//! async fn an_account_is_listed(database: &Database) { … }
//! ```

#![allow(clippy::unwrap_used)]

mod cluster;
pub mod damage;
mod engines;
mod pooler;
mod redis_server;
pub mod rows;

use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use postgres::NoTls;
use store::{LeaseClock, Location, Store};
use tempfile::TempDir;
use uuid::Uuid;

pub use crate::cluster::Cluster;
pub use crate::engines::Engines;
pub use crate::pooler::Pooler;
pub use crate::redis_server::RedisServer;

/// Generates two tests, `sqlite::name` and `postgres::name`, from each `async fn name(database: &Database)`.
#[macro_export]
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {$(
            #[test]
            fn $name() {
                let database = $crate::Database::sqlite();
                $crate::block_on(super::$name(&database));
            }
        )+}
        mod postgres {$(
            #[test]
            fn $name() {
                let Some(database) = $crate::Database::postgres() else { return };
                $crate::block_on(super::$name(&database));
            }
        )+}
    };
}

/// As `on_both_databases!`, and a third test: `nodes::name`, on all that several nodes share. `Database::engines` returns
/// what they share besides PostgreSQL.
#[macro_export]
macro_rules! on_each_configuration {
    ($($name:ident),+ $(,)?) => {
        $crate::on_both_databases!($($name),+);
        mod nodes {$(
            #[test]
            fn $name() {
                let Some(database) = $crate::Database::of_nodes() else { return };
                $crate::block_on(super::$name(&database));
            }
        )+}
    };
}

pub fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(test)
}

/// The `recto` program built with the tests; it also serves as the media worker.
pub fn recto() -> std::path::PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("recto");
    assert!(program.exists(), "{} is missing: cargo build -p recto", program.display());
    program
}

/// An empty database, removed at the end of the test.
pub struct Database {
    kind: DatabaseKind,
    store: OnceLock<Store>,
    engines: Option<Engines>,
}

enum DatabaseKind {
    Sqlite(TempDir),
    Postgres { server: String, schema: String },
}

/// More than one, so that tests can race.
const CONNECTIONS: usize = 6;

impl Database {
    pub fn sqlite() -> Database {
        Database::new(DatabaseKind::Sqlite(tempfile::tempdir().unwrap()))
    }

    /// A private schema in the PostgreSQL server that `./test` starts; `None`: there is no server, skip the test.
    pub fn postgres() -> Option<Database> {
        let server = server(POSTGRES)?;
        let schema = format!("test_{}", Uuid::now_v7().simple());
        administer(&server, &format!("CREATE SCHEMA {schema}")).unwrap();
        Some(Database::new(DatabaseKind::Postgres { server, schema }))
    }

    /// The same for a test that also uses S3 and Redis.
    pub fn of_nodes() -> Option<Database> {
        let mut database = Database::postgres()?;
        database.engines = Some(Engines::new()?);
        Some(database)
    }

    fn new(kind: DatabaseKind) -> Database {
        Database { kind, store: OnceLock::new(), engines: None }
    }

    /// `None`: objects and limits are in memory.
    pub fn engines(&self) -> Option<&Engines> {
        self.engines.as_ref()
    }

    pub fn location(&self) -> Location {
        match &self.kind {
            DatabaseKind::Sqlite(directory) => {
                Location::Sqlite { path: directory.path().join("recto.db"), group: 256 }
            }
            // Tests set the clock of leases, as on SQLite.
            DatabaseKind::Postgres { .. } => {
                Location::Postgres { url: self.url(), connections: CONNECTIONS, leases: LeaseClock::Caller }
            }
        }
    }

    /// For PostgreSQL. With a short deadlock timeout, so that tests do not wait a second for it.
    pub fn url(&self) -> String {
        match &self.kind {
            DatabaseKind::Sqlite(_) => panic!("this database has no URL"),
            DatabaseKind::Postgres { server, schema } => {
                format!("{server}?options=-csearch_path%3D{schema}%20-cdeadlock_timeout%3D20ms")
            }
        }
    }

    /// The same for PostgreSQL over TCP, with TLS and a password. Takes more parameters.
    pub fn tls_url(&self) -> Option<String> {
        let (url, server) = (self.url(), server(POSTGRES_TLS)?);
        let (_, parameters) = url.split_once('?')?;
        Some(format!("{server}?{parameters}"))
    }

    /// The store of this test; always the same one.
    pub fn store(&self) -> &Store {
        self.store.get_or_init(|| self.open())
    }

    /// Another store on the same database, as another process would have.
    pub fn open(&self) -> Store {
        outside(|| Store::open(&self.location()).unwrap())
    }

    /// Runs SQL directly, not through the store.
    pub fn execute(&self, sql: &str) {
        match &self.kind {
            DatabaseKind::Sqlite(_) => self.sqlite_connection().execute_batch(sql).unwrap(),
            DatabaseKind::Postgres { .. } => execute(&self.url(), sql),
        }
    }

    /// Every row of every table as text, to check that nothing was changed.
    pub fn dump(&self) -> Vec<String> {
        let mut rows = match &self.kind {
            DatabaseKind::Sqlite(_) => dump_sqlite(&self.sqlite_connection()),
            DatabaseKind::Postgres { schema, .. } => outside(|| dump_postgres(&self.url(), schema)),
        };
        rows.sort();
        rows
    }

    fn sqlite_connection(&self) -> rusqlite::Connection {
        match self.location() {
            Location::Sqlite { path, .. } => rusqlite::Connection::open(path).unwrap(),
            Location::Postgres { .. } => panic!("this database is not SQLite"),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let DatabaseKind::Postgres { server, schema } = &self.kind {
            let drop = format!("DROP SCHEMA {schema} CASCADE");
            administer(server, &drop).unwrap_or_else(|error| eprintln!("{drop}: {error}"));
        }
    }
}

/// The URL of the PostgreSQL server for tests.
pub const POSTGRES: &str = "RECTO_TEST_POSTGRES";
/// The URL of the same server with TLS and a password, and the certificate of the authority that signed its certificate.
pub const POSTGRES_TLS: &str = "RECTO_TEST_POSTGRES_TLS";
pub const POSTGRES_CA: &str = "RECTO_TEST_POSTGRES_CA";
/// The URL of the S3 server for tests, which accepts any keys.
pub const S3: &str = "RECTO_TEST_S3";
/// The URL of one that checks signatures.
pub const SEAWEED: &str = "RECTO_TEST_SEAWEED";
/// The URL of the one with TLS, and the certificate of the authority that signed its certificate.
pub const S3_TLS: &str = "RECTO_TEST_S3_TLS";
pub const S3_CA: &str = "RECTO_TEST_S3_CA";
/// The URL of the Redis server for tests.
pub const REDIS: &str = "RECTO_TEST_REDIS";
/// The same server with TLS, and the certificate of the authority that signed its certificate.
pub const REDIS_TLS: &str = "RECTO_TEST_REDIS_TLS";
pub const REDIS_CA: &str = "RECTO_TEST_REDIS_CA";

/// The URL of a server for tests. `None`: `variable` is not set, and the caller skips its test.
pub fn server(variable: &str) -> Option<String> {
    let url = std::env::var(variable).ok();
    if url.is_none() {
        skip(&format!("{variable} is not set (./test starts the server)"));
    }
    url
}

/// Says on stderr that the running test, or a part of it, is skipped. With `RECTO_TEST_ALL`, which `./test` sets, the
/// test fails instead.
pub fn skip(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    assert!(std::env::var_os("RECTO_TEST_ALL").is_none(), "{test} cannot run: {why}");
    // Not by `eprintln!`: the test harness hides what it prints when a test passes.
    std::io::stderr().write_all(format!("{test} skipped: {why}\n").as_bytes()).unwrap();
}

fn execute(url: &str, sql: &str) {
    outside(|| postgres::Client::connect(url, NoTls).unwrap().batch_execute(sql).unwrap());
}

/// Runs SQL on the one connection of this process that stays open: what it has in its caches makes dropping a schema several
/// times as fast.
fn administer(server: &str, sql: &str) -> Result<(), postgres::Error> {
    static CONNECTION: Mutex<Option<postgres::Client>> = Mutex::new(None);
    outside(|| {
        let mut connection = CONNECTION.lock().unwrap_or_else(PoisonError::into_inner);
        let mut client = match connection.take() {
            Some(client) => client,
            None => postgres::Client::connect(server, NoTls)?,
        };
        // After an error, the next one connects again.
        client.batch_execute(sql)?;
        *connection = Some(client);
        Ok(())
    })
}

/// PostgreSQL's synchronous client refuses to block inside an async runtime, which tests run in.
fn outside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

fn dump_sqlite(connection: &rusqlite::Connection) -> Vec<String> {
    let mut dump = Vec::new();
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in tables.map(Result::unwrap) {
        let mut rows = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        // This only counts changes of other rows.
        let counts =
            |column: &usize| (table.as_str(), rows.column_name(*column).unwrap()) == ("server", "changes");
        let columns: Vec<usize> = (0..rows.column_count()).filter(|column| !counts(column)).collect();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<_> = columns.iter().map(|column| row.get_ref(*column).unwrap()).collect();
            dump.push(format!("{table}: {values:?}"));
        }
    }
    dump
}

fn dump_postgres(url: &str, schema: &str) -> Vec<String> {
    let mut client = postgres::Client::connect(url, NoTls).unwrap();
    let tables = client.query("SELECT tablename FROM pg_tables WHERE schemaname = $1", &[&schema]).unwrap();
    let dump_table = |table: &postgres::Row| {
        let table: String = table.get(0);
        let rows = client.query(&format!("SELECT CAST({table} AS text) FROM {table}"), &[]).unwrap();
        rows.iter().map(|row| format!("{table}: {}", row.get::<_, String>(0))).collect::<Vec<_>>()
    };
    tables.iter().flat_map(dump_table).collect()
}
