//! Requests from pages of other origins (CORS), and compressed responses.

use std::io::Read;

use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use testing::Database;

use crate::app::{App, spawn_app};
use crate::client::Client;

testing::on_each_configuration!(
    a_preflight_needs_no_token_and_is_not_counted,
    an_options_request_that_is_not_a_preflight_is_like_any_other,
    every_response_may_be_read_by_any_origin,
    nothing_else_is_for_other_origins,
    a_long_response_is_compressed_if_the_client_accepts_it,
    a_short_response_is_never_compressed,
    a_head_request_has_the_headers_of_the_response,
);

fn preflight(client: &Client, path: &str, method: &str) -> reqwest::RequestBuilder {
    client
        .request(Method::OPTIONS, path)
        .header("origin", "https://editor.example")
        .header("access-control-request-method", method)
        .header("access-control-request-headers", "authorization,content-type")
}

/// Lower case, in order.
fn listed(headers: &HeaderMap, name: &str) -> Vec<String> {
    let value = headers.get(name).unwrap_or_else(|| panic!("no {name} in {headers:?}")).to_str().unwrap();
    value.split(", ").map(str::to_lowercase).collect()
}

async fn a_preflight_needs_no_token_and_is_not_counted(database: &Database) {
    let app = spawn_app(database).await;
    let hasty = app.client.hasty();
    let before = hasty.get("/pages").await.window();
    for (path, method) in [
        ("/pages", "POST"),
        ("/pages", "GET"),
        ("/pages/hello?contentType=blog", "DELETE"),
        ("/media", "POST"),
        ("/builds", "POST"),
        ("/builds/latest", "GET"),
        ("/nothing", "POST"),
    ] {
        for _ in 0..20 {
            let response = preflight(&app.anonymous(), path, method).send().await.unwrap();
            let headers = response.headers();
            assert_eq!(response.status(), StatusCode::NO_CONTENT, "{path}");
            assert_eq!(headers["access-control-allow-origin"], "*");
            assert_eq!(headers["access-control-max-age"], "86400");
            assert!(!headers.contains_key("access-control-allow-credentials"));
            assert!(headers.contains_key("x-request-id"));
            assert!(listed(headers, "access-control-allow-methods").contains(&method.to_lowercase()));
            let allowed = listed(headers, "access-control-allow-headers");
            for name in ["authorization", "content-type"] {
                assert!(allowed.iter().any(|allowed| allowed == name), "{allowed:?}");
            }
        }
    }
    assert_eq!(hasty.get("/pages").await.window(), (before.0, before.1 - 1));
}

async fn an_options_request_that_is_not_a_preflight_is_like_any_other(database: &Database) {
    let app = spawn_app(database).await;
    let options = |client: &Client| client.request(Method::OPTIONS, "/pages");
    assert_eq!(app.anonymous().send(options(&app.anonymous())).await.status, 401);
    assert_eq!(app.client.send(options(&app.client)).await.status, 405);
    let named = options(&app.client).header("access-control-request-method", "POST");
    assert_eq!(app.client.send(named).await.status, 405);
}

async fn every_response_may_be_read_by_any_origin(database: &Database) {
    let app = spawn_app(database).await;
    let hasty = app.client.hasty();
    let mut answers = vec![
        hasty.pages(json!([{"title": "A"}])).await,
        hasty.pages(json!([{}])).await,
        app.anonymous().get("/pages").await,
        hasty.get("/pages?siteId=00000000-0000-7000-8000-000000000000").await,
        hasty.get("/nothing").await,
        hasty.delete("/pages").await,
        hasty.send(hasty.request(Method::POST, "/pages").body("x")).await,
        hasty.delete("/pages/a?contentType=blog").await,
    ];
    while answers.last().unwrap().status != 429 {
        answers.push(hasty.get("/pages").await);
    }
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).take(8).collect();
    assert_eq!(statuses, [200, 400, 401, 403, 404, 405, 415, 204]);
    for answer in answers {
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let exposed = listed(&answer.headers, "access-control-expose-headers");
        for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "retry-after", "x-request-id"] {
            assert!(exposed.iter().any(|exposed| exposed == name), "{exposed:?}");
        }
    }
}

async fn nothing_else_is_for_other_origins(database: &Database) {
    let app = spawn_app(database).await;
    for (path, allowed) in [("/openapi.json", true), ("/docs", false), ("/healthz", false), ("/", false)] {
        let request =
            app.anonymous().request_outside(Method::GET, path).header("origin", "https://other.example");
        let headers = request.send().await.unwrap().headers().clone();
        assert_eq!(headers.contains_key("access-control-allow-origin"), allowed, "{path}");
    }
}

/// Publishes this many pages, the last ones out of order, so that the listing has many pieces.
async fn publish(app: &App<'_>, count: usize) {
    let page = |n: usize| json!({"title": format!("Page number {n}"), "description": "Words. ".repeat(30)});
    let pages: Vec<Value> = (0..count).map(page).collect();
    assert_eq!(app.client.pages(json!(pages)).await.status, 200);
    let changed: Vec<Value> =
        (0..count).step_by(3).map(|n| json!({"slug": format!("page-number-{n}"), "draft": true})).collect();
    assert_eq!(app.client.pages(json!(changed)).await.status, 200);
}

async fn get(app: &App<'_>, method: Method, path: &str, accept: &str) -> (HeaderMap, Vec<u8>) {
    let request = app.client.request(method, path).header("accept-encoding", accept);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    (response.headers().clone(), response.bytes().await.unwrap().to_vec())
}

fn text<'h>(headers: &'h HeaderMap, name: &'static str) -> Option<&'h str> {
    headers.get(HeaderName::from_static(name)).map(|value| value.to_str().unwrap())
}

async fn a_long_response_is_compressed_if_the_client_accepts_it(database: &Database) {
    let app = spawn_app(database).await;
    publish(&app, 1500).await;
    let (headers, plain) = get(&app, Method::GET, "/pages", "identity").await;
    assert_eq!((text(&headers, "content-encoding"), text(&headers, "vary")), (None, Some("accept-encoding")));
    assert_eq!(text(&headers, "content-length"), Some(plain.len().to_string().as_str()));
    for (accept, expected) in [
        ("gzip", "gzip"),
        ("gzip, deflate, br", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.1, gzip;q=0.2", "gzip"),
    ] {
        let (headers, packed) = get(&app, Method::GET, "/pages", accept).await;
        assert_eq!(text(&headers, "content-encoding"), Some(expected), "{accept}");
        assert_eq!(
            (text(&headers, "vary"), text(&headers, "content-length")),
            (Some("accept-encoding"), None)
        );
        assert!(text(&headers, "x-ratelimit-limit").is_some());
        assert!(packed.len() * 4 < plain.len(), "{} of {}", packed.len(), plain.len());
        let mut unpacked = Vec::new();
        match expected {
            "gzip" => flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap(),
            _ => zstd::stream::read::Decoder::new(&packed[..]).unwrap().read_to_end(&mut unpacked).unwrap(),
        };
        assert!(unpacked == plain, "{accept}");
    }
    for accept in ["br", "deflate", "gzip;q=0", ""] {
        let (headers, body) = get(&app, Method::GET, "/pages", accept).await;
        assert_eq!((text(&headers, "content-encoding"), body == plain), (None, true), "{accept}");
    }
    // A long refusal too.
    let wrong: Vec<Value> = (0..100).map(|_| json!({})).collect();
    let request = app.client.request(Method::POST, "/pages").header("accept-encoding", "gzip");
    let response = request.json(&json!({"pages": wrong})).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), text(response.headers(), "content-encoding")),
        (400, Some("gzip"))
    );
}

async fn a_short_response_is_never_compressed(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page(json!({"title": "A"})).await;
    let (headers, body) = get(&app, Method::GET, "/pages", "gzip, zstd").await;
    assert!(body.len() < 1024);
    assert_eq!((text(&headers, "content-encoding"), text(&headers, "vary")), (None, None));
    assert_eq!(text(&headers, "content-length"), Some(body.len().to_string().as_str()));
}

async fn a_head_request_has_the_headers_of_the_response(database: &Database) {
    let app = spawn_app(database).await;
    publish(&app, 30).await;
    let relevant = |headers: &HeaderMap| {
        ["content-type", "content-length", "content-encoding", "vary"]
            .map(|name| text(headers, name).map(str::to_owned))
    };
    for accept in ["identity", "gzip"] {
        let (whole, _) = get(&app, Method::GET, "/pages", accept).await;
        let (head, body) = get(&app, Method::HEAD, "/pages", accept).await;
        assert_eq!((relevant(&head), body.len()), (relevant(&whole), 0), "{accept}");
    }
}
