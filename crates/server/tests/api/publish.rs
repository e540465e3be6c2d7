//! `POST /pages`: the response, and which fields are kept and changed.

use serde_json::{Value, json};
use testing::Database;

use crate::answer::TITLE_REQUIRED;
use crate::app::spawn_app;

testing::on_each_configuration!(
    a_new_page_gets_the_defaults,
    every_field_is_stored,
    the_section_is_shown_only_when_the_page_has_one,
    an_update_changes_only_what_is_supplied,
    an_update_that_changes_nothing_leaves_updated_at,
    tags_are_replaced_when_supplied_and_kept_when_omitted,
    params_are_replaced_when_supplied_and_kept_when_omitted,
    a_page_is_hidden_and_published_by_its_draft_field,
    a_new_page_needs_a_title,
    an_update_needs_none,
    unknown_fields_are_ignored,
    content_is_not_listed,
    ids_are_uuids,
);

async fn a_new_page_gets_the_defaults(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app.client.pages(json!([{"slug": "hello", "title": "Hello"}])).await;
    let (now, id) = (app.now(), &answer.body["pages"][0]["id"]);
    let page = json!({
        "id": id, "slug": "hello", "title": "Hello", "contentType": "blog", "draft": false, "status": "created",
        "createdAt": now, "updatedAt": now,
    });
    answer.is(200, json!({"pages": [page]}));
    let listed = json!({
        "id": id, "slug": "hello", "title": "Hello", "contentType": "blog", "description": null, "draft": false,
        "tags": [], "publishedAt": now, "updatedAt": now,
    });
    app.client.get("/pages").await.is(200, json!({"pages": [listed]}));
    let stored = app.stored(&answer.body["pages"][0]).await;
    assert_eq!(stored, json!({"content": "", "params": {}, "apiEndpoint": null}));
}

fn whole_page() -> Value {
    json!({
        "slug": "intro", "title": "Introduction", "content": "# Hello\n", "contentType": "docs", "section": "guides",
        "description": "How to begin", "draft": true, "tags": ["b", "a"], "publishedAt": "2020-02-03T04:05:06Z",
        "params": {"weight": 3, "nested": {"a": [1, null]}}, "apiEndpoint": "get /users",
    })
}

async fn every_field_is_stored(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app.client.pages(json!([whole_page()])).await;
    let (now, id) = (app.now(), &answer.body["pages"][0]["id"]);
    let page = json!({
        "id": id, "slug": "intro", "title": "Introduction", "contentType": "docs", "section": "guides",
        "draft": true, "status": "created", "createdAt": now, "updatedAt": now,
    });
    answer.is(200, json!({"pages": [page]}));
    let listed = json!({
        "id": id, "slug": "intro", "title": "Introduction", "contentType": "docs", "section": "guides",
        "description": "How to begin", "draft": true, "tags": ["b", "a"],
        "publishedAt": "2020-02-03T04:05:06.000Z", "updatedAt": now,
    });
    app.client.get("/pages").await.is(200, json!({"pages": [listed]}));
    let stored = json!({
        "content": "# Hello\n", "params": {"weight": 3, "nested": {"a": [1, null]}}, "apiEndpoint": "GET /users",
    });
    assert_eq!(app.stored(&page).await, stored);
}

async fn the_section_is_shown_only_when_the_page_has_one(database: &Database) {
    let app = spawn_app(database).await;
    for (section, expected) in [(json!("s"), Some(&json!("s"))), (json!(""), None), (json!(null), None)] {
        let page = app
            .client
            .page(json!({"slug": "a", "contentType": "docs", "section": section, "title": "A"}))
            .await;
        assert_eq!(page.get("section"), expected, "{page}");
        assert_eq!(app.client.listed(&page).await.get("section"), expected);
        app.client
            .delete(&format!("/pages/a?contentType=docs&section={}", section.as_str().unwrap_or("")))
            .await;
    }
}

/// Each field alone: the rest of the page stays as it was.
async fn an_update_changes_only_what_is_supplied(database: &Database) {
    let app = spawn_app(database).await;
    let created = app.client.page(whole_page()).await;
    let (mut listed, mut stored) = (app.client.listed(&created).await, app.stored(&created).await);
    let changes = [
        ("title", json!("Other"), json!("Other")),
        ("description", json!("Other"), json!("Other")),
        ("draft", json!(false), json!(false)),
        ("tags", json!(["c"]), json!(["c"])),
        ("publishedAt", json!("2021-01-01"), json!("2021-01-01T00:00:00.000Z")),
        ("content", json!("Other"), json!("Other")),
        ("params", json!({"a": 1}), json!({"a": 1})),
        ("apiEndpoint", json!("POST /b"), json!("POST /b")),
        ("section", json!("moved"), json!("moved")),
        ("contentType", json!("blog"), json!("blog")),
        ("slug", json!("renamed"), json!("renamed")),
    ];
    for (field, value, expected) in changes {
        let answer = app.client.pages(json!([{"id": created["id"], field: value}])).await;
        let now = app.now();
        let target = if stored.get(field).is_some() { &mut stored } else { &mut listed };
        target[field] = expected;
        listed["updatedAt"] = json!(now);
        let page = json!({
            "id": created["id"], "slug": listed["slug"], "title": listed["title"],
            "contentType": listed["contentType"], "section": listed["section"], "draft": listed["draft"],
            "status": "updated", "createdAt": created["createdAt"], "updatedAt": now,
        });
        answer.is(200, json!({"pages": [page]}));
        assert_eq!(app.client.listed(&created).await, listed, "{field}");
        assert_eq!(app.stored(&created).await, stored, "{field}");
    }
}

async fn an_update_that_changes_nothing_leaves_updated_at(database: &Database) {
    let app = spawn_app(database).await;
    let mut expected = app.client.page(json!({"slug": "a", "title": "A"})).await;
    for update in [json!({"slug": "a"}), json!({"slug": "a", "title": "A"}), json!({"id": expected["id"]})] {
        let updated = app.client.page(update).await;
        expected["status"] = json!("updated");
        assert_eq!(updated, expected);
    }
}

async fn tags_are_replaced_when_supplied_and_kept_when_omitted(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"slug": "a", "title": "A", "tags": ["x", "y"]})).await;
    let changes = [
        (json!({"slug": "a"}), json!(["x", "y"])),
        (json!({"slug": "a", "tags": null}), json!(["x", "y"])),
        (json!({"slug": "a", "tags": ["z"]}), json!(["z"])),
        (json!({"slug": "a", "tags": []}), json!([])),
    ];
    for (change, expected) in changes {
        app.client.page(change.clone()).await;
        assert_eq!(app.client.listed(&page).await["tags"], expected, "{change}");
    }
}

async fn params_are_replaced_when_supplied_and_kept_when_omitted(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"slug": "a", "title": "A", "params": {"x": 1, "y": 2}})).await;
    let changes = [
        (json!({"slug": "a"}), json!({"x": 1, "y": 2})),
        (json!({"slug": "a", "params": null}), json!({"x": 1, "y": 2})),
        (json!({"slug": "a", "params": {"z": 3}}), json!({"z": 3})),
        (json!({"slug": "a", "params": {}}), json!({})),
    ];
    for (change, expected) in changes {
        app.client.page(change.clone()).await;
        assert_eq!(app.stored(&page).await["params"], expected, "{change}");
    }
}

async fn a_page_is_hidden_and_published_by_its_draft_field(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"slug": "a", "title": "A"})).await;
    for (draft, expected) in [(Some(true), true), (None, true), (Some(false), false), (None, false)] {
        let updated = app.client.page(json!({"slug": "a", "draft": draft})).await;
        assert_eq!(updated["draft"], expected);
        assert_eq!(app.client.listed(&page).await["draft"], expected);
    }
}

async fn a_new_page_needs_a_title(database: &Database) {
    let app = spawn_app(database).await;
    let entries = [
        json!({"slug": "a"}),
        json!({"slug": "a", "content": "text"}),
        json!({"slug": "a", "title": null}),
        json!({"slug": "a", "title": ""}),
        json!({"slug": "a", "title": " \t\n"}),
        json!({"slug": "a", "title": "\u{a0}\u{3000}"}),
        json!({}),
        json!({"content": "text"}),
        json!({"title": ""}),
        json!({"title": "   "}),
        json!({"slug": "", "title": null}),
    ];
    for entry in entries {
        let body = json!({"error": "validation failed", "pages": {"0": {"title": TITLE_REQUIRED}}});
        app.client.pages(json!([entry])).await.is(400, body);
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn an_update_needs_none(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"slug": "a", "title": "A"})).await;
    for update in [json!({"slug": "a"}), json!({"slug": "a", "title": null}), json!({"id": page["id"]})] {
        let updated = app.client.page(update).await;
        assert_eq!((&updated["title"], &updated["status"]), (&json!("A"), &json!("updated")));
    }
    for title in ["", " ", "\n\u{3000}"] {
        for update in [json!({"slug": "a", "title": title}), json!({"id": page["id"], "title": title})] {
            app.client.pages(json!([update])).await.is_invalid(json!({"0": {"title": "…"}}));
        }
    }
    assert_eq!(app.client.listed(&page).await["title"], "A");
}

async fn unknown_fields_are_ignored(database: &Database) {
    let app = spawn_app(database).await;
    let answer = app
        .client
        .post(
            "/pages",
            json!({
                "pages": [{"slug": "a", "title": "A", "layout": {"wide": [true]}, "Title": 5, "status": "x"}],
                "mode": {"a": [1, 2]}, "media": null,
            }),
        )
        .await;
    assert_eq!((answer.status, &answer.body["pages"][0]["title"]), (200, &json!("A")));
}

async fn content_is_not_listed(database: &Database) {
    let app = spawn_app(database).await;
    app.client.page(whole_page()).await;
    let listed = app.client.get("/pages").await;
    for secret in ["content\"", "# Hello", "params", "weight", "apiEndpoint", "createdAt"] {
        assert!(!listed.text.contains(secret), "{secret}: {}", listed.text);
    }
}

async fn ids_are_uuids(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"title": "A"})).await;
    let id = page["id"].as_str().unwrap();
    assert_eq!(uuid::Uuid::parse_str(id).unwrap().hyphenated().to_string(), id);
    let upper = app.client.page(json!({"id": id.to_uppercase(), "title": "B"})).await;
    assert_eq!((&upper["id"], &upper["status"]), (&page["id"], &json!("updated")));
}
