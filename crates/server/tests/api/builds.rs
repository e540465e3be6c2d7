//! `POST /builds`, `GET /builds/latest`, and the build of a publish.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testing::Database;

use crate::app::{App, Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    a_build_is_queued,
    the_body_may_be_left_out,
    a_body_that_is_not_an_object_is_refused,
    the_latest_build_is_reported_in_every_state,
    a_build_is_awaited,
    the_latest_build_is_the_newest_of_its_site,
    a_scheduled_build_is_not_reported,
    without_a_build_there_is_no_latest,
    a_publish_queues_a_build_when_asked,
    a_refused_publish_queues_none,
    a_build_that_cannot_be_queued_does_not_undo_the_pages,
    the_quota_is_monthly,
    the_quota_is_the_accounts,
    the_quota_counts_accepted_triggers_only,
    each_plan_has_its_quota,
);

async fn a_build_is_queued(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app.client.build().await;
    let queued =
        |url: &str| json!({"status": "queued", "deployUrl": url, "message": "build queued successfully"});
    answer.is(202, queued("http://acme.localhost:8081"));
    let second = app.site("second").await;
    let answer = app.client.post("/builds", json!({"siteId": second})).await;
    answer.is(202, queued("http://second.localhost:8081"));
}

async fn the_body_may_be_left_out(database: &Database) {
    let app = spawn_app_with(database, Options { cooldown: Duration::ZERO, ..Options::default() }).await;
    let check = async |content_type: Option<&str>, body: Option<&'static str>| {
        let mut request = app.client.request(Method::POST, "/builds");
        if let Some(content_type) = content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        assert_eq!(app.client.send(request).await.status, 202, "{content_type:?} {body:?}");
    };
    check(None, None).await;
    check(None, Some("")).await;
    check(None, Some("{}")).await;
    check(Some("application/json"), None).await;
    check(Some("application/json"), Some("")).await;
    check(Some("application/json; charset=utf-8"), Some("{}")).await;
    check(Some("application/json"), Some(r#"{"siteId":null}"#)).await;
    check(Some("application/json"), Some(r#"{"unknown":{"a":[1]}}"#)).await;
}

async fn a_body_that_is_not_an_object_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for body in [
        "[]",
        "null",
        "true",
        "1",
        "\"x\"",
        "{",
        "{}}",
        "{'a':1}",
        r#"{"siteId":1}"#,
        r#"{"siteId":""}"#,
        r#"{"siteId":"x"}"#,
        r#"{"siteId":[]}"#,
        r#"{"siteId":null,"siteId":null}"#,
        "\u{feff}{}",
        "x",
    ] {
        app.client.post_text("/builds", body).await.is_failure(400);
    }
    app.client.post_text("/builds", b"{\"a\":\"\xff\"}".to_vec()).await.is_failure(400);
    for content_type in ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"]
    {
        let request = app.client.request(Method::POST, "/builds").header(CONTENT_TYPE, content_type);
        app.client.send(request.body("{}")).await.is_failure(415);
    }
    app.client.get("/builds/latest").await.is_failure(404);
}

/// Builds are not run here; only what the API reports about them is tested.
fn build_becomes(app: &App, changes: &str) {
    app.database.execute(&format!("UPDATE builds SET {changes}"));
}

async fn the_latest_build_is_reported_in_every_state(database: &Database) {
    let app = spawn_app(database).await;
    app.client.build().await;
    let created_at = app.now();
    let latest = app.client.get("/builds/latest").await;
    let id = latest.body["id"].clone();
    uuid::Uuid::parse_str(id.as_str().unwrap()).unwrap();
    let mut expected = json!({
        "id": id, "status": "queued", "triggeredBy": "api", "durationMs": null, "startedAt": null,
        "completedAt": null, "createdAt": created_at,
    });
    latest.is(200, expected.clone());

    // 2026-01-02T03:05:00.000Z and 1.5 seconds later.
    build_becomes(&app, "status = 'running', started_at = 1767323100000000");
    expected["status"] = json!("running");
    expected["startedAt"] = json!("2026-01-02T03:05:00.000Z");
    app.client.get("/builds/latest").await.is(200, expected.clone());

    build_becomes(&app, "status = 'success', completed_at = 1767323101500000");
    expected["status"] = json!("success");
    expected["completedAt"] = json!("2026-01-02T03:05:01.500Z");
    expected["durationMs"] = json!(1500);
    app.client.get("/builds/latest").await.is(200, expected.clone());

    build_becomes(&app, "status = 'failed', error = 'no theme'");
    expected["status"] = json!("failed");
    expected["error"] = json!("no theme");
    app.client.get("/builds/latest").await.is(200, expected);
}

async fn a_build_is_awaited(database: &Database) {
    let app = spawn_app(database).await;
    app.client.build().await;
    let waiting = tokio::spawn({
        let client = app.client.hasty();
        async move { client.get("/builds/latest?wait=30").await }
    });
    assert_eq!(app.client.get("/builds/latest?wait=0").await.body["status"], "queued");
    build_becomes(&app, "status = 'success', started_at = 1, completed_at = 2");
    assert_eq!(waiting.await.unwrap().body["status"], "success");
    for wrong in ["31", "-1", "a", ""] {
        app.client.get(&format!("/builds/latest?wait={wrong}")).await.is_failure(400);
    }
}

async fn the_latest_build_is_the_newest_of_its_site(database: &Database) {
    let app = spawn_app_with(database, Options { cooldown: Duration::ZERO, ..Options::default() }).await;
    let second = app.site("second").await;
    let mut ids = Vec::new();
    let first_site = format!("/builds/latest?siteId={}", app.acme.site);
    for trigger in ["api", "publish", "api"] {
        match trigger {
            "api" => drop(app.client.build().await),
            _ => drop(app.client.post("/pages", json!({"build": true})).await),
        }
        let (now, latest) = (app.now(), app.client.get("/builds/latest").await);
        assert_eq!((&latest.body["triggeredBy"], &latest.body["createdAt"]), (&json!(trigger), &json!(now)));
        assert_eq!(app.client.get(&first_site).await.body, latest.body);
        ids.push(latest.body["id"].clone());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
    app.client.get(&format!("/builds/latest?siteId={second}")).await.is_failure(404);
    app.client.post("/builds", json!({"siteId": second})).await;
    assert_eq!(app.client.get("/builds/latest").await.body["id"], ids[2]);
    let other = app.client.get(&format!("/builds/latest?siteId={second}")).await;
    assert_eq!((other.status, other.body["id"] == ids[2]), (200, false));
}

async fn a_scheduled_build_is_not_reported(database: &Database) {
    let app = spawn_app(database).await;
    app.client.build().await;
    build_becomes(&app, "triggered_by = 'schedule'");
    app.client.get("/builds/latest").await.is_failure(404);
    for trigger in ["api", "publish", "dashboard", "cli"] {
        build_becomes(&app, &format!("triggered_by = '{trigger}'"));
        assert_eq!(app.client.get("/builds/latest").await.body["triggeredBy"], trigger);
    }
}

async fn without_a_build_there_is_no_latest(database: &Database) {
    let app = spawn_app(database).await;
    app.client.get("/builds/latest").await.is_failure(404);
    for wrong in ["", "x", "1", "%00"] {
        app.client.get(&format!("/builds/latest?siteId={wrong}")).await.is_failure(400);
    }
}

async fn a_publish_queues_a_build_when_asked(database: &Database) {
    let app = spawn_app(database).await;
    for build in [json!(false), json!(null)] {
        let answer = app.client.post("/pages", json!({"pages": [{"title": "A"}], "build": build})).await;
        assert_eq!((answer.status, answer.body.get("build")), (200, None));
    }
    app.client.get("/builds/latest").await.is_failure(404);
    let answer = app.client.post("/pages", json!({"pages": [{"title": "A"}], "build": true})).await;
    let page = &answer.body["pages"][0];
    let build = json!({"status": "queued", "deployUrl": "http://acme.localhost:8081"});
    answer.is(200, json!({"pages": [page], "build": build}));
    assert_eq!(app.client.get("/builds/latest").await.body["triggeredBy"], "publish");
}

async fn a_refused_publish_queues_none(database: &Database) {
    let app = spawn_app(database).await;
    let twice = json!([{"title": "A"}, {"title": "A"}]);
    for pages in [json!([{"slug": "a"}]), json!([5]), twice] {
        assert_eq!(app.client.post("/pages", json!({"pages": pages, "build": true})).await.status, 400);
    }
    app.client.get("/builds/latest").await.is_failure(404);
}

async fn a_build_that_cannot_be_queued_does_not_undo_the_pages(database: &Database) {
    let app = spawn_app_with(database, Options { plan: "free", ..Options::default() }).await;
    let client = app.client.hasty();
    let publish = async |title: &str| {
        let answer = client.post("/pages", json!({"pages": [{"title": title}], "build": true})).await;
        let page = &answer.body["pages"][0];
        assert_eq!(client.listed(page).await["title"], title);
        answer.is(200, json!({"pages": [page], "build": answer.body["build"]}));
        answer.body["build"].clone()
    };
    assert_eq!(publish("Queued").await["status"], "queued");
    app.advance(Duration::from_secs(10));
    let cooling = client.build().await;
    assert_eq!((cooling.status, &cooling.body["error"]), (429, &json!("build cooldown active")));
    assert_eq!(publish("Cooling").await, cooling.body);
    for _ in 0..2 {
        app.advance(Duration::from_secs(30));
        assert_eq!(publish("Queued").await["status"], "queued");
    }
    app.advance(Duration::from_secs(30));
    let exceeded = client.build().await;
    assert_eq!((exceeded.status, &exceeded.body["error"]), (402, &json!("build quota exceeded")));
    assert_eq!(publish("Exceeded").await, exceeded.body);
    let alone = client.post("/pages", json!({"build": true})).await;
    alone.is(200, json!({"pages": [], "build": exceeded.body}));
    let deletes = json!([{"slug": "queued", "contentType": "blog"}]);
    let deleted = client.post("/pages", json!({"deleteSlugs": deletes, "build": true})).await;
    deleted.is(200, json!({"pages": [], "deleted": ["queued"], "build": exceeded.body}));
}

async fn free_plan(database: &Database) -> App<'_> {
    spawn_app_with(database, Options { plan: "free", cooldown: Duration::ZERO, ..Options::default() }).await
}

#[track_caller]
fn is_over_quota(answer: &crate::answer::Answer, limit: &str) {
    let message = answer.is_failure(402);
    assert!(message.contains(limit), "the message names the limit: {message}");
    assert_eq!(answer.body["error"], "build quota exceeded");
}

async fn the_quota_is_monthly(database: &Database) {
    let app = free_plan(database).await;
    let client = app.client.hasty();
    let at = |text: &str| app.clock.set(model::Timestamp::parse_iso(text).unwrap());
    at("2026-01-31T23:59:59.999999Z");
    for _ in 0..3 {
        assert_eq!(client.build().await.status, 202);
    }
    is_over_quota(&client.build().await, "3");
    at("2026-02-01T00:00:00Z");
    for _ in 0..3 {
        assert_eq!(client.build().await.status, 202);
    }
    is_over_quota(&client.build().await, "3");
    at("2026-02-28T23:59:59Z");
    is_over_quota(&client.build().await, "3");
}

async fn the_quota_is_the_accounts(database: &Database) {
    let app = free_plan(database).await;
    let second = app.site("second").await;
    assert_eq!(app.client.build().await.status, 202);
    assert_eq!(app.token().await.post("/builds", json!({"siteId": second})).await.status, 202);
    let publish = app.client.post("/pages", json!({"siteId": second, "build": true})).await;
    assert_eq!(publish.body["build"]["status"], "queued");
    is_over_quota(&app.client.build().await, "3");
    is_over_quota(&app.client.post("/builds", json!({"siteId": second})).await, "3");
    assert_eq!(app.account("Other").await.client.build().await.status, 202);
}

async fn the_quota_counts_accepted_triggers_only(database: &Database) {
    let app = spawn_app_with(database, Options { plan: "free", ..Options::default() }).await;
    let client = app.client.hasty();
    for number in 0..3 {
        assert_eq!(client.build().await.status, 202, "{number}");
        for _ in 0..3 {
            assert_eq!(client.build().await.status, if number < 2 { 429 } else { 402 });
        }
        build_becomes(&app, "status = 'failed'");
        app.advance(Duration::from_secs(30));
    }
    is_over_quota(&client.build().await, "3");
}

async fn each_plan_has_its_quota(database: &Database) {
    let app = free_plan(database).await;
    for (plan, quota) in [("simple", 100), ("pro", 1000)] {
        app.publisher.account_set_plan(app.acme.id, plan).await.unwrap();
        database.execute(&format!(
            "UPDATE accounts SET build_count = {}, build_month = 1767225600000000",
            quota - 1
        ));
        assert_eq!(app.client.build().await.status, 202);
        is_over_quota(&app.client.build().await, &quota.to_string());
    }
    let _: Value = app.client.get("/builds/latest").await.body;
}
