//! Request and field limits: a value of exactly the maximum length passes, a longer one does not.

use serde_json::{Value, json};
use testing::Database;

use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    a_title_has_at_most_200_characters,
    a_description_has_at_most_500_characters,
    content_has_at_most_100_000_characters,
    content_far_beyond_its_limit_is_a_field_error_too,
    a_page_that_no_limit_allows_by_far_is_413,
    a_slug_has_at_most_100_characters,
    a_section_has_at_most_100_characters,
    an_api_endpoint_has_at_most_200_characters,
    a_page_has_at_most_20_tags,
    a_tag_has_at_most_30_characters,
    lengths_are_checked_as_sent,
    params_have_at_most_100_000_characters_of_compact_json,
);

/// One Unicode scalar value each, with one to four bytes.
const LETTERS: [&str; 4] = ["a", "é", "中", "🦀"];

/// Publishes a page with this value of a field.
async fn passes(app: &App<'_>, field: &str, value: Value) -> Value {
    app.client.page(with(field, value)).await
}

async fn fails(app: &App<'_>, field: &str, value: Value) {
    app.client.pages(json!([with(field, value)])).await.is_invalid(json!({"0": {field: "…"}}));
}

fn with(field: &str, value: Value) -> Value {
    let mut page = json!({"slug": "a", "title": "A"});
    page[field] = value;
    page
}

async fn a_title_has_at_most_200_characters(database: &Database) {
    let app = spawn_app(database).await;
    for letter in LETTERS {
        let title = letter.repeat(200);
        assert_eq!(passes(&app, "title", json!(title)).await["title"], title);
        fails(&app, "title", json!(letter.repeat(201))).await;
        let auto = app.client.pages(json!([{"title": letter.repeat(201)}])).await;
        auto.is_invalid(json!({"0": {"title": "…"}}));
    }
    // Two scalar values that look like one.
    fails(&app, "title", json!("e\u{301}".repeat(101))).await;
    passes(&app, "title", json!("e\u{301}".repeat(100))).await;
}

async fn a_description_has_at_most_500_characters(database: &Database) {
    let app = spawn_app(database).await;
    for letter in LETTERS {
        let page = passes(&app, "description", json!(letter.repeat(500))).await;
        assert_eq!(app.client.listed(&page).await["description"], letter.repeat(500));
        fails(&app, "description", json!(letter.repeat(501))).await;
    }
}

async fn content_has_at_most_100_000_characters(database: &Database) {
    let app = spawn_app(database).await;
    for letter in LETTERS {
        let page = passes(&app, "content", json!(letter.repeat(100_000))).await;
        assert_eq!(app.stored(&page).await["content"], letter.repeat(100_000));
        fails(&app, "content", json!(letter.repeat(100_001))).await;
    }
}

async fn content_far_beyond_its_limit_is_a_field_error_too(database: &Database) {
    let app = spawn_app(database).await;
    fails(&app, "content", json!("a".repeat(1 << 20))).await;
}

async fn a_page_that_no_limit_allows_by_far_is_413(database: &Database) {
    let app = spawn_app(database).await;
    let body = json!({ "pages": [{ "title": "A", "content": "a".repeat(17 << 20) }] });
    app.client.post_text("/pages", body.to_string()).await.is_failure(413);
}

async fn a_slug_has_at_most_100_characters(database: &Database) {
    let app = spawn_app(database).await;
    assert_eq!(passes(&app, "slug", json!("a".repeat(100))).await["slug"], "a".repeat(100));
    for slug in ["a".repeat(101), "🦀".repeat(101), "a".repeat(10_000)] {
        fails(&app, "slug", json!(slug)).await;
    }
}

async fn a_section_has_at_most_100_characters(database: &Database) {
    let app = spawn_app(database).await;
    assert_eq!(passes(&app, "section", json!("a".repeat(100))).await["section"], "a".repeat(100));
    fails(&app, "section", json!("a".repeat(101))).await;
}

async fn an_api_endpoint_has_at_most_200_characters(database: &Database) {
    let app = spawn_app(database).await;
    for letter in LETTERS {
        let endpoint = format!("GET {}", letter.repeat(196));
        let page = passes(&app, "apiEndpoint", json!(endpoint)).await;
        assert_eq!(app.stored(&page).await["apiEndpoint"], endpoint);
        fails(&app, "apiEndpoint", json!(format!("GET {}", letter.repeat(197)))).await;
    }
}

async fn a_page_has_at_most_20_tags(database: &Database) {
    let app = spawn_app(database).await;
    let tags = |count: usize| json!((0..count).map(|number| format!("t{number}")).collect::<Vec<_>>());
    let page = passes(&app, "tags", tags(20)).await;
    assert_eq!(app.client.listed(&page).await["tags"], tags(20));
    fails(&app, "tags", tags(21)).await;
}

async fn a_tag_has_at_most_30_characters(database: &Database) {
    let app = spawn_app(database).await;
    for letter in LETTERS {
        let page = passes(&app, "tags", json!([letter.repeat(30)])).await;
        assert_eq!(app.client.listed(&page).await["tags"], json!([letter.repeat(30)]));
        fails(&app, "tags", json!(["a", letter.repeat(31)])).await;
    }
}

async fn lengths_are_checked_as_sent(database: &Database) {
    let app = spawn_app(database).await;
    fails(&app, "tags", json!(vec!["same"; 21])).await;
    fails(&app, "tags", json!([format!("{}a", " ".repeat(30))])).await;
    fails(&app, "title", json!(format!("A{}", " ".repeat(200)))).await;
    fails(&app, "apiEndpoint", json!(format!("GET{}", " ".repeat(198)))).await;
    let page = passes(&app, "tags", json!([format!("{}a", " ".repeat(29))])).await;
    assert_eq!(app.client.listed(&page).await["tags"], json!(["a"]));
}

async fn params_have_at_most_100_000_characters_of_compact_json(database: &Database) {
    let app = spawn_app(database).await;
    let frame = r#"{"a":""}"#.len();
    for letter in LETTERS {
        let params = |characters: usize| json!({"a": letter.repeat(characters - frame)});
        let page = passes(&app, "params", params(100_000)).await;
        assert_eq!(app.stored(&page).await["params"], params(100_000));
        fails(&app, "params", params(100_001)).await;
    }
    let spaced = format!(r#"{{"pages":[{{"slug":"a","params":{{{}"a" : 1 }}}}]}}"#, " \n".repeat(100_000));
    assert_eq!(app.client.post_text("/pages", spaced).await.status, 200);
}
