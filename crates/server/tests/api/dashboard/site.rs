//! A site's domains, password, redirects, export and deletion, and new sites.

use std::collections::BTreeSet;
use std::io::Read;
use std::time::Duration;

use model::Role;
use serde_json::json;
use testing::Database;

use super::browser::Browser;
use crate::app::{App, Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    domains_are_added_checked_and_removed,
    a_site_gets_a_password_and_loses_it,
    redirects_of_moved_pages_are_listed,
    a_site_is_exported_as_an_archive,
    a_site_that_was_never_built_is_not_exported,
    a_site_is_deleted_by_its_name_only,
    an_owner_creates_a_site_if_the_plan_allows_it,
    the_accent_is_shown_while_it_is_typed,
);

async fn owner(app: &App<'_>) -> Browser {
    Browser::of_member(app, app.acme.id, "ada@example.com", Role::Owner).await
}

fn at(app: &App, path: &str) -> String {
    format!("/dashboard/sites/{}/{path}", app.acme.site)
}

async fn rebuild(app: &App<'_>) {
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    app.publisher.site_build(&site).await.unwrap();
    assert!(app.publisher.run_next_build().await.unwrap());
    app.advance(Duration::from_secs(1));
}

async fn domains_are_added_checked_and_removed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let (path, site) = (at(&app, "domains"), app.publisher.site_find(&app.acme.site).await.unwrap());
    browser.get(&path).await.shows(200, "No domains yet").shows(200, "acme.localhost");
    browser
        .post(&path, &[("domain", "not a domain")])
        .await
        .shows(400, "is no domain")
        .shows(400, "value=\"not a domain\"");
    browser.post(&path, &[("domain", "10.0.0.1")]).await.shows(400, "is no domain");
    browser.post(&path, &[("domain", "acme.localhost")]).await.shows(400, "address of this server already");
    // A name that no name server knows.
    let added = browser.post(&path, &[("domain", "Docs.Recto.Invalid")]).await;
    added.redirects_to(&at(&app, "domains?check=docs.recto.invalid&done=domain-added"));
    assert_eq!(app.publisher.domain_list(&site).await.unwrap(), ["docs.recto.invalid"]);
    let unchecked = browser.get(&path).await;
    unchecked.shows(200, "not checked").shows(200, "href=\"https://docs.recto.invalid\"");
    let checked = browser.get(&format!("{path}?check=docs.recto.invalid")).await;
    checked.shows(200, "no proxy has asked");
    let answers = ["No address was found", "did not answer in time"];
    assert!(answers.iter().any(|answer| checked.html.contains(answer)), "{}", checked.html);
    // Only the site's own domains are looked up.
    let foreign = browser.get(&format!("{path}?check=localhost")).await;
    foreign.shows(200, "not checked");
    assert_eq!(browser.get("/tls/ask?domain=docs.recto.invalid").await.status, 200);
    let checked = browser.get(&format!("{path}?check=docs.recto.invalid")).await;
    checked.shows(200, "was allowed to request a certificate, last on 2026-01-02 03:04");
    let other = app.account("Other").await;
    let other = app.publisher.site_find(&other.site).await.unwrap();
    app.publisher.domain_add(&other, "other.example.com").await.unwrap();
    browser.post(&path, &[("domain", "other.example.com")]).await.shows(400, "belongs to a site already");
    assert_eq!(browser.post(&at(&app, "domains/other.example.com/remove"), &[]).await.status, 404);
    let remove = at(&app, "domains/docs.recto.invalid/remove");
    browser.get(&remove).await.shows(200, ">Remove</button>");
    browser.post(&remove, &[]).await.redirects_to(&at(&app, "domains?done=domain-removed"));
    assert!(app.publisher.domain_list(&site).await.unwrap().is_empty());
}

async fn a_site_gets_a_password_and_loses_it(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let (path, site) = (at(&app, "password"), app.publisher.site_find(&app.acme.site).await.unwrap());
    browser.get(&path).await.shows(200, "Everyone can read the site").shows(200, ">Set password</button>");
    browser.post(&path, &[("password", "")]).await.shows(400, "A password has 1 to 1000 bytes");
    browser
        .post(&path, &[("password", "open sesame")])
        .await
        .redirects_to(&at(&app, "password?done=protected"));
    assert!(app.publisher.site_is_protected(&site).await.unwrap());
    let screen = browser.get(&path).await;
    screen.shows(200, "Visitors need a password").shows(200, ">Remove password</button>");
    assert!(!screen.html.contains("open sesame"));
    let remove = at(&app, "password/remove");
    browser.get(&remove).await.shows(200, ">Remove password</button>");
    browser.post(&remove, &[]).await.redirects_to(&at(&app, "password?done=public"));
    assert!(!app.publisher.site_is_protected(&site).await.unwrap());
}

async fn redirects_of_moved_pages_are_listed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    browser.get(&at(&app, "redirects")).await.shows(200, "No redirects");
    let page = json!({"title": "Here", "params": {"aliases": ["/elsewhere"]}});
    let page = app.client.page(page).await;
    let about = json!({"title": "About", "contentType": "standalone"});
    app.client.page(about).await;
    rebuild(&app).await;
    app.client.page(json!({"id": page["id"], "slug": "there"})).await;
    rebuild(&app).await;
    let screen = browser.get(&at(&app, "redirects")).await;
    let link = at(&app, "builds/page?url=%2Fblog%2Fthere");
    for former in ["/blog/here", "/elsewhere"] {
        screen.shows(200, &format!("<td><code>{former}</code></td><td><a href=\"{link}\">"));
    }
    assert!(!screen.html.contains("/standalone/about"), "{}", screen.html);
}

async fn a_site_is_exported_as_an_archive(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let long = "a".repeat(90);
    let page =
        json!({"title": "One", "slug": long, "section": long, "contentType": "docs", "content": "Words"});
    app.client.page(page).await;
    browser.upload(&at(&app, "media"), "a.txt", "some words").await;
    rebuild(&app).await;
    let request = browser.request(reqwest::Method::GET, &at(&app, "export"));
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-disposition"], "attachment; filename=\"acme.tar.gz\"");
    let bytes = response.bytes().await.unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
    let (mut names, mut texts) = (BTreeSet::new(), String::new());
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".txt") || name.ends_with("index.html") {
            entry.read_to_string(&mut texts).unwrap();
        }
        assert!(names.insert(name.clone()), "{name} is there twice");
    }
    let page = format!("docs/{long}/{long}/index.html");
    for name in ["index.html", "404.html", "sitemap.xml", &page] {
        assert!(names.contains(name), "{name} is not in {names:?}");
    }
    assert!(names.iter().any(|name| name.starts_with("media/") && name.ends_with("/a.txt")), "{names:?}");
    assert!(texts.contains("some words") && texts.contains("<p>Words</p>"), "{texts}");
}

async fn a_site_that_was_never_built_is_not_exported(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    browser.get(&at(&app, "export")).await.shows(409, "The site was never built");
}

async fn a_site_is_deleted_by_its_name_only(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    browser.get(&at(&app, "more")).await.shows(200, ">Delete site</button>");
    for name in ["", "Acme", "other"] {
        let refused = browser.post(&at(&app, "delete"), &[("name", name)]).await;
        refused.shows(400, "Type the name of the site");
    }
    assert!(app.publisher.site_find("acme").await.is_ok());
    let deleted = browser.post(&at(&app, "delete"), &[("name", "acme")]).await;
    deleted.redirects_to("/dashboard/sites?done=site-deleted");
    browser.get("/dashboard/sites?done=site-deleted").await.shows(200, "The site has been deleted");
    assert_eq!(browser.get(&at(&app, "pages")).await.status, 404);
    // What is left of it goes with the upkeep.
    app.publisher.upkeep().await.unwrap();
    assert!(app.publisher.site_find("acme").await.is_err());
}

async fn an_owner_creates_a_site_if_the_plan_allows_it(database: &Database) {
    let app = spawn_app_with(database, Options { plan: "free", ..Options::default() }).await;
    let mut browser = owner(&app).await;
    let account = app.acme.id.to_string();
    let fields = |name: &'static str| [("name", name), ("account", account.as_str())];
    browser.get("/dashboard/sites").await.shows(200, "href=\"/dashboard/sites/new\"");
    browser.get("/dashboard/sites/new").await.shows(200, ">Create site</button>").shows(200, &account);
    browser.post("/dashboard/sites/new", &fields("No Name!")).await.shows(400, "value=\"No Name!\"");
    browser.post("/dashboard/sites/new", &fields("acme")).await.shows(400, "is taken");
    for name in ["second", "third"] {
        let created = browser.post("/dashboard/sites/new", &fields(name)).await;
        let site = app.publisher.site_find(name).await.unwrap();
        created.redirects_to(&format!("/dashboard/sites/{}/pages", site.id));
        assert_eq!(site.account, app.acme.id);
    }
    browser.post("/dashboard/sites/new", &fields("fourth")).await.shows(400, "The plan allows 3 sites");
    assert!(app.publisher.site_find("fourth").await.is_err());
    // A writer may not, and an account of others does not exist.
    let mut writer = Browser::of_member(&app, app.acme.id, "bob@example.com", Role::Writer).await;
    assert_eq!(writer.get("/dashboard/sites/new").await.status, 403);
    assert_eq!(writer.post("/dashboard/sites/new", &fields("fifth")).await.status, 404);
    let other = app.account("Other").await.id.to_string();
    let foreign = browser.post("/dashboard/sites/new", &[("name", "sixth"), ("account", &other)]).await;
    assert_eq!(foreign.status, 404);
    assert!(app.publisher.site_find("sixth").await.is_err());
}

async fn the_accent_is_shown_while_it_is_typed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let screen = browser.get(&at(&app, "settings")).await;
    screen.shows(200, "id=\"preview\" class=\"sample\" data-name=\"acme\" hidden");
    let script = browser.get(&screen.between("type=\"module\" src=\"", "\"")).await;
    script.shows(200, "--accent");
    let policy = screen.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
}
