use store::{Error, Location, Store, accounts};
use testing::Database;

use crate::{account, read};

testing::on_both_databases!(
    several_processes_may_open_an_empty_database_at_once,
    opening_again_keeps_what_is_there,
    a_newer_schema_is_left_alone,
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
