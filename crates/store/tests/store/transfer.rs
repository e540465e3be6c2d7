//! Whole databases, read and filled table by table.

use std::collections::BTreeMap;

use store::transfer::{ColumnType, Snapshot, Table, Target, Value, tables};
use store::{Deadlines, Error, Location, NEWEST_SCHEMA, Schema, Store, texts};
use testing::Database;
use testing::rows::{fill_all, row};

use crate::write;

testing::on_both_databases!(
    the_list_has_every_table_and_column,
    rows_are_read_as_they_were_filled_in,
    a_snapshot_sees_one_moment,
    no_server_starts_on_an_unfinished_database,
    an_unfinished_database_is_opened_by_the_same_copy_only,
    a_database_that_is_not_empty_is_refused,
    new_texts_do_not_get_the_ids_of_old_ones,
);

const SQLITE_COLUMNS: &str = "
SELECT tables.name, columns.name, columns.type, columns.pk
FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
WHERE tables.type = 'table' AND tables.name <> 'migrations' AND tables.name NOT LIKE 'sqlite_%'";
const POSTGRES_COLUMNS: &str = "
SELECT CAST(columns.table_name AS text), CAST(columns.column_name AS text), CAST(columns.data_type AS text),
  CAST(coalesce(keys.ordinal_position, 0) AS bigint)
FROM information_schema.columns
LEFT JOIN information_schema.table_constraints AS constraints
  ON constraints.table_schema = columns.table_schema AND constraints.table_name = columns.table_name
    AND constraints.constraint_type = 'PRIMARY KEY'
LEFT JOIN information_schema.key_column_usage AS keys
  ON keys.constraint_schema = constraints.constraint_schema AND keys.constraint_name = constraints.constraint_name
    AND keys.column_name = columns.column_name
WHERE columns.table_schema = current_schema() AND columns.table_name <> 'migrations'";

/// A column that the copy does not know would be lost.
async fn the_list_has_every_table_and_column(database: &Database) {
    let found = database.store().read(|tx| {
        let sql = if tx.is_sqlite() { SQLITE_COLUMNS } else { POSTGRES_COLUMNS };
        tx.query(sql, &[], |row| {
            Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<String>(2)?, row.get::<i64>(3)?))
        })
    });
    let found: Vec<(String, String, String, i64)> = found.await.unwrap();
    let is_sqlite = matches!(database.location(), Location::Sqlite { .. });
    let mut expected = BTreeMap::new();
    for table in tables() {
        for column in &table.columns {
            let key =
                table.key.iter().position(|name| *name == column.name).map_or(0, |place| place as i64 + 1);
            let kind = type_of(column.kind, is_sqlite);
            expected.insert((table.name.clone(), column.name.clone()), (kind.to_owned(), key));
        }
    }
    let found: BTreeMap<_, _> =
        found.into_iter().map(|(table, column, kind, key)| ((table, column), (kind, key))).collect();
    assert_eq!(found, expected, "add it to transfer/tables.rs");
}

fn type_of(kind: ColumnType, is_sqlite: bool) -> &'static str {
    match (kind, is_sqlite) {
        (ColumnType::Uuid | ColumnType::Bytes, true) => "BLOB",
        (ColumnType::Integer | ColumnType::Bool, true) => "INTEGER",
        (ColumnType::Text, true) => "TEXT",
        (ColumnType::Uuid, false) => "uuid",
        (ColumnType::Bytes, false) => "bytea",
        (ColumnType::Integer, false) => "bigint",
        (ColumnType::Bool, false) => "boolean",
        (ColumnType::Text, false) => "text",
    }
}

const ROWS: u64 = 50;

async fn rows_are_read_as_they_were_filled_in(database: &Database) {
    let location = database.location();
    blocking(move || {
        fill_all(&location, ROWS, |_, _, _| {});
        let mut snapshot = Snapshot::open(&location).unwrap();
        for table in tables() {
            let count = if table.key.is_empty() { 1 } else { ROWS };
            let expected: Vec<Vec<Value>> = (0..count).map(|number| row(&table, number)).collect();
            let mut found = rows_of(&mut snapshot, &table);
            assert!(is_sorted(&table, &found), "{}", table.name);
            // Numbers in texts are not in the order of texts.
            found.sort_by_key(|row| expected.iter().position(|expected| expected == row));
            assert_eq!(found, expected, "{}", table.name);
        }
    })
    .await;
}

fn rows_of(snapshot: &mut Snapshot, table: &Table) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    snapshot
        .each_row(table, |row| {
            rows.push(row.to_vec());
            Ok::<_, Error>(())
        })
        .unwrap();
    rows
}

fn is_sorted(table: &Table, rows: &[Vec<Value>]) -> bool {
    let key = |row: &Vec<Value>| -> Vec<Vec<u8>> {
        let part = |name: &String| match &row[table.column(name).unwrap()] {
            Value::Uuid(id) => id.as_bytes().to_vec(),
            Value::Integer(number) => number.to_be_bytes().to_vec(),
            Value::Text(text) => text.as_bytes().to_vec(),
            Value::Bytes(bytes) => bytes.clone(),
            other => panic!("{other:?} in a key"),
        };
        table.key.iter().map(part).collect()
    };
    rows.is_sorted_by_key(key)
}

async fn a_snapshot_sees_one_moment(database: &Database) {
    let location = database.location();
    let filled = location.clone();
    blocking(move || fill_all(&filled, 3, |_, _, _| {})).await;
    let mut snapshot = blocking(move || Snapshot::open(&location).unwrap()).await;
    write(database.store(), |tx| texts::insert(tx, &["later".to_owned()])).await;
    let found = blocking(move || {
        let texts = tables().into_iter().find(|table| table.name == "texts").unwrap();
        rows_of(&mut snapshot, &texts).len()
    });
    assert_eq!(found.await, 3);
}

fn open(location: &Location, schema: Schema) -> Result<(), Error> {
    Store::open_with(location, schema, Deadlines::default()).map(Store::close)
}

async fn no_server_starts_on_an_unfinished_database(database: &Database) {
    let location = database.location();
    blocking(move || {
        let target = Target::open(&location, "recto migrate of a test", NEWEST_SCHEMA).unwrap();
        for schema in [Schema::Upgrade, Schema::Create, Schema::Keep] {
            let error = open(&location, schema).unwrap_err().to_string();
            assert!(error.contains("`recto migrate of a test` was interrupted"), "{error}");
        }
        assert!(Store::upgrade(&location).is_err());
        target.finish().unwrap();
        open(&location, Schema::Keep).unwrap();
    })
    .await;
}

/// Also a recto that knows of no copies refuses it: the ledger says that a newer one is needed.
async fn an_unfinished_database_is_opened_by_the_same_copy_only(database: &Database) {
    let location = database.location();
    blocking(move || {
        let first = Target::open(&location, "one", NEWEST_SCHEMA).unwrap();
        let error = Target::open(&location, "one", NEWEST_SCHEMA).err().unwrap().to_string();
        assert!(error.contains("another process is copying"), "{error}");
        drop(first);
        let error = Target::open(&location, "two", NEWEST_SCHEMA).err().unwrap().to_string();
        assert!(error.contains("`one` was interrupted"), "{error}");
        drop(Target::open(&location, "one", NEWEST_SCHEMA).unwrap());
    })
    .await;
    let marks = database.dump().into_iter().filter(|row| row.matches("1000000000").count() == 2);
    assert_eq!(marks.count(), 1);
}

async fn a_database_that_is_not_empty_is_refused(database: &Database) {
    database.store();
    let location = database.location();
    let error =
        blocking(move || Target::open(&location, "one", NEWEST_SCHEMA).err().unwrap().to_string()).await;
    assert_eq!(error, "the target database is not empty: choose an empty one");
}

async fn new_texts_do_not_get_the_ids_of_old_ones(database: &Database) {
    let location = database.location();
    blocking(move || fill_all(&location, ROWS, |_, _, _| {})).await;
    // It fails if the id is taken.
    let range = write(database.store(), |tx| texts::insert(tx, &["new".to_owned()])).await.unwrap();
    assert!(range.first.0 > (ROWS as i64 - 1) * 100, "{range:?}");
}

/// PostgreSQL's synchronous client does not run inside an async runtime.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}
