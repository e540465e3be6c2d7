use std::time::Duration;

use model::TokenName;
use publisher::Error;
use testing::Database;

use crate::World;

testing::on_both_databases!(
    a_token_is_known_until_it_is_revoked,
    another_process_s_revocation_holds_at_once,
    an_invalid_token_has_no_account,
    a_suspended_account_is_refused_at_once,
    a_change_of_plan_is_seen_at_once,
    the_last_use_of_a_token_is_noted_by_upkeep_and_at_the_end,
);

async fn a_token_is_known_until_it_is_revoked(database: &Database) {
    let world = World::new(database).await;
    let name = TokenName::parse("laptop").unwrap();
    let second = world.publisher.token_create(world.caller.account, name).await.unwrap();
    let caller = world.publisher.authenticate(&second.token).await.unwrap();
    assert_eq!((caller.account, caller.token), (world.caller.account, Some(second.token_id)));
    world.publisher.token_revoke(second.token_id).await.unwrap();
    let revoked = world.publisher.authenticate(&second.token).await;
    assert!(matches!(revoked, Err(Error::InvalidToken)), "{revoked:?}");
    world.publisher.authenticate(&world.token).await.unwrap();
}

async fn another_process_s_revocation_holds_at_once(database: &Database) {
    let world = World::new(database).await;
    let command = publisher::Publisher::new(
        database.open(),
        world.blob.clone(),
        world.clock.clone(),
        crate::settings(),
    );
    command.token_revoke(world.caller.token.unwrap()).await.unwrap();
    let revoked = world.publisher.authenticate(&world.token).await;
    assert!(matches!(revoked, Err(Error::InvalidToken)), "{revoked:?}");
}

async fn an_invalid_token_has_no_account(database: &Database) {
    let world = World::new(database).await;
    let unknown = format!("rec_{}", "0".repeat(64));
    let upper = world.token.to_uppercase();
    for token in ["", "rec_", unknown.as_str(), upper.as_str(), &world.token[1..]] {
        let answer = world.publisher.authenticate(token).await;
        assert!(matches!(answer, Err(Error::InvalidToken)), "{token}: {answer:?}");
    }
}

async fn a_suspended_account_is_refused_at_once(database: &Database) {
    let world = World::new(database).await;
    let account = world.caller.account;
    world.publisher.account_suspend(account).await.unwrap();
    assert!(world.publisher.authenticate(&world.token).await.unwrap().suspended);
    world.publisher.account_resume(account).await.unwrap();
    assert!(!world.publisher.authenticate(&world.token).await.unwrap().suspended);
}

async fn a_change_of_plan_is_seen_at_once(database: &Database) {
    let world = World::new(database).await;
    world.publisher.account_set_plan(world.caller.account, "free").await.unwrap();
    assert_eq!(world.publisher.authenticate(&world.token).await.unwrap().plan, "free");
    let unknown = world.publisher.account_set_plan(world.caller.account, "gold").await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no plan \"gold\"; the plans are: free, simple, pro");
}

async fn the_last_use_of_a_token_is_noted_by_upkeep_and_at_the_end(database: &Database) {
    let world = World::new(database).await;
    let used = async || world.publisher.token_list().await.unwrap()[0].last_used_at;
    assert_eq!(used().await, None);
    let first = model::Clock::now(&*world.clock);
    world.publisher.upkeep().await.unwrap();
    assert_eq!(used().await, Some(first));
    world.clock.advance(Duration::from_secs(60));
    world.publisher.authenticate(&world.token).await.unwrap();
    assert_eq!(used().await, Some(first));
    world.publisher.clone().close().await;
    assert_eq!(used().await, Some(model::Clock::now(&*world.clock)));
}
