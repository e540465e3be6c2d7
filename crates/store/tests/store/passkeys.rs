use model::{Email, TokenHash, UserId};
use store::Store;
use store::passkeys::{self, Passkey};
use store::users;
use testing::Database;
use uuid::Uuid;

use crate::{at, read, write};

testing::on_both_databases!(
    a_passkey_belongs_to_one_person,
    the_count_of_uses_must_rise_unless_it_is_zero,
    a_challenge_is_valid_once_for_its_person_and_time,
);

async fn user(store: &Store, number: u128) -> UserId {
    let (id, email) =
        (UserId(Uuid::from_u128(number)), Email::parse(&format!("{number}@example.com")).unwrap());
    assert!(write(store, move |tx| users::insert(tx, id, &email, false, at(1))).await);
    id
}

fn passkey(user: UserId, credential: u8, sign_count: i64) -> Passkey {
    Passkey {
        credential: vec![credential; 16],
        user,
        public_key: vec![9; 91],
        sign_count,
        name: "laptop".into(),
        created_at: at(1),
        last_used_at: None,
    }
}

async fn a_passkey_belongs_to_one_person(database: &Database) {
    let store = database.store();
    let (ada, bob) = (user(store, 1).await, user(store, 2).await);
    let insert = |passkey: Passkey| write(store, move |tx| passkeys::insert(tx, &passkey));
    assert!(insert(passkey(ada, 1, 0)).await);
    assert!(!insert(passkey(bob, 1, 0)).await);
    assert!(insert(passkey(bob, 2, 0)).await);
    let list = |user| read(store, move |tx| passkeys::list(tx, user));
    assert_eq!(list(ada).await, [passkey(ada, 1, 0)]);
    let remove = |user, credential| write(store, move |tx| passkeys::remove(tx, user, &[credential; 16]));
    assert!(!remove(bob, 1).await);
    assert!(remove(ada, 1).await);
    assert_eq!((list(ada).await.len(), list(bob).await.len()), (0, 1));
    assert_eq!(read(store, |tx| passkeys::get(tx, &[1; 16])).await, None);
}

async fn the_count_of_uses_must_rise_unless_it_is_zero(database: &Database) {
    let store = database.store();
    let ada = user(store, 1).await;
    for (credential, count) in [(1, 0), (2, 5)] {
        write(store, move |tx| passkeys::insert(tx, &passkey(ada, credential, count))).await;
    }
    let note =
        |credential, count| write(store, move |tx| passkeys::note_use(tx, &[credential; 16], count, at(2)));
    assert!(note(1, 0).await && note(1, 0).await && note(1, 1).await);
    assert!(!note(1, 0).await && !note(1, 1).await);
    assert!(!note(2, 5).await && !note(2, 0).await && note(2, 6).await);
    assert!(!note(3, 1).await);
    let used = read(store, |tx| passkeys::get(tx, &[2; 16])).await.unwrap();
    assert_eq!((used.sign_count, used.last_used_at), (6, Some(at(2))));
}

async fn a_challenge_is_valid_once_for_its_person_and_time(database: &Database) {
    let store = database.store();
    let ada = user(store, 1).await;
    let add = |hash: u8, user| {
        write(store, move |tx| passkeys::add_challenge(tx, &TokenHash([hash; 32]), user, at(1), at(10)))
    };
    let take = |hash: u8, user, second| {
        write(store, move |tx| passkeys::use_challenge(tx, &TokenHash([hash; 32]), user, at(second)))
    };
    for hash in 1..=4 {
        add(hash, (hash != 2).then_some(ada)).await;
    }
    assert!(take(1, Some(ada), 9).await);
    assert!(!take(1, Some(ada), 9).await, "once");
    assert!(!take(2, Some(ada), 9).await, "it is for signing in");
    assert!(!take(2, None, 9).await, "a wrong use was a use");
    assert!(!take(3, Some(ada), 10).await, "it has expired");
    assert!(!take(9, None, 9).await, "there is none");
    // Expired ones go with the next.
    write(store, |tx| passkeys::add_challenge(tx, &TokenHash([5; 32]), None, at(10), at(20))).await;
    assert!(!take(4, Some(ada), 9).await);
    assert!(take(5, None, 11).await);
}
