//! Which page an entry means.

use serde_json::{Value, json};
use testing::Database;

use crate::answer::ID_NOT_FOUND;
use crate::app::{App, spawn_app};
use crate::client::key;

testing::on_each_configuration!(
    a_slug_that_no_page_has_creates,
    a_slug_that_one_page_has_updates_it,
    of_several_pages_the_one_with_the_defaults_is_meant,
    several_pages_without_the_defaults_are_an_error,
    a_generated_slug_uses_the_defaults_at_once,
    an_id_means_its_page,
    an_id_that_no_page_of_the_site_has_is_an_error,
    the_id_wins_over_the_slug,
    lookups_see_the_pages_as_they_were_before_the_request,
    an_entry_that_names_its_page_badly_is_not_looked_up,
    field_errors_of_a_badly_identified_page_are_reported_too,
);

/// Publishes the pages at `existing` (`docs/guides`), each with the slug of this case, then the entry with that
/// slug. `expected`: `created blog/`, `updated docs/guides`, or `ambiguous`.
async fn check(app: &App<'_>, case: &str, existing: &[&str], entry: Value, expected: &str) {
    for place in existing {
        app.client.page_at(&format!("{place}/{case}")).await;
    }
    let mut named = entry.clone();
    named["slug"] = json!(case);
    named["title"] = json!("Sent");
    let answer = app.client.pages(json!([named])).await;
    if expected == "ambiguous" {
        answer.is_invalid(json!({"0": {"slug": "…"}}));
        return;
    }
    let page = &answer.body["pages"][0];
    let reported = format!("{} {}", page["status"].as_str().unwrap_or_default(), key(page));
    assert_eq!(reported, format!("{expected}/{case}"), "{existing:?} {entry}: {answer:?}");
}

async fn a_slug_that_no_page_has_creates(database: &Database) {
    let app = spawn_app(database).await;
    check(&app, "a", &[], json!({}), "created blog/").await;
    check(&app, "b", &[], json!({"contentType": "docs"}), "created docs/").await;
    check(&app, "c", &[], json!({"section": "s"}), "created blog/s").await;
    check(&app, "d", &[], json!({"contentType": "docs", "section": "s"}), "created docs/s").await;
    check(&app, "e", &["docs/"], json!({"contentType": "blog"}), "created blog/").await;
    check(&app, "f", &["docs/s"], json!({"section": "t"}), "created blog/t").await;
    check(&app, "g", &["docs/s"], json!({"section": ""}), "created blog/").await;
    check(&app, "h", &["docs/s", "docs/t"], json!({"contentType": "docs", "section": ""}), "created docs/")
        .await;
    check(&app, "i", &["blog/", "docs/s"], json!({"contentType": "docs", "section": "t"}), "created docs/t")
        .await;
    check(&app, "j", &["blog/"], json!({"contentType": "standalone"}), "created standalone/").await;
}

async fn a_slug_that_one_page_has_updates_it(database: &Database) {
    let app = spawn_app(database).await;
    check(&app, "a", &["blog/"], json!({}), "updated blog/").await;
    check(&app, "b", &["docs/"], json!({}), "updated docs/").await;
    check(&app, "c", &["docs/s"], json!({}), "updated docs/s").await;
    check(&app, "d", &["docs/s"], json!({"contentType": "docs"}), "updated docs/s").await;
    check(&app, "e", &["docs/s"], json!({"section": "s"}), "updated docs/s").await;
    check(&app, "f", &["docs/s", "blog/"], json!({"contentType": "docs"}), "updated docs/s").await;
    check(&app, "g", &["docs/s", "docs/t"], json!({"section": "t"}), "updated docs/t").await;
    check(&app, "h", &["docs/s", "docs/"], json!({"contentType": "docs", "section": ""}), "updated docs/")
        .await;
    check(&app, "i", &["docs/s", "standalone/"], json!({"section": ""}), "updated standalone/").await;
    check(&app, "j", &["homepage/"], json!({"section": null, "contentType": null}), "updated homepage/")
        .await;
}

async fn of_several_pages_the_one_with_the_defaults_is_meant(database: &Database) {
    let app = spawn_app(database).await;
    check(&app, "a", &["docs/", "blog/"], json!({}), "updated blog/").await;
    check(&app, "b", &["blog/s", "blog/"], json!({}), "updated blog/").await;
    check(&app, "c", &["docs/s", "docs/"], json!({"contentType": "docs"}), "updated docs/").await;
    check(&app, "d", &["docs/s", "blog/s"], json!({"section": "s"}), "updated blog/s").await;
    check(&app, "e", &["docs/", "standalone/", "blog/"], json!({"section": ""}), "updated blog/").await;
}

async fn several_pages_without_the_defaults_are_an_error(database: &Database) {
    let app = spawn_app(database).await;
    check(&app, "a", &["docs/", "standalone/"], json!({}), "ambiguous").await;
    check(&app, "b", &["blog/s", "blog/t"], json!({}), "ambiguous").await;
    check(&app, "c", &["docs/", "blog/s"], json!({}), "ambiguous").await;
    check(&app, "d", &["docs/s", "docs/t"], json!({"contentType": "docs"}), "ambiguous").await;
    check(&app, "e", &["docs/s", "standalone/s"], json!({"section": "s"}), "ambiguous").await;
    let answer = app.client.pages(json!([{"slug": "a", "title": "A"}])).await;
    let message = answer.body["pages"]["0"]["slug"].as_str().unwrap();
    for word in ["contentType", "section", "id"] {
        assert!(message.contains(word), "the message says what to give: {message}");
    }
}

async fn a_generated_slug_uses_the_defaults_at_once(database: &Database) {
    let app = spawn_app(database).await;
    let docs = app.client.page_at("docs//setup").await;
    let sectioned = app.client.page_at("blog/news/setup").await;
    let check = async |entry: Value, expected: &str| {
        let page = app.client.page(entry).await;
        assert_eq!(format!("{} {}", page["status"].as_str().unwrap(), key(&page)), expected);
        page
    };
    let made = check(json!({"title": "Setup"}), "created blog//setup").await;
    let again = check(json!({"title": "Setup!"}), "updated blog//setup").await;
    assert_eq!((&again["id"], &again["title"]), (&made["id"], &json!("Setup!")));
    let page = check(json!({"title": "Setup", "contentType": "docs"}), "updated docs//setup").await;
    assert_eq!(page["id"], docs["id"]);
    let page = check(json!({"title": "Setup", "section": "news"}), "updated blog/news/setup").await;
    assert_eq!(page["id"], sectioned["id"]);
    check(json!({"title": "Setup", "contentType": "docs", "section": "s"}), "created docs/s/setup").await;
    check(json!({"title": "Setup", "section": ""}), "updated blog//setup").await;
}

async fn an_id_means_its_page(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("docs/guides/a").await;
    let moved = app
        .client
        .page(json!({"id": page["id"], "slug": "b", "contentType": "blog", "section": "news", "title": "B"}))
        .await;
    let expected = json!({
        "id": page["id"], "slug": "b", "title": "B", "contentType": "blog", "section": "news", "draft": false,
        "status": "updated", "createdAt": page["createdAt"], "updatedAt": app.now(),
    });
    assert_eq!(moved, expected);
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
    // The old key is free, and the new key belongs to the page.
    assert_eq!(app.client.page_at("docs/guides/a").await["status"], "created");
    assert_eq!(app.client.page_at("blog/news/b").await["id"], page["id"]);
}

async fn an_id_that_no_page_of_the_site_has_is_an_error(database: &Database) {
    let app = spawn_app(database).await;
    let second = app.site("second").await;
    let elsewhere = app.client.post("/pages", json!({"siteId": second, "pages": [{"title": "A"}]})).await;
    let deleted = app.client.page_at("blog//deleted").await;
    app.client.delete("/pages/deleted?contentType=blog").await;
    let ids = [
        json!("00000000-0000-4000-8000-000000000000"),
        json!("ffffffff-ffff-ffff-ffff-ffffffffffff"),
        json!(app.acme.site),
        elsewhere.body["pages"][0]["id"].clone(),
        deleted["id"].clone(),
    ];
    for id in ids {
        let answer =
            app.client.pages(json!([{"title": "Fine"}, {"id": id, "slug": "a", "title": "A"}])).await;
        let pages = json!({"1": {"id": ID_NOT_FOUND}});
        answer.is(400, json!({"error": "validation failed", "pages": pages}));
    }
}

async fn the_id_wins_over_the_slug(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("blog//a").await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    let answer = app.client.pages(json!([{"id": unknown, "slug": "a", "title": "A"}])).await;
    answer.is_invalid(json!({"0": {"id": ID_NOT_FOUND}}));
    let same = app.client.page(json!({"id": page["id"], "slug": "a"})).await;
    assert_eq!((&same["id"], &same["status"]), (&page["id"], &json!("updated")));
    let titled = app.client.page(json!({"id": page["id"], "title": "Something else"})).await;
    assert_eq!(titled["slug"], "a", "a title never renames");
}

async fn lookups_see_the_pages_as_they_were_before_the_request(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("blog//a").await;
    // The first entry moves the page; the second still means the page that was at `a`.
    let answer =
        app.client.pages(json!([{"id": page["id"], "slug": "b"}, {"slug": "a", "title": "A"}])).await;
    answer.is(400, json!({"error": "duplicate slugs in batch", "conflicts": [[0, 1]]}));
    // No page has `b` yet, so the second entry would create it where the first ends.
    let answer =
        app.client.pages(json!([{"id": page["id"], "slug": "b"}, {"slug": "b", "title": "B"}])).await;
    answer.is(400, json!({"error": "duplicate slugs in batch", "conflicts": [[0, 1]]}));
}

async fn an_entry_that_names_its_page_badly_is_not_looked_up(database: &Database) {
    let app = spawn_app(database).await;
    let taken = app.client.page_at("blog//taken").await;
    let check = async |entry: Value, expected: Value| {
        app.client.pages(json!([entry])).await.is_invalid(json!({"0": expected}));
    };
    check(json!({"slug": "new", "contentType": "news"}), json!({"contentType": "…"})).await;
    check(json!({"slug": "new", "section": "a b"}), json!({"section": "…"})).await;
    check(json!({"slug": "A b"}), json!({"slug": "…"})).await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    check(json!({"id": unknown, "slug": "A b"}), json!({"slug": "…"})).await;
    check(json!({"id": unknown, "section": 5, "draft": 5}), json!({"section": "…", "draft": "…"})).await;
    check(json!({"id": "x", "slug": taken["slug"]}), json!({"id": "…"})).await;
}

async fn field_errors_of_a_badly_identified_page_are_reported_too(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page_at("blog//a").await;
    let check = async |entry: Value, expected: Value| {
        app.client.pages(json!([entry])).await.is_invalid(json!({"0": expected}));
    };
    // Neither id nor slug: the title is required, whatever is stored.
    let required = crate::answer::TITLE_REQUIRED;
    check(json!({"contentType": "news"}), json!({"contentType": "…", "title": required})).await;
    check(json!({"section": "a b", "title": "!!!"}), json!({"section": "…", "title": "…"})).await;
    // By id it is an update, and a blank title is an error of any update.
    check(json!({"id": page["id"], "slug": "A b", "title": " "}), json!({"slug": "…", "title": "…"})).await;
}
