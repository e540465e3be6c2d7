//! Which requests count, and in which window.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;
use testing::Database;

use crate::app::{Options, spawn_app, spawn_app_with};
use crate::rate_limits::{is_refused, without_cooldown, write};

testing::on_each_configuration!(
    failed_requests_count,
    refused_requests_count,
    unauthorized_requests_count_for_the_address_alone,
    a_request_that_the_address_refuses_does_not_reach_the_account,
    a_build_requested_by_a_publish_counts_only_as_a_write,
    in_development_nothing_is_refused_by_a_window,
    in_development_the_other_limits_hold,
    a_fault_before_authentication_does_not_count,
    a_fault_after_authentication_counts,
);

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

async fn failed_requests_count(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    let unknown_site = json!({"siteId": "00000000-0000-4000-8000-000000000000", "pages": []});
    for number in 0..60 {
        let answer = match number % 4 {
            0 => client.post_text("/pages", "{").await,
            1 => client.post("/pages", json!({})).await,
            2 => client.post("/pages", unknown_site.clone()).await,
            _ => {
                let request = client.request(Method::POST, "/pages").header(CONTENT_TYPE, "text/plain");
                client.send(request.body("x")).await
            }
        };
        assert_eq!(answer.status, [400, 400, 403, 415][number as usize % 4]);
        assert_eq!(answer.window(), (60, 59 - number));
    }
    is_refused(&write(&client).await, 60, 60);
}

async fn refused_requests_count(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    for _ in 0..60 {
        assert_eq!(write(&client).await.status, 200);
    }
    app.advance(30 * SECOND);
    for _ in 0..60 {
        is_refused(&write(&client).await, 60, 60);
    }
    app.advance(31 * SECOND);
    is_refused(&write(&client).await, 60, 60);
    app.advance(29 * SECOND);
    assert_eq!(write(&client).await.window(), (60, 58));
}

async fn unauthorized_requests_count_for_the_address_alone(database: &Database) {
    let app = spawn_app(database).await;
    let (client, anonymous) = (app.client.hasty(), app.anonymous().with_token("rec_0").hasty());
    for number in 0..50 {
        assert_eq!(write(&anonymous).await.window(), (120, 119 - number));
    }
    assert_eq!(write(&client).await.window(), (60, 59));
    assert_eq!(client.get("/pages").await.window(), (120, 120 - 52));
    app.publisher.account_suspend(app.acme.id).await.unwrap();
    let suspended = write(&client).await;
    assert_eq!((suspended.status, suspended.window()), (403, (60, 58)));
}

async fn a_request_that_the_address_refuses_does_not_reach_the_account(database: &Database) {
    let app = spawn_app(database).await;
    let (client, anonymous) = (app.client.hasty(), app.anonymous().hasty());
    for _ in 0..120 {
        anonymous.get("/pages").await;
    }
    for _ in 0..10 {
        is_refused(&write(&client).await, 120, 60);
        is_refused(&client.build().await, 120, 60);
    }
    app.advance(MINUTE);
    assert_eq!(write(&client).await.window(), (60, 59));
    assert_eq!(client.build().await.window(), (20, 19));
}

async fn a_build_requested_by_a_publish_counts_only_as_a_write(database: &Database) {
    let app = spawn_app_with(database, without_cooldown()).await;
    let client = app.client.hasty();
    for number in 0..30 {
        let answer = client.post("/pages", json!({"build": true})).await;
        assert_eq!((&answer.body["build"]["status"], answer.window()), (&json!("queued"), (60, 59 - number)));
    }
    assert_eq!(client.build().await.window(), (20, 19));
}

async fn in_development_nothing_is_refused_by_a_window(database: &Database) {
    let app = spawn_app_with(database, Options { dev: true, ..without_cooldown() }).await;
    let (client, anonymous) = (app.client.hasty(), app.anonymous().hasty());
    for number in 0..25u64 {
        let answer = client.build().await;
        assert_eq!((answer.status, answer.window()), (202, (20, 19u64.saturating_sub(number))));
    }
    for number in 0..70u64 {
        let answer = write(&client).await;
        assert_eq!((answer.status, answer.window()), (200, (60, 59u64.saturating_sub(number))));
    }
    for number in 95..130u64 {
        let answer = anonymous.get("/pages").await;
        assert_eq!((answer.status, answer.window()), (401, (120, 119u64.saturating_sub(number))));
    }
}

async fn in_development_the_other_limits_hold(database: &Database) {
    let app = spawn_app_with(database, Options { dev: true, plan: "free", ..Options::default() }).await;
    let client = app.client.hasty();
    assert_eq!(client.build().await.status, 202);
    let cooling = client.build().await;
    assert_eq!((&cooling.body["error"], cooling.retry_after()), (&json!("build cooldown active"), 30));
    for _ in 0..2 {
        app.advance(30 * SECOND);
        assert_eq!(client.build().await.status, 202);
    }
    app.advance(30 * SECOND);
    client.build().await.is_failure(402);
    let pages: Vec<_> = (0..5001).map(|_| json!({"title": "A"})).collect();
    client.pages(json!(pages)).await.is_failure(400);
}

async fn a_fault_before_authentication_does_not_count(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(client.get("/pages").await.window(), (120, 119));
    database.execute("ALTER TABLE tokens RENAME TO tokens_away");
    for _ in 0..3 {
        let answer = client.send_to_a_broken_server(client.request(Method::GET, "/pages")).await;
        let (message, id) = (&answer.body["message"], &answer.body["requestId"]);
        assert!(message.is_string() && id.is_string(), "{answer:?}");
        answer.is(500, json!({"error": "internal error", "message": message, "requestId": id}));
        assert!(!answer.text.contains("tokens"), "details are for the log: {answer:?}");
        assert_eq!(answer.window(), (120, 119));
    }
    database.execute("ALTER TABLE tokens_away RENAME TO tokens");
    assert_eq!(client.get("/pages").await.window(), (120, 118));
}

async fn a_fault_after_authentication_counts(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    database.execute("ALTER TABLE pages RENAME TO pages_away");
    for number in 0..3 {
        let answer = client.send_to_a_broken_server(client.request(Method::GET, "/pages")).await;
        assert_eq!((answer.status, answer.window()), (500, (120, 119 - number)));
    }
    database.execute("ALTER TABLE pages_away RENAME TO pages");
    assert_eq!(client.get("/pages").await.window(), (120, 116));
}
