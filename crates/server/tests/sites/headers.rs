//! All headers of responses.

use std::collections::BTreeMap;

use serde_json::json;
use testing::Database;

use crate::builds::publish;
use crate::server_under_test::start;
use crate::visitor::{Answer, Ask};

testing::on_each_configuration!(
    a_page_has_these_headers,
    an_asset_is_kept_forever,
    a_client_that_prefers_markdown_gets_it,
    a_page_and_its_markdown_link_to_each_other,
    the_fonts_of_the_theme_are_on_every_site,
    types_are_by_name,
    every_response_of_a_site_has_its_release_and_the_security_headers,
);

fn headers(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

async fn a_page_has_these_headers(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "text")]).await;
    let answer = server.get("/a").await;
    let expected = headers(&[
        ("accept-ranges", "bytes"),
        ("cache-control", "public, max-age=0, must-revalidate"),
        ("content-length", "4"),
        ("content-type", "text/html; charset=utf-8"),
        ("etag", answer.header("etag").unwrap()),
        ("referrer-policy", "strict-origin-when-cross-origin"),
        ("vary", "accept"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "SAMEORIGIN"),
        ("x-recto-release", "1"),
    ]);
    assert_eq!(answer.headers, expected);
}

async fn an_asset_is_kept_forever(database: &Database) {
    let server = start(database).await;
    server.release(&[("/assets/a.0123.css", "css")]).await;
    let answer = server.get("/assets/a.0123.css").await;
    assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
}

async fn a_client_that_prefers_markdown_gets_it(database: &Database) {
    let server = start(database).await;
    server
        .release(&[("/", "home"), ("/.md", "# Home"), ("/a", "html"), ("/a.md", "# A"), ("/list", "list")])
        .await;
    let ask = async |path: &str, accept: &str| server.ask(Ask::get(path).header("accept", accept)).await;
    let (html, markdown) = (ask("/a", "*/*").await, ask("/a", "text/markdown, text/html;q=0.5").await);
    assert_eq!((html.text(), markdown.text()), ("html", "# A"));
    assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!((html.header("vary"), markdown.header("vary")), (Some("accept"), Some("accept")));
    assert_ne!(html.header("etag"), markdown.header("etag"));
    assert_eq!(ask("/", "text/markdown").await.text(), "# Home");
    // What has no Markdown is what it is.
    assert_eq!(ask("/list", "text/markdown").await.text(), "list");
    assert_eq!(ask("/missing", "text/markdown").await.status, 404);
    let known = Ask::get("/a")
        .header("accept", "text/markdown")
        .header("if-none-match", markdown.header("etag").unwrap());
    assert_eq!(server.ask(known).await.status, 304);
}

async fn a_page_and_its_markdown_link_to_each_other(database: &Database) {
    let server = start(database).await;
    publish(&server, json!({"pages": [{"title": "A", "content": "Text. ".repeat(500)}]})).await;
    let page = server.ask(Ask::get("/blog/a").accept("gzip")).await;
    assert_eq!(page.header("content-encoding"), Some("gzip"));
    let (markdown, rest) = page.header("link").unwrap().split_once("; rel=\"alternate\"").unwrap();
    assert_eq!(rest, "; type=\"text/markdown\", </llms.txt>; rel=\"describedby\"; type=\"text/plain\"");
    let url = markdown.trim_matches(['<', '>']);
    let path = url.strip_prefix("http://acme.localhost:8081").unwrap_or(url);
    let markdown = server.get(path).await;
    assert_eq!((markdown.status, markdown.header("link")), (200, Some("</blog/a>; rel=\"canonical\"")));
    let preferred = server.ask(Ask::get("/blog/a").header("accept", "text/markdown")).await;
    assert_eq!(preferred.header("link"), markdown.header("link"));
    for path in ["/blog", "/nothing", "/feed.xml", "/llms.txt", "/search?q=text"] {
        assert_eq!(server.get(path).await.header("link"), None, "{path}");
    }
    assert_eq!(server.get("/llms.txt").await.status, 200);
}

async fn the_fonts_of_the_theme_are_on_every_site(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "text")]).await;
    let (path, bytes) = generator::shared_assets().next().unwrap();
    let answer = server.get(path).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("font/woff2")));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
    assert!(answer.body[..] == *bytes);
    assert_eq!(server.get("/assets/fonts/serif.000000000000.woff2").await.status, 404);
}

async fn types_are_by_name(database: &Database) {
    let server = start(database).await;
    let types = [
        ("/", "text/html; charset=utf-8"),
        ("/blog/v1.2", "text/html; charset=utf-8"),
        ("/blog/a.md", "text/markdown; charset=utf-8"),
        ("/feed.xml", "application/atom+xml; charset=utf-8"),
        ("/sitemap.xml", "application/xml; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/assets/a.css", "text/css; charset=utf-8"),
    ];
    server.release(&types).await;
    for (path, kind) in types {
        assert_eq!(server.get(path).await.header("content-type"), Some(kind), "{path}");
    }
}

async fn every_response_of_a_site_has_its_release_and_the_security_headers(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "text")]).await;
    server.release(&[("/a", "text")]).await;
    let check = |status: u16, answer: &Answer| {
        assert_eq!((answer.status, answer.release()), (status, 2), "{answer:?}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
        assert_eq!(answer.header("x-frame-options"), Some("SAMEORIGIN"), "{answer:?}");
    };
    check(200, &server.get("/a").await);
    check(206, &server.ask(Ask::get("/a").header("range", "bytes=0-0")).await);
    check(416, &server.ask(Ask::get("/a").header("range", "bytes=9-")).await);
    check(304, &server.ask(Ask::get("/a").header("if-none-match", "*")).await);
    check(308, &server.get("/a/").await);
    check(404, &server.get("/b").await);
    check(405, &server.ask(Ask::new("PUT", "/a")).await);
}
