//! Authentication.

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::{App, a_minute_later, spawn_app};
use crate::client::{Client, PREFIX};

testing::on_each_configuration!(
    a_valid_token_passes,
    without_a_token_every_route_answers_401,
    a_malformed_or_unknown_token_answers_401_everywhere,
    a_revoked_token_ends_with_the_next_request,
    a_token_is_not_found_in_query_or_body,
    a_suspended_account_is_answered_403_until_it_is_resumed,
    an_unknown_route_is_404_for_those_who_may_pass,
    a_wrong_method_is_405_and_says_what_is_allowed,
    only_the_prefix_is_the_api,
);

/// Every route, and some that do not exist.
const ROUTES: [(&str, &str); 16] = [
    ("POST", "/pages"),
    ("GET", "/pages"),
    ("DELETE", "/pages/a?contentType=blog"),
    ("POST", "/builds"),
    ("GET", "/builds/latest"),
    ("POST", "/media"),
    ("PUT", "/pages"),
    ("GET", "/pages/a"),
    ("GET", "/builds"),
    ("GET", ""),
    ("GET", "/"),
    ("GET", "/nothing"),
    ("POST", "/pages/"),
    ("GET", "/pages/a/b/c"),
    ("GET", "/docs"),
    ("OPTIONS", "/pages"),
];

async fn ask(client: &Client, method: &str, path: &str) -> Answer {
    let request = client.request(Method::from_bytes(method.as_bytes()).unwrap(), path);
    client.send(request.header(CONTENT_TYPE, "application/json").body("{}")).await
}

async fn answer_401_everywhere(app: &App<'_>, client: &Client) {
    for (method, path) in ROUTES {
        assert_eq!(ask(client, method, path).await.status, 401, "{method} {path}");
    }
    a_minute_later(app);
}

async fn a_valid_token_passes(database: &Database) {
    let app = spawn_app(database).await;
    assert_eq!(app.client.get("/pages").await.status, 200);
    let token = app.client.authorization().strip_prefix("Bearer ").unwrap();
    assert!(token.starts_with("rec_"));
    assert_eq!(app.token().await.get("/pages").await.status, 200);
}

async fn without_a_token_every_route_answers_401(database: &Database) {
    let app = spawn_app(database).await;
    answer_401_everywhere(&app, &app.anonymous()).await;
}

async fn a_malformed_or_unknown_token_answers_401_everywhere(database: &Database) {
    let app = spawn_app(database).await;
    let token = app.client.authorization().strip_prefix("Bearer ").unwrap().to_owned();
    let digits = token.strip_prefix("rec_").unwrap();
    let mut flipped = token.clone();
    flipped.replace_range(token.len() - 1.., if token.ends_with('0') { "1" } else { "0" });
    let id = app.acme.token_id.to_string();
    for header in [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        token.clone(),
        format!("Basic {token}"),
        format!("Token {token}"),
        format!("Bearer{token}"),
        format!("Bearer:{token}"),
        format!("Bearer \"{token}\""),
        format!("Bearer {digits}"),
        format!("Bearer {}", token.to_uppercase()),
        format!("Bearer {token}0"),
        format!("Bearer {}", &token[..token.len() - 1]),
        format!("Bearer {token} {token}"),
        format!("Bearer {token}, Bearer {token}"),
        format!("Bearer {flipped}"),
        format!("Bearer rec_{}", "0".repeat(64)),
        "Bearer rec_".into(),
        "Bearer ' OR 1=1 --".into(),
        "Bearer %00".into(),
        format!("Bearer {id}"),
        format!("Bearer rec_{}", "a".repeat(10_000)),
    ] {
        answer_401_everywhere(&app, &app.anonymous().with_authorization(header.as_bytes())).await;
    }
    answer_401_everywhere(&app, &app.anonymous().with_authorization(b"Bearer rec_\xff\xfe")).await;
    // Two headers are ambiguous.
    let twice = app.client.request(Method::GET, "/pages").header(AUTHORIZATION, "Bearer rec_0");
    assert_eq!(app.client.send(twice).await.status, 401);
}

async fn a_revoked_token_ends_with_the_next_request(database: &Database) {
    let app = spawn_app(database).await;
    let other = app.token().await;
    assert_eq!(app.client.get("/pages").await.status, 200);
    app.publisher.token_revoke(app.acme.token_id).await.unwrap();
    answer_401_everywhere(&app, &app.client).await;
    assert_eq!(other.get("/pages").await.status, 200);
}

async fn a_token_is_not_found_in_query_or_body(database: &Database) {
    let app = spawn_app(database).await;
    let token = app.client.authorization().strip_prefix("Bearer ").unwrap();
    let anonymous = app.anonymous();
    assert_eq!(anonymous.get(&format!("/pages?token={token}&access_token={token}")).await.status, 401);
    assert_eq!(anonymous.post("/pages", json!({"access_token": token, "pages": []})).await.status, 401);
}

async fn a_suspended_account_is_answered_403_until_it_is_resumed(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let dump = database.dump();
    app.publisher.account_suspend(app.acme.id).await.unwrap();
    let other = app.token().await;
    for client in [&app.client, &other] {
        for (method, path) in &ROUTES[..5] {
            let body = if *path == "/pages" { json!({"title": "A"}) } else { json!({}) };
            let request = client.request(Method::from_bytes(method.as_bytes()).unwrap(), path);
            let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
            client.send(request).await.is_failure(403);
        }
    }
    app.publisher.account_resume(app.acme.id).await.unwrap();
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
    // The token of the other client, and its entry in the log, are the operator's.
    let is_done = |row: &&String| !row.starts_with("tokens") && !row.starts_with("audit_log");
    let rows = |dump: &[String]| dump.iter().filter(is_done).cloned().collect::<Vec<_>>();
    assert_eq!(rows(&database.dump()), rows(&dump), "nothing was done meanwhile");
}

async fn an_unknown_route_is_404_for_those_who_may_pass(database: &Database) {
    let app = spawn_app(database).await;
    for path in
        ["", "/", "/nothing", "/pages/", "/pages/a/b", "/builds/", "/builds/latest/x", "/docs", "/Pages"]
    {
        app.client.get(path).await.is_failure(404);
    }
}

async fn a_wrong_method_is_405_and_says_what_is_allowed(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |method: &str, path: &str, expected: &[&str]| {
        let answer = ask(&app.client, method, path).await;
        answer.is_failure(405);
        let mut allowed: Vec<&str> = answer.header("allow").unwrap().split(',').map(str::trim).collect();
        allowed.retain(|method| *method != "HEAD");
        allowed.sort_unstable();
        assert_eq!(allowed, expected, "{method} {path}");
    };
    for method in ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE"] {
        check(method, "/pages", &["GET", "POST"]).await;
    }
    for method in ["POST", "PUT", "PATCH"] {
        check(method, "/pages/a?contentType=blog", &["DELETE", "GET"]).await;
    }
    for method in ["GET", "PUT", "DELETE"] {
        check(method, "/builds", &["POST"]).await;
    }
    for method in ["POST", "PUT", "DELETE"] {
        check(method, "/builds/latest", &["GET"]).await;
    }
}

async fn only_the_prefix_is_the_api(database: &Database) {
    let app = spawn_app(database).await;
    for path in
        ["/pages", "/api/pages", "/api/v1/pages", "/api/v2/public/pages", "/api/v1/publicly/pages", "/"]
    {
        let response = app.client.request_outside(Method::GET, path).send().await.unwrap();
        let (status, body) = (response.status().as_u16(), response.json::<Value>().await.unwrap());
        assert_eq!((status, body["error"].is_string()), (404, true), "{path}");
    }
    let response = app.client.request_outside(Method::GET, &format!("{PREFIX}/pages")).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
}
