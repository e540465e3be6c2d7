//! The meaning of null and of the empty text.

use serde_json::{Value, json};
use testing::Database;

use crate::app::spawn_app;
use crate::client::key;

testing::on_each_configuration!(
    null_gives_a_new_page_its_defaults,
    null_keeps_what_an_old_page_has,
    an_empty_text_clears_a_field,
    an_empty_section_takes_a_page_out_of_its_section,
    an_empty_slug_is_none,
    an_empty_text_is_an_error_for_the_other_fields,
);

async fn null_gives_a_new_page_its_defaults(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app
        .client
        .pages(json!([{
            "id": null, "slug": null, "title": "Hello", "content": null, "contentType": null, "section": null,
            "description": null, "draft": null, "tags": null, "publishedAt": null, "params": null,
            "apiEndpoint": null,
        }]))
        .await;
    let (now, id) = (app.now(), &answer.body["pages"][0]["id"]);
    let listed = json!({
        "id": id, "slug": "hello", "title": "Hello", "contentType": "blog", "description": null, "draft": false,
        "tags": [], "publishedAt": now, "updatedAt": now,
    });
    assert_eq!(app.client.list().await, json!([listed]));
}

async fn null_keeps_what_an_old_page_has(database: &Database) {
    let app = spawn_app(database).await;
    let page = app
        .client
        .page(json!({
            "slug": "a", "title": "A", "content": "text", "contentType": "docs", "section": "s", "draft": true,
            "description": "d", "tags": ["t"], "publishedAt": "2020-01-01", "params": {"p": 1},
            "apiEndpoint": "GET",
        }))
        .await;
    let (listed, stored) = (app.client.listed(&page).await, app.stored(&page).await);
    let nulls = json!({
        "title": null, "content": null, "contentType": null, "section": null, "description": null, "draft": null,
        "tags": null, "publishedAt": null, "params": null, "apiEndpoint": null,
    });
    for (name, value) in [("id", &page["id"]), ("slug", &page["slug"])] {
        let mut update = nulls.clone();
        update[name] = value.clone();
        assert_eq!(app.client.page(update).await["status"], "updated");
        assert_eq!(app.client.listed(&page).await, listed);
        assert_eq!(app.stored(&page).await, stored);
    }
}

async fn an_empty_text_clears_a_field(database: &Database) {
    let app = spawn_app(database).await;
    let whole = json!({"slug": "a", "title": "A", "content": "c", "description": "d", "apiEndpoint": "GET"});
    for by in ["slug", "id"] {
        let page = app.client.page(whole.clone()).await;
        app.client.page(json!({by: page[by], "description": ""})).await;
        assert_eq!(app.client.listed(&page).await["description"], json!(null));
        app.client.page(json!({by: page[by], "content": ""})).await;
        assert_eq!(app.stored(&page).await, json!({"content": "", "params": {}, "apiEndpoint": "GET"}));
        app.client.page(json!({by: page[by], "apiEndpoint": ""})).await;
        assert_eq!(app.stored(&page).await["apiEndpoint"], json!(null));
    }
    let new = json!({"slug": "b", "title": "B", "content": "", "description": "", "section": "", "apiEndpoint": ""});
    let page = app.client.page(new).await;
    assert_eq!(app.client.listed(&page).await["description"], json!(null));
}

async fn an_empty_section_takes_a_page_out_of_its_section(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("docs/guides/a").await;
    let moved = app.client.page(json!({"id": page["id"], "section": ""})).await;
    assert_eq!((key(&moved), moved.get("section")), ("docs//a".into(), None));
    assert_eq!(app.client.listed(&page).await.get("section"), None);
}

async fn an_empty_slug_is_none(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"slug": "", "title": "Made from the title"})).await;
    assert_eq!(page["slug"], "made-from-the-title");
    let kept = app.client.page(json!({"id": page["id"], "slug": "", "title": "Other"})).await;
    assert_eq!(kept["slug"], "made-from-the-title");
}

async fn an_empty_text_is_an_error_for_the_other_fields(database: &Database) {
    let app = spawn_app(database).await;
    let check = async |page: Value, field: &str| {
        app.client.pages(json!([page])).await.is_invalid(json!({"0": {field: "…"}}));
    };
    check(json!({"slug": "a", "title": "A", "contentType": ""}), "contentType").await;
    check(json!({"slug": "a", "title": "A", "publishedAt": ""}), "publishedAt").await;
    check(json!({"id": "", "title": "A"}), "id").await;
}
