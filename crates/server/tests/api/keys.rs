//! Moves by id, and keys that are in use.

use serde_json::{Value, json};
use testing::Database;

use crate::answer::SLUG_TAKEN;
use crate::app::spawn_app;
use crate::client::key;

testing::on_each_configuration!(
    a_page_does_not_land_on_a_key_that_another_holds,
    two_pages_swap_slugs_in_one_request,
    pages_move_in_a_circle_and_in_a_chain,
    a_key_that_is_given_up_in_the_same_request_is_free,
    one_slug_may_stand_in_many_places,
    a_deleted_page_frees_its_key_at_once,
    a_deleted_page_is_gone_for_every_request,
);

async fn a_page_does_not_land_on_a_key_that_another_holds(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page_at("blog//taken").await;
    app.client.page_at("docs/s/a").await;
    app.client.page_at("docs//taken").await;
    let page = app.client.page_at("blog//a").await;
    let refused = async |entry: Value| {
        let body = json!({"error": "validation failed", "pages": {"0": {"slug": SLUG_TAKEN}}});
        app.client.pages(json!([entry])).await.is(400, body);
    };
    let id = &page["id"];
    refused(json!({"id": id, "slug": "taken"})).await;
    refused(json!({"id": id, "contentType": "docs", "section": "s"})).await;
    refused(json!({"id": id, "slug": "taken", "contentType": "docs"})).await;
    let free = app.client.page(json!({"id": id, "slug": "taken", "section": "s"})).await;
    assert_eq!(key(&free), "blog/s/taken");
}

async fn two_pages_swap_slugs_in_one_request(database: &Database) {
    let app = spawn_app(database).await;
    let (a, b) = (app.client.page_at("blog//a").await, app.client.page_at("blog//b").await);
    let answer = app.client.pages(json!([{"id": a["id"], "slug": "b"}, {"id": b["id"], "slug": "a"}])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(app.client.listed(&a).await["slug"], "b");
    assert_eq!(app.client.listed(&b).await["slug"], "a");
    let by_slug = app.client.page(json!({"slug": "a", "title": "Now b"})).await;
    assert_eq!(by_slug["id"], b["id"]);
}

async fn pages_move_in_a_circle_and_in_a_chain(database: &Database) {
    let app = spawn_app(database).await;
    let mut pages = Vec::new();
    for name in ["blog//a", "blog//b", "docs/s/c"] {
        pages.push(app.client.page_at(name).await);
    }
    let circle = json!([
        {"id": pages[0]["id"], "slug": "b"},
        {"id": pages[1]["id"], "slug": "c", "contentType": "docs", "section": "s"},
        {"id": pages[2]["id"], "slug": "a", "contentType": "blog", "section": ""},
    ]);
    let answer = app.client.pages(circle).await;
    let keys: Vec<String> = answer.body["pages"].as_array().unwrap().iter().map(key).collect();
    assert_eq!(keys, ["blog//b", "docs/s/c", "blog//a"]);
    let chain = json!([{"id": pages[2]["id"], "slug": "b"}, {"id": pages[0]["id"], "slug": "free"}]);
    let answer = app.client.pages(chain).await;
    let keys: Vec<String> = answer.body["pages"].as_array().unwrap().iter().map(key).collect();
    assert_eq!(keys, ["blog//b", "blog//free"]);
}

async fn a_key_that_is_given_up_in_the_same_request_is_free(database: &Database) {
    let app = spawn_app(database).await;
    let (a, b) = (app.client.page_at("blog//a").await, app.client.page_at("blog//b").await);
    // Identified by its slug, the other page is in the batch but does not move: two entries end on one key.
    let answer = app.client.pages(json!([{"slug": "b", "title": "B"}, {"id": a["id"], "slug": "b"}])).await;
    answer.is(400, json!({"error": "duplicate slugs in batch", "conflicts": [[0, 1]]}));
    let answer = app.client.pages(json!([{"id": a["id"], "slug": "b"}, {"id": b["id"], "title": "B"}])).await;
    answer.is(400, json!({"error": "duplicate slugs in batch", "conflicts": [[0, 1]]}));
    let answer =
        app.client.pages(json!([{"id": a["id"], "slug": "b"}, {"id": b["id"], "section": "s"}])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

async fn one_slug_may_stand_in_many_places(database: &Database) {
    let app = spawn_app(database).await;
    let places = ["blog//a", "blog/s/a", "blog/t/a", "docs//a", "docs/s/a", "homepage//a", "standalone//a"];
    let entry = |place: &&str| {
        let parts: Vec<&str> = place.split('/').collect();
        json!({"contentType": parts[0], "section": parts[1], "slug": parts[2], "title": place})
    };
    let answer = app.client.pages(places.iter().map(entry).collect()).await;
    let keys: Vec<String> = answer.body["pages"].as_array().unwrap().iter().map(key).collect();
    assert_eq!(keys, places);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), places.len());
}

async fn a_deleted_page_frees_its_key_at_once(database: &Database) {
    let app = spawn_app(database).await;
    let old = app.client.page_at("docs/s/a").await;
    let mover = app.client.page_at("docs/s/b").await;
    for _ in 0..2 {
        app.client.delete("/pages/a?contentType=docs&section=s").await;
        let new = app.client.page_at("docs/s/a").await;
        assert_eq!(new["status"], "created");
        assert_ne!(new["id"], old["id"]);
    }
    app.client.delete("/pages/a?contentType=docs&section=s").await;
    let moved = app.client.page(json!({"id": mover["id"], "slug": "a"})).await;
    assert_eq!(key(&moved), "docs/s/a");
}

async fn a_deleted_page_is_gone_for_every_request(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("blog//a").await;
    assert_eq!(app.client.delete("/pages/a?contentType=blog").await.status, 204);
    assert_eq!(app.client.list().await, json!([]));
    assert_eq!(app.client.delete("/pages/a?contentType=blog").await.status, 404);
    let by_id = app.client.pages(json!([{"id": page["id"], "title": "A"}])).await;
    by_id.is_invalid(json!({"0": {"id": crate::answer::ID_NOT_FOUND}}));
    let by_slug = app.client.pages(json!([{"slug": "a"}])).await;
    by_slug.is_invalid(json!({"0": {"title": crate::answer::TITLE_REQUIRED}}));
    let again = json!({"deleteSlugs": [{"slug": "a", "contentType": "blog"}]});
    app.client.post("/pages", again).await.is(200, json!({"pages": [], "deleted": []}));
}
