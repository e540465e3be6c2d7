//! A transaction on either database: a few typed methods over one SQL text.
//!
//! To SQLite `$1` is a *name*, numbered by first appearance; to PostgreSQL it is a position. Texts name their
//! parameters in order of first appearance, so that both mean the same (checked in debug builds), and cast with
//! `CAST`, never with `::`. A text for SQLite alone may say `?1`, which is a position there too.

use std::collections::HashMap;

use model::{SiteId, Timestamp};

use super::announcements::Announcement;
use super::bulk::Bulk;
use super::row::{Row, read};
use crate::error::{Error, Result, Retry};

pub struct Tx<'c> {
    engine: Engine<'c>,
    /// A failed statement aborts the transaction on PostgreSQL but not on SQLite: the first error ends it on both.
    pub(crate) failure: Option<(Error, Retry)>,
    /// To be counted once the transaction is committed.
    pub(crate) announced: Vec<Announcement>,
}

pub(crate) enum Engine<'c> {
    Sqlite(&'c rusqlite::Connection),
    Postgres(&'c mut PgConnection),
}

pub(crate) struct PgConnection {
    pub(crate) client: postgres::Client,
    pub(crate) statements: HashMap<&'static str, postgres::Statement>,
    pub(crate) leases: LeaseClock,
}

/// Whose clock says how long a lease lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseClock {
    /// The database's: the one clock that all its servers share.
    Database,
    /// The caller's, as with SQLite, where all processes are on one machine.
    Caller,
}

/// A value that both drivers can bind.
pub trait Param: rusqlite::ToSql + postgres::types::ToSql + Sync {}
impl<T: rusqlite::ToSql + postgres::types::ToSql + Sync> Param for T {}

/// Many values of one parameter: a loop of executions to SQLite, one array to PostgreSQL.
pub trait Column {
    fn rows(&self) -> usize;
    fn at(&self, row: usize) -> &dyn rusqlite::ToSql;
    fn array(&self) -> &(dyn postgres::types::ToSql + Sync);
}

impl<T: rusqlite::ToSql + postgres::types::ToSql + Sync> Column for Vec<T> {
    fn rows(&self) -> usize {
        self.len()
    }
    fn at(&self, row: usize) -> &dyn rusqlite::ToSql {
        &self[row]
    }
    fn array(&self) -> &(dyn postgres::types::ToSql + Sync) {
        self
    }
}

const COUNT_CHANGE: &str = "
UPDATE server
SET changes = changes + 1
RETURNING changes";
const NOTIFY: &str = "
SELECT pg_notify('recto_sites', $1)";
const NOTIFY_WORK: &str = "
SELECT pg_notify('recto_work', '')";
const COMMIT_WITHOUT_SYNC: &str = "
SET LOCAL synchronous_commit = off";
const DATABASE_NOW: &str = "
SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)";

impl<'c> Tx<'c> {
    pub(crate) fn new(engine: Engine<'c>) -> Tx<'c> {
        Tx { engine, failure: None, announced: Vec::new() }
    }

    pub fn is_sqlite(&self) -> bool {
        matches!(self.engine, Engine::Sqlite(_))
    }

    /// The time by which leases are judged: servers may disagree about the time, their one database does not. On
    /// SQLite all processes share the machine's clock, which is the caller's `now`.
    pub fn lease_now(&mut self, now: Timestamp) -> Result<Timestamp> {
        match &self.engine {
            Engine::Postgres(connection) if connection.leases == LeaseClock::Database => {
                let micros = self.query_one(DATABASE_NOW, &[], read::<i64>)?;
                Ok(micros.map_or(now, Timestamp::from_micros))
            }
            _ => Ok(now),
        }
    }

    /// The next commit with a sync makes this transaction durable, too: both databases write their logs in order. On
    /// SQLite, the writer sees to it before the transaction.
    pub(crate) fn commit_without_sync(&mut self) -> Result<()> {
        if !self.is_sqlite() {
            self.execute(COMMIT_WITHOUT_SYNC, &[])?;
        }
        Ok(())
    }

    /// Runs one statement and returns how many rows it changed.
    pub fn execute(&mut self, sql: &'static str, params: &[&dyn Param]) -> Result<u64> {
        self.attempt(|engine| match engine {
            Engine::Sqlite(connection) => {
                let mut statement = prepare(connection, sql)?;
                Ok(statement
                    .execute(rusqlite::params_from_iter(params.iter().map(|p| *p as &dyn rusqlite::ToSql)))?
                    as u64)
            }
            Engine::Postgres(connection) => {
                let statement = connection.prepare(sql)?;
                Ok(connection.client.execute(&statement, &postgres_params(params))?)
            }
        })
    }

    pub fn query<T>(
        &mut self,
        sql: &'static str,
        params: &[&dyn Param],
        mut map: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.attempt(|engine| match engine {
            Engine::Sqlite(connection) => {
                let mut statement = prepare(connection, sql)?;
                let params = params.iter().map(|p| *p as &dyn rusqlite::ToSql);
                let mut rows = statement.query(rusqlite::params_from_iter(params))?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    found.push(map(&Row::Sqlite(row))?);
                }
                Ok(found)
            }
            Engine::Postgres(connection) => {
                let statement = connection.prepare(sql)?;
                let rows = connection.client.query(&statement, &postgres_params(params))?;
                Ok(rows.iter().map(|row| map(&Row::Postgres(row))).collect::<Result<_>>()?)
            }
        })
    }

    /// The first row, if there is one.
    pub fn query_one<T>(
        &mut self,
        sql: &'static str,
        params: &[&dyn Param],
        map: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, params, map)?.into_iter().next())
    }

    /// Runs a statement for each row of `columns`, whose parameters follow those of `fixed`.
    pub fn execute_many(&mut self, bulk: Bulk, fixed: &[&dyn Param], columns: &[&dyn Column]) -> Result<u64> {
        let rows = columns.first().map_or(0, |column| column.rows());
        if rows == 0 {
            return Ok(0);
        }
        self.attempt(|engine| match engine {
            Engine::Sqlite(connection) => {
                let mut statement = prepare(connection, bulk.sqlite)?;
                let mut changed = 0;
                for row in 0..rows {
                    changed += statement
                        .execute(rusqlite::params_from_iter(row_params(fixed, columns, row)))?
                        as u64;
                }
                Ok(changed)
            }
            Engine::Postgres(connection) => {
                let statement = connection.prepare(bulk.postgres)?;
                Ok(connection.client.execute(&statement, &array_params(fixed, columns))?)
            }
        })
    }

    /// Like `execute_many`, for a statement that finds rows.
    pub fn query_many<T>(
        &mut self,
        bulk: Bulk,
        fixed: &[&dyn Param],
        columns: &[&dyn Column],
        mut map: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let rows = columns.first().map_or(0, |column| column.rows());
        if rows == 0 {
            return Ok(Vec::new());
        }
        self.attempt(|engine| match engine {
            Engine::Sqlite(connection) => {
                let mut statement = prepare(connection, bulk.sqlite)?;
                let mut found = Vec::new();
                for row in 0..rows {
                    let params = rusqlite::params_from_iter(row_params(fixed, columns, row));
                    let mut matches = statement.query(params)?;
                    while let Some(row) = matches.next()? {
                        found.push(map(&Row::Sqlite(row))?);
                    }
                }
                Ok(found)
            }
            Engine::Postgres(connection) => {
                let statement = connection.prepare(bulk.postgres)?;
                let rows = connection.client.query(&statement, &array_params(fixed, columns))?;
                Ok(rows.iter().map(|row| map(&Row::Postgres(row))).collect::<Result<_>>()?)
            }
        })
    }

    /// Lets every process know that what visitors of this site get changes with this transaction; with `None`, that of
    /// every site.
    pub(crate) fn announce(&mut self, site: Option<SiteId>) -> Result<()> {
        let number = if self.is_sqlite() {
            self.query_one(COUNT_CHANGE, &[], read)?
        } else {
            let payload = site.map(|site| site.0.to_string()).unwrap_or_default();
            self.query_one(NOTIFY, &[&payload], |_| Ok(()))?;
            None
        };
        self.announced.push(Announcement::Change { site, number });
        Ok(())
    }

    /// Wakes workers once this transaction is committed.
    pub(crate) fn announce_work(&mut self) -> Result<()> {
        if !self.is_sqlite() {
            self.query_one(NOTIFY_WORK, &[], |_| Ok(()))?;
        }
        self.announced.push(Announcement::Work);
        Ok(())
    }

    /// Several statements without parameters: migrations.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.attempt(|engine| match engine {
            Engine::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Engine::Postgres(connection) => Ok(connection.client.batch_execute(sql)?),
        })
    }

    fn attempt<T>(&mut self, work: impl FnOnce(&mut Engine) -> Result<T, Failure>) -> Result<T> {
        if let Some((error, _)) = &self.failure {
            return Err(error.clone());
        }
        work(&mut self.engine).map_err(|failure| {
            let (error, retry) = match failure {
                Failure::Postgres(error) => Error::from_postgres(&error),
                Failure::Other(error) => (error, Retry::No),
            };
            self.failure = Some((error.clone(), retry));
            error
        })
    }
}

enum Failure {
    Postgres(postgres::Error),
    Other(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Other(error.into())
    }
}

impl From<postgres::Error> for Failure {
    fn from(error: postgres::Error) -> Failure {
        Failure::Postgres(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Other(error)
    }
}

impl PgConnection {
    fn prepare(&mut self, sql: &'static str) -> Result<postgres::Statement, postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

fn prepare<'c>(
    connection: &'c rusqlite::Connection,
    sql: &str,
) -> rusqlite::Result<rusqlite::CachedStatement<'c>> {
    #[cfg(test)]
    super::plans::note(sql);
    let statement = connection.prepare_cached(sql)?;
    if cfg!(debug_assertions) {
        for index in 1..=statement.parameter_count() {
            // A `?N` that the text leaves out has a place and no name.
            let Some(name) = statement.parameter_name(index) else { continue };
            assert_eq!(name[1..], index.to_string(), "parameters out of order in: {sql}");
        }
    }
    Ok(statement)
}

fn postgres_params<'p>(params: &[&'p dyn Param]) -> Vec<&'p (dyn postgres::types::ToSql + Sync)> {
    params.iter().map(|p| *p as &(dyn postgres::types::ToSql + Sync)).collect()
}

fn array_params<'p>(
    fixed: &[&'p dyn Param],
    columns: &[&'p dyn Column],
) -> Vec<&'p (dyn postgres::types::ToSql + Sync)> {
    let mut params = postgres_params(fixed);
    params.extend(columns.iter().map(|column| column.array()));
    params
}

fn row_params<'p>(
    fixed: &'p [&'p dyn Param],
    columns: &'p [&'p dyn Column],
    row: usize,
) -> impl Iterator<Item = &'p dyn rusqlite::ToSql> {
    let fixed = fixed.iter().map(|p| *p as &dyn rusqlite::ToSql);
    fixed.chain(columns.iter().map(move |column| column.at(row)))
}

/// Leaves no transaction open, on which the next BEGIN would fail.
pub(crate) fn roll_back(connection: &rusqlite::Connection) {
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}

/// A statement without parameters, on a connection of SQLite outside of a `Tx`.
pub(crate) fn cached(connection: &rusqlite::Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}
