//! `params`: any JSON object that a site can be built from.

use serde_json::{Value, json};
use testing::Database;

use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    any_json_object_is_stored,
    params_nest_at_most_64_levels_deep,
    params_that_are_nested_too_deep_are_a_field_error,
    a_key_stands_once_in_an_object,
    numbers_are_finite,
    aliases_are_a_list_of_paths,
    half_a_surrogate_pair_is_refused,
    a_field_error_of_params_is_reported_with_the_others,
);

async fn send(app: &App<'_>, params: &str) -> crate::answer::Answer {
    let body = format!(r#"{{"pages":[{{"slug":"a","title":"A","params":{params}}}]}}"#);
    app.client.post_text("/pages", body).await
}

async fn passes(app: &App<'_>, params: &str) {
    let answer = send(app, params).await;
    assert_eq!(answer.status, 200, "{params}: {answer:?}");
    let expected: Value = serde_json::from_str(params).unwrap();
    assert_eq!(app.stored(&answer.body["pages"][0]).await["params"], expected);
}

async fn fails(app: &App<'_>, params: &str) {
    send(app, params).await.is_invalid(json!({"0": {"params": "…"}}));
}

async fn any_json_object_is_stored(database: &Database) {
    let app = spawn_app(database).await;
    for params in [
        "{}",
        r#"{"a":null,"b":[],"c":{},"d":"","":1}"#,
        r#"{ "a" : [ 1 , 2.5 , -1e-3 , true , { "b" : "c d" } ] }"#,
        r#"{"é 🦀":"\u00e9\ud83e\udd80\n"}"#,
        r#"{"a":{"k":1},"b":{"k":1},"k":["k","k"]}"#,
        r#"{"$where":"1; DROP TABLE pages","__proto__":{}}"#,
    ] {
        passes(&app, params).await;
    }
}

fn nested(depth: usize) -> [String; 2] {
    let inner = depth - 1;
    [
        format!(r#"{{"a":{}{}}}"#, "[".repeat(inner), "]".repeat(inner)),
        format!("{}{{}}{}", r#"{"a":"#.repeat(inner), "}".repeat(inner)),
    ]
}

async fn params_nest_at_most_64_levels_deep(database: &Database) {
    let app = spawn_app(database).await;
    for params in nested(64) {
        passes(&app, &params).await;
    }
    for params in nested(65).into_iter().chain(nested(100)) {
        fails(&app, &params).await;
    }
}

async fn params_that_are_nested_too_deep_are_a_field_error(database: &Database) {
    let app = spawn_app(database).await;
    for params in nested(126).into_iter().chain(nested(200)).chain(nested(10_000)) {
        fails(&app, &params).await;
    }
}

async fn a_key_stands_once_in_an_object(database: &Database) {
    let app = spawn_app(database).await;
    for params in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":{"b":[{"c":1,"d":{},"c":2}]}}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"":1,"":2}"#,
    ] {
        fails(&app, params).await;
    }
}

async fn numbers_are_finite(database: &Database) {
    let app = spawn_app(database).await;
    for params in [r#"{"a":1e999}"#, r#"{"a":[-1e999]}"#, r#"{"a":{"b":1e400}}"#] {
        fails(&app, params).await;
    }
    passes(&app, r#"{"a":1e308,"b":12345678901234567890,"c":0.1}"#).await;
}

async fn aliases_are_a_list_of_paths(database: &Database) {
    let app = spawn_app(database).await;
    passes(&app, r#"{"aliases":[]}"#).await;
    passes(&app, r#"{"aliases":["/old","/2020/05/post.html","/caf\u00e9/"],"deep":{"aliases":5}}"#).await;
    passes(&app, &json!({"aliases": vec!["/a"; 100]}).to_string()).await;
    for aliases in [
        json!("/old"),
        json!([5]),
        json!(["old"]),
        json!(["https://example.com/old"]),
        json!(["/a?b"]),
        json!(["/"]),
    ] {
        fails(&app, &json!({"aliases": aliases}).to_string()).await;
    }
    fails(&app, &json!({"aliases": vec!["/a"; 101]}).to_string()).await;
    fails(&app, &json!({"aliases": [format!("/{}", "a".repeat(500))]}).to_string()).await;
}

async fn half_a_surrogate_pair_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for params in [r#"{"a":"\ud800"}"#, r#"{"a":"\udc00"}"#, r#"{"\ud800":1}"#] {
        let answer = send(&app, params).await;
        assert_eq!(answer.status, 400, "{answer:?}");
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_field_error_of_params_is_reported_with_the_others(database: &Database) {
    let app = spawn_app(database).await;
    let body =
        r#"{"pages":[{"slug":"a","params":{"a":1,"a":2}},{"slug":"b","title":"B","params":[],"tags":1}]}"#;
    let answer = app.client.post_text("/pages", body).await;
    let title = crate::answer::TITLE_REQUIRED;
    answer.is_invalid(json!({"0": {"params": "…", "title": title}, "1": {"params": "…", "tags": "…"}}));
}
