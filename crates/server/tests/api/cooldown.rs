//! The pause between two builds of a site.

use std::time::Duration;

use serde_json::json;
use testing::Database;

use crate::answer::Answer;
use crate::app::{Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    a_build_within_30_seconds_of_the_last_is_refused,
    the_wait_is_reported_in_whole_seconds,
    a_client_that_waits_as_long_as_requested_is_let_through,
    refused_attempts_do_not_prolong_it,
    it_is_each_sites_own,
    it_is_shared_by_publish_and_build,
    it_is_configurable,
);

#[track_caller]
fn is_cooling(answer: &Answer, seconds: u64) {
    let message = answer.is_failure(429);
    assert!(message.contains(&seconds.to_string()), "the message names the seconds left: {message}");
    assert_eq!((&answer.body["error"], answer.retry_after()), (&json!("build cooldown active"), seconds));
}

async fn a_build_within_30_seconds_of_the_last_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(client.build().await.status, 202);
    is_cooling(&client.build().await, 30);
    app.advance(Duration::from_micros(29_999_999));
    is_cooling(&client.build().await, 1);
    app.advance(Duration::from_micros(1));
    assert_eq!(client.build().await.status, 202);
    is_cooling(&client.build().await, 30);
}

async fn the_wait_is_reported_in_whole_seconds(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(client.build().await.status, 202);
    for (passed, seconds) in [(1, 30), (999, 29), (9_000, 20), (500, 20), (500, 19), (18_000, 1), (999, 1)] {
        app.advance(Duration::from_millis(passed));
        is_cooling(&client.build().await, seconds);
    }
}

/// Also if the clock is not at a whole millisecond.
async fn a_client_that_waits_as_long_as_requested_is_let_through(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    for micros in [0, 1, 499, 999, 1_000, 999_001, 999_500, 1_000_001, 28_999_999, 29_000_001] {
        assert_eq!(client.build().await.status, 202);
        app.advance(Duration::from_micros(micros));
        let cooling = client.build().await;
        assert_eq!(cooling.status, 429, "{cooling:?}");
        app.advance(Duration::from_secs(cooling.retry_after()));
        let after = client.build().await;
        assert_eq!(
            after.status,
            202,
            "after {micros} µs, asked to wait {} s: {after:?}",
            cooling.retry_after()
        );
        app.advance(Duration::from_secs(3600));
    }
}

async fn refused_attempts_do_not_prolong_it(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(client.build().await.status, 202);
    for left in (10..=25).rev().step_by(5) {
        app.advance(Duration::from_secs(5));
        is_cooling(&client.build().await, left);
    }
    app.advance(Duration::from_secs(10));
    assert_eq!(client.build().await.status, 202);
}

async fn it_is_each_sites_own(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    let second = app.site("second").await;
    assert_eq!(client.build().await.status, 202);
    assert_eq!(client.post("/builds", json!({"siteId": second})).await.status, 202);
    is_cooling(&client.build().await, 30);
    is_cooling(&app.token().await.hasty().post("/builds", json!({"siteId": second})).await, 30);
}

async fn it_is_shared_by_publish_and_build(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    let queued = client.post("/pages", json!({"build": true})).await;
    assert_eq!(queued.body["build"]["status"], "queued");
    app.advance(Duration::from_secs(12));
    is_cooling(&client.build().await, 18);
    let refused = client.post("/pages", json!({"build": true})).await;
    assert_eq!(refused.body["build"], client.build().await.body);
    assert_eq!(refused.status, 200, "so there is no Retry-After: {refused:?}");
}

async fn it_is_configurable(database: &Database) {
    let cooldown = Duration::from_secs(90);
    let app = spawn_app_with(database, Options { cooldown, ..Options::default() }).await;
    let client = app.client.hasty();
    assert_eq!(client.build().await.status, 202);
    app.advance(Duration::from_secs(30));
    is_cooling(&client.build().await, 60);

    let app = spawn_app_with(database, Options { cooldown: Duration::ZERO, ..Options::default() }).await;
    let client = app.client.hasty();
    for _ in 0..3 {
        assert_eq!(client.build().await.status, 202);
    }
}
