//! The original format: one page as the whole body.

use serde_json::{Value, json};
use testing::Database;

use crate::answer::TITLE_REQUIRED;
use crate::app::spawn_app;

testing::on_each_configuration!(
    a_single_page_is_answered_as_a_batch_and_as_a_page,
    a_single_page_takes_every_field,
    site_and_build_work_together_with_the_pages_fields,
    a_single_page_that_is_wrong_is_page_0,
    an_empty_object_is_a_page_without_a_title,
    build_alone_is_no_page,
    pages_or_delete_slugs_make_it_a_batch,
    a_page_entry_is_never_legacy,
);

/// The response is `{pages: [page], …more}` with the page's own fields at the same level.
#[track_caller]
fn check(body: &Value, more: &Value) {
    let page = &body["pages"][0];
    let mut expected = json!({"pages": [page]});
    for (field, value) in page.as_object().unwrap().iter().chain(more.as_object().unwrap()) {
        expected[field] = value.clone();
    }
    assert_eq!(body, &expected);
}

async fn a_single_page_is_answered_as_a_batch_and_as_a_page(database: &Database) {
    let app = spawn_app(database).await;
    for status in ["created", "updated"] {
        let answer = app.client.post("/pages", json!({"title": "Hello, World!", "content": "# Hello"})).await;
        check(&answer.body, &json!({}));
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!(status)));
        assert_eq!(answer.body["slug"], "hello-world");
        let keys: Vec<&String> = answer.body.as_object().unwrap().keys().collect();
        let expected =
            ["contentType", "createdAt", "draft", "id", "pages", "slug", "status", "title", "updatedAt"];
        assert_eq!(keys, expected);
    }
}

async fn a_single_page_takes_every_field(database: &Database) {
    let app = spawn_app(database).await;
    let page = json!({
        "slug": "intro", "title": "Intro", "content": "text", "contentType": "docs", "section": "guides",
        "description": "d", "draft": true, "tags": ["a"], "publishedAt": "2020-01-01", "params": {"a": 1},
        "apiEndpoint": "GET", "unknown": 1,
    });
    let answer = app.client.post("/pages", page).await;
    check(&answer.body, &json!({}));
    assert_eq!((&answer.body["section"], &answer.body["draft"]), (&json!("guides"), &json!(true)));
    let listed = app.client.listed(&answer.body).await;
    assert_eq!((&listed["description"], &listed["tags"]), (&json!("d"), &json!(["a"])));
    assert_eq!(listed["publishedAt"], "2020-01-01T00:00:00.000Z");
    let stored = json!({"content": "text", "params": {"a": 1}, "apiEndpoint": "GET"});
    assert_eq!(app.stored(&answer.body).await, stored);

    let renamed = app.client.post("/pages", json!({"id": answer.body["id"], "slug": "renamed"})).await;
    check(&renamed.body, &json!({}));
    assert_eq!((&renamed.body["slug"], &renamed.body["status"]), (&json!("renamed"), &json!("updated")));
}

async fn site_and_build_work_together_with_the_pages_fields(database: &Database) {
    let app = spawn_app(database).await;
    let second = app.site("second").await;
    let answer = app.client.post("/pages", json!({"siteId": second, "build": true, "title": "A"})).await;
    let build = json!({"status": "queued", "deployUrl": "http://second.localhost:8081"});
    check(&answer.body, &json!({"build": build}));
    assert_eq!(app.client.get(&format!("/pages?siteId={second}")).await.body["pages"][0]["slug"], "a");
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_single_page_that_is_wrong_is_page_0(database: &Database) {
    let app = spawn_app(database).await;
    let check =
        async |page: Value, expected: Value| app.client.post("/pages", page).await.is_invalid(expected);
    check(json!({"content": "text"}), json!({"0": {"title": TITLE_REQUIRED}})).await;
    check(json!({"title": 5, "draft": 5}), json!({"0": {"title": "…", "draft": "…"}})).await;
    check(json!({"slug": "A b", "title": "A", "build": true}), json!({"0": {"slug": "…"}})).await;
    assert_eq!(app.client.get("/builds/latest").await.status, 404);
}

async fn an_empty_object_is_a_page_without_a_title(database: &Database) {
    let app = spawn_app(database).await;
    let site = &app.acme.site;
    for body in
        [json!({}), json!({"siteId": site}), json!({"unknown": 1}), json!({"build": true, "unknown": 1})]
    {
        app.client.post("/pages", body).await.is_invalid(json!({"0": {"title": TITLE_REQUIRED}}));
    }
    assert_eq!(app.client.get("/builds/latest").await.status, 404);
}

async fn build_alone_is_no_page(database: &Database) {
    let app = spawn_app(database).await;
    let queued = json!({"pages": [], "build": {"status": "queued", "deployUrl": app.acme.deploy_url}});
    app.client.post("/pages", json!({"build": true})).await.is(200, queued);
    app.client.post("/pages", json!({"build": false})).await.is(200, json!({"pages": []}));
    let second = app.site("second").await;
    let queued =
        json!({"pages": [], "build": {"status": "queued", "deployUrl": "http://second.localhost:8081"}});
    app.client.post("/pages", json!({"siteId": second, "build": true})).await.is(200, queued);
}

async fn pages_or_delete_slugs_make_it_a_batch(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |body: Value, expected: Value| app.client.post("/pages", body).await.is(200, expected);
    check(json!({"title": "A", "pages": []}), json!({"pages": []})).await;
    check(json!({"pages": [], "title": 5}), json!({"pages": []})).await;
    let deletes = json!([{"slug": "a", "contentType": "blog"}]);
    check(json!({"title": "A", "deleteSlugs": deletes}), json!({"pages": [], "deleted": []})).await;
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_page_entry_is_never_legacy(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app.client.pages(json!([{"title": "A", "build": true, "siteId": "x"}])).await;
    assert_eq!(answer.body, json!({"pages": [answer.body["pages"][0]]}));
    assert_eq!(app.client.get("/builds/latest").await.status, 404);
}
