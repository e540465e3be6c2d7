//! The canonical form of rows: each is a line, a JSON array of its values in the order of the columns. UUIDs are
//! strings, bytes are hexadecimal. Both databases give the same lines, so their hashes can be compared.

use std::fmt::Write;

use serde_json::Value as Json;
use store::transfer::{ColumnType, Table, Value};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::manifest::TableSum;

/// Writes a row as a line, which replaces what was there.
pub(crate) fn write_line(row: &[Value], line: &mut Vec<u8>) {
    line.clear();
    for value in row {
        line.push(if line.is_empty() { b'[' } else { b',' });
        // Memory accepts every write, and every value has a form in JSON.
        let written = match value {
            Value::Null => serde_json::to_writer(&mut *line, &()),
            Value::Uuid(id) => serde_json::to_writer(&mut *line, id),
            Value::Integer(number) => serde_json::to_writer(&mut *line, number),
            Value::Bool(flag) => serde_json::to_writer(&mut *line, flag),
            Value::Text(text) => serde_json::to_writer(&mut *line, text),
            Value::Bytes(bytes) => serde_json::to_writer(&mut *line, &hex(bytes)),
        };
        written.expect("a value has a form in JSON");
    }
    line.extend_from_slice(b"]\n");
}

/// The row of a line.
pub(crate) fn parse_line(table: &Table, line: &[u8]) -> Result<Vec<Value>> {
    let wrong = || Error::Damaged(format!("a row of {} is not a list of its columns", table.name));
    let values: Vec<Json> = serde_json::from_slice(line).map_err(|_| wrong())?;
    if values.len() != table.columns.len() {
        return Err(wrong());
    }
    let typed = |(value, kind)| parse_value(value, kind).ok_or_else(wrong);
    values.into_iter().zip(table.columns.iter().map(|column| column.kind)).map(typed).collect()
}

fn parse_value(value: Json, kind: ColumnType) -> Option<Value> {
    Some(match (kind, value) {
        (_, Json::Null) => Value::Null,
        (ColumnType::Uuid, Json::String(text)) => Value::Uuid(Uuid::try_parse(&text).ok()?),
        (ColumnType::Integer, Json::Number(number)) => Value::Integer(number.as_i64()?),
        (ColumnType::Bool, Json::Bool(flag)) => Value::Bool(flag),
        (ColumnType::Text, Json::String(text)) => Value::Text(text),
        (ColumnType::Bytes, Json::String(text)) => Value::Bytes(bytes_of(&text)?),
        _ => return None,
    })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(byte).collect())?
}

/// Number and hash of a table's rows.
#[derive(Default, Clone)]
pub(crate) struct Sum {
    rows: u64,
    hasher: blake3::Hasher,
}

impl Sum {
    pub(crate) fn add(&mut self, line: &[u8]) {
        self.rows += 1;
        self.hasher.update(line);
    }

    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    pub(crate) fn is(&self, other: &Sum) -> bool {
        self.rows == other.rows && self.hasher.finalize() == other.hasher.finalize()
    }

    pub(crate) fn of(&self, table: &Table) -> TableSum {
        let hash = self.hasher.finalize().to_hex().to_string();
        TableSum { name: table.name.clone(), rows: self.rows, hash }
    }
}

#[cfg(test)]
mod tests {
    use store::transfer::Column;

    use super::*;

    #[test]
    fn a_line_is_read_as_the_row_that_was_written() {
        let kinds = [
            ColumnType::Uuid,
            ColumnType::Integer,
            ColumnType::Bool,
            ColumnType::Text,
            ColumnType::Bytes,
            ColumnType::Text,
        ];
        let column = |kind| Column { name: "any".into(), kind };
        let columns = kinds.into_iter().map(column).collect();
        let table = Table { name: "all".into(), key: vec![], columns };
        let row = [
            Value::Uuid(Uuid::from_u128(7)),
            Value::Integer(i64::MIN),
            Value::Bool(true),
            Value::Text("\"quoted\"\n\u{1f600}\t\\".into()),
            Value::Bytes(vec![0, 255]),
            Value::Null,
        ];
        let mut line = Vec::new();
        write_line(&row, &mut line);
        let text = "[\"00000000-0000-0000-0000-000000000007\",-9223372036854775808,true,\
                    \"\\\"quoted\\\"\\n\u{1f600}\\t\\\\\",\"00ff\",null]\n";
        assert_eq!(String::from_utf8(line.clone()).unwrap(), text);
        assert_eq!(parse_line(&table, &line).unwrap(), row);
    }

    #[test]
    fn a_line_of_another_table_is_damage() {
        let columns = vec![Column { name: "id".into(), kind: ColumnType::Integer }];
        let table = Table { name: "texts".into(), key: vec![], columns };
        for line in ["[]", "[1,2]", "[\"1\"]", "[1.5]", "{}", "[1"] {
            assert!(matches!(parse_line(&table, line.as_bytes()), Err(Error::Damaged(_))), "{line}");
        }
    }
}
