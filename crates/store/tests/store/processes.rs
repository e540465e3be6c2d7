//! Two stores on one database: a server, and a command beside it.

use store::{Error, accounts};
use testing::Database;

use crate::{account, at_once, read, write};

testing::on_both_databases!(
    what_one_process_commits_the_other_sees_at_its_next_read,
    two_processes_write_at_once,
    a_refused_write_leaves_the_other_process_room,
);

async fn what_one_process_commits_the_other_sees_at_its_next_read(database: &Database) {
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

async fn a_refused_write_leaves_the_other_process_room(database: &Database) {
    let (one, two) = (database.store(), database.open());
    let refused = one.write(|_| Err::<(), _>(Error::Internal("no".into()))).await;
    assert!(refused.is_err());
    account(&two, "a").await;
    assert_eq!(read(one, accounts::list).await.len(), 1);
}
