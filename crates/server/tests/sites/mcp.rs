//! `/mcp`: what clients of the Model Context Protocol get, in both revisions.

use serde_json::{Value, json};
use testing::Database;

use crate::builds::publish;
use crate::server_under_test::{Server, start};
use crate::visitor::{Answer, Ask};

testing::on_each_configuration!(
    a_client_of_the_stateless_revision_is_answered,
    a_client_of_the_revision_before_is_answered,
    search_finds_pages,
    read_returns_the_markdown_of_a_page,
    a_long_page_is_read_in_parts,
    list_shows_all_pages_in_parts,
    a_page_that_is_missing_is_explained,
    every_answer_is_from_the_live_release,
    headers_that_contradict_the_body_are_refused,
    what_is_not_a_request_is_refused,
    pages_of_other_sites_may_not_call,
    only_posts_are_answered,
    a_protected_site_needs_its_password,
    a_site_without_pages_says_so,
);

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

fn post(body: &Value) -> Ask {
    Ask::new("POST", "/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(&body.to_string())
}

/// A request of the stateless revision.
fn modern(method: &str, mut params: Value) -> Ask {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(str::to_owned);
    let ask = post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
    let ask = ask.header("mcp-protocol-version", NEW).header("mcp-method", method);
    match name {
        Some(name) => ask.header("mcp-name", &name),
        None => ask,
    }
}

fn old(method: &str, params: Value) -> Ask {
    let ask = post(&json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}));
    ask.header("mcp-protocol-version", OLD)
}

fn json_of(answer: &Answer) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    serde_json::from_str(answer.text()).unwrap()
}

async fn result(server: &Server, ask: Ask) -> Value {
    let answer = server.ask(ask).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    json_of(&answer)["result"].clone()
}

/// The text of a tool's result, and whether it is an error.
async fn call(server: &Server, tool: &str, arguments: Value) -> (String, bool) {
    let params = json!({"name": tool, "arguments": arguments});
    let [new, old] = [modern("tools/call", params.clone()), old("tools/call", params)];
    let (new, old) = (result(server, new).await, result(server, old).await);
    assert_eq!(new["content"], old["content"]);
    assert_eq!(new["resultType"], "complete");
    (new["content"][0]["text"].as_str().unwrap().to_owned(), new["isError"] == true)
}

async fn text(server: &Server, tool: &str, arguments: Value) -> String {
    let (text, is_error) = call(server, tool, arguments).await;
    assert!(!is_error, "{text}");
    text
}

async fn with_pages(database: &Database) -> Server {
    let server = start(database).await;
    publish(
        &server,
        json!({"pages": [
            {"title": "Lamps", "content": "A *lamp* for every harbour.\n\n## Wicks\n\nTrim the wick.", "contentType": "docs", "section": "craft"},
            {"title": "Tides", "content": "The harbour at night."},
            {"title": "Draft", "content": "harbour", "draft": true},
        ]}),
    )
    .await;
    server
}

async fn a_client_of_the_stateless_revision_is_answered(database: &Database) {
    let server = with_pages(database).await;
    let found = result(&server, modern("server/discover", json!({}))).await;
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!([NEW, OLD].iter().all(|version| versions.contains(&json!(version))), "{found}");
    assert!(found["capabilities"]["tools"].is_object(), "{found}");
    let listed = result(&server, modern("tools/list", json!({}))).await;
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "read", "list"]);
    assert_eq!((&listed["cacheScope"], listed["ttlMs"].as_u64()), (&json!("public"), Some(3_600_000)));
    let answer = server.ask(modern("prompts/list_all", json!({}))).await;
    assert_eq!((answer.status, &json_of(&answer)["error"]["code"]), (404, &json!(-32601)));
}

async fn a_client_of_the_revision_before_is_answered(database: &Database) {
    let server = with_pages(database).await;
    let hello =
        json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let begun = post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
    let answer = server.ask(begun).await;
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(json_of(&answer)["result"]["protocolVersion"], OLD);
    let ready = post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let accepted = server.ask(ready.header("mcp-protocol-version", OLD)).await;
    assert_eq!(accepted.status_and_body(), (202, ""));
    assert_eq!(result(&server, old("ping", json!({}))).await, json!({}));
    let listed = result(&server, old("tools/list", json!({}))).await;
    assert_eq!(listed["tools"].as_array().unwrap().len(), 3);
}

async fn search_finds_pages(database: &Database) {
    let server = with_pages(database).await;
    assert_eq!(
        text(&server, "search", json!({"query": "wick"})).await,
        "1 of 1 results, best first\n\nLamps\n/docs/craft/lamps#wicks\nTrim the wick."
    );
    let one = text(&server, "search", json!({"query": "harbour", "limit": 1})).await;
    assert!(one.starts_with("1 of 2 results"), "{one}");
    let none = text(&server, "search", json!({"query": "submarine"})).await;
    assert!(none.starts_with("No page has all words of \"submarine\"."), "{none}");
    for arguments in [json!({"query": "x".repeat(201)}), json!({}), json!({"query": 7})] {
        assert!(call(&server, "search", arguments.clone()).await.1, "{arguments}");
    }
}

async fn read_returns_the_markdown_of_a_page(database: &Database) {
    let server = with_pages(database).await;
    for path in ["/blog/tides", "blog/tides", "/blog/tides.md", "http://acme.localhost:8081/blog/tides#a"] {
        assert_eq!(text(&server, "read", json!({"path": path})).await, "The harbour at night.", "{path}");
    }
    publish(&server, json!({"pages": [{"title": "Tides", "slug": "moon", "content": "Moved."}]})).await;
    let moved = server.get("/blog/moon").await.status;
    assert_eq!(moved, 200);
    assert_eq!(text(&server, "read", json!({"path": "/blog/moon"})).await, "Moved.");
}

async fn a_long_page_is_read_in_parts(database: &Database) {
    let server = start(database).await;
    let content = "é".repeat(50_000);
    publish(&server, json!({"pages": [{"title": "Long", "content": content}]})).await;
    let first = text(&server, "read", json!({"path": "/blog/long"})).await;
    let (part, advice) = first.split_once("\n\n[").unwrap();
    assert_eq!((part.len(), advice), (65_536, "34464 more bytes: read again with offset 65536]"));
    let rest = text(&server, "read", json!({"path": "/blog/long", "offset": 65_536})).await;
    assert_eq!(part.to_owned() + &rest, content);
    assert_eq!(text(&server, "read", json!({"path": "/blog/long", "offset": 1_000_000})).await, "");
}

async fn list_shows_all_pages_in_parts(database: &Database) {
    let server = start(database).await;
    let mut pages: Vec<Value> = (0..150).map(|n| json!({"title": format!("Page {n:03}")})).collect();
    pages.push(json!({"title": "Guide", "contentType": "docs", "section": "craft"}));
    publish(&server, json!({"pages": pages})).await;
    let first = text(&server, "list", json!({})).await;
    assert_eq!(first.lines().next(), Some("/blog/page-000 Page 000"));
    assert!(first.ends_with("/blog/page-099 Page 099\n\nMore: cursor \"/blog/page-099\""), "{first}");
    let rest = text(&server, "list", json!({"cursor": "/blog/page-099"})).await;
    assert_eq!(rest.lines().count(), 51);
    assert!(rest.ends_with("\n/docs/craft/guide Guide"), "{rest}");
    for prefix in ["/docs", "docs/craft", "/docs/craft/"] {
        assert_eq!(
            text(&server, "list", json!({"prefix": prefix})).await,
            "/docs/craft/guide Guide",
            "{prefix}"
        );
    }
    let none = text(&server, "list", json!({"prefix": "/nothing"})).await;
    assert!(none.starts_with("No pages below \"/nothing\"."), "{none}");
}

async fn a_page_that_is_missing_is_explained(database: &Database) {
    let server = with_pages(database).await;
    for path in ["/blog/none", "/blog/draft", "/../secret", "/.search/leaves"] {
        let (text, is_error) = call(&server, "read", json!({"path": path})).await;
        assert!(is_error && text.starts_with("There is no page at"), "{path}: {text}");
    }
    let answer = server.ask(modern("tools/call", json!({"name": "write", "arguments": {}}))).await;
    assert_eq!(json_of(&answer)["error"]["code"], -32602, "{answer:?}");
}

async fn every_answer_is_from_the_live_release(database: &Database) {
    let server = with_pages(database).await;
    publish(&server, json!({"pages": [{"title": "Tides", "content": "The moon does it."}]})).await;
    assert_eq!(text(&server, "read", json!({"path": "/blog/tides"})).await, "The moon does it.");
    server.publisher.rollback(&server.acme, None).await.unwrap();
    assert_eq!(text(&server, "read", json!({"path": "/blog/tides"})).await, "The harbour at night.");
    assert!(text(&server, "search", json!({"query": "moon"})).await.starts_with("No page"));
}

async fn headers_that_contradict_the_body_are_refused(database: &Database) {
    let server = with_pages(database).await;
    let body = |version: &str| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }}})
    };
    let check = async |ask: Ask, code: i64| {
        let answer = server.ask(ask).await;
        assert_eq!(
            (answer.status, json_of(&answer)["error"]["code"].as_i64()),
            (400, Some(code)),
            "{answer:?}"
        );
    };
    let with_method =
        |method: &str| post(&body(NEW)).header("mcp-protocol-version", NEW).header("mcp-method", method);
    check(with_method("tools/call"), -32020).await;
    check(post(&body(NEW)).header("mcp-protocol-version", NEW), -32020).await;
    check(post(&body(NEW)).header("mcp-protocol-version", OLD).header("mcp-method", "tools/list"), -32020)
        .await;
    let future = post(&body("2199-01-01")).header("mcp-protocol-version", "2199-01-01");
    check(future.header("mcp-method", "tools/list"), -32022).await;
    assert_eq!(server.ask(with_method("tools/list")).await.status, 200);
}

async fn what_is_not_a_request_is_refused(database: &Database) {
    let server = with_pages(database).await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let check = async |ask: Ask, status: u16| {
        let answer = server.ask(ask).await;
        assert_eq!(answer.status, status, "{answer:?}");
    };
    check(post(&json!([list, list])), 415).await;
    check(post(&json!("text")), 415).await;
    check(post(&list).body("{"), 415).await;
    let plain = Ask::new("POST", "/mcp").header("accept", "application/json, text/event-stream");
    check(plain.header("content-type", "text/plain").body(&list.to_string()), 415).await;
    check(
        post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "x".repeat(65_000)}})),
        200,
    )
    .await;
    check(
        post(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "x".repeat(66_000)}})),
        413,
    )
    .await;
}

async fn pages_of_other_sites_may_not_call(database: &Database) {
    let server = with_pages(database).await;
    for origin in ["https://evil.com", "null", "http://other.localhost:8081"] {
        let answer = server.ask(old("ping", json!({})).header("origin", origin)).await;
        assert_eq!((answer.status, &json_of(&answer)["error"]["code"]), (403, &json!(-32600)), "{origin}");
    }
    let own = old("ping", json!({})).header("origin", "http://acme.localhost:8081");
    assert_eq!(server.ask(own).await.status, 200);
}

async fn only_posts_are_answered(database: &Database) {
    let server = with_pages(database).await;
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let answer = server.ask(Ask::new(method, "/mcp")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    assert_eq!(server.ask(Ask::new("POST", "/mcp/")).await.status, 405);
}

async fn a_protected_site_needs_its_password(database: &Database) {
    let server = with_pages(database).await;
    server.publisher.protect(&server.acme, "open sesame").await.unwrap();
    let read = || modern("tools/call", json!({"name": "read", "arguments": {"path": "/blog/tides"}}));
    let closed = server.ask(read()).await;
    assert!(closed.status == 401 && !closed.text().contains("harbour"), "{closed:?}");
    let unlocked = server.ask(Ask::password("/", "open+sesame")).await;
    let cookie = unlocked.header("set-cookie").unwrap().split(';').next().unwrap();
    let open = result(&server, read().header("cookie", cookie)).await;
    assert_eq!(open["content"][0]["text"], "The harbour at night.");
}

async fn a_site_without_pages_says_so(database: &Database) {
    let server = start(database).await;
    for (tool, arguments) in
        [("search", json!({"query": "a"})), ("read", json!({"path": "/"})), ("list", json!({}))]
    {
        assert_eq!(call(&server, tool, arguments).await, ("This site has no pages yet.".to_owned(), true));
    }
}
