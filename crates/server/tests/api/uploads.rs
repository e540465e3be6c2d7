//! An early refusal of a large upload reaches the client that is still sending.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;
use testing::Database;

use crate::app::{Options, spawn_app, spawn_app_with};
use crate::client::Client;

testing::on_each_configuration!(
    a_401_to_a_large_upload_is_read,
    a_404_405_and_415_to_a_large_upload_are_read,
    a_413_to_a_large_upload_is_read,
    a_429_to_a_large_upload_is_read,
    a_malformed_beginning_of_a_large_upload_is_reported,
);

const LARGE: usize = 12 << 20;

async fn upload(client: &Client, method: Method, path: &str, content_type: &str) -> u16 {
    let request = client.request(method, path).header(CONTENT_TYPE, content_type);
    client.send(request.body(vec![b' '; LARGE])).await.status
}

async fn a_401_to_a_large_upload_is_read(database: &Database) {
    let app = spawn_app(database).await;
    for _ in 0..3 {
        assert_eq!(upload(&app.anonymous(), Method::POST, "/pages", "application/json").await, 401);
    }
}

async fn a_404_405_and_415_to_a_large_upload_are_read(database: &Database) {
    let app = spawn_app(database).await;
    assert_eq!(upload(&app.client, Method::POST, "/nothing", "application/json").await, 404);
    assert_eq!(upload(&app.client, Method::PUT, "/pages", "application/json").await, 405);
    assert_eq!(upload(&app.client, Method::POST, "/pages", "text/plain").await, 415);
}

async fn a_413_to_a_large_upload_is_read(database: &Database) {
    let app = spawn_app_with(database, Options { max_body: 1 << 20, ..Options::default() }).await;
    assert_eq!(upload(&app.client, Method::POST, "/pages", "application/json").await, 413);
    let pieces = (0..LARGE >> 16).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1 << 16]));
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    app.client.post_text("/pages", body).await.is_failure(413);
}

async fn a_429_to_a_large_upload_is_read(database: &Database) {
    let app = spawn_app(database).await;
    let client = app.client.hasty();
    for _ in 0..60 {
        client.post("/pages", json!({"pages": []})).await;
    }
    assert_eq!(upload(&client, Method::POST, "/pages", "application/json").await, 429);
}

async fn a_malformed_beginning_of_a_large_upload_is_reported(database: &Database) {
    let app = spawn_app(database).await;
    let body = format!("{{\"pages\":[5,{}", " ".repeat(LARGE));
    let answer = app.client.post_text("/pages", body).await;
    assert!(answer.is_failure(400).contains("pages[0]"), "{answer:?}");
}
