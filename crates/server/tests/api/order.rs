//! Requests with several errors, and which error is reported.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testing::Database;

use crate::app::{Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    a_publish_is_answered_by_the_first_rule_it_breaks,
    the_token_comes_before_everything_else,
    a_listing_is_answered_by_the_first_rule_it_breaks,
    a_deletion_is_answered_by_the_first_rule_it_breaks,
    a_build_is_answered_by_the_first_rule_it_breaks,
);

const UNKNOWN_SITE: &str = "00000000-0000-4000-8000-000000000000";

async fn a_publish_is_answered_by_the_first_rule_it_breaks(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("blog//a").await;
    let check = async |body: Value, status: u16, error: Option<&str>| {
        let answer = app.client.post("/pages", body.clone()).await;
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        match error {
            Some(error) => assert_eq!(answer.body["error"], error, "{body}"),
            None => drop(answer.is_failure(status)),
        }
    };
    let bad_field = json!({"slug": "b", "title": 5});
    let twice = json!([{"slug": "c", "title": "C"}, {"slug": "c", "title": "C"}]);
    let deletes_c = json!([{"slug": "c", "contentType": "blog"}]);
    let bad_delete = json!([{"slug": "c"}]);
    let many: Vec<Value> = (0..5001).map(|_| bad_field.clone()).collect();

    // The shape comes before the site and everything else.
    check(json!({"siteId": UNKNOWN_SITE, "pages": [bad_field, 5]}), 400, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "pages": [bad_field], "deleteSlugs": bad_delete}), 400, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "pages": [bad_field], "build": "yes"}), 400, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "pages": many}), 400, None).await;
    check(json!({"siteId": "x", "pages": [bad_field]}), 400, None).await;
    check(json!({"pages": twice, "deleteSlugs": bad_delete}), 400, None).await;
    // The site, before the fields.
    check(json!({"siteId": UNKNOWN_SITE, "pages": [bad_field]}), 403, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "pages": twice, "deleteSlugs": deletes_c}), 403, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "pages": []}), 403, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "deleteSlugs": deletes_c, "build": true}), 403, None).await;
    check(json!({"siteId": UNKNOWN_SITE, "build": true}), 403, None).await;
    check(json!({"siteId": UNKNOWN_SITE}), 403, None).await;
    // The fields and the lookups, before duplicates.
    let invalid = Some("validation failed");
    let mut pages = vec![twice[0].clone(), twice[1].clone(), bad_field.clone()];
    check(json!({"pages": pages, "deleteSlugs": deletes_c}), 400, invalid).await;
    pages[2] = json!({"id": UNKNOWN_SITE});
    check(json!({"pages": pages, "deleteSlugs": deletes_c}), 400, invalid).await;
    pages[2] = json!({"slug": "new"});
    check(json!({"pages": pages, "deleteSlugs": deletes_c}), 400, invalid).await;
    // Duplicates, before the conflict.
    check(json!({"pages": twice, "deleteSlugs": deletes_c}), 400, Some("duplicate slugs in batch")).await;
    check(json!({"pages": [twice[0]], "deleteSlugs": deletes_c, "build": true}), 400, Some("slug conflict"))
        .await;
    assert_eq!(app.client.listed(&page).await["updatedAt"], page["updatedAt"]);
    assert_eq!(app.client.get("/builds/latest").await.status, 404);

    // All validation errors are in one body.
    let pages =
        json!([bad_field, {"id": UNKNOWN_SITE}, {"slug": "new"}, {"slug": "c", "title": "C", "tags": 5}]);
    let answer = app.client.post("/pages", json!({"pages": pages, "deleteSlugs": deletes_c})).await;
    let (id, title) = (crate::answer::ID_NOT_FOUND, crate::answer::TITLE_REQUIRED);
    answer
        .is_invalid(json!({"0": {"title": "…"}, "1": {"id": id}, "2": {"title": title}, "3": {"tags": "…"}}));
}

async fn the_token_comes_before_everything_else(database: &Database) {
    let app = spawn_app(database).await;
    let anonymous = app.anonymous();
    let check = async |method: Method, path: &str, content_type: &str, body: &'static str| {
        let request = anonymous.request(method, path).header(CONTENT_TYPE, content_type).body(body);
        assert_eq!(anonymous.send(request).await.status, 401, "{path} {body}");
    };
    check(Method::POST, "/pages", "application/json", "{").await;
    check(Method::POST, "/pages", "text/plain", "{}").await;
    check(Method::PUT, "/pages", "application/json", "{}").await;
    check(Method::GET, "/nothing", "application/json", "").await;
    check(Method::GET, "/pages?limit=0&siteId=x", "application/json", "").await;
    check(Method::DELETE, "/pages/a", "application/json", "").await;
    check(Method::POST, "/builds", "application/json", "[").await;
}

async fn a_listing_is_answered_by_the_first_rule_it_breaks(database: &Database) {
    let app = spawn_app(database).await;
    for query in ["limit=0", "contentType=x", "cursor=x", "siteId=x"] {
        app.client.get(&format!("/pages?siteId={UNKNOWN_SITE}&{query}")).await.is_failure(400);
    }
    app.client.get(&format!("/pages?siteId={UNKNOWN_SITE}")).await.is_failure(403);
}

async fn a_deletion_is_answered_by_the_first_rule_it_breaks(database: &Database) {
    let app = spawn_app(database).await;
    app.client.delete(&format!("/pages/a?siteId={UNKNOWN_SITE}")).await.is_failure(400);
    app.client.delete(&format!("/pages/a?siteId={UNKNOWN_SITE}&contentType=x")).await.is_failure(400);
    app.client.delete(&format!("/pages/a?siteId={UNKNOWN_SITE}&contentType=blog")).await.is_failure(403);
    app.client.delete(&format!("/pages/A%20b?siteId={UNKNOWN_SITE}&contentType=blog")).await.is_failure(403);
    app.client.delete("/pages/A%20b?contentType=blog").await.is_failure(404);
}

/// Rate limit, site, quota, cooldown.
async fn a_build_is_answered_by_the_first_rule_it_breaks(database: &Database) {
    let cooldown = std::time::Duration::from_secs(2 * 3600);
    let app = spawn_app_with(database, Options { plan: "free", cooldown, ..Options::default() }).await;
    let hasty = app.client.hasty();
    for site in ["one", "two"] {
        let site = app.site(site).await;
        assert_eq!(hasty.post("/builds", json!({"siteId": site})).await.status, 202);
    }
    assert_eq!(hasty.build().await.status, 202);
    // Quota and cooldown.
    let refused = hasty.build().await;
    assert_eq!((refused.status, &refused.body["error"]), (402, &json!("build quota exceeded")));
    // The site, too.
    hasty.post("/builds", json!({"siteId": UNKNOWN_SITE})).await.is_failure(403);
    hasty.post("/builds", json!({"siteId": "x"})).await.is_failure(400);
    for _ in 0..14 {
        assert_eq!(hasty.build().await.status, 402);
    }
    let refused = hasty.post("/builds", json!({"siteId": "x"})).await;
    assert_eq!((refused.status, &refused.body["error"]), (429, &json!("rate limit exceeded")));
}
