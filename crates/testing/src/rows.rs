//! Rows for every table, with values of every kind.

use store::transfer::{ColumnType, Table, Target, Value, tables};
use store::{Location, NEWEST_SCHEMA};
use uuid::Uuid;

/// Columns that are null in every third row.
const NULLABLE: &[&str] = &[
    "suspended_at",
    "default_site_id",
    "last_build_at",
    "live_release",
    "staged_release",
    "password_hash",
    "cookie_key",
    "deleted_at",
    "last_used_at",
    "revoked_at",
    "description",
    "api_endpoint",
    "content_id",
    "params_id",
    "content_hash",
    "params_hash",
    "section_spelling",
    "started_at",
    "completed_at",
    "error",
    "warnings",
    "target",
    "pack_id",
    "width",
    "height",
    "source",
    "twin",
];

/// Fills an empty database: `count` rows in each table, the first numbered 0. `adjust` may change them.
pub fn fill_all(location: &Location, count: u64, adjust: impl Fn(&Table, u64, &mut [Value])) {
    let mut target = Target::open(location, "a test", NEWEST_SCHEMA).unwrap();
    for table in tables() {
        // There is one server.
        let count = if table.key.is_empty() { 1 } else { count };
        for number in 0..count {
            let mut row = row(&table, number);
            adjust(&table, number, &mut row);
            target.insert(&table, &row).unwrap();
        }
    }
    target.finish().unwrap();
}

/// Rows with the same number belong together: all ids of theirs are the same.
pub fn row(table: &Table, number: u64) -> Vec<Value> {
    let value = |(index, column): (usize, &store::transfer::Column)| {
        if number % 3 == 2 && NULLABLE.contains(&column.name.as_str()) {
            return Value::Null;
        }
        match (table.name.as_str(), column.name.as_str(), column.kind) {
            ("packs", "state", _) => Value::Text(if number % 4 == 3 { "doomed" } else { "live" }.into()),
            ("objects", "state", _) => Value::Text(["kept", "twin", "doomed"][number as usize % 3].into()),
            (_, "to_release", _) => Value::Integer(i64::MAX),
            (_, _, ColumnType::Uuid) => Value::Uuid(Uuid::from_u128((u128::from(number) << 64) + 7)),
            (_, _, ColumnType::Integer) => Value::Integer((number * 100 + index as u64) as i64),
            (_, _, ColumnType::Bool) => Value::Bool(number % 2 == 1),
            (_, name, ColumnType::Text) => Value::Text(format!("{name} {number} ä\n\t\r\\N \\. \"\u{1f600}")),
            (_, _, ColumnType::Bytes) => {
                Value::Bytes((0..32).map(|byte| byte ^ number as u8 ^ index as u8).collect())
            }
        }
    };
    table.columns.iter().enumerate().map(value).collect()
}
