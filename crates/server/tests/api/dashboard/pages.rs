//! Pages, media and builds: what writers do.

use std::time::Duration;

use model::Role;
use serde_json::{Value, json};
use testing::Database;

use super::browser::{Browser, PASSWORD};
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    a_page_is_written_changed_published_and_deleted,
    a_wrong_field_is_named_and_nothing_typed_is_lost,
    a_new_page_does_not_replace_another,
    a_page_that_was_changed_meanwhile_is_not_overwritten,
    a_page_that_was_deleted_meanwhile_is_missing,
    what_was_written_survives_the_end_of_the_session,
    fields_that_the_form_does_not_change_stay_as_they_are,
    a_long_list_has_a_next_screen_and_can_be_searched,
    drafts_and_scheduled_pages_are_marked,
    builds_of_the_dashboard_do_not_count_against_the_api_but_against_the_plan,
    a_release_is_rolled_back,
    files_are_uploaded_listed_and_deleted,
);

async fn writer(app: &App<'_>) -> Browser {
    Browser::of_member(app, app.acme.id, "writer@example.com", Role::Writer).await
}

fn at(app: &App, path: &str) -> String {
    format!("/dashboard/sites/{}/{path}", app.acme.site)
}

/// Fields of a page with these values, and the others as they are in an empty form.
fn fields<'f>(values: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let names = [
        "title",
        "slug",
        "section",
        "description",
        "tags",
        "content",
        "publishedAt",
        "apiEndpoint",
        "params",
    ];
    let mut fields: Vec<(&str, &str)> = values.to_vec();
    for name in names.into_iter().filter(|name| values.iter().all(|(value, _)| value != name)) {
        fields.push((name, ""));
    }
    if values.iter().all(|(name, _)| *name != "contentType") {
        fields.push(("contentType", "blog"));
    }
    fields
}

async fn only_page(app: &App<'_>) -> Value {
    let pages = app.client.list().await;
    assert_eq!(pages.as_array().unwrap().len(), 1, "{pages}");
    pages[0].clone()
}

fn edit_path(app: &App, page: &Value) -> String {
    at(app, &format!("pages/{}", page["id"].as_str().unwrap()))
}

async fn a_page_is_written_changed_published_and_deleted(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    browser.get(&at(&app, "pages")).await.shows(200, "New page").shows(200, "Write the first one");
    for label in ["Title", "Slug", "Content type", "Section", "Description", "Tags", "Content"] {
        browser.get(&at(&app, "pages/new")).await.shows(200, &format!(">{label}</label>"));
    }
    let written = fields(&[
        ("title", "<b>Hello & goodbye</b>"),
        ("content", "# One\r\n\r\ntwo\r\n"),
        ("section", "Guides"),
        ("tags", "a, b,, a"),
        ("contentType", "docs"),
        ("draft", "yes"),
        ("params", r#"{"weight": 3}"#),
        ("apiEndpoint", "get /users"),
        ("publishedAt", "2030-01-02"),
    ]);
    browser.post(&at(&app, "pages/new"), &written).await.redirects_to(&at(&app, "pages?done=saved"));
    let page = only_page(&app).await;
    assert_eq!(
        (&page["slug"], &page["section"], &page["draft"]),
        (&json!("b-hello-goodbye-b"), &json!("guides"), &json!(true))
    );
    assert_eq!(
        (&page["tags"], &page["publishedAt"]),
        (&json!(["a", "b"]), &json!("2030-01-02T00:00:00.000Z"))
    );
    let stored = app.stored(&page).await;
    let expected = json!({"content": "# One\n\ntwo\n", "params": {"weight": 3}, "apiEndpoint": "GET /users"});
    assert_eq!(stored, expected);
    app.client.get("/builds/latest").await.is_failure(404);

    let form = browser.get(&edit_path(&app, &page)).await;
    form.shows(200, "value=\"&#60;b&#62;Hello &#38; goodbye&#60;/b&#62;\"")
        .shows(200, "\n# One\n\ntwo\n</textarea>");
    form.shows(200, "value=\"Guides\"").shows(200, " checked").shows(200, "<option selected>docs</option>");
    let version = form.between("name=\"version\" value=\"", "\"");
    let changed = fields(&[
        ("title", "New"),
        ("slug", "new"),
        ("version", &version),
        ("publish", "yes"),
        ("contentType", "docs"),
    ]);
    let seen = browser.post(&edit_path(&app, &page), &changed).await;
    seen.redirects_to(&at(&app, "pages?done=published"));
    let page = only_page(&app).await;
    assert_eq!(
        (&page["title"], &page["slug"], &page["draft"]),
        (&json!("New"), &json!("new"), &json!(false))
    );
    assert_eq!((&page["section"], &page["tags"]), (&Value::Null, &json!([])));
    let latest = app.client.get("/builds/latest").await.body;
    assert_eq!((&latest["status"], &latest["triggeredBy"]), (&json!("queued"), &json!("dashboard")));

    let ask = browser.get(&format!("{}/delete", edit_path(&app, &page))).await;
    ask.shows(200, ">Delete</button>").shows(200, "New");
    let deleted = browser.post(&format!("{}/delete", edit_path(&app, &page)), &[]).await;
    deleted.redirects_to(&at(&app, "pages?done=deleted"));
    assert_eq!(app.client.list().await, json!([]));
    assert_eq!(browser.get(&edit_path(&app, &page)).await.status, 404);
}

async fn a_wrong_field_is_named_and_nothing_typed_is_lost(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let typed =
        fields(&[("title", ""), ("slug", "Not a slug"), ("content", "long work"), ("description", "<x>")]);
    let again = browser.post(&at(&app, "pages/new"), &typed).await;
    again
        .shows(400, "id=\"slug-error\"")
        .shows(400, "value=\"Not a slug\"")
        .shows(400, "\nlong work</textarea>");
    again.shows(400, "\n&#60;x&#62;</textarea>");
    for (params, why) in [("{", "params must be JSON"), ("[]", "id=\"params-error\"")] {
        let typed = fields(&[("title", "A"), ("params", params)]);
        browser.post(&at(&app, "pages/new"), &typed).await.shows(400, why).shows(400, "<details open>");
    }
    let typed = fields(&[("title", "A"), ("contentType", "video")]);
    browser.post(&at(&app, "pages/new"), &typed).await.shows(400, "id=\"contentType-error\"");
    let typed = fields(&[("title", "A"), ("content", "![](file:a.png)")]);
    browser.post(&at(&app, "pages/new"), &typed).await.shows(400, "file:a.png");
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_new_page_does_not_replace_another(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = app.client.page(json!({"title": "Taken", "content": "first"})).await;
    for typed in [fields(&[("title", "Taken")]), fields(&[("title", "Other"), ("slug", "taken")])] {
        let again = browser.post(&at(&app, "pages/new"), &typed).await;
        again.shows(400, "slug is already in use in this content type and section");
    }
    assert_eq!(app.stored(&page).await["content"], "first");
}

async fn a_page_that_was_changed_meanwhile_is_not_overwritten(database: &Database) {
    let app = spawn_app(database).await;
    let (mut ada, mut bob) =
        (writer(&app).await, Browser::of_member(&app, app.acme.id, "bob@example.com", Role::Owner).await);
    let page = app.client.page(json!({"title": "Page", "content": "before"})).await;
    let path = edit_path(&app, &page);
    let mut versions = Vec::new();
    for browser in [&mut ada, &mut bob] {
        versions.push(browser.get(&path).await.between("name=\"version\" value=\"", "\""));
    }
    let of = |content: &'static str, version: &str| {
        let version: &'static str = String::leak(version.to_owned());
        fields(&[("title", "Page"), ("slug", "page"), ("content", content), ("version", version)])
    };
    ada.post(&path, &of("Ada's text", &versions[0])).await.redirects_to(&at(&app, "pages?done=saved"));
    let refused = bob.post(&path, &of("Bob's text", &versions[1])).await;
    refused.shows(409, "Ada&#39;s text").shows(409, "\nBob&#39;s text</textarea>");
    assert_eq!(app.stored(&page).await["content"], "Ada's text");
    // Now Bob has seen both, and decides.
    let version = refused.between("name=\"version\" value=\"", "\"");
    bob.post(&path, &of("Both texts", &version)).await.redirects_to(&at(&app, "pages?done=saved"));
    assert_eq!(app.stored(&page).await["content"], "Both texts");
    // The API's changes are changes, too.
    app.client.page(json!({"slug": "page", "tags": ["x"]})).await;
    assert_eq!(bob.post(&path, &of("Bob again", &version)).await.status, 409);
}

async fn a_page_that_was_deleted_meanwhile_is_missing(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = app.client.page(json!({"title": "Page"})).await;
    app.client.delete("/pages/page?contentType=blog").await;
    let typed = fields(&[("title", "Page"), ("version", "1")]);
    assert_eq!(browser.post(&edit_path(&app, &page), &typed).await.status, 404);
    assert_eq!(app.client.list().await, json!([]));
}

async fn what_was_written_survives_the_end_of_the_session(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let text = "long\n\"work\" & <more>";
    browser.post("/dashboard/sign-out", &[]).await;
    let path = at(&app, "pages/new");
    let kept = browser.post(&path, &fields(&[("title", "Kept"), ("content", text)])).await;
    let hidden = "long\n&#34;work&#34; &#38; &#60;more&#62;\">";
    kept.shows(401, &format!("name=\"kept.content\" value=\"{hidden}"));
    assert_eq!(kept.between("name=\"next\" value=\"", "\""), path);
    let kept =
        [("kept.title", "Kept"), ("kept.content", text), ("kept.contentType", "blog"), ("next", &path)];
    let wrong = [&[("email", "writer@example.com"), ("password", "wrong")][..], &kept].concat();
    browser
        .post("/dashboard/sign-in", &wrong)
        .await
        .shows(401, &format!("name=\"kept.content\" value=\"{hidden}"));
    let right = [&[("email", "writer@example.com"), ("password", PASSWORD)][..], &kept].concat();
    let signed_in = browser.post("/dashboard/sign-in", &right).await;
    signed_in
        .shows(200, &format!("name=\"content\" value=\"{hidden}"))
        .shows(200, &format!("action=\"{path}\""));
    let again = fields(&[("title", "Kept"), ("content", text)]);
    browser.post(&path, &again).await.redirects_to(&at(&app, "pages?done=saved"));
    assert_eq!(app.stored(&only_page(&app).await).await["content"], text);
}

async fn fields_that_the_form_does_not_change_stay_as_they_are(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page =
        app.client.page(json!({"title": "Page", "tags": ["a, b", "c"], "params": {"a": [1, 2.50]}})).await;
    let before = app.client.listed(&page).await;
    let form = browser.get(&edit_path(&app, &page)).await;
    let (version, time) = (
        form.between("name=\"version\" value=\"", "\""),
        form.between("name=\"publishedAt\" value=\"", "\""),
    );
    let same = fields(&[
        ("title", "Page"),
        ("slug", "page"),
        ("tags", "a, b, c"),
        ("params", r#"{"a":[1,2.50]}"#),
        ("publishedAt", &time),
        ("version", &version),
    ]);
    browser.post(&edit_path(&app, &page), &same).await.redirects_to(&at(&app, "pages?done=saved"));
    assert_eq!(app.client.listed(&page).await, before);
}

async fn a_long_list_has_a_next_screen_and_can_be_searched(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = |n: usize| {
        let content_type = if n.is_multiple_of(100) { "docs" } else { "blog" };
        json!({"title": format!("Über Seite {n:04}"), "slug": format!("p{n}"), "contentType": content_type})
    };
    let pages: Vec<Value> = (0..1200).map(page).collect();
    assert_eq!(app.client.pages(json!(pages)).await.status, 200);
    let (mut path, mut seen, mut screens) = (at(&app, "pages"), Vec::new(), 0);
    loop {
        let screen = browser.get(&path).await;
        assert_eq!(screen.status, 200);
        seen.extend(screen.html.split(">Über Seite ").skip(1).map(|rest| rest[..4].to_owned()));
        screens += 1;
        if !screen.html.contains(">Next</a>") {
            break;
        }
        path = screen.between("<p class=\"more\"><a href=\"", "\"").replace("&#38;", "&");
    }
    assert_eq!((screens, seen.len()), (24, 1200));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 1200);
    let found = browser.get(&at(&app, "pages?type=&q=%C3%BCBER+seite+0007")).await;
    assert_eq!(found.html.matches(">Über Seite").count(), 1, "{}", found.html);
    let docs = browser.get(&at(&app, "pages?type=docs&q=seite")).await;
    assert_eq!(docs.html.matches(">Über Seite").count(), 12);
    let many = browser.get(&at(&app, "pages?type=blog&q=seite")).await;
    let next = many.between("<p class=\"more\"><a href=\"", "\"").replace("&#38;", "&");
    assert_eq!(browser.get(&next).await.html.matches(">Über Seite").count(), 50);
    browser.get(&at(&app, "pages?q=nothing")).await.shows(200, "Show all");
}

async fn drafts_and_scheduled_pages_are_marked(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    app.client.page(json!({"title": "A draft", "draft": true})).await;
    app.client.page(json!({"title": "Later", "publishedAt": "2030-01-02"})).await;
    let list = browser.get(&at(&app, "pages")).await;
    list.shows(200, "A draft</a> <span class=\"mark\">Draft</span>").shows(200, "Scheduled for 2030-01-02");
}

async fn builds_of_the_dashboard_do_not_count_against_the_api_but_against_the_plan(database: &Database) {
    let app = spawn_app(database).await;
    app.publisher.account_set_plan(app.acme.id, "free").await.unwrap();
    let mut browser = writer(&app).await;
    for number in 0..3 {
        browser.post(&at(&app, "builds"), &[]).await.redirects_to(&at(&app, "builds?done=queued"));
        if number == 0 {
            browser.post(&at(&app, "builds"), &[]).await.shows(429, "try again in 30 seconds");
        }
        app.advance(Duration::from_secs(31));
    }
    let refused = browser.post(&at(&app, "builds"), &[]).await;
    refused.shows(402, "The plan allows 3 builds a month").shows(402, "dashboard");
    // The page is saved all the same.
    let typed = fields(&[("title", "Saved"), ("publish", "yes")]);
    browser.post(&at(&app, "pages/new"), &typed).await.shows(402, "the plan allows 3 builds a month");
    assert_eq!(only_page(&app).await["title"], "Saved");
    let headers = app.client.hasty().build().await.headers;
    assert_eq!(headers["x-ratelimit-remaining"], "19");
}

async fn a_release_is_rolled_back(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    for title in ["One", "Two"] {
        let typed = fields(&[("title", title), ("publish", "yes")]);
        browser.post(&at(&app, "pages/new"), &typed).await.redirects_to(&at(&app, "pages?done=published"));
        assert!(app.publisher.run_next_build().await.unwrap());
        app.advance(Duration::from_secs(31));
    }
    let screen = browser.get(&at(&app, "builds")).await;
    screen.shows(200, "2 <span class=\"mark success\">live</span>").shows(200, ">Roll back</button>");
    let path = at(&app, "builds/1/roll-back");
    browser.get(&path).await.shows(200, "release 1").shows(200, ">Roll back</button>");
    browser.post(&path, &[]).await.redirects_to(&at(&app, "builds?done=rolled-back"));
    browser.get(&at(&app, "builds")).await.shows(200, "1 <span class=\"mark success\">live</span>");
    browser.post(&at(&app, "builds/9/roll-back"), &[]).await.shows(404, "not kept any more");
}

async fn files_are_uploaded_listed_and_deleted(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let path = at(&app, "media");
    browser.get(&path).await.shows(200, ">Files</label>").shows(200, ">Upload</button>");
    browser.upload(&path, "a.txt", "some words").await.redirects_to(&at(&app, "media?done=uploaded"));
    browser.upload(&path, "a.exe", "x").await.shows(400, "no supported type");
    browser.upload(&path, "", "").await.shows(400, "Choose at least one file");
    let screen = browser.get(&path).await;
    screen.shows(200, "a.txt").shows(200, "10 B").shows(200, "not used");
    let url = screen.between("name=\"url\" value=\"", "\"");
    app.client.page(json!({"title": "User", "content": format!("[a]({url})")})).await;
    browser.get(&path).await.shows(200, "<code>/blog/user</code>");
    browser.get(&at(&app, "media?view=list")).await.shows(200, "<code>/blog/user</code>");
    browser.get(&at(&app, "media?unused=yes")).await.shows(200, "No files match");
    browser.get(&at(&app, "media?q=A.T")).await.shows(200, "a.txt");
    browser.get(&at(&app, &format!("media/delete?url={url}"))).await.shows(200, ">Delete</button>");
    let deleted = browser.post(&at(&app, "media/delete"), &[("url", &url)]).await;
    deleted.redirects_to(&at(&app, "media?done=removed"));
    browser.get(&path).await.shows(200, "No files yet");
}
