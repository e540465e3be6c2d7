use model::{AccountId, Timestamp};
use store::{accounts, server};
use testing::Database;

use crate::{account, at, read, write};

testing::on_both_databases!(
    an_account_is_found_by_its_id,
    accounts_are_listed_by_age,
    the_plan_changes,
    an_account_is_suspended_and_resumed,
    builds_are_counted_up_to_the_quota,
    a_new_month_starts_at_zero,
    only_the_first_set_up_is_one,
    the_database_answers_a_ping,
);

async fn an_account_is_found_by_its_id(database: &Database) {
    let store = database.store();
    let id = account(store, "Ada’s Books").await;
    let found = read(store, move |tx| accounts::get(tx, id)).await.unwrap();
    assert_eq!((found.id, found.name.as_str(), found.plan.as_str()), (id, "Ada’s Books", "pro"));
    assert_eq!((found.created_at, found.suspended_at, found.builds_used(at(0))), (at(0), None, 0));
    let unknown = AccountId::new(at(0));
    assert_eq!(read(store, move |tx| accounts::get(tx, unknown)).await, None);
}

async fn accounts_are_listed_by_age(database: &Database) {
    let store = database.store();
    let names = ["old", "middle", "new"];
    for (second, name) in [(3, names[2]), (1, names[0]), (2, names[1])] {
        let name = model::AccountName::parse(name).unwrap();
        write(store, move |tx| accounts::insert(tx, AccountId::new(at(0)), &name, "pro", at(second))).await;
    }
    let listed = read(store, accounts::list).await;
    assert_eq!(listed.iter().map(|account| account.name.as_str()).collect::<Vec<_>>(), names);
}

async fn the_plan_changes(database: &Database) {
    let store = database.store();
    let id = account(store, "a").await;
    assert!(write(store, move |tx| accounts::set_plan(tx, id, "free")).await);
    assert_eq!(read(store, move |tx| accounts::get(tx, id)).await.unwrap().plan, "free");
    assert!(!write(store, |tx| accounts::set_plan(tx, AccountId::new(at(0)), "free")).await);
}

async fn an_account_is_suspended_and_resumed(database: &Database) {
    let store = database.store();
    let id = account(store, "a").await;
    for suspended_at in [Some(at(5)), None] {
        assert!(write(store, move |tx| accounts::set_suspended(tx, id, suspended_at)).await);
        assert_eq!(read(store, move |tx| accounts::get(tx, id)).await.unwrap().suspended_at, suspended_at);
    }
    assert!(!write(store, |tx| accounts::set_suspended(tx, AccountId::new(at(0)), None)).await);
}

async fn builds_are_counted_up_to_the_quota(database: &Database) {
    let store = database.store();
    let (id, other) = (account(store, "a").await, account(store, "b").await);
    let now = Timestamp::parse_iso("2026-01-31T23:59:59Z").unwrap();
    for expected in [true, true, false, false] {
        assert_eq!(write(store, move |tx| accounts::count_build(tx, id, 2, now)).await, expected);
    }
    let used = |id| read(store, move |tx| Ok(accounts::get(tx, id)?.unwrap().builds_used(now)));
    assert_eq!((used(id).await, used(other).await), (2, 0));
    assert!(!write(store, move |tx| accounts::count_build(tx, other, 0, now)).await);
    assert!(write(store, move |tx| accounts::count_build(tx, other, u64::MAX, now)).await);
}

async fn a_new_month_starts_at_zero(database: &Database) {
    let store = database.store();
    let id = account(store, "a").await;
    let january = Timestamp::parse_iso("2026-01-31T23:59:59.999Z").unwrap();
    let february = Timestamp::parse_iso("2026-02-01").unwrap();
    assert!(write(store, move |tx| accounts::count_build(tx, id, 1, january)).await);
    assert!(!write(store, move |tx| accounts::count_build(tx, id, 1, january)).await);
    let found = read(store, move |tx| accounts::get(tx, id)).await.unwrap();
    assert_eq!((found.builds_used(january), found.builds_used(february)), (1, 0));
    assert!(write(store, move |tx| accounts::count_build(tx, id, 1, february)).await);
    assert!(!write(store, move |tx| accounts::count_build(tx, id, 1, february)).await);
}

async fn only_the_first_set_up_is_one(database: &Database) {
    let store = database.store();
    for expected in [true, false, false] {
        assert_eq!(write(store, |tx| server::set_up(tx, at(1))).await, expected);
    }
}

async fn the_database_answers_a_ping(database: &Database) {
    read(database.store(), store::ping).await;
}
