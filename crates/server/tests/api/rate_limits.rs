//! Rate limits: how many requests pass, and when the next one passes.

use std::time::Duration;

use serde_json::json;
use testing::Database;

use crate::answer::Answer;
use crate::app::{Options, spawn_app, spawn_app_with};
use crate::client::Client;

testing::on_each_configuration!(
    an_address_has_120_requests_a_minute,
    the_address_is_judged_before_the_token,
    an_account_has_60_writes_a_minute,
    the_writes_of_an_account_are_shared_by_its_tokens,
    an_account_has_20_builds_an_hour,
    the_hourly_wait_is_until_a_slot_is_free,
    a_client_that_waits_as_long_as_requested_is_let_through,
    windows_slide,
    a_request_leaves_the_window_when_it_is_exactly_as_old,
    the_hourly_window_slides_too,
);

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const MICROSECOND: Duration = Duration::from_micros(1);

#[track_caller]
pub fn is_refused(answer: &Answer, limit: u64, retry_after: u64) {
    let message = "too many requests, please try again later";
    answer.is(429, json!({"error": "rate limit exceeded", "message": message}));
    assert_eq!((answer.window(), answer.retry_after()), ((limit, 0), retry_after));
}

pub async fn write(client: &Client) -> Answer {
    client.post("/pages", json!({"pages": []})).await
}

async fn an_address_has_120_requests_a_minute(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    let routes = ["/pages", "/builds/latest", "/nothing", "/pages?limit=0"];
    for number in 0..120 {
        let answer = client.get(routes[number as usize % 4]).await;
        assert_eq!(answer.window(), (120, 119 - number));
    }
    is_refused(&client.get("/pages").await, 120, 60);
    is_refused(&client.delete("/pages/a?contentType=blog").await, 120, 60);
}

async fn the_address_is_judged_before_the_token(database: &Database) {
    let app = spawn_app(database).await;
    let anonymous = app.anonymous().hasty();
    for number in 0..120 {
        let answer = anonymous.get("/pages").await;
        assert_eq!((answer.status, answer.window()), (401, (120, 119 - number)));
    }
    is_refused(&anonymous.get("/pages").await, 120, 60);
    let client = app.client.hasty();
    is_refused(&client.get("/pages").await, 120, 60);
    is_refused(&write(&client).await, 120, 60);
    is_refused(&client.build().await, 120, 60);
    is_refused(&client.get("/nothing").await, 120, 60);
    app.advance(MINUTE);
    assert_eq!(client.get("/pages").await.status, 200);
}

async fn an_account_has_60_writes_a_minute(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    for number in 0..60 {
        let answer = write(&client).await;
        assert_eq!((answer.status, answer.window()), (200, (60, 59 - number)));
    }
    is_refused(&client.pages(json!([{"title": "A"}])).await, 60, 60);
    // Reading and deleting do not count as writes.
    client.get("/pages").await.is(200, json!({"pages": []}));
    client.delete("/pages/a?contentType=blog").await.is_failure(404);
    assert_eq!(client.build().await.status, 202);
}

async fn the_writes_of_an_account_are_shared_by_its_tokens(database: &Database) {
    let app = spawn_app(database).await;
    let second_site = app.site("second").await;
    let tokens = [app.client.hasty(), app.token().await.hasty(), app.token().await.hasty()];
    for number in 0..60 {
        let body =
            if number % 2 == 0 { json!({"pages": []}) } else { json!({"pages": [], "siteId": second_site}) };
        let answer = tokens[number as usize % 3].post("/pages", body).await;
        assert_eq!((answer.status, answer.window()), (200, (60, 59 - number)));
    }
    for token in &tokens {
        is_refused(&write(token).await, 60, 60);
    }
    let other = app.account("Other").await.client.hasty();
    assert_eq!(write(&other).await.window(), (60, 59));
}

pub fn without_cooldown() -> Options {
    Options { cooldown: Duration::ZERO, ..Options::default() }
}

async fn an_account_has_20_builds_an_hour(database: &Database) {
    let app = spawn_app_with(database, without_cooldown()).await;
    let tokens = [app.client.hasty(), app.token().await.hasty()];
    for number in 0..20 {
        let answer = tokens[number as usize % 2].build().await;
        assert_eq!((answer.status, answer.window()), (202, (20, 19 - number)), "{answer:?}");
    }
    is_refused(&tokens[0].build().await, 20, 3600);
    is_refused(&tokens[1].build().await, 20, 3600);
    let other = app.account("Other").await.client.hasty();
    assert_eq!(other.build().await.window(), (20, 19));
}

async fn the_hourly_wait_is_until_a_slot_is_free(database: &Database) {
    let app = spawn_app_with(database, without_cooldown()).await;
    let client = app.client.hasty();
    for _ in 0..20 {
        assert_eq!(client.build().await.status, 202);
    }
    app.advance(10 * SECOND);
    is_refused(&client.build().await, 20, 3590);
    app.advance(MICROSECOND);
    is_refused(&client.build().await, 20, 3590);
    app.advance(30 * MINUTE - MICROSECOND);
    is_refused(&client.build().await, 20, 1790);
    app.advance(1790 * SECOND - MICROSECOND);
    is_refused(&client.build().await, 20, 1);
    app.advance(MICROSECOND);
    assert_eq!(client.build().await.status, 202);
}

/// Builds a minute apart; the refused one counts too, so two of them must leave the window.
async fn a_client_that_waits_as_long_as_requested_is_let_through(database: &Database) {
    for early in [true, false] {
        let app = spawn_app_with(database, without_cooldown()).await;
        let client = app.account("Waiting").await.client.hasty();
        for _ in 0..20 {
            assert_eq!(client.build().await.status, 202);
            app.advance(MINUTE);
        }
        let refused = client.build().await;
        is_refused(&refused, 20, 41 * 60);
        let wait = Duration::from_secs(refused.retry_after());
        app.advance(if early { wait - MICROSECOND } else { wait });
        assert_eq!(client.build().await.status, if early { 429 } else { 202 });
    }
}

async fn windows_slide(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    for _ in 0..2 {
        for _ in 0..30 {
            assert_eq!(write(&client).await.status, 200);
        }
        app.advance(30 * SECOND);
    }
    for number in 0..30 {
        assert_eq!(write(&client).await.window(), (60, 29 - number));
    }
    is_refused(&write(&client).await, 60, 60);
}

async fn a_request_leaves_the_window_when_it_is_exactly_as_old(database: &Database) {
    let app = spawn_app(database).await;
    for (age, status) in [(MINUTE - MICROSECOND, 429), (MINUTE, 200)] {
        let client = app.account("Sliding").await.client.hasty();
        for _ in 0..60 {
            write(&client).await;
        }
        app.advance(age);
        assert_eq!(write(&client).await.status, status, "{age:?}");
        app.advance(2 * MINUTE);
    }
    let anonymous = app.anonymous().hasty();
    for (age, status) in [(MINUTE - MICROSECOND, 429), (MINUTE, 401)] {
        for _ in 0..120 {
            anonymous.get("/pages").await;
        }
        app.advance(age);
        assert_eq!(anonymous.get("/pages").await.status, status, "{age:?}");
        app.advance(2 * MINUTE);
    }
}

async fn the_hourly_window_slides_too(database: &Database) {
    let app = spawn_app_with(database, without_cooldown()).await;
    for (age, status) in [(HOUR - MICROSECOND, 429), (HOUR, 202)] {
        let client = app.account("Sliding").await.client.hasty();
        for _ in 0..20 {
            client.build().await;
        }
        app.advance(age);
        assert_eq!(client.build().await.status, status, "{age:?}");
    }
}
