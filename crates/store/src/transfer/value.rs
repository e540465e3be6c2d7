//! A value of a row, in the type that both databases can hold.

use std::fmt::Write;

use rusqlite::types::{ToSqlOutput, ValueRef};
use uuid::Uuid;

use super::tables::ColumnType;
use crate::{Error, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Null,
    Uuid(Uuid),
    Integer(i64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// How much memory it needs, roughly.
    pub(super) fn size(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Null | Value::Uuid(_) | Value::Integer(_) | Value::Bool(_) => 16,
        }
    }

    pub(super) fn of_sqlite(value: ValueRef, kind: ColumnType) -> Result<Value> {
        let wrong = || Error::Internal(format!("a stored value is {value:?}, not {}", kind.name()));
        match (kind, value) {
            (_, ValueRef::Null) => Ok(Value::Null),
            (ColumnType::Uuid, ValueRef::Blob(bytes)) => {
                Uuid::from_slice(bytes).map(Value::Uuid).map_err(|_| wrong())
            }
            (ColumnType::Integer, ValueRef::Integer(number)) => Ok(Value::Integer(number)),
            (ColumnType::Bool, ValueRef::Integer(0)) => Ok(Value::Bool(false)),
            (ColumnType::Bool, ValueRef::Integer(1)) => Ok(Value::Bool(true)),
            (ColumnType::Text, ValueRef::Text(text)) => {
                let text = std::str::from_utf8(text).map_err(|_| wrong())?;
                Ok(Value::Text(text.to_owned()))
            }
            (ColumnType::Bytes, ValueRef::Blob(bytes)) => Ok(Value::Bytes(bytes.to_owned())),
            _ => Err(wrong()),
        }
    }

    pub(super) fn of_postgres(row: &postgres::Row, column: usize, kind: ColumnType) -> Result<Value> {
        fn get<T: for<'r> postgres::types::FromSql<'r>>(
            row: &postgres::Row,
            column: usize,
            wrap: fn(T) -> Value,
        ) -> Result<Value> {
            let value: Option<T> = row.try_get(column).map_err(|error| Error::Internal(error.to_string()))?;
            Ok(value.map_or(Value::Null, wrap))
        }
        match kind {
            ColumnType::Uuid => get(row, column, Value::Uuid),
            ColumnType::Integer => get(row, column, Value::Integer),
            ColumnType::Bool => get(row, column, Value::Bool),
            ColumnType::Text => get(row, column, Value::Text),
            ColumnType::Bytes => get(row, column, Value::Bytes),
        }
    }

    /// In the text format of PostgreSQL's COPY.
    pub(super) fn write_copy(&self, line: &mut String) -> Result<()> {
        let written = match self {
            Value::Null => write!(line, "\\N"),
            Value::Uuid(id) => write!(line, "{id}"),
            Value::Integer(number) => write!(line, "{number}"),
            Value::Bool(flag) => write!(line, "{}", if *flag { 't' } else { 'f' }),
            Value::Text(text) => return write_copy_text(text, line),
            Value::Bytes(bytes) => {
                line.push_str("\\\\x");
                bytes.iter().try_for_each(|byte| write!(line, "{byte:02x}"))
            }
        };
        written.map_err(|error| Error::Internal(error.to_string()))
    }
}

fn write_copy_text(text: &str, line: &mut String) -> Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '\n', '\r', '\t', '\0']) {
        line.push_str(&rest[..at]);
        line.push_str(match rest.as_bytes()[at] {
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            _ => return Err(Error::Internal("PostgreSQL cannot store a text that contains U+0000".into())),
        });
        rest = &rest[at + 1..];
    }
    line.push_str(rest);
    Ok(())
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Uuid(id) => ValueRef::Blob(id.as_bytes()),
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Bool(flag) => ValueRef::Integer(i64::from(*flag)),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
