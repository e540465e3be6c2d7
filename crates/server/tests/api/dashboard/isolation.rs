//! Who may reach which screen: strangers, members of other accounts, writers.

use model::{Role, SiteId};
use serde_json::json;
use testing::Database;

use super::browser::Browser;
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    another_accounts_site_looks_like_one_that_does_not_exist,
    ids_of_another_account_are_unknown_at_the_own_site,
    a_writer_cannot_reach_what_is_for_owners,
    without_a_session_every_screen_asks_to_sign_in,
    unknown_addresses_and_methods_are_refused,
);

const UNKNOWN: &str = "019a0000-0000-7000-8000-000000000000";

/// Every route below a site: method, path, whether it is for owners. `{page}` and so on are ids of the account.
const ROUTES: [(&str, &str, bool); 58] = [
    ("GET", "pages", false),
    ("GET", "pages/new", false),
    ("POST", "pages/new", false),
    ("GET", "pages/{page}", false),
    ("POST", "pages/{page}", false),
    ("GET", "pages/{page}/delete", false),
    ("POST", "pages/{page}/delete", false),
    ("POST", "pages/new/autosave", false),
    ("POST", "pages/new/preview", false),
    ("POST", "pages/new/discard", false),
    ("POST", "pages/{page}/autosave", false),
    ("POST", "pages/{page}/preview", false),
    ("POST", "pages/{page}/discard", false),
    ("POST", "pages/{page}/restore", false),
    ("POST", "pages/bulk", false),
    ("POST", "pages/bulk/delete", false),
    ("POST", "pages/bulk/move", false),
    ("POST", "pages/bulk/tag", false),
    ("GET", "pages/trash", false),
    ("POST", "media/add", false),
    ("GET", "media", false),
    ("POST", "media", false),
    ("GET", "media/delete?url={url}", false),
    ("POST", "media/delete", false),
    ("GET", "builds", false),
    ("POST", "builds", false),
    ("GET", "builds/1/roll-back", false),
    ("POST", "builds/1/roll-back", false),
    ("GET", "builds/1", false),
    ("GET", "builds/events", false),
    ("GET", "builds/page?url=/blog/secret", false),
    ("GET", "usage", false),
    ("GET", "domains", true),
    ("POST", "domains", true),
    ("GET", "domains/{host}/remove", true),
    ("POST", "domains/{host}/remove", true),
    ("GET", "password", true),
    ("POST", "password", true),
    ("GET", "password/remove", true),
    ("POST", "password/remove", true),
    ("GET", "redirects", true),
    ("GET", "more", true),
    ("GET", "export", true),
    ("POST", "delete", true),
    ("GET", "audit", true),
    ("GET", "audit.csv", true),
    ("GET", "audit.jsonl", true),
    ("GET", "settings", true),
    ("POST", "settings", true),
    ("GET", "tokens", true),
    ("POST", "tokens", true),
    ("GET", "tokens/{token}/revoke", true),
    ("POST", "tokens/{token}/revoke", true),
    ("GET", "members", true),
    ("POST", "members", true),
    ("POST", "members/{user}/role", true),
    ("GET", "members/{user}/remove", true),
    ("POST", "members/{user}/remove", true),
];

/// Of Acme.
const HOST: &str = "docs.example.com";

/// Acme with a page that was built, and the ids of what it has.
struct Victim {
    page: String,
    user: String,
    before: Vec<String>,
}

impl Victim {
    async fn of(app: &App<'_>) -> Victim {
        let page = app.client.page(json!({"title": "Secret", "content": "secret"})).await;
        let site = app.publisher.site_find(&app.acme.site).await.unwrap();
        app.publisher.site_build(&site).await.unwrap();
        assert!(app.publisher.run_next_build().await.unwrap());
        app.publisher.domain_add(&site, HOST).await.unwrap();
        Browser::of_member(app, app.acme.id, "owner@example.com", Role::Owner).await;
        let members = app.publisher.member_list(app.acme.id).await.unwrap();
        let user = members[0].user.to_string();
        Victim { page: page["id"].as_str().unwrap().to_owned(), user, before: state(app).await }
    }

    fn fill(&self, app: &App, path: &str) -> String {
        let url = format!("/media/{}/a.txt", "0".repeat(32));
        let path = path.replace("{page}", &self.page).replace("{url}", &url);
        path.replace("{token}", &app.acme.token_id.to_string())
            .replace("{user}", &self.user)
            .replace("{host}", HOST)
    }
}

/// What must not change.
async fn state(app: &App<'_>) -> Vec<String> {
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    let mut state = vec![app.client.list().await.to_string()];
    state.push(format!("{:?}", app.publisher.site_settings(&site).await.unwrap()));
    state.push(format!("{:?}", app.publisher.member_list(app.acme.id).await.unwrap()));
    state.push(app.publisher.build_list(&site, 100).await.unwrap().len().to_string());
    state.push(format!("{:?}", app.publisher.domain_list(&site).await.unwrap()));
    state.push(app.publisher.site_is_protected(&site).await.unwrap().to_string());
    let tokens = app.publisher.tokens_of_account(app.acme.id).await.unwrap();
    state.extend(tokens.into_iter().map(|token| format!("{} {:?}", token.id, token.revoked_at)));
    state
}

async fn ask(browser: &mut Browser, method: &str, path: &str) -> (u16, String) {
    let fields = [
        ("title", "x"),
        ("contentType", "blog"),
        ("role", "owner"),
        ("email", "eve@example.com"),
        ("version", "1"),
        ("domain", "evil.example.com"),
        ("password", "evil"),
        ("name", "acme"),
    ];
    let seen = match (method, path.ends_with("/media")) {
        ("GET", _) => browser.get(path).await,
        (_, true) => browser.upload(path, "a.txt", "words").await,
        _ => browser.post(path, &fields).await,
    };
    (seen.status, seen.html)
}

async fn another_accounts_site_looks_like_one_that_does_not_exist(database: &Database) {
    let app = spawn_app(database).await;
    let (victim, other) = (Victim::of(&app).await, app.account("Other").await);
    let mut eve = Browser::of_member(&app, other.id, "eve@example.com", Role::Owner).await;
    assert!(SiteId::parse(UNKNOWN).is_some());
    for (method, path, _) in ROUTES {
        let path = victim.fill(&app, path);
        let theirs = ask(&mut eve, method, &format!("/dashboard/sites/{}/{path}", app.acme.site)).await;
        let unknown = ask(&mut eve, method, &format!("/dashboard/sites/{UNKNOWN}/{path}")).await;
        let nonsense = ask(&mut eve, method, &format!("/dashboard/sites/nonsense/{path}")).await;
        assert_eq!(theirs.0, 404, "{method} {path}");
        assert_eq!((&theirs, &theirs), (&unknown, &nonsense), "{method} {path}");
    }
    assert_eq!(state(&app).await, victim.before);
}

async fn ids_of_another_account_are_unknown_at_the_own_site(database: &Database) {
    let app = spawn_app(database).await;
    let (victim, other) = (Victim::of(&app).await, app.account("Other").await);
    let mut eve = Browser::of_member(&app, other.id, "eve@example.com", Role::Owner).await;
    for (method, path, _) in
        ROUTES.into_iter().filter(|(_, path, _)| path.contains('{') && !path.contains("{url}"))
    {
        let path = format!("/dashboard/sites/{}/{}", other.site, victim.fill(&app, path));
        assert_eq!(ask(&mut eve, method, &path).await.0, 404, "{method} {path}");
    }
    assert_eq!(state(&app).await, victim.before);
}

async fn a_writer_cannot_reach_what_is_for_owners(database: &Database) {
    let app = spawn_app(database).await;
    let mut writer = Browser::of_member(&app, app.acme.id, "writer@example.com", Role::Writer).await;
    let victim = Victim::of(&app).await;
    for (method, path, for_owners) in
        ROUTES.into_iter().filter(|(method, _, owners)| *owners || *method == "GET")
    {
        let path = format!("/dashboard/sites/{}/{}", app.acme.site, victim.fill(&app, path));
        let (status, html) = ask(&mut writer, method, &path).await;
        let expected = if path.contains("builds/page?") { 303 } else { 200 };
        assert_eq!(status, if for_owners { 403 } else { expected }, "{method} {path}");
        assert!(!html.contains("/tokens\"") && !html.contains("/members\""), "{method} {path}: {html}");
    }
    assert_eq!(state(&app).await, victim.before);
}

async fn without_a_session_every_screen_asks_to_sign_in(database: &Database) {
    let app = spawn_app(database).await;
    let (victim, mut stranger) = (Victim::of(&app).await, Browser::new(&app));
    for (method, path, _) in ROUTES {
        // A form with a page is kept: see `pages`.
        let is_kept = method == "POST" && ["pages/new", "pages/{page}"].contains(&path);
        let path = format!("/dashboard/sites/{}/{}", app.acme.site, victim.fill(&app, path));
        let expected = if is_kept { 401 } else { 303 };
        assert_eq!(ask(&mut stranger, method, &path).await.0, expected, "{method} {path}");
    }
    let others =
        ["", "/sites", "/sites/new", "/sessions", "/operator", "/operator/accounts", "/operator/state"];
    for path in others.map(|path| format!("/dashboard{path}")) {
        let path = path.as_str();
        let seen = stranger.get(path).await;
        assert!(seen.location().starts_with("/dashboard/sign-in?next="), "{path}: {seen:?}");
    }
    assert_eq!(state(&app).await, victim.before);
}

async fn unknown_addresses_and_methods_are_refused(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = Browser::of_member(&app, app.acme.id, "ada@example.com", Role::Owner).await;
    browser.get("/dashboard/nothing").await.shows(404, "<h1>Not found</h1>");
    browser
        .get(&format!("/dashboard/sites/{}/nothing", app.acme.site))
        .await
        .shows(404, "<h1>Not found</h1>");
    assert_eq!(browser.get("/dashboard/sign-out").await.status, 405);
    let json =
        browser.request(reqwest::Method::POST, "/dashboard/sign-in").header("sec-fetch-site", "same-origin");
    let json = json.header("content-type", "application/json").body("{}");
    assert_eq!(browser.send(json).await.status, 415);
    let long = format!("email={}", "a".repeat(4 << 20));
    let long = browser
        .request(reqwest::Method::POST, "/dashboard/sign-in")
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(long);
    assert_eq!(browser.send(long).await.status, 413);
}
