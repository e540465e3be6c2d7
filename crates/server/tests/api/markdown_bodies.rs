//! `POST /pages` with a Markdown body.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::{START, spawn_app};
use crate::client::Client;

testing::on_each_configuration!(
    front_matter_becomes_the_fields_of_the_page,
    the_first_heading_is_the_title_if_there_is_no_other,
    the_query_takes_precedence,
    the_response_is_that_of_a_single_page,
    omitted_keys_keep_their_stored_values,
    a_build_is_queued_if_requested,
    front_matter_that_cannot_be_read_is_refused_with_its_line,
    a_wrong_field_is_an_error_of_the_page,
    a_text_that_is_not_utf8_or_too_long_is_refused,
);

async fn send(client: &Client, query: &str, text: impl Into<reqwest::Body>) -> Answer {
    let request = client.request(Method::POST, &format!("/pages{query}"));
    client.send(request.header(CONTENT_TYPE, "text/markdown; charset=utf-8").body(text)).await
}

async fn read(client: &Client, path: &str) -> Value {
    client.get(path).await.body
}

async fn front_matter_becomes_the_fields_of_the_page(database: &Database) {
    let app = spawn_app(database).await;
    let yaml = format!(
        "---\ntitle: Users\nslug: users\ntype: docs\nsection: guides\ndescription: About users\ntags: [b, a]\n\
         draft: true\ndate: {START}\napi_endpoint: get /users\nweight: 3\nparams: {{toc: false}}\n---\n\nText\n"
    );
    let toml = format!(
        "+++\ntitle = \"Users\"\nslug = \"users\"\ncontent_type = \"docs\"\nsection = \"guides\"\n\
         description = \"About users\"\ntags = [\"b\", \"a\"]\ndraft = true\npublished_at = {START}\n\
         apiEndpoint = \"get /users\"\nweight = 3\n[params]\ntoc = false\n+++\nText\n"
    );
    for (text, status) in [(yaml, "created"), (toml, "updated")] {
        let answer = send(&app.client, "", text).await;
        assert_eq!((answer.status, &answer.body["status"]), (200, &json!(status)), "{answer:?}");
        let page = read(&app.client, "/pages/users?contentType=docs&section=guides").await;
        let expected = json!({
            "title": "Users", "description": "About users", "tags": ["b", "a"], "draft": true, "publishedAt": START,
            "apiEndpoint": "GET /users", "params": {"weight": 3, "toc": false}, "content": "Text\n",
            "createdAt": page["createdAt"], "updatedAt": page["createdAt"],
        });
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(page[field], *value, "{field}");
        }
    }
}

async fn the_first_heading_is_the_title_if_there_is_no_other(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |text: &'static str, title: &str| {
        assert_eq!(send(&app.client, "", text).await.body["title"], title, "{text}");
    };
    check("Text\n\n## A *heading* {#id}\n", "A heading").await;
    check("---\ntags: [a]\n---\n# Another\n", "Another").await;
    check("---\ntitle: First\n---\n# Second\n", "First").await;
    send(&app.client, "", "No heading").await.is_invalid(json!({"0": {"title": "…"}}));
}

async fn the_query_takes_precedence(database: &Database) {
    let app = spawn_app(database).await;
    let second = app.site("second").await;
    let text = "---\nslug: a\nsection: b\ndraft: false\ntype: blog\n---\n# Title";
    let query = format!("?slug=c&section=d&draft=true&contentType=docs&siteId={second}");
    let answer = send(&app.client, &query, text).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let page = read(&app.client, &format!("/pages/c?contentType=docs&section=d&siteId={second}")).await;
    assert_eq!(page["draft"], true);
    for query in ["?contentType=news", "?draft=1", "?build=yes", "?siteId=5", "?slug=a&slug=b"] {
        send(&app.client, query, text).await.is_failure(400);
    }
}

async fn the_response_is_that_of_a_single_page(database: &Database) {
    let app = spawn_app(database).await;
    let answer = send(&app.client, "", "# A title").await;
    let mut expected = answer.body["pages"][0].clone();
    expected["pages"] = answer.body["pages"].clone();
    assert_eq!(expected["slug"], "a-title");
    answer.is(200, expected);
}

async fn omitted_keys_keep_their_stored_values(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page(json!({"slug": "a", "title": "A", "tags": ["t"], "params": {"x": 1}})).await;
    send(&app.client, "?slug=a", "# A").await;
    let page = read(&app.client, "/pages/a?contentType=blog").await;
    assert_eq!((&page["tags"], &page["params"]), (&json!(["t"]), &json!({"x": 1})));
}

async fn a_build_is_queued_if_requested(database: &Database) {
    let app = spawn_app(database).await;
    let answer = send(&app.client, "?build=true", "# A").await;
    assert_eq!(answer.body["build"], json!({"status": "queued", "deployUrl": app.acme.deploy_url}));
    assert_eq!(send(&app.client, "", "# A").await.body.get("build"), None);
}

async fn front_matter_that_cannot_be_read_is_refused_with_its_line(database: &Database) {
    let app = spawn_app(database).await;
    for (text, line) in [
        ("---\ntitle: A\n", 1),
        ("---\ntitle: A\ntags: [\n---\n", 3),
        ("+++\ntitle = \"A\"\ndraft = 5\n+++\n", 3),
    ] {
        let answer = send(&app.client, "", text).await;
        assert!(answer.is_failure(400).contains(&format!("line {line}")), "{answer:?}");
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_wrong_field_is_an_error_of_the_page(database: &Database) {
    let app = spawn_app(database).await;
    let text = "---\ntitle: A\ntype: news\ndate: tomorrow\npassword: secret\naliases: [old]\n---\n";
    let expected = json!({"contentType": "…", "publishedAt": "…", "password": "…", "params": "…"});
    send(&app.client, "", text).await.is_invalid(json!({"0": expected}));
}

async fn a_text_that_is_not_utf8_or_too_long_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    send(&app.client, "", b"# A \xff".to_vec()).await.is_failure(400);
    send(&app.client, "", format!("# A\n\n{}", "a".repeat(100_000)))
        .await
        .is_invalid(json!({"0": {"content": "…"}}));
    send(&app.client, "", "a".repeat(5 << 20)).await.is_failure(413);
}
