//! `GET` and `PATCH /sites/{siteId}/settings`, and `GET /account`.

use publisher::SiteSettings;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::{App, Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    every_setting_is_listed_and_empty_at_first,
    settings_in_the_body_change_and_the_others_stay,
    one_wrong_setting_changes_none,
    a_body_that_is_no_object_of_texts_is_refused,
    html_for_the_head_may_be_forbidden,
    the_usage_of_the_account_is_shown,
);

fn path(app: &App) -> String {
    format!("/sites/{}/settings", app.acme.site)
}

async fn change(app: &App<'_>, body: &str) -> Answer {
    let request = app.client.request(Method::PATCH, &path(app)).header(CONTENT_TYPE, "application/json");
    app.client.send(request.body(body.to_owned())).await
}

async fn every_setting_is_listed_and_empty_at_first(database: &Database) {
    let app = spawn_app(database).await;
    let empty: Value = SiteSettings::KEYS.iter().map(|(key, _)| (key.to_string(), json!(""))).collect();
    app.client.get(&path(&app)).await.is(200, empty);
}

async fn settings_in_the_body_change_and_the_others_stay(database: &Database) {
    let app = spawn_app(database).await;
    change(&app, r#"{"title": " My  site ", "links": "Docs=/docs;Code=https://example.com"}"#).await;
    let changed = change(&app, r##"{"accent": "#a3301a", "noindex": "true"}"##).await;
    let values = |answer: &Answer| {
        ["title", "links", "accent", "noindex", "css"]
            .map(|key| answer.body[key].as_str().unwrap().to_owned())
    };
    let expected = ["My site", "Docs=/docs; Code=https://example.com", "#a3301a", "yes", ""];
    assert_eq!(values(&changed), expected);
    assert_eq!(values(&app.client.get(&path(&app)).await), expected);
    let restored = change(&app, r#"{"title": ""}"#).await;
    assert_eq!(restored.body["title"], "");
    assert_eq!(change(&app, "{}").await.body, restored.body);
}

async fn one_wrong_setting_changes_none(database: &Database) {
    let app = spawn_app(database).await;
    let answer =
        change(&app, r#"{"title": "New", "accent": "reddish", "colour": "red", "noindex": true}"#).await;
    assert_eq!((answer.status, &answer.body["error"]), (400, &json!("invalid settings")), "{answer:?}");
    // Values that are no texts are reported first: the others are not looked at.
    assert_eq!(answer.body["settings"].as_object().unwrap().len(), 1, "{answer:?}");
    let answer = change(&app, r#"{"title": "New", "accent": "reddish", "colour": "red"}"#).await;
    let keys: Vec<_> = answer.body["settings"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["accent", "colour"], "{answer:?}");
    assert!(answer.body["settings"]["colour"].as_str().unwrap().contains("unknown setting"), "{answer:?}");
    assert_eq!(app.client.get(&path(&app)).await.body["title"], "");
}

async fn a_body_that_is_no_object_of_texts_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for body in ["", "[]", "null", "{", "\"title\"", r#"{"title": "a", "title": "b"}"#, "\u{feff}{}"] {
        change(&app, body).await.is_failure(400);
    }
    for (body, wrong) in [(r#"{"title": null}"#, "title"), (r#"{"links": ["a"]}"#, "links")] {
        let answer = change(&app, body).await;
        assert!(answer.body["settings"][wrong].is_string(), "{answer:?}");
    }
    let request = app.client.request(Method::PATCH, &path(&app)).body("{}");
    app.client.send(request).await.is_failure(415);
    let request = app.client.request(Method::PATCH, &path(&app)).header(CONTENT_TYPE, "application/json");
    app.client.send(request.body("a".repeat(3 << 20))).await.is_failure(413);
    app.client.get("/sites/mine/settings").await.is_failure(400);
    app.client.send(app.client.request(Method::DELETE, &path(&app))).await.is_failure(405);
}

async fn html_for_the_head_may_be_forbidden(database: &Database) {
    let app = spawn_app_with(database, Options { custom_head: false, ..Options::default() }).await;
    let answer = change(&app, r#"{"title": "New", "head": "<script></script>"}"#).await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.body["settings"]["head"].as_str().unwrap().contains("sites.custom_head"), "{answer:?}");
    assert_eq!(change(&app, r#"{"title": "New", "head": ""}"#).await.body["title"], "New");
}

async fn the_usage_of_the_account_is_shown(database: &Database) {
    let app = spawn_app_with(database, Options { plan: "tiny", ..Options::default() }).await;
    app.client.page(json!({"title": "A", "content": "five5"})).await;
    app.client.build().await;
    let answer = app.client.get("/account").await;
    let limits = &answer.body["storage"]["limit"];
    assert!(limits.as_u64() > Some(0), "{answer:?}");
    let expected = json!({
        "name": "Acme", "plan": "tiny", "pages": {"used": 1, "limit": 3}, "text": {"used": 5, "limit": 100},
        "storage": {"used": 0, "limit": limits}, "builds": {"used": 1, "limit": answer.body["builds"]["limit"]},
    });
    answer.is(200, expected);
}
