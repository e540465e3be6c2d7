//! A connection that may take as long as it needs, and reads whole tables.

use postgres::fallible_iterator::FallibleIterator;

use super::tables::Table;
use super::value::Value;
use crate::engine::{Engine, LeaseClock, Location, PgConnection, SchemaVersions, Store, Tx, connect};
use crate::{Error, Result};

/// Reading or writing a large table takes minutes, and the other side of a copy waits in its transaction meanwhile.
const NO_TIMEOUTS: &str = "
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0";
/// The log is not copied by a thread of its own here.
const COPY_LOG: &str = "PRAGMA wal_autocheckpoint = 1000";

#[expect(clippy::large_enum_variant, reason = "there are one or two in a process")]
pub(super) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(PgConnection),
}

impl Connection {
    pub(super) fn open(location: &Location) -> Result<Connection> {
        match location {
            Location::Sqlite { path, .. } => {
                let connection = connect::sqlite(path)?;
                connection.execute_batch(COPY_LOG)?;
                Ok(Connection::Sqlite(connection))
            }
            Location::Postgres { url, .. } => {
                let mut connection = connect::postgres(url, LeaseClock::Database)?;
                connection.client.batch_execute(NO_TIMEOUTS).map_err(of_postgres)?;
                Ok(Connection::Postgres(connection))
            }
        }
    }

    pub(super) fn tx(&mut self) -> Tx<'_> {
        match self {
            Connection::Sqlite(connection) => Tx::new(Engine::Sqlite(connection)),
            Connection::Postgres(connection) => Tx::new(Engine::Postgres(connection)),
        }
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<()> {
        self.tx().batch(sql)
    }

    /// The rows of a table in the order of its key, one at a time.
    pub(super) fn each_row<E: From<Error>>(
        &mut self,
        table: &Table,
        mut each: impl FnMut(&[Value]) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = select(table);
        let mut values = Vec::with_capacity(table.columns.len());
        match self {
            Connection::Sqlite(connection) => {
                let mut statement = connection.prepare(&sql).map_err(Error::from)?;
                let mut rows = statement.query([]).map_err(Error::from)?;
                while let Some(row) = rows.next().map_err(Error::from)? {
                    values.clear();
                    for (index, column) in table.columns.iter().enumerate() {
                        let value = row.get_ref(index).map_err(Error::from)?;
                        values.push(Value::of_sqlite(value, column.kind)?);
                    }
                    each(&values)?;
                }
            }
            Connection::Postgres(connection) => {
                let no_params: [&str; 0] = [];
                let mut rows = connection.client.query_raw(sql.as_str(), no_params).map_err(of_postgres)?;
                while let Some(row) = rows.next().map_err(of_postgres)? {
                    values.clear();
                    for (index, column) in table.columns.iter().enumerate() {
                        values.push(Value::of_postgres(&row, index, column.kind)?);
                    }
                    each(&values)?;
                }
            }
        }
        Ok(())
    }
}

/// Keys are UUIDs, integers, bytes and texts in collation "C": both databases order them alike.
fn select(table: &Table) -> String {
    let (columns, name) = (table.column_list(), &table.name);
    match table.key.is_empty() {
        true => format!("SELECT {columns} FROM {name}"),
        false => format!("SELECT {columns} FROM {name} ORDER BY {}", table.key.join(", ")),
    }
}

/// Refuses a database that does not exist, or whose schema is not the one of this program.
pub(super) fn newest_schema(location: &Location) -> Result<SchemaVersions> {
    let versions = Store::schema(location)?;
    let SchemaVersions { database, newest } = versions;
    match database == newest {
        true => Ok(versions),
        false => Err(Error::Schema(format!(
            "the database has schema {database}, this recto knows {newest}: use the recto that upgraded it"
        ))),
    }
}

pub(super) fn of_postgres(error: postgres::Error) -> Error {
    Error::from_postgres(&error).0
}
