//! What a person types is kept until it is saved; several pages are changed at once; deleted ones are restored.

use model::Role;
use serde_json::{Value, json};
use testing::Database;

use super::browser::{Browser, Seen};
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    what_is_typed_is_kept_until_it_is_saved,
    what_is_typed_on_a_new_page_is_kept,
    what_is_typed_late_replaces_nothing_newer,
    what_is_typed_in_another_tab_is_not_replaced,
    a_preview_without_a_script_keeps_what_was_typed,
    typed_text_is_its_writers_own,
    a_restored_form_does_not_overwrite_a_newer_page,
    params_have_fields_of_their_own,
    a_list_is_filtered_and_sorted,
    several_pages_are_deleted_moved_and_tagged_at_once,
    a_deleted_page_is_restored,
    one_file_is_uploaded_for_a_text,
    scripts_are_small_and_their_own,
);

fn at(app: &App, path: &str) -> String {
    format!("/dashboard/sites/{}/{path}", app.acme.site)
}

async fn writer(app: &App<'_>) -> Browser {
    Browser::of_member(app, app.acme.id, "writer@example.com", Role::Writer).await
}

fn value(screen: &Seen, name: &str) -> String {
    screen.between(&format!("name=\"{name}\" value=\""), "\"")
}

/// The fields of a form that was shown, with a title and a text, typed after `revision` earlier changes.
fn typed<'f>(
    hidden: &'f [(&'static str, String)],
    text: &'f str,
    revision: &'f str,
) -> Vec<(&'f str, &'f str)> {
    let hidden = hidden.iter().map(|(name, value)| (*name, value.as_str()));
    let typed = [("title", "Typed"), ("contentType", "blog"), ("content", text), ("revision", revision)];
    hidden.chain(typed).collect()
}

fn hidden(screen: &Seen) -> Vec<(&'static str, String)> {
    ["version", "form", "preview"].map(|name| (name, value(screen, name))).to_vec()
}

async fn what_is_typed_is_kept_until_it_is_saved(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = app.client.page(json!({"title": "Typed", "content": "before"})).await;
    let path = at(&app, &format!("pages/{}", page["id"].as_str().unwrap()));
    let form = browser.get(&path).await;
    form.shows(200, "\nbefore</textarea>").shows(200, "class=\"restored\" hidden");
    let hidden = hidden(&form);
    let kept = browser.post(&format!("{path}/autosave"), &typed(&hidden, "after & <more>", "7")).await;
    assert_eq!((kept.status, kept.html.as_str()), (204, ""));
    let again = browser.get(&path).await;
    again.shows(200, "\nafter &#38; &#60;more&#62;</textarea>").shows(200, "were restored");
    assert_eq!(value(&again, "revision"), "7");
    assert!(!again.html.contains("class=\"restored\" hidden"));
    assert_eq!(app.stored(&page).await["content"], "before");

    browser.post(&path, &typed(&hidden, "after", "8")).await.redirects_to(&at(&app, "pages?done=saved"));
    assert_eq!(app.stored(&page).await["content"], "after");
    browser.get(&path).await.shows(200, "\nafter</textarea>").shows(200, "class=\"restored\" hidden");

    let hidden = self::hidden(&browser.get(&path).await);
    browser.post(&format!("{path}/autosave"), &typed(&hidden, "worse", "9")).await;
    let discarded = browser.post(&format!("{path}/discard"), &[]).await;
    discarded.redirects_to(&format!("{path}?done=discarded"));
    browser.get(&path).await.shows(200, "\nafter</textarea>").shows(200, "class=\"restored\" hidden");
}

async fn what_is_typed_on_a_new_page_is_kept(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let path = at(&app, "pages/new");
    let form = browser.get(&path).await;
    let hidden = hidden(&form);
    assert_ne!(hidden[1], self::hidden(&browser.get(&path).await)[1], "each form is another page");
    assert_eq!(browser.post(&format!("{path}/autosave"), &typed(&hidden, "new", "1")).await.status, 204);
    let again = browser.get(&path).await;
    again.shows(200, "\nnew</textarea>").shows(200, "were restored");
    assert_eq!(value(&again, "form"), hidden[1].1);
    // A form that is refused is kept as well.
    let refused = [&typed(&hidden, "new", "1")[..], &[("slug", "Not a slug")]].concat();
    browser.post(&path, &refused).await.shows(400, "\nnew</textarea>");
    browser.get(&path).await.shows(200, "\nnew</textarea>");
    browser.post(&path, &typed(&hidden, "new", "2")).await.redirects_to(&at(&app, "pages?done=saved"));
    browser.get(&path).await.shows(200, "class=\"restored\" hidden");
    let without_id = [("title", "x"), ("revision", "1")];
    browser.post(&format!("{path}/autosave"), &without_id).await.shows(400, "no id");
}

async fn what_is_typed_late_replaces_nothing_newer(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let path = at(&app, "pages/new");
    let hidden = hidden(&browser.get(&path).await);
    for (text, revision) in [("first", "1"), ("third", "3"), ("second", "2")] {
        browser.post(&format!("{path}/autosave"), &typed(&hidden, text, revision)).await;
    }
    browser.get(&path).await.shows(200, "\nthird</textarea>");
}

async fn what_is_typed_in_another_tab_is_not_replaced(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = app.client.page(json!({"title": "Typed", "content": "before"})).await;
    let path = at(&app, &format!("pages/{}", page["id"].as_str().unwrap()));
    let of_tab = |screen: &Seen| [hidden(screen), vec![("seen", value(screen, "seen"))]].concat();
    let (first, second) = (of_tab(&browser.get(&path).await), of_tab(&browser.get(&path).await));
    let autosave = format!("{path}/autosave");
    assert_eq!(browser.post(&autosave, &typed(&first, "first", "5")).await.status, 204);
    browser.post(&autosave, &typed(&second, "second", "6")).await.shows(409, "in another tab");
    browser
        .post(&format!("{path}/preview"), &typed(&second, "second", "6"))
        .await
        .shows(409, "in another tab");
    assert_eq!(browser.post(&autosave, &typed(&first, "first again", "7")).await.status, 204);

    browser.post(&path, &typed(&second, "second", "8")).await.redirects_to(&at(&app, "pages?done=saved"));
    assert_eq!(app.stored(&page).await["content"], "second");
    // What the first tab has typed is still there, and does not replace what was saved.
    let restored = browser.get(&path).await;
    restored.shows(200, "\nfirst again</textarea>").shows(200, "were restored");
    browser.post(&path, &typed(&of_tab(&restored), "first again", "9")).await.shows(409, "second</pre>");
}

async fn a_preview_without_a_script_keeps_what_was_typed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let path = at(&app, "pages/new");
    let hidden = hidden(&browser.get(&path).await);
    for text in ["first", "second"] {
        let screen = browser.post(&format!("{path}/preview"), &typed(&hidden, text, "0")).await;
        let address = format!("sandbox src=\"{}/.preview/{}\"", app.acme.deploy_url, hidden[2].1);
        screen.shows(200, &address).shows(200, "Back to the text");
        let policy = screen.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.ends_with(&format!("; frame-src {}", app.acme.deploy_url)), "{policy}");
        browser.get(&path).await.shows(200, &format!("\n{text}</textarea>"));
    }
}

async fn typed_text_is_its_writers_own(database: &Database) {
    let app = spawn_app(database).await;
    let mut ada = writer(&app).await;
    let mut bob = Browser::of_member(&app, app.acme.id, "bob@example.com", Role::Owner).await;
    let path = at(&app, "pages/new");
    let hidden = hidden(&ada.get(&path).await);
    ada.post(&format!("{path}/autosave"), &typed(&hidden, "Ada's", "1")).await;
    bob.get(&path).await.shows(200, "class=\"restored\" hidden");
    bob.post(&format!("{path}/discard"), &[("form", &hidden[1].1)]).await;
    ada.get(&path).await.shows(200, "\nAda&#39;s</textarea>");
}

async fn a_restored_form_does_not_overwrite_a_newer_page(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = app.client.page(json!({"title": "Typed", "content": "before"})).await;
    let path = at(&app, &format!("pages/{}", page["id"].as_str().unwrap()));
    let before = hidden(&browser.get(&path).await);
    browser.post(&format!("{path}/autosave"), &typed(&before, "typed", "1")).await;
    app.client.page(json!({"slug": "typed", "content": "meanwhile"})).await;
    let restored = hidden(&browser.get(&path).await);
    assert_eq!(restored[0], before[0], "it was typed on the older version");
    let refused = browser.post(&path, &typed(&restored, "typed", "2")).await;
    refused.shows(409, "meanwhile</pre>").shows(409, "\ntyped</textarea>");
    assert_eq!(app.stored(&page).await["content"], "meanwhile");
}

async fn params_have_fields_of_their_own(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let params = json!({"weight": 3, "nav": true, "author": ["Ada", "Bob"], "mine": {"a": 1}});
    let page = app.client.page(json!({"title": "Typed", "params": params})).await;
    let path = at(&app, &format!("pages/{}", page["id"].as_str().unwrap()));
    let form = browser.get(&path).await;
    assert_eq!((value(&form, "param.weight"), value(&form, "param.author")), ("3".into(), "Ada, Bob".into()));
    form.shows(200, "name=\"param.nav\" value=\"yes\" checked");
    form.shows(200, "\n{&#34;mine&#34;:{&#34;a&#34;:1}}</textarea>");
    let hidden = hidden(&form);
    let fields = [
        ("param.weight", "4"),
        ("param.toc", "no"),
        ("param.aliases", "/old\r\n/older\r\n"),
        ("params", r#"{"mine":{"a":1}}"#),
    ];
    let wrong = [&typed(&hidden, "", "1")[..], &fields, &[("param.weight", "first")]].concat();
    let wrong: Vec<_> = wrong.into_iter().filter(|field| *field != ("param.weight", "4")).collect();
    browser.post(&path, &wrong).await.shows(400, "id=\"param.weight-error\"").shows(400, "<details open>");
    let right = [&typed(&hidden, "", "1")[..], &fields].concat();
    browser.post(&path, &right).await.redirects_to(&at(&app, "pages?done=saved"));
    let expected = json!({"weight": 4, "toc": false, "aliases": ["/old", "/older"], "mine": {"a": 1}});
    assert_eq!(app.stored(&page).await["params"], expected);
}

async fn titles(browser: &mut Browser, path: &str) -> Vec<String> {
    let screen = browser.get(path).await;
    assert_eq!(screen.status, 200, "{}", screen.html);
    let rows = screen.html.split("aria-label=\"Choose ").skip(1);
    rows.filter_map(|row| row.split_once('"'))
        .map(|(title, _)| title.to_owned())
        .filter(|t| t != "all")
        .collect()
}

async fn a_list_is_filtered_and_sorted(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    for page in [
        json!({"title": "Zebra", "publishedAt": "2020-01-01"}),
        json!({"title": "apple", "draft": true, "publishedAt": "2021-01-01"}),
        json!({"title": "Mango", "publishedAt": "2031-01-01"}),
    ] {
        app.client.page(page).await;
        app.advance(std::time::Duration::from_secs(1));
    }
    for (query, expected) in [
        ("", &["Mango", "apple", "Zebra"][..]),
        ("sort=title", &["apple", "Mango", "Zebra"]),
        ("sort=published", &["Mango", "apple", "Zebra"]),
        ("state=draft", &["apple"]),
        ("state=scheduled&sort=title", &["Mango"]),
        ("state=published", &["Zebra"]),
        ("q=ANG", &["Mango"]),
        ("q=apple&state=published", &[]),
        ("type=docs&sort=title", &[]),
        ("sort=nonsense&state=nonsense&cursor=nonsense", &["Mango", "apple", "Zebra"]),
    ] {
        assert_eq!(titles(&mut browser, &at(&app, &format!("pages?{query}"))).await, expected, "{query}");
    }
    let pages: Vec<Value> = (0..120).map(|n| json!({"title": format!("Page {n:03}")})).collect();
    assert_eq!(app.client.pages(json!(pages)).await.status, 200);
    let (mut path, mut seen) = (at(&app, "pages?sort=title&q=page"), Vec::new());
    loop {
        seen.extend(titles(&mut browser, &path).await);
        let screen = browser.get(&path).await;
        if !screen.html.contains(">Next</a>") {
            break;
        }
        path = screen.between("<p class=\"more\"><a href=\"", "\"").replace("&#38;", "&");
    }
    let expected: Vec<String> = (0..120).map(|n| format!("Page {n:03}")).collect();
    assert_eq!(seen, expected);
}

async fn several_pages_are_deleted_moved_and_tagged_at_once(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let mut fields = Vec::new();
    for title in ["One", "Two"] {
        let page = app.client.page(json!({"title": title, "tags": ["old"]})).await;
        fields.push((format!("page.{}", page["id"].as_str().unwrap()), "yes"));
    }
    let kept = app.client.page(json!({"title": "Three"})).await;
    let chosen: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let with = |name: &'static str, value: &'static str| [&chosen[..], &[(name, value)]].concat();

    browser.post(&at(&app, "pages/bulk"), &[("do", "delete")]).await.shows(400, "at least one page");
    let ask = browser.post(&at(&app, "pages/bulk"), &with("do", "move")).await;
    ask.shows(200, ">Section</label>").shows(200, ">Move</button>").shows(200, "One").shows(200, "Two");
    let wrong = browser.post(&at(&app, "pages/bulk/move"), &with("section", "not/one")).await;
    wrong.shows(400, "Nothing was changed").shows(400, "value=\"not/one\"");
    let moved = browser.post(&at(&app, "pages/bulk/move"), &with("section", "Guides")).await;
    moved.redirects_to(&at(&app, "pages?done=moved"));
    let tagged = browser.post(&at(&app, "pages/bulk/tag"), &with("tag", "new")).await;
    tagged.redirects_to(&at(&app, "pages?done=tagged"));
    let pages = app.client.list().await;
    for page in pages.as_array().unwrap().iter().filter(|page| page["id"] != kept["id"]) {
        assert_eq!((&page["section"], &page["tags"]), (&json!("guides"), &json!(["old", "new"])));
    }
    browser.post(&at(&app, "pages/bulk"), &with("do", "delete")).await.shows(200, "Delete 2 pages?");
    let deleted = browser.post(&at(&app, "pages/bulk/delete"), &chosen).await;
    deleted.redirects_to(&at(&app, "pages?done=deleted"));
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 1);
}

async fn a_deleted_page_is_restored(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let page = app.client.page(json!({"title": "Back", "content": "text"})).await;
    browser.get(&at(&app, "pages/trash")).await.shows(200, "The trash is empty");
    app.client.delete("/pages/back?contentType=blog").await;
    browser.get(&at(&app, "pages/trash")).await.shows(200, "<td>Back</td>").shows(200, ">Restore</button>");
    let path = at(&app, &format!("pages/{}/restore", page["id"].as_str().unwrap()));
    let other = app.client.page(json!({"title": "Back"})).await;
    browser.post(&path, &[]).await.shows(400, "has its slug by now");
    app.client.page(json!({"id": other["id"], "slug": "other"})).await;
    browser.post(&path, &[]).await.redirects_to(&at(&app, "pages/trash?done=restored"));
    assert_eq!(app.stored(&page).await["content"], "text");
    assert_eq!(browser.post(&path, &[]).await.status, 404);
}

async fn one_file_is_uploaded_for_a_text(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    let path = at(&app, "media/add");
    let added = browser.upload(&path, "my notes.txt", "words").await;
    assert_eq!(added.status, 200, "{}", added.html);
    let added: Value = serde_json::from_str(&added.html).unwrap();
    let markdown = added["markdown"].as_str().unwrap();
    assert!(markdown.starts_with("[my-notes](/media/") && markdown.ends_with(".txt)"), "{markdown}");
    browser.upload(&path, "a.exe", "x").await.shows(400, "no supported type");
}

/// The size of a response as a browser gets it.
async fn transferred(browser: &mut Browser, path: &str) -> usize {
    let request = browser.request(reqwest::Method::GET, path).header("accept-encoding", "gzip");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.bytes().await.unwrap().len()
}

async fn scripts_are_small_and_their_own(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = writer(&app).await;
    for n in 0..60 {
        app.client.page(json!({"title": format!("Page {n}")})).await;
    }
    let form = browser.get(&at(&app, "pages/new")).await;
    let policy = form.headers["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe"), "{policy}");
    assert!(!form.html.contains("<script>") && !form.html.contains(" onclick"), "{}", form.html);
    let editor = form.between("<meta name=\"editor\" content=\"", "\"");
    for (path, most) in [("pages", 60_000), ("media", 60_000), ("pages/new", 250_000)] {
        let screen = browser.get(&at(&app, path)).await;
        let mut bytes = transferred(&mut browser, &at(&app, path)).await;
        let scripts =
            screen.html.split("src=\"/dashboard/").skip(1).map(|rest| rest.split('"').next().unwrap());
        let mut assets: Vec<String> = scripts.map(|path| format!("/dashboard/{path}")).collect();
        assets.push(screen.between("<link rel=\"stylesheet\" href=\"", "\""));
        assets.extend((path == "pages/new").then(|| editor.clone()));
        for asset in assets {
            bytes += transferred(&mut browser, &asset).await;
            let cached = browser.get(&asset).await;
            assert!(cached.headers["cache-control"].to_str().unwrap().contains("immutable"), "{asset}");
        }
        assert!(bytes < most, "{path}: {bytes} bytes");
    }
    assert_eq!(browser.get("/dashboard/assets/other.js").await.status, 404);
}
