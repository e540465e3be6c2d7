//! Two stores on one database: a server, and a command at the same time.

use store::{Error, accounts};
use testing::Database;

use crate::{account, at_once, read, write};

testing::on_both_databases!(
    a_commit_of_one_process_is_seen_by_the_next_read_of_another,
    two_processes_write_at_once,
    a_refused_write_does_not_block_another_process,
);

async fn a_commit_of_one_process_is_seen_by_the_next_read_of_another(database: &Database) {
    let (one, two) = (database.store(), database.open());
    for round in 1..=20 {
        let id = account(one, "a").await;
        assert_eq!(read(&two, accounts::list).await.len(), round);
        write(&two, move |tx| accounts::set_plan(tx, id, "free")).await;
        assert_eq!(read(one, move |tx| accounts::get(tx, id)).await.unwrap().plan, "free");
    }
}

async fn two_processes_write_at_once(database: &Database) {
    let stores = [database.store().clone(), database.open()];
    at_once(100, |number| {
        let store = stores[number % 2].clone();
        async move { account(&store, &number.to_string()).await }
    })
    .await;
    assert_eq!(read(&stores[0], accounts::list).await.len(), 100);
}

async fn a_refused_write_does_not_block_another_process(database: &Database) {
    let (one, two) = (database.store(), database.open());
    let refused = one.write(|_| Err::<(), _>(Error::Internal("no".into()))).await;
    assert!(refused.is_err());
    account(&two, "a").await;
    assert_eq!(read(one, accounts::list).await.len(), 1);
}
