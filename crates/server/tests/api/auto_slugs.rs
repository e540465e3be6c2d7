//! Slugs made from titles.

use serde_json::json;
use testing::Database;

use crate::app::spawn_app;

testing::on_each_configuration!(
    a_slug_is_made_from_the_title,
    a_generated_slug_is_cut_to_100_characters,
    a_title_with_nothing_to_make_a_slug_of_is_an_error,
);

async fn a_slug_is_made_from_the_title(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |title: &str, expected: &str| {
        let page = app.client.page(json!({"title": title})).await;
        assert_eq!((page["slug"].as_str().unwrap(), page["title"].as_str().unwrap()), (expected, title));
    };
    check("Hello", "hello").await;
    check("Hello, World!", "hello-world").await;
    check("Привет мир", "privet-mir").await;
    check("Don't panic", "dont-panic").await;
    check("It’s fine", "its-fine").await;
    check("  --Release 1.0 & more--  ", "release-1-0-more").await;
    check("a_b/c\\d.e", "a-b-c-d-e").await;
    check("Crème brûlée", "creme-brulee").await;
    check("a\t\n b", "a-b").await;
    check("2026", "2026").await;
    check("UPPER", "upper").await;
}

async fn a_generated_slug_is_cut_to_100_characters(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |title: String, expected: String| {
        assert_eq!(app.client.page(json!({"title": title})).await["slug"], expected);
    };
    check("a".repeat(200), "a".repeat(100)).await;
    check(format!("{} tail", "b".repeat(99)), "b".repeat(99)).await;
    check(format!("{} tail", "c".repeat(98)), format!("{}-t", "c".repeat(98))).await;
    check("щ".repeat(200), "shch".repeat(25)).await;
}

async fn a_title_with_nothing_to_make_a_slug_of_is_an_error(database: &Database) {
    let app = spawn_app(database).await;
    for title in ["!!!", "---", "…", "''", "’", "?!", "/"] {
        app.client.pages(json!([{"title": title}])).await.is_invalid(json!({"0": {"title": "…"}}));
        let named = app.client.page(json!({"slug": "named", "title": title})).await;
        assert_eq!(named["title"], title);
    }
}
