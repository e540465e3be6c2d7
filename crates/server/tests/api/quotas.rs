//! Quotas of an account, and responses of a server with a full disk.

use reqwest::Method;
use serde_json::{Value, json};
use testing::Database;

use crate::app::{Options, spawn_app_with};

testing::on_each_configuration!(
    more_pages_than_the_plan_allows_are_refused,
    more_text_than_the_plan_allows_is_refused,
    a_quota_is_judged_after_everything_else,
    a_nearly_full_disk_refuses_writes_and_nothing_else,
);

fn tiny() -> Options {
    Options { plan: "tiny", ..Options::default() }
}

async fn more_pages_than_the_plan_allows_are_refused(database: &Database) {
    let app = spawn_app_with(database, tiny()).await;
    let page = |title: &str| json!({ "title": title });
    assert_eq!(app.client.post("/pages", json!({ "pages": [page("A"), page("B")] })).await.status, 200);
    let refused = app.client.post("/pages", json!({ "pages": [page("C"), page("D")] })).await;
    let message = refused.is_failure(402);
    assert_eq!(refused.body["error"], "page quota exceeded");
    assert!(message.contains("adds 2 pages") && message.contains("only 1 more"), "{message}");
    assert_eq!(app.client.post("/pages", page("C")).await.status, 200);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 3);
}

async fn more_text_than_the_plan_allows_is_refused(database: &Database) {
    let app = spawn_app_with(database, tiny()).await;
    let refused = app.client.post("/pages", json!({ "title": "A", "content": "x".repeat(101) })).await;
    let message = refused.is_failure(402);
    assert_eq!(refused.body["error"], "text quota exceeded");
    assert!(message.contains("101 bytes") && message.contains("100 bytes"), "{message}");
    assert_eq!(
        app.client.post("/pages", json!({ "title": "A", "content": "x".repeat(100) })).await.status,
        200
    );
}

async fn a_quota_is_judged_after_everything_else(database: &Database) {
    let app = spawn_app_with(database, tiny()).await;
    let long = "x".repeat(101);
    let check = async |body, error: &str| {
        let answer = app.client.post("/pages", body).await;
        assert_eq!((answer.status, &answer.body["error"]), (400, &json!(error)), "{answer:?}");
    };
    check(json!({ "pages": [{ "title": "A", "content": long }, { "title": 7 }] }), "validation failed").await;
    check(
        json!({ "pages": [{ "title": "A", "content": long }, { "title": "A" }] }),
        "duplicate slugs in batch",
    )
    .await;
    check(
        json!({ "title": "A", "content": format!("{long} ![](file:a.png)") }),
        "unresolved file references",
    )
    .await;
}

async fn a_nearly_full_disk_refuses_writes_and_nothing_else(database: &Database) {
    let app = spawn_app_with(database, Options { min_free: u64::MAX, ..Options::default() }).await;
    let request = app.client.request(Method::POST, "/pages").json(&json!({ "title": "A" }));
    let refused = app.client.send_to_a_broken_server(request).await;
    refused.is_failure(507);
    assert_eq!(refused.body["error"], "insufficient storage on the server");
    let entry = json!([{ "slug": "a", "contentType": "blog" }]);
    assert_eq!(app.client.post("/pages", json!({ "deleteSlugs": entry })).await.body["deleted"], json!([]));
    assert_eq!(app.client.get("/pages").await.status, 200);
    let ready = reqwest::get(format!("http://{}/readyz", app.address)).await.unwrap();
    assert_eq!(ready.status(), 200);
    let ready: Value = ready.json().await.unwrap();
    assert!(ready["disk"].as_str().unwrap().contains("nearly full"), "{ready}");
}
