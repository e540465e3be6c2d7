//! Paths, also malicious ones.

use testing::Database;

use crate::release_writer::Content;
use crate::server_under_test::start;
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_slash_at_the_end_is_redirected_with_the_query,
    a_path_that_is_not_there_is_not_redirected,
    index_files_are_redirected,
    no_redirect_leads_to_another_host,
    hostile_paths_find_nothing,
    fragments_are_never_served,
    a_path_is_compared_exactly,
);

async fn a_slash_at_the_end_is_redirected_with_the_query(database: &Database) {
    let server = start(database).await;
    server.release(&[("/blog/a", "a"), ("/café", "b")]).await;
    let check = async |path: &str, location: &str| {
        let answer = server.get(path).await;
        assert_eq!(answer.location(), (308, location), "{path}");
        assert_eq!(answer.header("cache-control"), Some("public, max-age=0, must-revalidate"));
        assert_eq!(answer.release(), 1);
    };
    check("/blog/a/", "/blog/a").await;
    check("/blog/a//", "/blog/a").await;
    check("/blog/a/?b=c&d=%2F", "/blog/a?b=c&d=%2F").await;
    check("/blog/a/?", "/blog/a?").await;
    check("/caf%C3%A9/?%C3%A9=//", "/caf%C3%A9?%C3%A9=//").await;
}

async fn a_path_that_is_not_there_is_not_redirected(database: &Database) {
    let server = start(database).await;
    for path in ["/", "//", "/blog/"] {
        assert_eq!(server.get(path).await.status, 404, "before the first release: {path}");
    }
    let moved = Content::Redirect("/blog/a".into());
    server.release(&[("/blog/a", Content::from("a")), ("/old", moved), ("/404.html", "lost".into())]).await;
    for path in ["/no/such/", "/no/such//", "//no/such", "/no/index.html", "/404.html/", "/media/0/a.png/"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status_and_body(), answer.header("location")), ((404, "lost"), None), "{path}");
        assert_eq!(server.ask(Ask::head(path)).await.status, 404, "{path}");
    }
    assert_eq!(server.get("/blog/a/").await.location(), (308, "/blog/a"));
    assert_eq!(server.get("/old/").await.location(), (308, "/old"));
    let known = server.get("/blog/a").await.header("etag").unwrap().to_owned();
    let ask = Ask::get("/blog/a/").header("if-none-match", &known);
    assert_eq!(server.ask(ask).await.location(), (308, "/blog/a"), "whatever the client knows of it");
}

async fn index_files_are_redirected(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home"), ("/blog/a", "a")]).await;
    assert_eq!(server.get("/index.html").await.location(), (308, "/"));
    assert_eq!(server.get("/index.html?a").await.location(), (308, "/?a"));
    assert_eq!(server.get("/blog/a/index.html").await.location(), (308, "/blog/a"));
}

const FOREIGN: [&str; 18] = [
    "//evil.com",
    "//evil.com/",
    "///evil.com/",
    "/\\evil.com",
    "/\\evil.com/",
    "/\\/evil.com/",
    "/\\\\evil.com/",
    "/%2Fevil.com/",
    "/%2F%2Fevil.com/",
    "/%2f%2fevil.com",
    "/%5Cevil.com/",
    "/%5c%5cevil.com",
    "//%2F/evil.com/",
    "//evil.com/index.html",
    "//evil.com//",
    "//evil.com/?a=//evil.com/",
    "//evil.com%2F",
    "/\\%2F%5Cevil.com/",
];

async fn no_redirect_leads_to_another_host(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home"), ("/evil.com", "ours")]).await;
    for path in FOREIGN {
        let answer = server.get(path).await;
        let location = answer.header("location").unwrap_or("/");
        assert!([308, 404].contains(&answer.status), "{path}: {answer:?}");
        let second = location.as_bytes().get(1);
        assert!(
            location.starts_with('/') && !matches!(second, Some(b'/' | b'\\' | b'%')),
            "{path}: {location}"
        );
    }
}

const HOSTILE: [&str; 28] = [
    "/../a",
    "/..",
    "/a/../a",
    "/./a",
    "/a/.",
    "/a/..",
    "/%2e%2e/a",
    "/.%2e/a",
    "/%2e/a",
    "/a/%2E%2E/a",
    "/..%2fa",
    "/..%5Ca",
    "/..\\a",
    "/a\\..\\a",
    "/%",
    "/%2",
    "/%zz",
    "/%FF",
    "/%C0%AE%C0%AE/a",
    "/a%00",
    "/%00",
    "/a%0d%0aX-Injected:%201",
    "/a%0A",
    "/a%09",
    "/a%7F",
    "/a%252F",
    "/~a",
    "/a;b=c",
];

async fn hostile_paths_find_nothing(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "found"), ("/404.html", "missing")]).await;
    for path in HOSTILE {
        assert_eq!(server.get(path).await.status_and_body(), (404, "missing"), "{path}");
    }
    let long = |length| format!("/{}", "a".repeat(length));
    assert_eq!(server.get(&long(10_000)).await.status_and_body(), (404, "missing"));
    assert_eq!(server.get(&long(40_000)).await.status_and_body(), (431, ""));
    assert_eq!(server.get("/a").await.status_and_body(), (200, "found"));
}

async fn fragments_are_never_served(database: &Database) {
    let server = start(database).await;
    let page = "<p>page \0/.side/docs\0</p>";
    let files = [("/docs", page), ("/.side/docs", "fragment"), ("/.md", "# Home"), ("/404.html", "missing")];
    server.release(&files).await;
    assert_eq!(server.get("/docs").await.status_and_body(), (200, "<p>page fragment</p>"));
    for path in ["/.side/docs", "/%2Eside/docs", "//.side/docs", "/.side%2Fdocs", "/\\.side/docs"] {
        let answer = server.get(path).await;
        assert!(!answer.text().contains("fragment"), "{path}: {answer:?}");
        assert_eq!(answer.status, 404, "{path}");
    }
    assert_eq!(server.get("/.md").await.status_and_body(), (200, "# Home"));
}

async fn a_path_is_compared_exactly(database: &Database) {
    let server = start(database).await;
    server.release(&[("/blog/a", "a"), ("/café", "é")]).await;
    assert_eq!(server.get("/blog/%61").await.status_and_body(), (200, "a"));
    assert_eq!(server.get("/caf%C3%A9").await.status_and_body(), (200, "é"));
    for path in ["/blog/A", "/Blog/a", "/blog//a", "/blog/a.html", "/blog/a%20", "/blog"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}
