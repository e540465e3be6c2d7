//! The rules of single fields.

use serde_json::{Value, json};
use testing::Database;

use crate::answer::CONTENT_TYPE_INVALID;
use crate::app::{App, spawn_app};
use crate::client::key;

testing::on_each_configuration!(
    a_content_type_is_one_of_four,
    a_slug_is_lowercase_letters_digits_and_hyphens,
    a_section_is_lowercase_letters_digits_and_single_hyphens,
    a_title_is_kept_as_sent,
    tags_are_trimmed_and_kept_in_order_each_once,
    a_tag_must_not_be_empty,
    published_at_is_an_iso_8601_date_or_date_time,
    published_at_is_nothing_else,
    a_moment_at_the_edge_of_time_breaks_nothing,
    published_at_is_kept_when_omitted,
    an_api_endpoint_begins_with_a_method,
    an_api_endpoint_is_nothing_else,
    an_id_is_a_uuid,
    reserved_segments_are_not_for_standalone_pages,
    every_kind_of_error_of_every_page_is_in_one_answer,
);

async fn a_content_type_is_one_of_four(database: &Database) {
    let app = spawn_app(database).await;
    for content_type in ["blog", "docs", "homepage", "standalone"] {
        let page = app.client.page(json!({"slug": "a", "title": "A", "contentType": content_type})).await;
        assert_eq!((&page["contentType"], &page["status"]), (&json!(content_type), &json!("created")));
    }
    for content_type in ["", "Blog", "BLOG", " blog", "post", "page", "blog\n"] {
        let answer =
            app.client.pages(json!([{"slug": "a", "title": "A", "contentType": content_type}])).await;
        let pages = json!({"0": {"contentType": CONTENT_TYPE_INVALID}});
        answer.is(400, json!({"error": "validation failed", "pages": pages}));
    }
}

async fn a_slug_is_lowercase_letters_digits_and_hyphens(database: &Database) {
    let app = spawn_app(database).await;
    for slug in ["a", "0", "2026", "hello-world", "a--b", "0-a"] {
        assert_eq!(app.client.page(json!({"slug": slug, "title": "A"})).await["slug"], slug);
    }
    let wrong =
        ["A", "Hello", "-", "-a", "a-", " ", "a b", "a/b", "..", ".", "a.b", "a_b", "é", "a\n", "%61", "~a"];
    for slug in wrong {
        app.client.pages(json!([{"slug": slug, "title": "A"}])).await.is_invalid(json!({"0": {"slug": "…"}}));
    }
}

async fn a_section_is_lowercase_letters_digits_and_single_hyphens(database: &Database) {
    let app = spawn_app(database).await;
    for section in ["a", "0", "getting-started", "2026-01", "-a", "a-", "-"] {
        let page = app.client.page(json!({"slug": "a", "title": "A", "section": section})).await;
        assert_eq!((&page["section"], &page["status"]), (&json!(section), &json!("created")));
    }
    let page = app.client.page(json!({"slug": "a", "title": "A", "section": "Getting-Started"})).await;
    assert_eq!((&page["section"], &page["status"]), (&json!("getting-started"), &json!("updated")));
    let deleted = app.client.delete("/pages/a?contentType=blog&section=GETTING-started").await;
    assert_eq!(deleted.status, 204);
    for section in ["É", "A b", "a--b", "--", " ", "a b", "a/b", "..", "a_b", "é", "a\n", "a."] {
        let answer = app.client.pages(json!([{"slug": "a", "title": "A", "section": section}])).await;
        answer.is_invalid(json!({"0": {"section": "…"}}));
    }
}

async fn a_title_is_kept_as_sent(database: &Database) {
    let app = spawn_app(database).await;
    for title in
        ["  Hello \n", "<b>&amp;</b>", "\"quoted\\\"", "Zoë 🦀", "a\u{1f}b", "\u{feff}a", "\u{202e}a", "A  B"]
    {
        let page = app.client.page(json!({"slug": "a", "title": title})).await;
        assert_eq!(page["title"], title);
        assert_eq!(app.client.listed(&page).await["title"], title);
    }
}

async fn tags_are_trimmed_and_kept_in_order_each_once(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |sent: Value, expected: Value| {
        let page = app.client.page(json!({"slug": "a", "title": "A", "tags": sent})).await;
        assert_eq!(app.client.listed(&page).await["tags"], expected, "{sent}");
    };
    check(json!([]), json!([])).await;
    check(json!(["b", "a"]), json!(["b", "a"])).await;
    check(json!([" b ", "a", "b", "\ta\n"]), json!(["b", "a"])).await;
    check(json!(["Rust", "rust"]), json!(["Rust", "rust"])).await;
    check(json!(["C++ & \"co\"", "é 🦀", "a/b"]), json!(["C++ & \"co\"", "é 🦀", "a/b"])).await;
    check(json!(vec!["x"; 20]), json!(["x"])).await;
}

async fn a_tag_must_not_be_empty(database: &Database) {
    let app = spawn_app(database).await;
    for tags in [json!([""]), json!(["a", ""]), json!([" "]), json!(["\t\n"])] {
        let answer = app.client.pages(json!([{"slug": "a", "title": "A", "tags": tags}])).await;
        answer.is_invalid(json!({"0": {"tags": "…"}}));
    }
}

async fn published_at(app: &App<'_>, sent: &str) -> Value {
    let page = app.client.page(json!({"slug": "a", "title": "A", "publishedAt": sent})).await;
    app.client.listed(&page).await["publishedAt"].clone()
}

async fn published_at_is_an_iso_8601_date_or_date_time(database: &Database) {
    let app = spawn_app(database).await;
    let check =
        async |sent: &str, expected: &str| assert_eq!(published_at(&app, sent).await, expected, "{sent}");
    check("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z").await;
    check("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z").await;
    check("2026-01-02T03:04Z", "2026-01-02T03:04:00.000Z").await;
    check("2026-01-02T03:04:05", "2026-01-02T03:04:05.000Z").await;
    check("2026-01-02T03:04", "2026-01-02T03:04:00.000Z").await;
    check("2026-01-02", "2026-01-02T00:00:00.000Z").await;
    check("2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.100Z").await;
    check("2026-01-02T03:04:05.678000Z", "2026-01-02T03:04:05.678Z").await;
    check("2026-01-02T03:04:05.678000000Z", "2026-01-02T03:04:05.678Z").await;
    check("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z").await;
    check("2026-01-02T03:04:05-05:30", "2026-01-02T08:34:05.000Z").await;
    check("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000Z").await;
    check("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z").await;
    check("2024-02-29", "2024-02-29T00:00:00.000Z").await;
    check("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z").await;
    check("2100-01-01T00:00:00Z", "2100-01-01T00:00:00.000Z").await;
}

async fn published_at_is_nothing_else(database: &Database) {
    let app = spawn_app(database).await;
    let wrong = [
        "",
        " ",
        "now",
        "yesterday",
        "1767323045",
        "2026-02-30",
        "2025-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-01-02T25:00:00Z",
        "2026-01-02T03:61:00Z",
        "02/01/2026",
        "Fri, 02 Jan 2026 03:04:05 GMT",
        "2026-01-02T03:04:05Z and more",
        "2026-01-02T",
        "T03:04:05Z",
        "2026-01-02T03:04:05+99:99",
    ];
    for text in wrong {
        let answer = app.client.pages(json!([{"slug": "a", "title": "A", "publishedAt": text}])).await;
        answer.is_invalid(json!({"0": {"publishedAt": "…"}}));
    }
}

async fn a_moment_at_the_edge_of_time_breaks_nothing(database: &Database) {
    let app = spawn_app(database).await;
    let send =
        async |text: &str| app.client.pages(json!([{"slug": "a", "title": "A", "publishedAt": text}])).await;
    for (text, expected) in [
        ("0001-01-01", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        // A leap second counts as the one before.
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.000Z"),
    ] {
        let answer = send(text).await;
        assert_eq!(answer.status, 200, "{text}: {answer:?}");
        assert_eq!(app.client.listed(&answer.body["pages"][0]).await["publishedAt"], expected);
    }
    for text in [
        "0000-01-01",
        "-000001-01-01",
        "9999-12-31T23:59:59-12:00",
        "+010000-01-01T00:00:00Z",
        "+999999-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "2026-01-02T24:00:00Z",
    ] {
        send(text).await.is_invalid(json!({"0": {"publishedAt": "…"}}));
    }
}

async fn published_at_is_kept_when_omitted(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"slug": "a", "title": "A"})).await;
    let first = page["createdAt"].clone();
    app.client.page(json!({"slug": "a", "title": "B"})).await;
    assert_eq!(app.client.listed(&page).await["publishedAt"], first);
    app.client.page(json!({"slug": "a", "publishedAt": "2030-01-01"})).await;
    app.client.page(json!({"slug": "a", "title": "C"})).await;
    assert_eq!(app.client.listed(&page).await["publishedAt"], "2030-01-01T00:00:00.000Z");
}

async fn an_api_endpoint_begins_with_a_method(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |sent: &str, expected: Value| {
        let page = app.client.page(json!({"slug": "a", "title": "A", "apiEndpoint": sent})).await;
        assert_eq!(app.stored(&page).await["apiEndpoint"], expected, "{sent:?}");
    };
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
        check(method, json!(method)).await;
        check(&method.to_lowercase(), json!(method)).await;
        check(&format!("{} /users/{{id}}", method.to_lowercase()), json!(format!("{method} /users/{{id}}")))
            .await;
    }
    check("Get /Users", json!("GET /Users")).await;
    check("get anything that is free-form: é 🦀", json!("GET anything that is free-form: é 🦀")).await;
    check("", json!(null)).await;
    for white_space in ["\t", "\n", "  ", "\u{a0}"] {
        app.client
            .page(json!({"slug": "a", "title": "A", "apiEndpoint": format!("get{white_space}/a")}))
            .await;
        let stored = app.stored(&app.client.list().await[0]).await;
        assert!(stored["apiEndpoint"].as_str().unwrap().starts_with("GET"), "{stored}");
    }
}

async fn an_api_endpoint_is_nothing_else(database: &Database) {
    let app = spawn_app(database).await;
    for text in [
        "/users",
        "GETS /users",
        "GET/users",
        "TRACE /",
        "CONNECT",
        "FETCH",
        " GET /users",
        "getaway",
        "GET:",
    ] {
        let answer = app.client.pages(json!([{"slug": "a", "title": "A", "apiEndpoint": text}])).await;
        answer.is_invalid(json!({"0": {"apiEndpoint": "…"}}));
    }
}

async fn an_id_is_a_uuid(database: &Database) {
    let app = spawn_app(database).await;
    for id in
        ["", "1", "a", "00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-00000000000g", "../a"]
    {
        let answer = app.client.pages(json!([{"id": id, "slug": "a", "title": "A"}])).await;
        answer.is_invalid(json!({"0": {"id": "…"}}));
    }
}

async fn reserved_segments_are_not_for_standalone_pages(database: &Database) {
    let app = spawn_app(database).await;
    let reserved =
        ["api", "assets", "blog", "docs", "feed", "homepage", "media", "search", "standalone", "tags"];
    for word in reserved {
        let fails = async |page: Value, field: &str| {
            app.client.pages(json!([page])).await.is_invalid(json!({"0": {field: "…"}}));
        };
        fails(json!({"contentType": "standalone", "slug": word, "title": "A"}), "slug").await;
        let in_section = json!({"contentType": "standalone", "section": word, "slug": "a", "title": "A"});
        fails(in_section, "section").await;
        let passes = async |expected: &str| assert_eq!(key(&app.client.page_at(expected).await), expected);
        passes(&format!("blog//{word}")).await;
        passes(&format!("standalone/company/{word}")).await;
        passes(&format!("docs/{word}/a")).await;
    }
    // However a page gets there.
    let page = app.client.page_at("blog//media").await;
    let moved = app.client.pages(json!([{"id": page["id"], "contentType": "standalone"}])).await;
    moved.is_invalid(json!({"0": {"slug": "…"}}));
    let auto = app.client.pages(json!([{"title": "Tags", "contentType": "standalone"}])).await;
    assert_eq!((auto.status, &auto.body["error"]), (400, &json!("validation failed")), "{auto:?}");
}

async fn every_kind_of_error_of_every_page_is_in_one_answer(database: &Database) {
    let app = spawn_app(database).await;
    let taken = app.client.page_at("docs//taken").await;
    let mover = app.client.page_at("docs//mover").await;
    let answer = app
        .client
        .pages(json!([
            {"slug": "fine", "title": "Fine"},
            {"slug": "Bad", "title": "A", "contentType": "news", "section": "A--b", "tags": "x", "draft": "x"},
            {"slug": "new", "description": 5, "content": [], "publishedAt": "x", "params": [], "apiEndpoint": "x"},
            {"id": "00000000-0000-4000-8000-000000000000", "title": "A", "draft": 1},
            {"id": mover["id"], "slug": taken["slug"], "tags": [""]},
            {"title": "!!!", "draft": 0},
        ]))
        .await;
    answer.is_invalid(json!({
        "1": {"slug": "…", "contentType": CONTENT_TYPE_INVALID, "section": "…", "tags": "…", "draft": "…"},
        "2": {"title": "title is required for new pages", "description": "…", "content": "…",
              "publishedAt": "…", "params": "…", "apiEndpoint": "…"},
        "3": {"id": "page not found for the provided id", "draft": "…"},
        "4": {"slug": "slug is already in use in this content type and section", "tags": "…"},
        "5": {"title": "…", "draft": "…"},
    }));
}
