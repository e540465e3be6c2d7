//! The rate limit headers of all kinds of responses.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;
use testing::Database;

use crate::app::{Options, spawn_app, spawn_app_with};
use crate::client::Client;

testing::on_each_configuration!(
    responses_of_every_status_have_the_headers_of_their_endpoints_window,
    a_refusal_has_the_headers_of_the_window_that_refused,
    remaining_already_counts_this_request,
    a_cooldown_keeps_the_endpoints_own_headers,
    requests_outside_the_api_are_not_counted,
);

async fn responses_of_every_status_have_the_headers_of_their_endpoints_window(database: &Database) {
    let app = spawn_app_with(database, Options { plan: "free", max_body: 1000, ..Options::default() }).await;
    app.client.page_at("blog//a").await;
    let unknown_site = "00000000-0000-4000-8000-000000000000";
    let check =
        async |client: &Client, request: &str, content_type: &str, body: String, status: u16, limit: u64| {
            let (method, path) = request.split_once(' ').unwrap();
            let sent = client.request(Method::from_bytes(method.as_bytes()).unwrap(), path);
            let answer = client.send(sent.header(CONTENT_TYPE, content_type).body(body)).await;
            assert_eq!((answer.status, answer.window().0), (status, limit), "{request}: {answer:?}");
        };
    let (client, anonymous, json) = (&app.client, &app.anonymous(), "application/json");
    let none = String::new;
    check(client, "POST /pages", json, r#"{"pages":[]}"#.into(), 200, 60).await;
    check(client, "POST /pages", json, "{".into(), 400, 60).await;
    check(client, "POST /pages", json, "{}".into(), 400, 60).await;
    check(client, "POST /pages", json, format!(r#"{{"siteId":"{unknown_site}","pages":[]}}"#), 403, 60).await;
    check(client, "POST /pages", json, " ".repeat(1001), 413, 60).await;
    check(client, "POST /pages", "text/plain", "x".into(), 415, 60).await;
    check(anonymous, "POST /pages", json, "{}".into(), 401, 120).await;
    check(client, "PUT /pages", json, none(), 405, 120).await;
    check(client, "POST /pages/", json, none(), 404, 120).await;
    check(client, "GET /pages", json, none(), 200, 120).await;
    check(client, "GET /pages?limit=0", json, none(), 400, 120).await;
    check(client, &format!("GET /pages?siteId={unknown_site}"), json, none(), 403, 120).await;
    check(anonymous, "GET /pages", json, none(), 401, 120).await;
    check(client, "DELETE /pages/a?contentType=blog", json, none(), 204, 120).await;
    check(client, "DELETE /pages/a?contentType=blog", json, none(), 404, 120).await;
    check(client, "DELETE /pages/a", json, none(), 400, 120).await;
    check(client, "GET /builds/latest", json, none(), 404, 120).await;
    check(client, "POST /builds", json, "[]".into(), 400, 20).await;
    check(client, "POST /builds", json, format!(r#"{{"siteId":"{unknown_site}"}}"#), 403, 20).await;
    check(client, "POST /builds", "text/plain", "x".into(), 415, 20).await;
    check(client, "POST /builds", json, none(), 202, 20).await;
    check(client, "POST /builds", json, none(), 429, 20).await;
    check(anonymous, "POST /builds", json, none(), 401, 120).await;
    check(client, "GET /builds/latest", json, none(), 200, 120).await;
    check(client, "PUT /builds", json, none(), 405, 120).await;
    for _ in 0..2 {
        app.advance(Duration::from_secs(30));
        check(client, "POST /builds", json, none(), 202, 20).await;
    }
    app.advance(Duration::from_secs(30));
    check(client, "POST /builds", json, none(), 402, 20).await;
    app.publisher.account_suspend(app.acme.id).await.unwrap();
    check(client, "POST /pages", json, "{}".into(), 403, 60).await;
    check(client, "POST /builds", json, none(), 403, 20).await;
    check(client, "GET /pages", json, none(), 403, 120).await;
}

async fn a_refusal_has_the_headers_of_the_window_that_refused(database: &Database) {
    let app = spawn_app(database).await;
    let (client, anonymous) = (app.client.hasty(), app.anonymous().hasty());
    let write = async || client.post("/pages", json!({"pages": []})).await;
    for _ in 0..60 {
        write().await;
    }
    let refused = write().await;
    assert_eq!((refused.status, refused.window()), (429, (60, 0)));
    for _ in 0..59 {
        anonymous.get("/pages").await;
    }
    let refused = write().await;
    assert_eq!((refused.status, refused.window()), (429, (120, 0)));
}

async fn remaining_already_counts_this_request(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(client.get("/pages").await.window(), (120, 119));
    assert_eq!(client.post("/pages", json!({"pages": []})).await.window(), (60, 59));
    assert_eq!(client.build().await.window(), (20, 19));
    assert_eq!(client.delete("/pages/a?contentType=blog").await.window(), (120, 116));
    assert_eq!(app.anonymous().hasty().build().await.window(), (120, 115));
    assert_eq!(client.post("/pages", json!({"pages": []})).await.window(), (60, 58));
}

async fn a_cooldown_keeps_the_endpoints_own_headers(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    assert_eq!(client.build().await.window(), (20, 19));
    for number in 0..5 {
        let cooling = client.build().await;
        assert_eq!((cooling.status, cooling.window()), (429, (20, 18 - number)));
        assert_eq!(cooling.retry_after(), 30);
    }
}

async fn requests_outside_the_api_are_not_counted(database: &Database) {
    let app = spawn_app(database).await;
    let (client, anonymous) = (app.client.hasty(), app.anonymous().hasty());
    let outside = ["/healthz", "/readyz", "/docs", "/openapi.json"];
    let all_answer = async || {
        for path in outside {
            let response = client.request_outside(Method::GET, path).send().await.unwrap();
            assert_eq!(response.status().as_u16(), 200, "{path}");
            assert_eq!(response.headers().get("retry-after"), None);
        }
    };
    for _ in 0..40 {
        all_answer().await;
    }
    assert_eq!(client.get("/pages").await.window(), (120, 119));
    for _ in 0..130 {
        anonymous.get("/pages").await;
    }
    assert_eq!(anonymous.get("/pages").await.status, 429);
    all_answer().await;
}
