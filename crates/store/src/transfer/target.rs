//! A database that is being filled. Its ledger of migrations has an entry that no version of Recto accepts, so that no
//! server starts on it before it is finished.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

use super::connection::{Connection, of_postgres};
use super::tables::{Table, tables};
use super::value::Value;
use crate::engine::row::read;
use crate::engine::{Location, Tx, copying};
use crate::{Error, Result};

/// What one transaction writes, roughly.
const BATCH_BYTES: usize = 4 << 20;

pub struct Target {
    connection: Connection,
    table: Option<Table>,
    /// PostgreSQL's next batch, in the text format of COPY.
    lines: String,
    /// Bytes of SQLite's open transaction.
    written: usize,
    lock: Lock,
}

/// Keeps a second copy from the same database. PostgreSQL's lock belongs to the connection.
enum Lock {
    File { _file: File, path: PathBuf },
    Session,
}

impl Lock {
    fn take(location: &Location, connection: &mut Connection) -> Result<Lock> {
        let busy = || Error::Schema("another process is copying rows into the target database".into());
        let Location::Sqlite { path, .. } = location else {
            for _ in 0..LOCK_TRIES {
                if connection.tx().query_one(LOCK, &[], read::<bool>)? == Some(true) {
                    return Ok(Lock::Session);
                }
                // A session that was just closed still has it for a moment.
                std::thread::sleep(LOCK_PAUSE);
            }
            return Err(busy());
        };
        let mut path = path.as_os_str().to_owned();
        path.push("-copying");
        let file =
            File::create(&path).map_err(|error| Error::Unavailable(format!("lock the target: {error}")))?;
        file.try_lock().map_err(|_| busy())?;
        Ok(Lock::File { _file: file, path: path.into() })
    }
}

const LOCK_TRIES: u32 = 30;
const LOCK_PAUSE: Duration = Duration::from_millis(100);
const LOCK: &str = "
SELECT pg_try_advisory_lock(7263042, hashtext(current_schema()))";

impl Target {
    /// Creates the tables of schema `version` in an empty database, or opens the unfinished target of the same copy.
    /// `purpose` is the command and what it copies: "recto restore of …".
    pub fn open(location: &Location, purpose: &str, version: i64) -> Result<Target> {
        let mut connection = Connection::open(location)?;
        let lock = Lock::take(location, &mut connection)?;
        in_transaction(&mut connection, |tx| copying::begin(tx, purpose, version))?;
        Ok(Target { connection, table: None, lines: String::new(), written: 0, lock })
    }

    /// The rows of a table in the order of its key.
    pub fn each_row<E: From<Error>>(
        &mut self,
        table: &Table,
        each: impl FnMut(&[Value]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.connection.each_row(table, each)
    }

    /// Deletes all rows of these tables, which are in the order in which they are filled.
    pub fn clear(&mut self, tables: &[Table]) -> Result<()> {
        in_transaction(&mut self.connection, |tx| {
            tables.iter().rev().try_for_each(|table| tx.batch(&format!("DELETE FROM {}", table.name)))
        })
    }

    /// Adds a row. It is stored with others, at the latest by `flush`.
    pub fn insert(&mut self, table: &Table, row: &[Value]) -> Result<()> {
        if self.table.as_ref() != Some(table) {
            self.flush()?;
            self.table = Some(table.clone());
        }
        match &self.connection {
            Connection::Sqlite(connection) => {
                if self.written == 0 {
                    connection.execute_batch("BEGIN IMMEDIATE")?;
                }
                let mut statement = connection.prepare_cached(&insert(table))?;
                statement.execute(rusqlite::params_from_iter(row))?;
            }
            Connection::Postgres(_) => {
                for (index, value) in row.iter().enumerate() {
                    if index > 0 {
                        self.lines.push('\t');
                    }
                    value.write_copy(&mut self.lines)?;
                }
                self.lines.push('\n');
            }
        }
        self.written += row.iter().map(Value::size).sum::<usize>();
        if self.written >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Stores the rows that were added.
    pub fn flush(&mut self) -> Result<()> {
        let Some(table) = self.table.as_ref().filter(|_| self.written > 0) else { return Ok(()) };
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.execute_batch("COMMIT")?,
            Connection::Postgres(connection) => {
                let copy = format!("COPY {} ({}) FROM STDIN", table.name, table.column_list());
                let mut writer = connection.client.copy_in(copy.as_str()).map_err(of_postgres)?;
                let sent = writer.write_all(self.lines.as_bytes());
                sent.map_err(|error| Error::Unavailable(format!("send rows: {error}")))?;
                writer.finish().map_err(of_postgres)?;
                self.lines.clear();
            }
        }
        self.written = 0;
        Ok(())
    }

    /// Gives the copy an id of its own.
    pub fn set_installation(&mut self, id: Uuid) -> Result<()> {
        in_transaction(&mut self.connection, |tx| tx.execute(SET_INSTALLATION, &[&id]).map(drop))
    }

    /// From here on it is a database like any other, with the newest schema.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        in_transaction(&mut self.connection, |tx| {
            if !tx.is_sqlite() {
                tx.batch(NEXT_TEXTS)?;
            }
            copying::finish(tx)
        })?;
        match &self.connection {
            Connection::Sqlite(connection) => {
                if let Lock::File { path, .. } = &self.lock {
                    let _ = std::fs::remove_file(path);
                }
                Ok(connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?)
            }
            // Otherwise the first statements are planned as if the tables were empty.
            Connection::Postgres(_) => {
                let names: Vec<String> = tables().into_iter().map(|table| table.name).collect();
                self.connection.batch(&format!("ANALYZE {}", names.join(", ")))
            }
        }
    }
}

const SET_INSTALLATION: &str = "
UPDATE server
SET installation_id = $1";

/// Ids of texts are given out from here on: see `pages::texts`.
const NEXT_TEXTS: &str = "
SELECT setval('text_blocks', greatest(
  1,
  (SELECT max(id) FROM texts),
  (SELECT max(last_id) FROM doomed_texts)))";

fn insert(table: &Table) -> String {
    let places: Vec<String> = (1..=table.columns.len()).map(|number| format!("?{number}")).collect();
    format!("INSERT INTO {} ({}) VALUES ({})", table.name, table.column_list(), places.join(", "))
}

fn in_transaction<T>(connection: &mut Connection, work: impl FnOnce(&mut Tx) -> Result<T>) -> Result<T> {
    let begin = match connection {
        Connection::Sqlite(_) => "BEGIN IMMEDIATE",
        Connection::Postgres(_) => "BEGIN",
    };
    connection.batch(begin)?;
    match work(&mut connection.tx()) {
        Ok(done) => connection.batch("COMMIT").map(|()| done),
        Err(error) => {
            // The first error is the one to report.
            let _ = connection.batch("ROLLBACK");
            Err(error)
        }
    }
}
