//! `GET /pages/{slug}`, the hashes of `GET /pages`, and `GET /sites`.

use reqwest::Method;
use serde_json::{Value, json};
use testing::Database;

use crate::app::{START, spawn_app};
use crate::client::Client;

testing::on_each_configuration!(
    a_page_is_read_with_all_its_fields,
    a_page_without_optional_fields_has_their_empty_values,
    the_content_type_and_the_section_say_which_page_is_meant,
    a_page_that_is_not_there_is_404,
    a_head_request_has_the_length_and_no_body,
    the_listing_has_the_same_hashes,
    every_field_changes_the_hash,
    the_same_page_again_keeps_the_hash,
    the_sites_of_the_account_are_listed_and_no_others,
    a_text_that_was_stored_without_its_hash_is_hashed_when_it_is_listed,
);

async fn read(client: &Client, path: &str) -> Value {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

async fn a_page_is_read_with_all_its_fields(database: &Database) {
    let app = spawn_app(database).await;
    let page = json!({
        "slug": "users", "title": "Users", "contentType": "docs", "section": "Guides", "description": "About users",
        "content": "# Users\n\nText", "draft": true, "tags": ["b", "a"], "apiEndpoint": "get /users",
        "params": {"weight": 1.0, "a": [true]}, "publishedAt": START,
    });
    let written = app.client.page(page).await;
    let mut page = read(&app.client, "/pages/users?contentType=docs&section=guides").await;
    let hash = page["hash"].take();
    assert!(hash.as_str().is_some_and(|hash| hash.len() == 64), "{hash}");
    let expected = json!({
        "id": written["id"], "slug": "users", "title": "Users", "contentType": "docs", "section": "guides",
        "description": "About users", "content": "# Users\n\nText", "draft": true, "tags": ["b", "a"],
        "apiEndpoint": "GET /users", "params": {"weight": 1.0, "a": [true]}, "publishedAt": START,
        "createdAt": written["createdAt"], "updatedAt": written["updatedAt"], "url": "/docs/guides/users", "hash": null,
    });
    assert_eq!(page, expected);
}

async fn a_page_without_optional_fields_has_their_empty_values(database: &Database) {
    let app = spawn_app(database).await;
    let written = app.client.page(json!({"title": "Home", "slug": "index", "contentType": "homepage"})).await;
    let page = read(&app.client, "/pages/index?contentType=homepage").await;
    let expected = json!({
        "id": written["id"], "slug": "index", "title": "Home", "contentType": "homepage", "description": null,
        "content": "", "draft": false, "tags": [], "apiEndpoint": null, "params": {}, "publishedAt": page["publishedAt"],
        "createdAt": written["createdAt"], "updatedAt": written["updatedAt"], "url": "/", "hash": page["hash"],
    });
    assert_eq!(page, expected);
}

async fn the_content_type_and_the_section_say_which_page_is_meant(database: &Database) {
    let app = spawn_app(database).await;
    for place in ["blog//a", "docs//a", "docs/s/a"] {
        app.client.page_at(place).await;
    }
    let check = async |query: &str, title: &str| {
        assert_eq!(read(&app.client, &format!("/pages/a?{query}")).await["title"], title);
    };
    check("contentType=blog", "blog//a").await;
    check("contentType=docs&section=", "docs//a").await;
    check("contentType=docs&section=S", "docs/s/a").await;
    app.client.get("/pages/a").await.is_failure(400);
    app.client.get("/pages/a?contentType=news").await.is_failure(400);
}

async fn a_page_that_is_not_there_is_404(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("docs/s/a").await;
    for path in
        ["/pages/a?contentType=docs", "/pages/A?contentType=docs&section=s", "/pages/%00?contentType=blog"]
    {
        app.client.get(path).await.is_failure(404);
    }
    app.client.delete("/pages/a?contentType=docs&section=s").await;
    app.client.get("/pages/a?contentType=docs&section=s").await.is_failure(404);
}

async fn a_head_request_has_the_length_and_no_body(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let whole = app.client.get("/pages/a?contentType=blog").await;
    let head = app.client.send(app.client.request(Method::HEAD, "/pages/a?contentType=blog")).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), Some(whole.text.len().to_string().as_str()));
}

/// The hashes of a listing, by slug.
async fn hashes(client: &Client, query: &str) -> Vec<(String, String)> {
    let listing = read(client, &format!("/pages?hashes=true{query}")).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pages = listing["pages"].as_array().unwrap();
    pages.iter().map(|page| (text(&page["slug"]), text(&page["hash"]))).collect()
}

async fn the_listing_has_the_same_hashes(database: &Database) {
    let app = spawn_app(database).await;
    let full = json!({
        "slug": "full", "title": "Full", "content": "Text", "tags": ["é", "\"b\""], "params": {"a": 1}, "draft": true,
        "apiEndpoint": "GET /", "description": "About",
    });
    app.client.pages(json!([full, {"slug": "empty", "title": "Empty"}])).await;
    for query in ["", "&limit=10", "&contentType=blog", "&contentType=blog&limit=2"] {
        let listed = hashes(&app.client, query).await;
        assert_eq!(listed.len(), 2);
        for (slug, hash) in listed {
            assert_eq!(read(&app.client, &format!("/pages/{slug}?contentType=blog")).await["hash"], hash);
        }
    }
    assert_eq!(app.client.list().await[0].get("hash"), None);
    app.client.get("/pages?hashes=yes").await.is_failure(400);
}

async fn every_field_changes_the_hash(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"title": "A", "slug": "a"})).await;
    let mut seen = vec![hashes(&app.client, "").await];
    for change in [
        json!({"title": "B"}),
        json!({"slug": "b"}),
        json!({"contentType": "docs"}),
        json!({"section": "s"}),
        json!({"description": "About"}),
        json!({"content": "Text"}),
        json!({"draft": true}),
        json!({"tags": ["t"]}),
        json!({"publishedAt": "2020-01-01"}),
        json!({"params": {"a": 1}}),
        json!({"apiEndpoint": "GET /"}),
    ] {
        let mut change = change.clone();
        change["id"] = page["id"].clone();
        app.client.page(change.clone()).await;
        let now = hashes(&app.client, "").await;
        assert!(!seen.contains(&now), "{change}");
        seen.push(now);
    }
}

async fn the_same_page_again_keeps_the_hash(database: &Database) {
    let app = spawn_app(database).await;
    let page = json!({"title": "A", "content": "Text", "params": {"a": 1, "b": "é"}});
    app.client.page(page.clone()).await;
    let before = hashes(&app.client, "").await;
    app.client.page(json!({"title": "A", "content": "Text", "params": {"b": "\u{e9}", "a": 1.0}})).await;
    assert_eq!(hashes(&app.client, "").await, before);
    app.client.page(json!({"title": "A", "content": "Other"})).await;
    app.client.page(page).await;
    assert_eq!(hashes(&app.client, "").await, before);
}

async fn the_sites_of_the_account_are_listed_and_no_others(database: &Database) {
    let app = spawn_app(database).await;
    let (books, other) = (app.site("a-books").await, app.account("Other").await);
    let site = |id: &str, name: &str, is_default: bool| json!({"id": id, "name": name, "deployUrl": format!("http://{name}.localhost:8081"), "isDefault": is_default});
    let sites = json!({"sites": [site(&app.acme.site, "acme", true), site(&books, "a-books", false)]});
    app.client.get("/sites").await.is(200, sites);
    other.client.get("/sites").await.is(200, json!({"sites": [site(&other.site, "other", true)]}));
}

async fn a_text_that_was_stored_without_its_hash_is_hashed_when_it_is_listed(database: &Database) {
    let app = spawn_app(database).await;
    app.client.pages(json!([
        {"title": "A", "content": "Text", "params": {"b": [1.0], "a": "x"}}, {"title": "B", "content": "Text"}, {"title": "C"},
    ])).await;
    let before = hashes(&app.client, "&limit=10").await;
    database.execute("UPDATE pages SET content_hash = NULL, params_hash = NULL");
    assert_eq!(hashes(&app.client, "&limit=10").await, before);
    assert_eq!(read(&app.client, "/pages/a?contentType=blog").await["hash"], before[0].1);
}
