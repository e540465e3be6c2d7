//! Conflicts between entries of one request.

use serde_json::{Value, json};
use testing::Database;

use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    two_entries_for_one_key_are_duplicates,
    duplicates_are_decided_by_the_pages_that_entries_resolve_to,
    each_later_entry_is_paired_with_the_first,
    one_slug_in_different_places_is_no_duplicate,
    a_page_in_pages_and_delete_slugs_is_a_conflict,
    a_conflict_is_decided_by_the_page_that_an_entry_resolves_to,
    a_key_that_the_same_request_deletes_is_a_conflict_and_not_taken,
    a_delete_entry_that_matches_nothing_still_conflicts_with_its_key,
);

async fn duplicates(app: &App<'_>, pages: Value, conflicts: Value) {
    let before = app.client.list().await;
    let answer = app.client.pages(pages).await;
    answer.is(400, json!({"error": "duplicate slugs in batch", "conflicts": conflicts}));
    assert_eq!(app.client.list().await, before);
}

async fn two_entries_for_one_key_are_duplicates(database: &Database) {
    let app = spawn_app(database).await;
    let page = json!({"slug": "a", "title": "A"});
    duplicates(&app, json!([page, page]), json!([[0, 1]])).await;
    let docs = json!({"slug": "a", "title": "A", "contentType": "docs", "section": "s"});
    duplicates(&app, json!([docs, page, docs]), json!([[0, 2]])).await;
    let blog = json!({"slug": "a", "title": "A", "contentType": "blog", "section": ""});
    duplicates(&app, json!([blog, page]), json!([[0, 1]])).await;
}

async fn duplicates_are_decided_by_the_pages_that_entries_resolve_to(database: &Database) {
    let app = spawn_app(database).await;
    // Generated slugs.
    duplicates(&app, json!([{"title": "My Page"}, {"title": "my page!"}]), json!([[0, 1]])).await;
    duplicates(&app, json!([{"slug": "my-page", "title": "A"}, {"title": "My page"}]), json!([[0, 1]])).await;
    // Ids and slugs of the same page.
    let page = app.client.page_at("docs/guides/intro").await;
    duplicates(&app, json!([{"id": page["id"]}, {"id": page["id"]}]), json!([[0, 1]])).await;
    duplicates(&app, json!([{"id": page["id"]}, {"slug": "intro"}]), json!([[0, 1]])).await;
    let whole = json!({"slug": "intro", "contentType": "docs", "section": "guides"});
    duplicates(&app, json!([{"slug": "intro"}, whole]), json!([[0, 1]])).await;
    // One page with two targets.
    let ends = json!([{"id": page["id"], "slug": "a"}, {"id": page["id"], "slug": "b"}]);
    duplicates(&app, ends, json!([[0, 1]])).await;
    // Two pages with the same target.
    let other = app.client.page_at("blog//other").await;
    let one_end = json!([
        {"id": page["id"], "slug": "end", "contentType": "blog", "section": ""},
        {"id": other["id"], "slug": "end"},
    ]);
    duplicates(&app, one_end, json!([[0, 1]])).await;
    let one_end = json!([{"slug": "end", "title": "New"}, {"id": other["id"], "slug": "end"}]);
    duplicates(&app, one_end, json!([[0, 1]])).await;
}

async fn each_later_entry_is_paired_with_the_first(database: &Database) {
    let app = spawn_app(database).await;
    let page = |slug: &str| json!({"slug": slug, "title": "A"});
    let pages = json!([page("a"), page("b"), page("a"), page("c"), page("b"), page("a"), page("d")]);
    duplicates(&app, pages, json!([[0, 2], [1, 4], [0, 5]])).await;
}

async fn one_slug_in_different_places_is_no_duplicate(database: &Database) {
    let app = spawn_app(database).await;
    let pages = json!([
        {"slug": "a", "title": "A"},
        {"slug": "a", "title": "A", "section": "s"},
        {"slug": "a", "title": "A", "contentType": "docs"},
        {"title": "A", "contentType": "standalone"},
    ]);
    assert_eq!(app.client.pages(pages).await.status, 200);
}

async fn conflict(app: &App<'_>, pages: Value, deletes: Value, indexes: Value) {
    let before = app.client.list().await;
    let answer = app.client.post("/pages", json!({"pages": pages, "deleteSlugs": deletes})).await;
    let message = answer.body["message"].as_str().unwrap_or_default();
    assert!(!message.is_empty(), "{answer:?}");
    answer.is(400, json!({"error": "slug conflict", "message": message, "pageIndexes": indexes}));
    assert_eq!(app.client.list().await, before);
}

async fn a_page_in_pages_and_delete_slugs_is_a_conflict(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//a").await;
    let delete = json!([{"slug": "a", "contentType": "blog"}]);
    conflict(&app, json!([{"slug": "a", "title": "A"}]), delete.clone(), json!([0])).await;
    let pages = json!([{"title": "Fine"}, {"title": "A"}, {"title": "B"}]);
    let deletes = json!([{"slug": "b", "contentType": "blog"}, {"slug": "a", "contentType": "blog"}]);
    conflict(&app, pages, deletes, json!([1, 2])).await;
    let pages = json!([{"slug": "a", "section": "s", "title": "A"}, {"slug": "a", "contentType": "docs", "title": "A"}]);
    let answer = app.client.post("/pages", json!({"pages": pages, "deleteSlugs": delete})).await;
    assert_eq!((answer.status, &answer.body["deleted"]), (200, &json!(["a"])), "{answer:?}");
}

async fn a_conflict_is_decided_by_the_page_that_an_entry_resolves_to(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("docs/guides/intro").await;
    let delete = json!([{"slug": "intro", "contentType": "docs", "section": "guides"}]);
    conflict(&app, json!([{"slug": "intro"}]), delete.clone(), json!([0])).await;
    conflict(&app, json!([{"id": page["id"]}]), delete.clone(), json!([0])).await;
    // The page itself is deleted, wherever it would have moved.
    conflict(&app, json!([{"id": page["id"], "slug": "moved"}]), delete, json!([0])).await;
    // No section is not the page's section.
    let other =
        json!({"pages": [{"slug": "intro"}], "deleteSlugs": [{"slug": "intro", "contentType": "docs"}]});
    assert_eq!(app.client.post("/pages", other).await.status, 200);
}

async fn a_key_that_the_same_request_deletes_is_a_conflict_and_not_taken(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//taken").await;
    let page = app.client.page_at("blog//a").await;
    let pages = json!([{"id": page["id"], "slug": "taken"}]);
    conflict(&app, pages, json!([{"slug": "taken", "contentType": "blog"}]), json!([0])).await;
}

async fn a_delete_entry_that_matches_nothing_still_conflicts_with_its_key(database: &Database) {
    let app = spawn_app(database).await;
    let delete = json!([{"slug": "new", "contentType": "blog"}]);
    conflict(&app, json!([{"slug": "new", "title": "New"}]), delete.clone(), json!([0])).await;
    conflict(&app, json!([{"title": "New"}]), delete, json!([0])).await;
}
