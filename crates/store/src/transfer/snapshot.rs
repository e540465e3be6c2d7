//! One moment of a database, read row by row. Others may write meanwhile.

use uuid::Uuid;

use super::connection::{Connection, newest_schema};
use super::tables::Table;
use super::value::Value;
use crate::engine::Location;
use crate::engine::row::read;
use crate::{Error, Result, server};

const BEGIN_SQLITE: &str = "BEGIN";
const BEGIN_POSTGRES: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

pub struct Snapshot {
    connection: Connection,
    installation: Uuid,
    schema: i64,
}

impl Snapshot {
    pub fn open(location: &Location) -> Result<Snapshot> {
        let schema = newest_schema(location)?.database;
        let mut connection = Connection::open(location)?;
        let begin = match connection {
            Connection::Sqlite(_) => BEGIN_SQLITE,
            Connection::Postgres(_) => BEGIN_POSTGRES,
        };
        connection.batch(begin)?;
        // The first statement fixes the moment.
        let installation = server::installation(&mut connection.tx())?;
        Ok(Snapshot { connection, installation, schema })
    }

    pub fn installation(&self) -> Uuid {
        self.installation
    }

    pub fn schema(&self) -> i64 {
        self.schema
    }

    /// The rows of a table in the order of its key. An `Err` of `each` ends it.
    pub fn each_row<E: From<Error>>(
        &mut self,
        table: &Table,
        each: impl FnMut(&[Value]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.connection.each_row(table, each)
    }

    /// Whether visitors may still need a pack.
    pub fn needs_pack(&mut self, id: Uuid) -> Result<bool> {
        Ok(self.connection.tx().query_one(NEEDS_PACK, &[&id], read::<i64>)?.is_some())
    }

    /// Whether visitors may still need a media object.
    pub fn needs_media(&mut self, id: Uuid) -> Result<bool> {
        Ok(self.connection.tx().query_one(NEEDS_MEDIA, &[&id], read::<i64>)?.is_some())
    }
}

const NEEDS_PACK: &str = "
SELECT size
FROM packs
WHERE id = $1 AND state = 'live'";
const NEEDS_MEDIA: &str = "
SELECT size
FROM objects
WHERE id = $1 AND state IN ('kept', 'twin')";
