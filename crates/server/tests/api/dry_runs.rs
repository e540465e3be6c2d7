//! `dryRun` in `POST /pages`.

use std::time::Duration;

use model::Clock;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::{App, Options, spawn_app, spawn_app_with};
use crate::client::Client;

testing::on_each_configuration!(
    a_dry_run_says_what_would_happen_and_stores_nothing,
    the_order_of_the_keys_does_not_matter,
    a_single_page_is_planned_in_its_own_format,
    a_dry_run_reports_every_error_of_a_publish,
    a_dry_run_respects_the_quotas,
    a_moved_page_is_reported,
    links_that_would_lead_nowhere_are_reported,
    attached_files_are_counted_and_not_stored,
    a_large_dry_run_stores_nothing,
    no_build_is_queued,
);

const NOTHING: fn() -> Value = || json!({"moved": [], "media": {"files": 0, "bytes": 0}, "brokenLinks": []});

async fn plan(client: &Client, body: Value) -> Answer {
    let mut body = body;
    body["dryRun"] = json!(true);
    client.post("/pages", body).await
}

fn statuses(answer: &Answer) -> Vec<&str> {
    answer.body["pages"].as_array().unwrap().iter().map(|page| page["status"].as_str().unwrap()).collect()
}

async fn a_dry_run_says_what_would_happen_and_stores_nothing(database: &Database) {
    let app = spawn_app(database).await;
    for slug in ["same", "changed", "deleted"] {
        app.client.page(json!({"slug": slug, "title": "Before", "content": "Text"})).await;
    }
    // The listing notes when the token was last used.
    app.client.list().await;
    let before = database.dump();
    let answer = plan(
        &app.client,
        json!({
            "pages": [
                {"slug": "same", "title": "Before", "content": "Text"}, {"slug": "changed", "title": "After"},
                {"slug": "new", "title": "New"},
            ],
            "deleteSlugs": [{"slug": "deleted", "contentType": "blog"}, {"slug": "other", "contentType": "blog"}],
        }),
    )
    .await;
    assert_eq!(statuses(&answer), ["unchanged", "updated", "created"]);
    let expected = json!({
        "pages": answer.body["pages"], "deleted": ["deleted"], "dryRun": true, "plan": NOTHING(),
    });
    answer.is(200, expected);
    assert_eq!(without_times(database.dump()), without_times(before));
}

/// Rows without the tokens, which note when they were used.
fn without_times(dump: Vec<String>) -> Vec<String> {
    dump.into_iter().filter(|row| !row.starts_with("tokens")).collect()
}

async fn the_order_of_the_keys_does_not_matter(database: &Database) {
    let app = spawn_app(database).await;
    for body in [r#"{"dryRun":true,"pages":[{"title":"A"}]}"#, r#"{"pages":[{"title":"A"}],"dryRun":true}"#] {
        let answer = app.client.post_text("/pages", body).await;
        assert_eq!((answer.status, &answer.body["dryRun"]), (200, &json!(true)), "{answer:?}");
    }
    app.client.post("/pages", json!({"pages": [], "dryRun": "yes"})).await.is_failure(400);
    assert_eq!(app.client.list().await, json!([]));
    let answer = app.client.post("/pages", json!({"pages": [{"title": "A"}], "dryRun": false})).await;
    assert_eq!(answer.body.get("dryRun"), None);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn a_single_page_is_planned_in_its_own_format(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app.client.post("/pages", json!({"title": "A", "dryRun": true})).await;
    assert_eq!(
        (&answer.body["slug"], &answer.body["status"]),
        (&json!("a"), &json!("created")),
        "{answer:?}"
    );
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_dry_run_reports_every_error_of_a_publish(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    for body in [
        json!({"pages": [{"slug": "new"}, {"title": "A", "draft": 5}]}),
        json!({"pages": [{"title": "A"}, {"slug": "a"}]}),
        json!({"pages": [{"slug": "a"}], "deleteSlugs": [{"slug": "a", "contentType": "blog"}]}),
        json!({"pages": [{"title": "B", "content": "![](file:b.png)"}]}),
        json!({"pages": 5}),
        json!({"siteId": "00000000-0000-7000-8000-000000000000", "pages": []}),
    ] {
        let dry = plan(&app.client, body.clone()).await;
        let real = app.client.post("/pages", body.clone()).await;
        assert_eq!((dry.status, &dry.body), (real.status, &real.body), "{body}");
        assert!(dry.status >= 400, "{body}");
    }
}

async fn a_dry_run_respects_the_quotas(database: &Database) {
    let app = spawn_app_with(database, Options { plan: "tiny", ..Options::default() }).await;
    let four: Vec<Value> = (0..4).map(|number| json!({"title": format!("Page {number}")})).collect();
    assert_eq!(plan(&app.client, json!({"pages": four})).await.body["error"], "page quota exceeded");
    let long = json!({"pages": [{"title": "A", "content": "a".repeat(101)}]});
    let answer = plan(&app.client, long).await;
    assert_eq!((answer.status, &answer.body["error"]), (402, &json!("text quota exceeded")));
    assert_eq!(plan(&app.client, json!({"pages": four[..3]})).await.status, 200);
}

async fn a_moved_page_is_reported(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("docs/s/a").await;
    let moved = json!({"id": page["id"], "slug": "b", "section": "", "contentType": "standalone"});
    let answer = plan(&app.client, json!({"pages": [moved]})).await;
    assert_eq!(statuses(&answer), ["updated"]);
    assert_eq!(answer.body["plan"]["moved"], json!([{"from": "/docs/s/a", "to": "/b"}]));
}

async fn links_that_would_lead_nowhere_are_reported(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("docs/s/there").await;
    app.client.page_at("docs//gone").await;
    let content = "[a](/docs/s/there) [b](there.md#x) [c](/docs/s) [d](/docs) [e](/) [f](../s/new) [g](#x) \
        [h](https://example.com/x) [i](/feed.xml) [j](/media/0/a.webp) `[k](/code)`\n\n\
        [l](/docs/gone) [m](missing.md) [n](/nothing?x#y) <a href=\"/html\">o</a> [p][p]\n\n[p]: ../definition";
    let answer = plan(
        &app.client,
        json!({
            "pages": [{"slug": "new", "title": "New", "contentType": "docs", "section": "s", "content": content}],
            "deleteSlugs": [{"slug": "gone", "contentType": "docs"}],
        }),
    )
    .await;
    let links = ["/docs/gone", "missing.md", "/nothing?x#y", "/html", "../definition"];
    let expected: Vec<Value> =
        links.iter().map(|link| json!({"page": "/docs/s/new", "link": link})).collect();
    assert_eq!(answer.body["plan"]["brokenLinks"], json!(expected), "{answer:?}");
}

async fn attached_files_are_counted_and_not_stored(database: &Database) {
    let app = spawn_app(database).await;
    let send = async |dry_run: bool, text: &str| {
        let payload = json!({"pages": [{"title": "A", "content": "[a](file:a.txt)"}], "dryRun": dry_run});
        let body = format!(
            "--b\r\nContent-Disposition: form-data; name=payload\r\n\r\n{payload}\r\n--b\r\n\
             Content-Disposition: form-data; name=files; filename=a.txt\r\n\r\n{text}\r\n--b--\r\n"
        );
        let request = app.client.request(Method::POST, "/pages");
        app.client.send(request.header(CONTENT_TYPE, "multipart/form-data; boundary=b").body(body)).await
    };
    let planned = |answer: &Answer| answer.body["plan"]["media"].clone();
    let answer = send(true, "first").await;
    assert_eq!((statuses(&answer), planned(&answer)), (vec!["created"], json!({"files": 1, "bytes": 5})));
    assert_eq!(answer.body.get("media"), None);
    assert!(!database.dump().iter().any(|row| row.starts_with("objects")));
    assert_eq!(app.client.list().await, json!([]));
    assert_eq!(send(false, "first").await.status, 200);
    let answer = send(true, "first").await;
    assert_eq!((statuses(&answer), planned(&answer)), (vec!["unchanged"], json!({"files": 0, "bytes": 0})));
    let answer = send(true, "second").await;
    assert_eq!((statuses(&answer), planned(&answer)), (vec!["updated"], json!({"files": 1, "bytes": 6})));
}

async fn a_large_dry_run_stores_nothing(database: &Database) {
    let app = spawn_app(database).await;
    let text = format!("{}[a](/nowhere)", "word ".repeat(5000));
    let pages: Vec<Value> =
        (0..150).map(|number| json!({"title": format!("Page {number}"), "content": text})).collect();
    let answer = plan(&app.client, json!({"pages": pages})).await;
    assert_eq!(statuses(&answer), vec!["created"; 150]);
    assert_eq!(answer.body["plan"]["brokenLinks"].as_array().unwrap().len(), 150);
    assert_eq!(app.client.list().await, json!([]));
    wait_until_no_text_is_kept(&app).await;
}

/// Texts that were stored ahead are left to the sweep when the request has ended.
async fn wait_until_no_text_is_kept(app: &App<'_>) {
    let (store, now) = (app.database.store(), app.clock.now());
    for _ in 0..1200 {
        store.write(move |tx| store::texts::sweep(tx, now, i64::MAX)).await.unwrap();
        if store.read(store::texts::count).await.unwrap() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("texts of a dry run are still stored");
}

async fn no_build_is_queued(database: &Database) {
    let app = spawn_app(database).await;
    let answer = plan(&app.client, json!({"pages": [{"title": "A"}], "build": true})).await;
    assert_eq!((answer.status, answer.body.get("build")), (200, None));
    app.client.get("/builds/latest").await.is_failure(404);
}
