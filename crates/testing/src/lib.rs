//! For tests only: an empty database of either kind, and a macro that runs a test on both.
//!
//! ```text
//! testing::on_both_databases!(an_account_is_listed, an_account_is_suspended);
//!
//! async fn an_account_is_listed(database: &Database) { … }
//! ```

#![allow(clippy::unwrap_used)]

mod cluster;

use std::sync::OnceLock;

use postgres::NoTls;
use store::{LeaseClock, Location, Store};
use tempfile::TempDir;
use uuid::Uuid;

pub use crate::cluster::Cluster;

/// Makes two tests, `sqlite::name` and `postgres::name`, of each `async fn name(database: &Database)`.
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
                let database = $crate::Database::postgres();
                $crate::block_on(super::$name(&database));
            }
        )+}
    };
}

pub fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.unwrap().block_on(test)
}

/// The `recto` program that was built with the tests; it is also what opens uploaded files.
pub fn recto() -> std::path::PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("recto");
    assert!(program.exists(), "{} is missing: cargo build -p recto", program.display());
    program
}

/// An empty database, removed when the test is over.
pub struct Database {
    kind: Kind,
    store: OnceLock<Store>,
}

enum Kind {
    Sqlite(TempDir),
    Postgres { schema: String },
}

/// More than one, so that tests race.
const CONNECTIONS: usize = 6;

impl Database {
    pub fn sqlite() -> Database {
        Database { kind: Kind::Sqlite(tempfile::tempdir().unwrap()), store: OnceLock::new() }
    }

    /// A schema of its own in the PostgreSQL that `./test` starts.
    pub fn postgres() -> Database {
        let schema = format!("test_{}", Uuid::now_v7().simple());
        execute(&server(), &format!("CREATE SCHEMA {schema}"));
        Database { kind: Kind::Postgres { schema }, store: OnceLock::new() }
    }

    pub fn location(&self) -> Location {
        match &self.kind {
            Kind::Sqlite(directory) => {
                Location::Sqlite { path: directory.path().join("recto.db"), group: 256 }
            }
            // Tests set the clock of leases, as on SQLite.
            Kind::Postgres { .. } => {
                Location::Postgres { url: self.url(), connections: CONNECTIONS, leases: LeaseClock::Caller }
            }
        }
    }

    /// For PostgreSQL. Deadlocks are found soon, so that no test waits a second for it.
    pub fn url(&self) -> String {
        match &self.kind {
            Kind::Sqlite(_) => panic!("this database has no URL"),
            Kind::Postgres { schema } => {
                format!("{}?options=-csearch_path%3D{schema}%20-cdeadlock_timeout%3D20ms", server())
            }
        }
    }

    /// The store of this test; the same one each time.
    pub fn store(&self) -> &Store {
        self.store.get_or_init(|| self.open())
    }

    /// Another store on the same database, as another process would have it.
    pub fn open(&self) -> Store {
        outside(|| Store::open(&self.location()).unwrap())
    }

    /// Runs SQL that is none of the store's.
    pub fn execute(&self, sql: &str) {
        match &self.kind {
            Kind::Sqlite(_) => self.sqlite_connection().execute_batch(sql).unwrap(),
            Kind::Postgres { .. } => execute(&self.url(), sql),
        }
    }

    /// Every row of every table, as text: equal before and after means that nothing was changed.
    pub fn dump(&self) -> Vec<String> {
        let mut rows = match &self.kind {
            Kind::Sqlite(_) => dump_sqlite(&self.sqlite_connection()),
            Kind::Postgres { schema } => outside(|| dump_postgres(&self.url(), schema)),
        };
        rows.sort();
        rows
    }

    fn sqlite_connection(&self) -> rusqlite::Connection {
        match self.location() {
            Location::Sqlite { path, .. } => rusqlite::Connection::open(path).unwrap(),
            Location::Postgres { .. } => panic!("this database is no SQLite"),
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Kind::Postgres { schema } = &self.kind {
            let drop = format!("DROP SCHEMA {schema} CASCADE");
            outside(|| {
                postgres::Client::connect(&server(), NoTls).and_then(|mut client| client.batch_execute(&drop))
            })
            .unwrap_or_else(|error| eprintln!("{drop}: {error}"));
        }
    }
}

fn server() -> String {
    std::env::var("RECTO_TEST_POSTGRES")
        .expect("this test needs PostgreSQL: run ./test, which starts one (./test -p recto-store some_test runs one test)")
}

fn execute(url: &str, sql: &str) {
    outside(|| postgres::Client::connect(url, NoTls).unwrap().batch_execute(sql).unwrap());
}

/// The synchronous client of PostgreSQL refuses to wait inside an async runtime, where tests are.
fn outside<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

fn dump_sqlite(connection: &rusqlite::Connection) -> Vec<String> {
    let mut dump = Vec::new();
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    for table in tables.map(Result::unwrap) {
        let mut rows = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = rows.column_count();
        let mut rows = rows.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<_> = (0..columns).map(|column| row.get_ref(column).unwrap()).collect();
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
