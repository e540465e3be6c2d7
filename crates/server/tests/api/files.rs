//! Files beside pages, as far as `POST /pages` alone shows it.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;
use testing::Database;

use crate::app::spawn_app;

testing::on_both_databases!(
    a_file_reference_without_its_file_is_refused,
    unresolved_references_come_after_the_slug_conflict,
    a_payload_may_come_as_multipart,
    multipart_without_a_payload_is_refused,
);

async fn a_file_reference_without_its_file_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    let pages = json!([
        {"title": "Fine", "content": "`file:a.png` is code"},
        {"title": "One", "content": "![a](file:a.png)"},
        {"title": "Three", "content": "![a](file:a.png) [b](file:b.pdf) ![a](file:a.png)"},
    ]);
    let details = json!({"1": {"unresolvedCount": 1}, "2": {"unresolvedCount": 3}});
    let body = json!({"error": "unresolved file references", "details": details});
    app.client.pages(pages).await.is(400, body);
    assert_eq!(app.client.list().await, json!([]));
}

async fn unresolved_references_come_after_the_slug_conflict(database: &Database) {
    let app = spawn_app(database).await;
    let page = json!({"title": "A", "content": "![a](file:a.png)"});
    let deletes = json!([{"slug": "a", "contentType": "blog"}]);
    let answer = app.client.post("/pages", json!({"pages": [page], "deleteSlugs": deletes})).await;
    assert_eq!(answer.body["error"], "slug conflict");
    let answer = app.client.post("/pages", json!({"pages": [page], "build": true})).await;
    assert_eq!(answer.body["error"], "unresolved file references", "{answer:?}");
    app.client.get("/builds/latest").await.is_failure(404);
}

fn multipart(name: &str, text: &str) -> String {
    format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n--x--\r\n")
}

async fn a_payload_may_come_as_multipart(database: &Database) {
    let app = spawn_app(database).await;
    let request = app.client.request(Method::POST, "/pages");
    let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=x");
    let answer = app.client.send(request.body(multipart("payload", r#"{"pages":[{"title":"A"}]}"#))).await;
    assert_eq!((answer.status, &answer.body["pages"][0]["slug"]), (200, &json!("a")), "{answer:?}");
}

async fn multipart_without_a_payload_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    let request = app.client.request(Method::POST, "/pages");
    let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=x");
    app.client.send(request.body(multipart("other", "{}"))).await.is_failure(400);
}
