//! Brings a database to the schema this binary knows. All of it happens in one transaction under a lock, so that
//! several processes may start at once and a crash leaves the old schema or the new one.

use std::borrow::Cow;

use model::TextHash;

use super::copying::{UNFINISHED, unfinished};
use super::row::{from_row, read, select};
use super::tx::{Engine, PgConnection, Tx};
use crate::error::{Error, Result};

struct Migration {
    version: i64,
    /// The oldest schema that a program must know to use a database with this migration. It is lower than `version`
    /// where a change does not concern older programs: servers can then be upgraded one by one.
    compatible: Compatible,
    sqlite: &'static str,
    postgres: &'static str,
}

struct Compatible {
    sqlite: i64,
    postgres: i64,
}

macro_rules! migration {
    ($version:literal, $file:literal, compatible: $compatible:literal) => {
        migration!($version, $file, compatible: $compatible, on_postgres: $compatible)
    };
    ($version:literal, $file:literal, compatible: $sqlite:literal, on_postgres: $postgres:literal) => {
        Migration {
            version: $version,
            compatible: Compatible { sqlite: $sqlite, postgres: $postgres },
            sqlite: include_str!(concat!("../../migrations/sqlite/", $file)),
            postgres: include_str!(concat!("../../migrations/postgres/", $file)),
        }
    };
}

/// In order, never edited once released (their checksums are stored): a correction is a new migration.
const MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_foundation.sql", compatible: 1),
    migration!(2, "0002_releases.sql", compatible: 2),
    migration!(3, "0003_media.sql", compatible: 3),
    migration!(4, "0004_bounds.sql", compatible: 4),
    migration!(5, "0005_clients.sql", compatible: 5),
    migration!(6, "0006_ledger.sql", compatible: 6),
    // PostgreSQL notifies; on SQLite, an older program would not count its changes.
    migration!(7, "0007_nodes.sql", compatible: 7, on_postgres: 6),
    // An older program makes no smaller copies, and leaves those of an image that it deletes.
    migration!(8, "0008_pictures.sql", compatible: 8, on_postgres: 6),
    // New tables, which older programs do not read.
    migration!(9, "0009_people.sql", compatible: 8, on_postgres: 6),
    migration!(10, "0010_autosaves.sql", compatible: 8, on_postgres: 6),
    // A new table, and columns with defaults.
    migration!(11, "0011_audit.sql", compatible: 8, on_postgres: 6),
    // An older program announces no feeds.
    migration!(12, "0012_pings.sql", compatible: 8, on_postgres: 6),
    migration!(13, "0013_passkeys.sql", compatible: 8, on_postgres: 6),
];
/// The schema of this binary.
pub const NEWEST: i64 = MIGRATIONS[MIGRATIONS.len() - 1].version;
/// Since this one the ledger holds more than versions.
pub(super) const DETAILED_LEDGER: i64 = 6;

/// What opening a database may do to its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// Create it, and upgrade an older one.
    Upgrade,
    /// Create it, and refuse an older one.
    Create,
    /// Change nothing.
    Keep,
}

/// The schema of a database, and that of this binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaVersions {
    /// 0: the database is empty.
    pub database: i64,
    pub newest: i64,
}

impl Migration {
    fn sql(&self, tx: &Tx) -> &'static str {
        if tx.is_sqlite() { self.sqlite } else { self.postgres }
    }

    fn compatible(&self, tx: &Tx) -> i64 {
        if tx.is_sqlite() { self.compatible.sqlite } else { self.compatible.postgres }
    }

    fn checksum(&self, tx: &Tx) -> String {
        TextHash::of(self.sql(tx)).0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Any number will do, as long as every Recto process takes the same. It locks one schema: a database may have several.
/// A process that waits here waits for a migration, however long that takes.
const POSTGRES_LOCK: &str = "
SET LOCAL lock_timeout = 0;
SET LOCAL statement_timeout = 0;
SELECT pg_advisory_xact_lock(7263041, hashtext(current_schema()));";

pub(crate) fn sqlite(connection: &mut rusqlite::Connection, schema: Schema) -> Result<SchemaVersions> {
    let begin = if schema == Schema::Keep { "BEGIN" } else { "BEGIN IMMEDIATE" };
    connection.execute_batch(begin)?;
    let versions = prepare(&mut Tx::new(Engine::Sqlite(connection)), schema)?;
    connection.execute_batch("COMMIT")?;
    Ok(versions)
}

pub(crate) fn postgres(connection: &mut PgConnection, schema: Schema) -> Result<SchemaVersions> {
    let mut tx = Tx::new(Engine::Postgres(connection));
    match schema {
        Schema::Keep => tx.batch("BEGIN READ ONLY")?,
        Schema::Upgrade | Schema::Create => {
            tx.batch("BEGIN")?;
            tx.batch(POSTGRES_LOCK)?;
        }
    }
    let versions = prepare(&mut tx, schema)?;
    tx.batch("COMMIT")?;
    Ok(versions)
}

/// Returns what was found, before anything was done about it.
fn prepare(tx: &mut Tx, schema: Schema) -> Result<SchemaVersions> {
    let applied = applied(tx)?;
    check(tx, &applied)?;
    let database = applied.last().map_or(0, |last| last.version);
    let found = SchemaVersions { database, newest: NEWEST };
    match (schema, database) {
        (_, NEWEST..) => {}
        (Schema::Keep, 0) => {
            return Err(Error::Schema("the database is empty: `recto serve` sets it up".into()));
        }
        (Schema::Keep | Schema::Create, 1..NEWEST) => {
            return Err(Error::Schema(format!(
                "the database has schema {database}, this recto needs {NEWEST}: run `recto store upgrade`"
            )));
        }
        _ => upgrade(tx, database, NEWEST)?,
    }
    Ok(found)
}

pub(super) struct Applied {
    pub(super) version: i64,
    pub(super) checksum: Option<String>,
    compatible: Option<i64>,
}

from_row!(applied = Applied { version, checksum, compatible });

const SQLITE_TABLE: &str = "
SELECT count(*)
FROM sqlite_master
WHERE type = 'table' AND name = 'migrations'";
const POSTGRES_TABLE: &str = "
SELECT count(*)
FROM information_schema.tables
WHERE table_schema = current_schema() AND table_name = 'migrations'";
const VERSIONS: &str = "
SELECT version
FROM migrations
ORDER BY version";
const DETAILS: &str = select!(
    applied,
    "
FROM migrations
ORDER BY version"
);

/// In order; empty in an empty database.
pub(super) fn applied(tx: &mut Tx) -> Result<Vec<Applied>> {
    let table = if tx.is_sqlite() { SQLITE_TABLE } else { POSTGRES_TABLE };
    if tx.query_one(table, &[], read::<i64>)?.unwrap_or(0) == 0 {
        return Ok(Vec::new());
    }
    let version = |version| Applied { version, checksum: None, compatible: None };
    let versions: Vec<Applied> = tx.query(VERSIONS, &[], read)?.into_iter().map(version).collect();
    if versions.iter().all(|applied| applied.version < DETAILED_LEDGER) {
        return Ok(versions);
    }
    tx.query(DETAILS, &[], read)
}

/// Whether this binary may use a database at all.
fn check(tx: &Tx, applied: &[Applied]) -> Result<()> {
    for Applied { version, checksum, compatible } in applied {
        if *version == UNFINISHED {
            return Err(unfinished(checksum.as_deref().unwrap_or_default()));
        }
        let needed = compatible.unwrap_or(*version);
        if needed > NEWEST {
            return Err(Error::Schema(format!(
                "the database has schema {version}, this recto knows only up to {NEWEST}: start the newer recto"
            )));
        }
        let known = MIGRATIONS.iter().find(|migration| migration.version == *version);
        if let (Some(known), Some(checksum)) = (known, checksum)
            && known.checksum(tx) != *checksum
        {
            return Err(Error::Schema(format!(
                "migration {version} of the database is not the one of this recto: was it built from other sources?"
            )));
        }
    }
    Ok(())
}

const LEDGER: &str = "
CREATE TABLE IF NOT EXISTS migrations (version bigint NOT NULL PRIMARY KEY)";
const RECORD: &str = "
INSERT INTO migrations (version) VALUES ($1)";
/// Of those, too, that were applied before the ledger had these columns.
const SQLITE_DETAILS: &str = "
UPDATE migrations
SET checksum = $1, compatible = $2, applied_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000000
WHERE version = $3 AND checksum IS NULL";
const POSTGRES_DETAILS: &str = "
UPDATE migrations
SET checksum = $1, compatible = $2, applied_at = CAST(extract(epoch FROM now()) * 1000000 AS bigint)
WHERE version = $3 AND checksum IS NULL";

const POSTGRES_LZ4: &str = "
SELECT count(*)
FROM pg_settings
WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

/// Servers that were built without lz4 compress texts as they can.
fn supported(tx: &mut Tx, sql: &'static str) -> Result<Cow<'static, str>> {
    match tx.is_sqlite() || tx.query_one(POSTGRES_LZ4, &[], read::<i64>)? == Some(1) {
        true => Ok(sql.into()),
        false => Ok(sql.replace("COMPRESSION lz4", "").into()),
    }
}

pub(super) fn upgrade(tx: &mut Tx, from: i64, to: i64) -> Result<()> {
    tx.batch(LEDGER)?;
    for migration in MIGRATIONS.iter().filter(|migration| (from + 1..=to).contains(&migration.version)) {
        let sql = supported(tx, migration.sql(tx))?;
        tx.batch(&sql)?;
        tx.execute(RECORD, &[&migration.version])?;
        if from > 0 {
            tracing::info!(version = migration.version, "database schema upgraded");
        }
    }
    if from == 0 {
        tracing::info!(version = to, "database schema created");
    }
    let details = if tx.is_sqlite() { SQLITE_DETAILS } else { POSTGRES_DETAILS };
    for migration in MIGRATIONS.iter().filter(|migration| migration.version <= to) {
        let (checksum, compatible) = (migration.checksum(tx), migration.compatible(tx));
        tx.execute(details, &[&checksum, &compatible, &migration.version])?;
    }
    Ok(())
}
