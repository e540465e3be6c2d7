//! A value of the wrong JSON type is a field error like any other.

use serde_json::{Value, json};
use testing::Database;

use crate::app::spawn_app;

testing::on_each_configuration!(
    a_wrong_json_type_is_an_error_under_its_field,
    u_0000_is_an_error_under_its_field
);

const FIELDS: [&str; 12] = [
    "id",
    "slug",
    "title",
    "content",
    "contentType",
    "section",
    "description",
    "draft",
    "tags",
    "publishedAt",
    "params",
    "apiEndpoint",
];

/// One value of each JSON type, except null, which means omitted.
fn values() -> Vec<Value> {
    let number = |text: &str| serde_json::from_str(text).unwrap();
    vec![
        json!("text"),
        json!(""),
        number("0"),
        number("1"),
        number("-1.5"),
        number("1e3"),
        json!(true),
        json!(false),
        json!([]),
        json!(["text"]),
        json!([1]),
        json!([null]),
        json!([[]]),
        json!([["a"]]),
        json!([{}]),
        json!({}),
        json!({"a": 1}),
    ]
}

fn is_of_the_right_type(field: &str, value: &Value) -> bool {
    match field {
        "draft" => value.is_boolean(),
        "params" => value.is_object(),
        "tags" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        _ => value.is_string(),
    }
}

/// Every field with every type, on a new and on an existing page; all types of a field in one request.
async fn a_wrong_json_type_is_an_error_under_its_field(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page(json!({"slug": "old", "title": "Old"})).await;
    for field in FIELDS {
        for slug in ["new", "old"] {
            let wrong: Vec<Value> =
                values().into_iter().filter(|value| !is_of_the_right_type(field, value)).collect();
            let page = |value: &Value| {
                let mut page = json!({"slug": slug, "title": "A"});
                page[field] = value.clone();
                page
            };
            let pages: Vec<Value> = wrong.iter().map(page).collect();
            let expected: serde_json::Map<String, Value> =
                (0..wrong.len()).map(|index| (index.to_string(), json!({field: "…"}))).collect();
            app.client.pages(json!(pages)).await.is_invalid(json!(expected));
        }
    }
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn u_0000_is_an_error_under_its_field(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page(json!({"slug": "old", "title": "Old"})).await;
    for (field, value) in [
        ("id", json!("00000000-0000-4000-8000-00000000000\0")),
        ("slug", json!("a\0b")),
        ("title", json!("a\0b")),
        ("title", json!("\0")),
        ("content", json!("a\0")),
        ("contentType", json!("blog\0")),
        ("section", json!("\0")),
        ("description", json!("\0a")),
        ("tags", json!(["a", "b\0"])),
        ("publishedAt", json!("2026-01-02\0")),
        ("params", json!({"a": {"b": ["\0"]}})),
        ("params", json!({"\0": 1})),
        ("apiEndpoint", json!("GET /\0")),
    ] {
        for slug in ["new", "old"] {
            let mut page = json!({"slug": slug, "title": "A"});
            page[field] = value.clone();
            app.client.pages(json!([page])).await.is_invalid(json!({"0": {field: "…"}}));
        }
    }
    app.client.pages(json!([{"slug": "a", "title": "A", "unknown": "\0", "\0": 1}])).await;
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 2);
}
