//! Brings a database to the schema this binary knows. All of it happens in one transaction under a lock, so that
//! several processes may start at once and a crash leaves the old schema or the new one.

use crate::error::{Error, Result};
use crate::tx::{Engine, PgConnection, Tx};

struct Migration {
    version: i64,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migration {
    ($version:literal, $file:literal) => {
        Migration {
            version: $version,
            sqlite: include_str!(concat!("../migrations/sqlite/", $file)),
            postgres: include_str!(concat!("../migrations/postgres/", $file)),
        }
    };
}

/// In order, never edited once released: a change of mind is a new migration.
const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_foundation.sql"),
    migration!(2, "0002_releases.sql"),
    migration!(3, "0003_media.sql"),
    migration!(4, "0004_bounds.sql"),
    migration!(5, "0005_clients.sql"),
];

const LEDGER: &str = "
CREATE TABLE IF NOT EXISTS migrations (version bigint NOT NULL PRIMARY KEY)";
const NEWEST: &str = "
SELECT max(version) FROM migrations";
const RECORD: &str = "
INSERT INTO migrations (version) VALUES ($1)";

/// Any number will do, as long as every Recto process takes the same. It is for one schema: others of the same database
/// are none of ours. Whoever waits here waits for a migration, however long that takes.
const POSTGRES_LOCK: &str = "
SET LOCAL lock_timeout = 0;
SET LOCAL statement_timeout = 0;
SELECT pg_advisory_xact_lock(7263041, hashtext(current_schema()));";

pub(crate) fn sqlite(connection: &mut rusqlite::Connection) -> Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    migrate(&mut Tx::new(Engine::Sqlite(connection)))?;
    Ok(connection.execute_batch("COMMIT")?)
}

pub(crate) fn postgres(connection: &mut PgConnection) -> Result<()> {
    let mut tx = Tx::new(Engine::Postgres(connection));
    tx.batch("BEGIN")?;
    tx.batch(POSTGRES_LOCK)?;
    migrate(&mut tx)?;
    tx.batch("COMMIT")
}

fn migrate(tx: &mut Tx) -> Result<()> {
    tx.batch(LEDGER)?;
    let newest: i64 = tx.query_one(NEWEST, &[], |row| row.get::<Option<i64>>(0))?.flatten().unwrap_or(0);
    let known = MIGRATIONS.last().map_or(0, |migration| migration.version);
    if newest > known {
        return Err(Error::Internal(format!(
            "the database has schema {newest}, this recto knows only up to {known}: start the newer recto"
        )));
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > newest) {
        tx.batch(if tx.is_sqlite() { migration.sqlite } else { migration.postgres })?;
        tx.execute(RECORD, &[&migration.version])?;
        tracing::info!(version = migration.version, "migrated the database");
    }
    Ok(())
}
