//! One-time links, passwords, sessions, and where forms may come from.

use std::time::Duration;

use model::{Email, Role};
use reqwest::Method;
use testing::Database;

use super::browser::{Browser, PASSWORD};
use crate::app::{App, Options, spawn_app, spawn_app_with};

testing::on_each_configuration!(
    a_link_may_be_opened_often_and_is_used_once,
    a_link_is_valid_for_a_day,
    a_new_password_ends_older_sessions_and_links,
    a_password_that_is_refused_does_not_use_up_the_link,
    a_wrong_password_looks_like_an_unknown_email,
    attempts_to_sign_in_are_limited_by_address_and_email,
    after_signing_in_a_person_returns_to_the_screen,
    sessions_are_listed_and_ended,
    a_session_ends_when_it_is_not_used,
    forms_of_other_origins_are_refused,
    cookies_are_for_https_only_where_the_dashboard_is,
    every_screen_forbids_foreign_scripts_frames_and_caching,
);

const EMAIL: &str = "ada@example.com";

async fn link(app: &App<'_>) -> model::Secret {
    let email = Email::parse(EMAIL).unwrap();
    app.publisher.user_create(email, app.acme.id, Role::Owner, false).await.unwrap().link
}

async fn a_link_may_be_opened_often_and_is_used_once(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    let path = format!("/dashboard/link?key={}", link.as_str());
    for _ in 0..2 {
        browser.get(&path).await.shows(200, "Set password").shows(200, EMAIL);
    }
    browser.choose_password(&link, PASSWORD).await;
    browser.get("/dashboard").await.redirects_to(&format!("/dashboard/sites/{}/pages", app.acme.site));
    browser.get(&path).await.shows(410, "Ask for another one");
    let fields = [("key", link.as_str()), ("password", "another password"), ("repeat", "another password")];
    assert_eq!(browser.post("/dashboard/link", &fields).await.status, 410);
    browser.post("/dashboard/sign-out", &[]).await.redirects_to("/dashboard/sign-in");
    browser.sign_in(EMAIL, PASSWORD).await.redirects_to("/dashboard");
    browser.get("/dashboard/link?key=nonsense").await.shows(410, "Ask for another one");
}

async fn a_link_is_valid_for_a_day(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    let path = format!("/dashboard/link?key={}", link.as_str());
    app.advance(Duration::from_secs(24 * 3600 - 1));
    browser.get(&path).await.shows(200, "Set password");
    app.advance(Duration::from_secs(1));
    browser.get(&path).await.shows(410, "24 hours");
    let fields = [("key", link.as_str()), ("password", PASSWORD), ("repeat", PASSWORD)];
    assert_eq!(browser.post("/dashboard/link", &fields).await.status, 410);
}

async fn a_new_password_ends_older_sessions_and_links(database: &Database) {
    let app = spawn_app(database).await;
    let (first, mut old) = (link(&app).await, Browser::new(&app));
    old.choose_password(&first, PASSWORD).await;
    let email = || Email::parse(EMAIL).unwrap();
    let other = app.publisher.user_link(email()).await.unwrap();
    let used = app.publisher.user_link(email()).await.unwrap();
    let mut new = Browser::new(&app);
    new.choose_password(&used, "another password").await;
    assert_eq!(new.get("/dashboard/sites").await.status, 200);
    old.get("/dashboard/sites").await.redirects_to("/dashboard/sign-in?next=%2Fdashboard%2Fsites");
    assert_eq!(old.get(&format!("/dashboard/link?key={}", other.as_str())).await.status, 410);
    assert_eq!(old.sign_in(EMAIL, PASSWORD).await.status, 401);
}

async fn a_password_that_is_refused_does_not_use_up_the_link(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    let check = [("too short", "too short", "at least 10"), ("long enough", "long enougj", "differ")];
    for (password, repeat, why) in check {
        let fields = [("key", link.as_str()), ("password", password), ("repeat", repeat)];
        browser.post("/dashboard/link", &fields).await.shows(400, why);
    }
    browser.choose_password(&link, PASSWORD).await;
}

async fn a_wrong_password_looks_like_an_unknown_email(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    browser.choose_password(&link, PASSWORD).await;
    let mut other = Browser::new(&app);
    let wrong = other.sign_in(EMAIL, "wrong").await;
    let unknown = other.sign_in("eve@example.com", "wrong").await;
    assert_eq!((wrong.status, unknown.status), (401, 401));
    assert_eq!(wrong.html.replace(EMAIL, ""), unknown.html.replace("eve@example.com", ""));
    other.get("/dashboard/sites").await.redirects_to("/dashboard/sign-in?next=%2Fdashboard%2Fsites");
}

async fn attempts_to_sign_in_are_limited_by_address_and_email(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    browser.choose_password(&link, PASSWORD).await;
    let mut guesser = Browser::new(&app);
    for _ in 0..10 {
        assert_eq!(guesser.sign_in(EMAIL, "wrong").await.status, 401);
    }
    let refused = guesser.sign_in(" ADA@example.com", PASSWORD).await;
    assert_eq!((refused.status, &refused.headers["retry-after"]), (429, &"60".parse().unwrap()));
    assert_eq!(guesser.sign_in("eve@example.com", "wrong").await.status, 401);
    app.advance(Duration::from_secs(61));
    guesser.sign_in(EMAIL, PASSWORD).await.redirects_to("/dashboard");
}

async fn after_signing_in_a_person_returns_to_the_screen(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    browser.choose_password(&link, PASSWORD).await;
    let mut other = Browser::new(&app);
    let path = format!("/dashboard/sites/{}/pages?q=a%20b", app.acme.site);
    let form = other.get(&path).await.location().to_owned();
    let next = other.get(&form).await.between("name=\"next\" value=\"", "\"").replace("&#38;", "&");
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", &next)];
    other.post("/dashboard/sign-in", &fields).await.redirects_to(&path);
    let evil = [("email", EMAIL), ("password", PASSWORD), ("next", "//evil.example")];
    other.post("/dashboard/sign-in", &evil).await.redirects_to("/dashboard");
}

async fn sessions_are_listed_and_ended(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    browser.choose_password(&link, PASSWORD).await;
    let mut other = Browser::new(&app);
    app.advance(Duration::from_secs(5));
    other.sign_in(EMAIL, PASSWORD).await;
    let list = browser.get("/dashboard/sessions").await;
    assert_eq!(list.html.matches("/end\"").count(), 2, "{}", list.html);
    // The newest use is first: the other browser's.
    let end = list.between("action=\"/dashboard/sessions/", "\"");
    let mut stranger = Browser::of_member(&app, app.acme.id, "bob@example.com", Role::Owner).await;
    assert_eq!(stranger.post(&format!("/dashboard/sessions/{end}"), &[]).await.status, 404);
    let ended = browser.post(&format!("/dashboard/sessions/{end}"), &[]).await;
    ended.redirects_to("/dashboard/sessions?done=ended");
    assert_eq!(other.get("/dashboard/sites").await.status, 303);
    assert_eq!(browser.get("/dashboard/sites").await.status, 200);
}

async fn a_session_ends_when_it_is_not_used(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    browser.choose_password(&link, PASSWORD).await;
    for _ in 0..2 {
        app.advance(Duration::from_secs(29 * 24 * 3600));
        assert_eq!(browser.get("/dashboard/sites").await.status, 200);
    }
    app.advance(Duration::from_secs(31 * 24 * 3600));
    assert_eq!(browser.get("/dashboard/sites").await.status, 303);
}

async fn forms_of_other_origins_are_refused(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    browser.choose_password(&link, PASSWORD).await;
    let own = format!("http://{}", app.address);
    let check = [
        ("x-none", "", 403),
        ("sec-fetch-site", "same-site", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("origin", "null", 403),
        ("origin", "http://evil.example", 403),
        ("origin", own.as_str(), 303),
        ("sec-fetch-site", "same-origin", 303),
    ];
    let path = format!("/dashboard/sites/{}/pages/new", app.acme.site);
    for (number, (header, value, status)) in check.into_iter().enumerate() {
        let request = browser
            .request(Method::POST, &path)
            .header(header, value)
            .header("content-type", "application/x-www-form-urlencoded");
        let body = format!("title=Page+{number}&contentType=blog");
        assert_eq!(browser.send(request.body(body)).await.status, status, "{header}: {value}");
    }
    assert_eq!(app.client.list().await.as_array().unwrap().len(), 2);
}

async fn cookies_are_for_https_only_where_the_dashboard_is(database: &Database) {
    let options = Options { url: "https://recto.example.com", ..Options::default() };
    let app = spawn_app_with(database, options).await;
    let link = link(&app).await;
    let fields = [("key", link.as_str()), ("password", PASSWORD), ("repeat", PASSWORD)];
    let mut browser = Browser::new(&app);
    let seen = browser.post("/dashboard/link", &fields).await;
    let cookie = seen.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-recto_session="), "{cookie}");
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Secure"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(browser.get("/dashboard/sites").await.status, 200);
}

async fn every_screen_forbids_foreign_scripts_frames_and_caching(database: &Database) {
    let app = spawn_app(database).await;
    let (link, mut browser) = (link(&app).await, Browser::new(&app));
    let paths = ["/dashboard/sign-in", "/dashboard/nothing", "/dashboard/link?key=x"];
    let mut seen = Vec::new();
    for path in paths {
        seen.push(browser.get(path).await);
    }
    browser.choose_password(&link, PASSWORD).await;
    seen.push(browser.get(&format!("/dashboard/sites/{}/pages", app.acme.site)).await);
    for seen in seen {
        let policy = seen.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(seen.headers["cache-control"], "no-store");
        let [all, own] = ["<script", " src=\"/dashboard/assets/"].map(|text| seen.html.matches(text).count());
        assert_eq!(all, own, "{}", seen.html);
        assert!(!seen.html.contains(" style="), "{}", seen.html);
    }
    let style = browser.get("/dashboard/assets/style.css").await;
    assert!(
        style.html.contains("@font-face") && style.html.contains("/assets/fonts/sans."),
        "{}",
        style.html
    );
}
