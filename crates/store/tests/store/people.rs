//! Users, members, sessions and one-time links.

use model::{AccountId, Email, Role, SessionId, TokenHash, UserId};
use store::{Store, accounts, links, members, sessions, users};
use testing::Database;

use crate::{account, at, at_once, read, write};

testing::on_both_databases!(
    an_email_belongs_to_one_person,
    a_person_without_a_password_cannot_sign_in,
    a_member_has_one_role_in_an_account,
    a_session_is_found_by_its_secret_while_it_is_used,
    a_session_is_ended_by_its_owner_only,
    a_link_is_used_up_once,
    a_new_password_ends_the_links_for_one,
);

fn hash(number: u8) -> TokenHash {
    TokenHash([number; 32])
}

async fn user(store: &Store, email: &str) -> UserId {
    let (id, email) = (UserId::new(at(0)), Email::parse(email).unwrap());
    assert!(write(store, move |tx| users::insert(tx, id, &email, false, at(0))).await);
    id
}

async fn an_email_belongs_to_one_person(database: &Database) {
    let store = database.store();
    let ada = user(store, "ada@example.com").await;
    let email = Email::parse("ADA@example.com").unwrap();
    let again = email.clone();
    assert!(!write(store, move |tx| users::insert(tx, UserId::new(at(0)), &again, true, at(1))).await);
    let found = read(store, move |tx| users::by_email(tx, &email)).await.unwrap();
    assert_eq!((found.id, found.operator, found.has_password), (ada, false, false));
    write(store, move |tx| users::set_operator(tx, ada, true)).await;
    assert!(read(store, users::list).await[0].operator);
}

async fn a_person_without_a_password_cannot_sign_in(database: &Database) {
    let store = database.store();
    let ada = user(store, "ada@example.com").await;
    let password = || read(store, |tx| users::password(tx, &Email::parse("ada@example.com").unwrap()));
    assert_eq!(password().await, None);
    write(store, move |tx| users::set_password(tx, ada, "hash")).await;
    assert_eq!(password().await, Some((ada, "hash".into())));
}

async fn roles(store: &Store, account: AccountId) -> Vec<(String, Role)> {
    let members = read(store, move |tx| members::list(tx, account)).await;
    members.into_iter().map(|member| (member.email, member.role)).collect()
}

async fn a_member_has_one_role_in_an_account(database: &Database) {
    let store = database.store();
    let (one, other) = (account(store, "one").await, account(store, "other").await);
    let (ada, bob) = (user(store, "ada@example.com").await, user(store, "bob@example.com").await);
    write(store, move |tx| {
        members::set(tx, one, bob, Role::Owner, at(1))?;
        members::set(tx, one, ada, Role::Owner, at(1))?;
        members::set(tx, one, ada, Role::Writer, at(2))?;
        members::set(tx, other, ada, Role::Owner, at(3))
    })
    .await;
    let expected =
        [("ada@example.com".to_owned(), Role::Writer), ("bob@example.com".to_owned(), Role::Owner)];
    assert_eq!(roles(store, one).await, expected);
    assert_eq!(read(store, move |tx| members::role(tx, other, bob)).await, None);
    assert_eq!(read(store, move |tx| members::role(tx, one, ada)).await, Some(Role::Writer));
    assert_eq!(read(store, members::all).await.len(), 3);
    assert!(write(store, move |tx| members::remove(tx, one, ada)).await);
    assert!(!write(store, move |tx| members::remove(tx, one, ada)).await);
    assert_eq!(roles(store, one).await, expected[1..]);
    assert_eq!(read(store, accounts::list).await.len(), 2);
}

async fn session(store: &Store, user: UserId, number: u8, second: i64) -> SessionId {
    let id = SessionId::new(at(0));
    write(store, move |tx| sessions::insert(tx, id, user, &hash(number), "Firefox", at(second))).await;
    id
}

async fn a_session_is_found_by_its_secret_while_it_is_used(database: &Database) {
    let store = database.store();
    let ada = user(store, "ada@example.com").await;
    let id = session(store, ada, 1, 10).await;
    let find = |number, since| read(store, move |tx| sessions::find(tx, &hash(number), at(since)));
    let found = find(1, 9).await.unwrap();
    assert_eq!(
        (found.id, found.user, &*found.email, &*found.client),
        (id, ada, "ada@example.com", "Firefox")
    );
    assert_eq!(find(2, 9).await, None);
    assert_eq!(find(1, 10).await, None);
    for now in [30, 20] {
        write(store, move |tx| sessions::touch(tx, id, at(now))).await;
    }
    assert_eq!(find(1, 10).await.unwrap().seen_at, at(30));
}

async fn a_session_is_ended_by_its_owner_only(database: &Database) {
    let store = database.store();
    let (ada, bob) = (user(store, "ada@example.com").await, user(store, "bob@example.com").await);
    let (old, new) = (session(store, ada, 1, 10).await, session(store, ada, 2, 20).await);
    let of_bob = session(store, bob, 3, 10).await;
    let listed = |user| async move {
        let listed = read(store, move |tx| sessions::list(tx, user, at(0))).await;
        listed.into_iter().map(|session| session.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(ada).await, [new, old]);
    assert!(!write(store, move |tx| sessions::remove(tx, bob, new)).await);
    assert!(write(store, move |tx| sessions::remove(tx, ada, new)).await);
    write(store, move |tx| sessions::remove_unused(tx, ada, at(10))).await;
    assert_eq!(listed(ada).await, []);
    assert_eq!(listed(bob).await, [of_bob]);
}

async fn a_link_is_used_up_once(database: &Database) {
    let store = database.store();
    let (ada, account) = (user(store, "ada@example.com").await, account(store, "one").await);
    let joins = Some((account, Role::Writer));
    write(store, move |tx| links::insert(tx, &hash(1), ada, joins, at(100))).await;
    let found = read(store, |tx| links::find(tx, &hash(1), at(99))).await.unwrap();
    assert_eq!((found.user, found.account, found.role), (ada, Some(account), Some(Role::Writer)));
    assert_eq!(read(store, |tx| links::find(tx, &hash(1), at(100))).await, None);
    assert!(!write(store, |tx| links::use_up(tx, &hash(1), at(100))).await);
    let used = at_once(8, |_| {
        let store = store.clone();
        async move { write(&store, |tx| links::use_up(tx, &hash(1), at(99))).await }
    });
    assert_eq!(used.await.into_iter().filter(|used| *used).count(), 1);
    assert_eq!(read(store, |tx| links::find(tx, &hash(1), at(99))).await, None);
}

async fn a_new_password_ends_the_links_for_one(database: &Database) {
    let store = database.store();
    let (ada, account) = (user(store, "ada@example.com").await, account(store, "one").await);
    write(store, move |tx| {
        links::insert(tx, &hash(1), ada, None, at(100))?;
        links::insert(tx, &hash(2), ada, Some((account, Role::Owner)), at(100))?;
        links::insert(tx, &hash(3), ada, None, at(10))?;
        links::remove_expired(tx, ada, at(10))?;
        links::remove_for_password(tx, ada)
    })
    .await;
    let found = |number| read(store, move |tx| links::find(tx, &hash(number), at(0)));
    assert_eq!((found(1).await, found(3).await), (None, None));
    assert!(found(2).await.is_some());
    write(store, move |tx| links::remove_of_account(tx, ada, account)).await;
    assert_eq!(found(2).await, None);
}
