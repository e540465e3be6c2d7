use model::{AccountId, AuditId};
use store::Store;
use store::audit::{self, Entry, Filter};
use testing::Database;
use uuid::Uuid;

use crate::{account, at, read, write};

testing::on_both_databases!(
    entries_are_listed_newest_first_by_account_and_action,
    what_was_noted_is_found_since_an_entry,
    old_entries_are_forgotten_in_steps,
    the_newest_entries_of_a_crowded_account_stay,
);

fn id(number: i64) -> AuditId {
    AuditId(Uuid::from_u128(number as u128))
}

fn entry(number: i64, action: &str) -> Entry {
    Entry {
        id: id(number),
        at: at(number),
        site: None,
        actor_kind: "user".into(),
        actor: "ada@example.com".into(),
        address: "192.0.2.1".into(),
        action: action.into(),
        subject: "“it”".into(),
    }
}

async fn add(store: &Store, account: AccountId, entries: &[Entry]) {
    let entries = entries.to_vec();
    write(store, move |tx| entries.iter().try_for_each(|entry| audit::insert(tx, account, entry))).await;
}

async fn list(store: &Store, account: AccountId, action: &str, before: AuditId, most: i64) -> Vec<Entry> {
    let filter = Filter { action: action.into(), before };
    read(store, move |tx| audit::list(tx, account, &filter, most)).await
}

async fn entries_are_listed_newest_first_by_account_and_action(database: &Database) {
    let store = database.store();
    let (one, other) = (account(store, "one").await, account(store, "other").await);
    let [a, b, c] = [entry(1, "a"), entry(2, "b"), entry(3, "a")];
    add(store, one, &[a.clone(), b.clone(), c.clone()]).await;
    add(store, other, &[entry(4, "a")]).await;
    assert_eq!(list(store, one, "", id(9), 9).await, [c.clone(), b.clone(), a.clone()]);
    assert_eq!(list(store, one, "", id(9), 1).await, std::slice::from_ref(&c));
    assert_eq!(list(store, one, "", id(3), 9).await, [b, a.clone()]);
    assert_eq!(list(store, one, "a", id(9), 9).await, [c, a]);
}

async fn what_was_noted_is_found_since_an_entry(database: &Database) {
    let store = database.store();
    let one = account(store, "one").await;
    add(store, one, &[entry(5, "a")]).await;
    let check = |since, action: &'static str, actor: &'static str| {
        read(store, move |tx| audit::is_noted(tx, one, id(since), action, actor))
    };
    assert!(check(4, "a", "ada@example.com").await);
    assert!(!check(5, "a", "ada@example.com").await);
    assert!(!check(4, "b", "ada@example.com").await);
    assert!(!check(4, "a", "bob@example.com").await);
}

async fn old_entries_are_forgotten_in_steps(database: &Database) {
    let store = database.store();
    let one = account(store, "one").await;
    add(store, one, &[entry(1, "a"), entry(2, "a"), entry(3, "a"), entry(4, "a")]).await;
    let forget = || write(store, |tx| audit::forget_before(tx, at(4), 2));
    assert_eq!([forget().await, forget().await, forget().await], [2, 1, 0]);
    assert_eq!(list(store, one, "", id(9), 9).await, [entry(4, "a")]);
}

async fn the_newest_entries_of_a_crowded_account_stay(database: &Database) {
    let store = database.store();
    let (one, other) = (account(store, "one").await, account(store, "other").await);
    add(store, one, &[entry(1, "a"), entry(2, "a"), entry(3, "a"), entry(4, "a")]).await;
    add(store, other, &[entry(5, "a")]).await;
    assert_eq!(read(store, |tx| audit::crowded(tx, 1)).await, [one]);
    let trim = || write(store, move |tx| audit::trim(tx, one, 1, 2));
    assert_eq!([trim().await, trim().await, trim().await], [2, 1, 0]);
    assert_eq!(list(store, one, "", id(9), 9).await, [entry(4, "a")]);
}
