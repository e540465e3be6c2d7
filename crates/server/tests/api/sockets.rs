//! Raw requests that no well-behaved client sends.

use std::time::Duration;

use serde_json::json;
use testing::Database;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::app::{App, Options, spawn_app, spawn_app_with};
use crate::client::PREFIX;

testing::on_each_configuration!(
    a_length_over_the_cap_is_answered_before_the_body_comes,
    an_early_refusal_says_that_it_closes,
    a_body_that_ends_early_stores_nothing,
    a_chunked_body_that_ends_early_stores_nothing,
    a_body_in_tiny_pieces_is_read,
    a_client_that_expects_100_gets_100_continue,
    head_answers_as_get_does,
);

/// The head of a `POST /pages` of Acme's, without its last empty line.
fn head(app: &App, headers: &str) -> String {
    let authorization = app.client.authorization();
    format!(
        "POST {PREFIX}/pages HTTP/1.1\r\nHost: a\r\nAuthorization: {authorization}\r\n\
         Content-Type: application/json\r\n{headers}"
    )
}

/// Everything that the server sends until it closes the connection, or sends nothing for a while after its first bytes.
async fn receive(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let mut patience = Duration::from_secs(300);
    while let Ok(Ok(1..)) = timeout(patience, stream.read_buf(&mut answer)).await {
        patience = Duration::from_millis(400);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

async fn a_length_over_the_cap_is_answered_before_the_body_comes(database: &Database) {
    let app = spawn_app_with(database, Options { max_body: 1000, ..Options::default() }).await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(head(&app, "Content-Length: 1001\r\n\r\n").as_bytes()).await.unwrap();
    let answer = receive(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("x-ratelimit-limit: 60"), "{answer}");
    assert!(answer.contains("{\"error\":"), "{answer}");
}

/// The connection is closed after a response to an unread body. Without `Connection: close` a client sends its
/// next request there, and loses it.
async fn an_early_refusal_says_that_it_closes(database: &Database) {
    let app = spawn_app_with(database, Options { max_body: 1_000_000, ..Options::default() }).await;
    let whole = head(&app, "");
    let without_token = whole.replace("Bearer rec_", "Bearer rec-");
    let of_text = whole.replace("application/json", "text/plain");
    let malformed = format!("{{\"pages\":[5,{}", " ".repeat(200_000));
    let checked_by_others = format!("{{\"pages\":[{{\"title\":\"{}\"}},5,", "a".repeat(500_000));
    for (head, body, status) in [
        (&without_token, "", 401),
        (&of_text, "", 415),
        (&whole, "[", 400),
        (&whole, "{\"pages\":[5,", 400),
        (&whole, malformed.as_str(), 400),
        (&whole, checked_by_others.as_str(), 400),
    ] {
        let mut stream = TcpStream::connect(app.address).await.unwrap();
        let request = format!("{head}Content-Length: 900000\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = receive(&mut stream).await.to_ascii_lowercase();
        assert!(answer.starts_with(&format!("http/1.1 {status} ")), "{answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    }
}

async fn ends_early(app: &App<'_>, request: &str) {
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let answer = receive(&mut stream).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_body_that_ends_early_stores_nothing(database: &Database) {
    let app = spawn_app(database).await;
    // Cut inside the JSON, and after complete JSON.
    for body in [r#"{"pages":[{"title":"A"}"#, r#"{"pages":[{"title":"A"}]}"#, ""] {
        let length = format!("Content-Length: {}\r\n\r\n", 1000);
        ends_early(&app, &format!("{}{body}", head(&app, &length))).await;
    }
}

async fn a_chunked_body_that_ends_early_stores_nothing(database: &Database) {
    let app = spawn_app(database).await;
    let body = r#"{"pages":[{"title":"A"}]}"#;
    let start = head(&app, "Transfer-Encoding: chunked\r\n\r\n");
    ends_early(&app, &start).await;
    ends_early(&app, &format!("{start}{:x}\r\n{body}\r\n", body.len())).await;
    ends_early(&app, &format!("{start}ff\r\n{body}")).await;
    ends_early(&app, &format!("{start}zz\r\n{body}\r\n0\r\n\r\n")).await;
}

async fn a_body_in_tiny_pieces_is_read(database: &Database) {
    let app = spawn_app(database).await;
    let body =
        r#"{"pages":[{"slug":"é\u0061","title":"🦀"},{"slug":"b","title":"Zoë 🦀","tags":["\"x\\"]}]}"#;
    let body = body.replace("é\\u0061", "\\u0061");
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    stream.write_all(head(&app, "Transfer-Encoding: chunked\r\n\r\n").as_bytes()).await.unwrap();
    for byte in body.bytes() {
        stream.write_all(&[b"1\r\n".as_slice(), &[byte], b"\r\n"].concat()).await.unwrap();
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let answer = receive(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let listed = app.client.list().await;
    let titles: Vec<&str> =
        listed.as_array().unwrap().iter().map(|page| page["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["🦀", "Zoë 🦀"]);
}

async fn a_client_that_expects_100_gets_100_continue(database: &Database) {
    let app = spawn_app(database).await;
    let body = r#"{"pages":[{"title":"A"}]}"#;
    let headers = format!("Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(head(&app, &headers).as_bytes()).await.unwrap();
    assert!(receive(&mut stream).await.starts_with("HTTP/1.1 100 "));
    stream.write_all(body.as_bytes()).await.unwrap();
    assert!(receive(&mut stream).await.starts_with("HTTP/1.1 200 "));
}

async fn head_answers_as_get_does(database: &Database) {
    let app = spawn_app(database).await;
    let request = app.client.request(reqwest::Method::HEAD, "/pages");
    let response = request.send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.headers()["x-ratelimit-limit"].as_bytes()),
        (200, &b"120"[..])
    );
}
