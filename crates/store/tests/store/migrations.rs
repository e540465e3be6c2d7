use store::{Deadlines, Error, Location, NEWEST_SCHEMA, Schema, Store, accounts};
use testing::Database;

use crate::{account, read};

testing::on_both_databases!(
    several_processes_may_open_an_empty_database_at_once,
    opening_again_keeps_what_is_there,
    a_newer_schema_is_left_alone,
    a_newer_schema_that_this_binary_can_use_is_used,
    a_migration_that_differs_is_refused,
    an_old_schema_is_only_upgraded_on_request,
    a_command_that_only_reads_creates_nothing,
    the_ledger_says_what_was_applied_and_when,
);

fn open_at_once(location: &Location, times: usize) -> Vec<Result<Store, Error>> {
    let barrier = std::sync::Barrier::new(times);
    std::thread::scope(|scope| {
        let open = || {
            barrier.wait();
            Store::open(location)
        };
        let threads: Vec<_> = (0..times).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

async fn several_processes_may_open_an_empty_database_at_once(database: &Database) {
    let stores = open_at_once(&database.location(), 8);
    let stores: Vec<Store> = stores.into_iter().map(Result::unwrap).collect();
    account(&stores[0], "a").await;
    for store in &stores {
        assert_eq!(read(store, accounts::list).await.len(), 1);
    }
}

async fn opening_again_keeps_what_is_there(database: &Database) {
    account(database.store(), "a").await;
    let before = database.dump();
    let again = database.open();
    assert_eq!(read(&again, accounts::list).await.len(), 1);
    assert_eq!(database.dump(), before);
}

async fn a_newer_schema_is_left_alone(database: &Database) {
    account(database.store(), "a").await;
    database.execute("INSERT INTO migrations (version) VALUES (999)");
    let before = database.dump();
    let location = database.location();
    let error = tokio::task::spawn_blocking(move || Store::open(&location).err()).await.unwrap().unwrap();
    assert!(error.to_string().contains("schema 999") && error.to_string().contains("newer"), "{error}");
    assert_eq!(database.dump(), before);
}

/// Opens the database again; the error, if it is refused.
async fn refused(database: &Database, schema: Schema) -> Option<String> {
    let location = database.location();
    let open = move || Store::open_with(&location, schema, Deadlines::default()).err();
    tokio::task::spawn_blocking(open).await.unwrap().map(|error| error.to_string())
}

async fn a_newer_schema_that_this_binary_can_use_is_used(database: &Database) {
    account(database.store(), "a").await;
    database.execute("INSERT INTO migrations (version, compatible) VALUES (999, 7)");
    for schema in [Schema::Upgrade, Schema::Create, Schema::Keep] {
        assert_eq!(refused(database, schema).await, None, "{schema:?}");
    }
    database.execute("UPDATE migrations SET compatible = 998 WHERE version = 999");
    for schema in [Schema::Upgrade, Schema::Create, Schema::Keep] {
        assert!(refused(database, schema).await.unwrap().contains("newer recto"), "{schema:?}");
    }
}

async fn a_migration_that_differs_is_refused(database: &Database) {
    account(database.store(), "a").await;
    database.execute("UPDATE migrations SET checksum = 'other' WHERE version = 3");
    let error = refused(database, Schema::Upgrade).await.unwrap();
    assert!(error.contains("migration 3"), "{error}");
}

async fn an_old_schema_is_only_upgraded_on_request(database: &Database) {
    account(database.store(), "a").await;
    for table in
        ["pings", "challenges", "passkeys", "audit_log", "autosaves", "links", "sessions", "members", "users"]
    {
        database.execute(&format!("DROP TABLE {table}"));
    }
    database.execute("DROP INDEX objects_copies");
    database.execute("DROP INDEX objects_copies_due");
    for column in ["original", "copies_due", "copies_attempts"] {
        database.execute(&format!("ALTER TABLE objects DROP COLUMN {column}"));
    }
    for column in ["copies_turn", "ping_turn"] {
        database.execute(&format!("ALTER TABLE accounts DROP COLUMN {column}"));
    }
    for column in ["pages_done", "pages_total"] {
        database.execute(&format!("ALTER TABLE building DROP COLUMN {column}"));
    }
    database.execute("DELETE FROM migrations WHERE version >= 8");
    let before = database.dump();
    for schema in [Schema::Create, Schema::Keep] {
        let error = refused(database, schema).await.unwrap();
        assert!(error.contains("schema 7") && error.contains("recto store upgrade"), "{error}");
        assert_eq!(database.dump(), before);
    }
    let location = database.location();
    let upgrade = move || [Store::upgrade(&location).unwrap(), Store::upgrade(&location).unwrap()];
    let [first, second] = tokio::task::spawn_blocking(upgrade).await.unwrap();
    assert_eq!((first.database, first.newest), (7, NEWEST_SCHEMA));
    assert_eq!((second.database, second.newest), (NEWEST_SCHEMA, NEWEST_SCHEMA));
    assert_eq!(refused(database, Schema::Keep).await, None);
    assert_eq!(read(&database.open(), accounts::list).await.len(), 1);
}

async fn a_command_that_only_reads_creates_nothing(database: &Database) {
    let error = refused(database, Schema::Keep).await.unwrap();
    assert!(error.contains("recto serve"), "{error}");
    if let Location::Sqlite { path, .. } = database.location() {
        assert!(!path.exists());
    }
    // A server that does not upgrade still creates the schema of an empty database.
    assert_eq!(refused(database, Schema::Create).await, None);
    assert_eq!(refused(database, Schema::Keep).await, None);
}

async fn the_ledger_says_what_was_applied_and_when(database: &Database) {
    account(database.store(), "a").await;
    const INCOMPLETE: &str = "
        SELECT count(*) FROM migrations
        WHERE checksum IS NULL OR length(checksum) <> 64 OR compatible > version OR applied_at < 1700000000000000";
    let count = read(database.store(), |tx| tx.query_one(INCOMPLETE, &[], |row| row.get::<i64>(0))).await;
    assert_eq!(count, Some(0));
}
