use model::{AccountId, TokenHash, TokenId, TokenName};
use store::tokens::{self, Caller, Token};
use store::{Store, accounts};
use testing::Database;

use crate::{account, at, read, write};

testing::on_both_databases!(
    a_token_belongs_to_its_account,
    a_revoked_token_has_no_account,
    a_change_of_the_account_is_seen_at_once,
    tokens_are_listed_by_account_and_age,
    the_last_use_only_moves_forward,
    a_peek_sees_what_was_committed_and_changes_nothing,
);

fn hash(number: u8) -> TokenHash {
    TokenHash([number; 32])
}

async fn token(store: &Store, account: AccountId, number: u8) -> TokenId {
    let (id, name) = (TokenId::new(at(0)), TokenName::parse(&format!("token {number}")).unwrap());
    let created_at = at(number.into());
    write(store, move |tx| tokens::insert(tx, id, account, &name, &hash(number), created_at)).await;
    id
}

async fn caller(store: &Store, number: u8) -> Option<Caller> {
    read(store, move |tx| tokens::authenticate(tx, &hash(number))).await
}

async fn a_token_belongs_to_its_account(database: &Database) {
    let store = database.store();
    let account = account(store, "a").await;
    let token = token(store, account, 1).await;
    let expected = Caller {
        token: Some(token),
        address: None,
        person: None,
        account,
        plan: "pro".into(),
        suspended: false,
    };
    assert_eq!(caller(store, 1).await, Some(expected));
    assert_eq!(caller(store, 2).await, None);
}

async fn a_revoked_token_has_no_account(database: &Database) {
    let store = database.store();
    let account = account(store, "a").await;
    let (revoked, other) = (token(store, account, 1).await, token(store, account, 2).await);
    for now in [at(10), at(20)] {
        let done = write(store, move |tx| tokens::revoke(tx, revoked, now)).await;
        assert_eq!(done.map(|(of, _)| of), Some(account));
    }
    assert_eq!(write(store, |tx| tokens::revoke(tx, TokenId::new(at(0)), at(10))).await, None);
    assert_eq!(caller(store, 1).await, None);
    assert_eq!(caller(store, 2).await.unwrap().token, Some(other));
    // Revoking twice keeps the first time.
    assert_eq!(read(store, tokens::list).await[0].revoked_at, Some(at(10)));
}

async fn a_change_of_the_account_is_seen_at_once(database: &Database) {
    let store = database.store();
    let account = account(store, "a").await;
    token(store, account, 1).await;
    write(store, move |tx| accounts::set_plan(tx, account, "free")).await;
    write(store, move |tx| accounts::set_suspended(tx, account, Some(at(1)))).await;
    let caller = caller(store, 1).await.unwrap();
    assert_eq!((caller.plan.as_str(), caller.suspended), ("free", true));
}

async fn tokens_are_listed_by_account_and_age(database: &Database) {
    let store = database.store();
    let (a, b) = (account(store, "a").await, account(store, "b").await);
    let mut expected = Vec::new();
    for (account, number) in [(a, 3), (b, 2), (a, 1)] {
        expected.push(Token {
            id: token(store, account, number).await,
            account,
            name: format!("token {number}"),
            created_at: at(number.into()),
            last_used_at: None,
            revoked_at: None,
        });
    }
    expected.sort_by_key(|token| (token.account, token.created_at));
    assert_eq!(read(store, tokens::list).await, expected);
}

async fn the_last_use_only_moves_forward(database: &Database) {
    let store = database.store();
    let account = account(store, "a").await;
    let (one, two) = (token(store, account, 1).await, token(store, account, 2).await);
    for used in [vec![(one, at(20)), (two, at(30))], vec![(one, at(10))], vec![]] {
        write(store, move |tx| tokens::touch(tx, &used)).await;
    }
    let last_used: Vec<_> = read(store, tokens::list).await.iter().map(|token| token.last_used_at).collect();
    assert_eq!(last_used, [Some(at(20)), Some(at(30))]);
}

async fn a_peek_sees_what_was_committed_and_changes_nothing(database: &Database) {
    let (store, other) = (database.store(), database.open());
    let account = account(store, "a").await;
    let peek = || store.peek(|tx| tokens::authenticate(tx, &hash(1)));
    assert_eq!(peek().await.unwrap(), None);
    let id = token(store, account, 1).await;
    assert_eq!(peek().await.unwrap().unwrap().token, Some(id));
    write(&other, move |tx| tokens::revoke(tx, id, at(10))).await;
    assert_eq!(peek().await.unwrap(), None);
    let refused = store.peek(move |tx| tokens::revoke(tx, id, at(20))).await;
    assert!(refused.is_err());
}
