//! `DELETE /pages/{slug}` and `deleteSlugs`.

use serde_json::{Value, json};
use testing::Database;

use crate::app::spawn_app;
use crate::client::key;

testing::on_each_configuration!(
    a_page_is_deleted_by_slug_content_type_and_section,
    a_page_that_does_not_match_in_full_is_not_found,
    the_content_type_is_required,
    parameters_that_cannot_be_read_are_refused,
    a_page_of_another_site_is_deleted_there,
    delete_slugs_deletes_what_matches_in_full,
    deleted_lists_each_deleted_page_once_in_order,
    an_entry_that_no_page_could_match_is_ignored,
    a_malformed_entry_is_refused_and_named,
    unknown_fields_of_an_entry_are_ignored,
    deleted_pages_are_kept_for_a_restore,
);

async fn a_page_is_deleted_by_slug_content_type_and_section(database: &Database) {
    let app = spawn_app(database).await;
    for place in ["blog//a", "docs//a", "docs/s/a", "docs/t/a", "homepage//a", "standalone//a"] {
        app.client.page_at(place).await;
    }
    let check = async |query: &str, left: &[&str]| {
        let answer = app.client.delete(&format!("/pages/a?{query}")).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{query}");
        let mut keys: Vec<String> = app.client.list().await.as_array().unwrap().iter().map(key).collect();
        keys.sort();
        assert_eq!(keys, left);
    };
    check("contentType=docs&section=s", &["blog//a", "docs//a", "docs/t/a", "homepage//a", "standalone//a"])
        .await;
    check("contentType=docs", &["blog//a", "docs/t/a", "homepage//a", "standalone//a"]).await;
    check("section=t&contentType=docs", &["blog//a", "homepage//a", "standalone//a"]).await;
    check("contentType=blog&section=", &["homepage//a", "standalone//a"]).await;
    check("contentType=homepage&unknown=1", &["standalone//a"]).await;
    check(&format!("contentType=standalone&siteId={}", app.acme.site), &[]).await;
}

async fn a_page_that_does_not_match_in_full_is_not_found(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("docs/s/a").await;
    app.client.page_at("blog//b").await;
    let not_found = async |path: &str| app.client.delete(path).await.is_failure(404).to_owned();
    for path in [
        "/pages/nothing?contentType=docs",
        "/pages/a?contentType=docs",
        "/pages/a?contentType=docs&section=t",
        "/pages/a?contentType=blog&section=s",
        "/pages/b?contentType=blog&section=s",
        "/pages/A?contentType=docs&section=s",
        "/pages/a?contentType=docs&section=s%20",
        "/pages/a%00?contentType=docs&section=s",
        "/pages/a?contentType=docs&section=%00",
        "/pages/a?contentType=docs&section=%FF",
        "/pages/%FF?contentType=docs",
        "/pages/a%2Fb?contentType=docs",
        "/pages/%F0%9F%A6%80?contentType=docs",
        "/pages/%20?contentType=docs",
        "/pages/'%20OR%201=1--?contentType=docs",
    ] {
        not_found(path).await;
    }
    not_found(&format!("/pages/{}?contentType=docs", "a".repeat(101))).await;
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 2);
}

async fn the_content_type_is_required(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    for query in [
        "",
        "?",
        "?section=s",
        "?contentType=",
        "?contentType=Blog",
        "?contentType=news",
        "?contenttype=blog",
    ] {
        let answer = app.client.delete(&format!("/pages/a{query}")).await;
        assert!(answer.is_failure(400).contains("contentType"), "{query}: {answer:?}");
    }
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn parameters_that_cannot_be_read_are_refused(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    for query in
        ["contentType=blog&siteId=", "contentType=blog&siteId=x", "contentType=%00", "contentType=blog%00"]
    {
        app.client.delete(&format!("/pages/a?{query}")).await.is_failure(400);
    }
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn a_page_of_another_site_is_deleted_there(database: &Database) {
    let app = spawn_app(database).await;
    let second = app.site("second").await;
    app.client.page_at("blog//a").await;
    app.client.post("/pages", json!({"siteId": second, "pages": [{"title": "A"}]})).await;
    let path = format!("/pages/a?contentType=blog&siteId={second}");
    assert_eq!(app.client.delete(&path).await.status, 204);
    app.client.delete(&path).await.is_failure(404);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn delete_slugs_deletes_what_matches_in_full(database: &Database) {
    let app = spawn_app(database).await;
    for place in ["blog//a", "blog/s/a", "docs//a", "docs/s/a"] {
        app.client.page_at(place).await;
    }
    let check = async |entry: Value, deleted: &[&str], left: usize| {
        let answer = app.client.post("/pages", json!({"deleteSlugs": [entry]})).await;
        answer.is(200, json!({"pages": [], "deleted": deleted}));
        assert_eq!(app.client.list().await.as_array().unwrap().len(), left, "{entry}");
    };
    check(json!({"slug": "a", "contentType": "standalone"}), &[], 4).await;
    check(json!({"slug": "a", "contentType": "docs", "section": "t"}), &[], 4).await;
    check(json!({"slug": "a", "contentType": "docs"}), &["a"], 3).await;
    check(json!({"slug": "a", "contentType": "docs"}), &[], 3).await;
    check(json!({"slug": "a", "contentType": "docs", "section": "s"}), &["a"], 2).await;
    check(json!({"slug": "a", "contentType": "blog", "section": null}), &["a"], 1).await;
    check(json!({"slug": "a", "contentType": "blog", "section": ""}), &[], 1).await;
}

async fn deleted_lists_each_deleted_page_once_in_order(database: &Database) {
    let app = spawn_app(database).await;
    for place in ["blog//a", "docs//a", "blog//b", "blog//c", "docs/s/d"] {
        app.client.page_at(place).await;
    }
    let delete = |slug: &str, content_type: &str| json!({"slug": slug, "contentType": content_type});
    let entries = json!([
        delete("c", "blog"),
        delete("nothing", "blog"),
        delete("a", "blog"),
        delete("c", "blog"),
        delete("d", "docs"),
        delete("a", "docs"),
        delete("b", "blog"),
    ]);
    let answer = app.client.post("/pages", json!({"deleteSlugs": entries})).await;
    answer.is(200, json!({"pages": [], "deleted": ["c", "a", "b"]}));
    let left = app.client.list().await;
    assert_eq!(left.as_array().unwrap().iter().map(key).collect::<Vec<_>>(), ["docs/s/d"]);
}

async fn an_entry_that_no_page_could_match_is_ignored(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let long = "a".repeat(101);
    for slug in ["", " ", "A", "a b", "..", "a/b", "é🦀", "a\0", "%61", "*", long.as_str()] {
        let body = json!({"deleteSlugs": [{"slug": slug, "contentType": "blog"}]});
        app.client.post("/pages", body).await.is(200, json!({"pages": [], "deleted": []}));
    }
    for section in ["S", "a--b", " ", "\0", long.as_str()] {
        let body = json!({"deleteSlugs": [{"slug": "a", "contentType": "blog", "section": section}]});
        app.client.post("/pages", body).await.is(200, json!({"pages": [], "deleted": []}));
    }
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn a_malformed_entry_is_refused_and_named(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let malformed = [
        json!(null),
        json!("a"),
        json!(1),
        json!(true),
        json!([]),
        json!({}),
        json!({"slug": "a"}),
        json!({"contentType": "blog"}),
        json!({"slug": null, "contentType": "blog"}),
        json!({"slug": "a", "contentType": null}),
        json!({"slug": 1, "contentType": "blog"}),
        json!({"slug": ["a"], "contentType": "blog"}),
        json!({"slug": "a", "contentType": 1}),
        json!({"slug": "a", "contentType": ""}),
        json!({"slug": "a", "contentType": "Blog"}),
        json!({"slug": "a", "contentType": "news"}),
        json!({"slug": "a", "contentType": "blog", "section": 1}),
        json!({"slug": "a", "contentType": "blog", "section": {}}),
        json!({"slug": "a", "contentType": "blog", "section": ["s"]}),
        json!({"slug": "a", "contentType": "blog", "section": false}),
    ];
    for entry in malformed {
        let entries = json!([{"slug": "a", "contentType": "blog"}, entry]);
        let answer = app.client.post("/pages", json!({"deleteSlugs": entries})).await;
        assert!(answer.is_failure(400).contains("deleteSlugs[1]"), "{entry}: {answer:?}");
    }
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn unknown_fields_of_an_entry_are_ignored(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let entry = json!({"slug": "a", "contentType": "blog", "id": 5, "reason": {"a": []}});
    let answer = app.client.post("/pages", json!({"deleteSlugs": [entry]})).await;
    answer.is(200, json!({"pages": [], "deleted": ["a"]}));
}

async fn deleted_pages_are_kept_for_a_restore(database: &Database) {
    let app = spawn_app(database).await;
    let count = || database.dump().iter().filter(|row| row.starts_with("pages:")).count();
    app.client.page_at("blog//a").await;
    app.client.page_at("blog//b").await;
    assert_eq!(count(), 2);
    app.client.delete("/pages/a?contentType=blog").await;
    app.client.post("/pages", json!({"deleteSlugs": [{"slug": "b", "contentType": "blog"}]})).await;
    assert_eq!((app.client.list().await, count()), (json!([]), 2));
}
