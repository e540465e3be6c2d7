//! What operators see of all accounts, and that others do not.

use std::time::Duration;

use model::{Email, Role};
use testing::Database;

use super::browser::{Browser, PASSWORD};
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    the_operators_screens_do_not_exist_for_others,
    accounts_are_listed_and_found,
    a_plan_is_changed,
    an_account_is_suspended_and_resumed,
    the_queue_shows_what_waits,
    the_state_is_what_doctor_reports,
);

const UNKNOWN: &str = "019a0000-0000-7000-8000-000000000000";

async fn operator(app: &App<'_>) -> Browser {
    let (account, email) = (app.account("Operators").await, Email::parse("op@example.com").unwrap());
    let made = app.publisher.user_create(email, account.id, Role::Writer, true).await.unwrap();
    let mut browser = Browser::new(app);
    browser.choose_password(&made.link, PASSWORD).await;
    browser
}

fn at(app: &App, rest: &str) -> String {
    format!("/dashboard/operator/accounts/{}{rest}", app.acme.id)
}

async fn the_operators_screens_do_not_exist_for_others(database: &Database) {
    let app = spawn_app(database).await;
    let mut owner = Browser::of_member(&app, app.acme.id, "ada@example.com", Role::Owner).await;
    let missing = owner.get("/dashboard/nothing").await;
    for path in ["", "/accounts", "/queue", "/state"] {
        let seen = owner.get(&format!("/dashboard/operator{path}")).await;
        assert_eq!((seen.status, &seen.html), (404, &missing.html), "{path}");
    }
    for (method, rest) in
        [("GET", ""), ("POST", "/plan"), ("GET", "/suspend"), ("POST", "/suspend"), ("POST", "/resume")]
    {
        let seen = match method {
            "GET" => owner.get(&at(&app, rest)).await,
            _ => owner.post(&at(&app, rest), &[("plan", "free")]).await,
        };
        assert_eq!((seen.status, &seen.html), (404, &missing.html), "{method} {rest}");
    }
    let account = app.publisher.account_show(app.acme.id).await.unwrap();
    assert_eq!((account.plan.as_str(), account.suspended_at), ("pro", None));
    assert!(!owner.get("/dashboard/sites").await.html.contains("/dashboard/operator"));
}

async fn accounts_are_listed_and_found(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = operator(&app).await;
    for number in 0..50 {
        app.account(&format!("Numbered {number}")).await;
    }
    browser.get("/dashboard/sites").await.shows(200, "href=\"/dashboard/operator\"");
    browser.get("/dashboard/operator").await.redirects_to("/dashboard/operator/accounts");
    let first = browser.get("/dashboard/operator/accounts").await;
    let next = first.between("class=\"more\"><a href=\"", "\"").replace("&#38;", "&");
    let second = browser.get(&next).await;
    let rows = |html: &str| html.matches("<td><a href=\"/dashboard/operator/accounts/").count();
    assert_eq!((rows(&first.html), rows(&second.html)), (50, 2));
    let found = browser.get("/dashboard/operator/accounts?q=bered%2049").await;
    found.shows(200, ">Numbered 49</a>");
    assert_eq!(rows(&found.html), 1);
    let found = browser.get(&format!("/dashboard/operator/accounts?q={}", app.acme.id)).await;
    found.shows(200, ">Acme</a>");
    browser.get("/dashboard/operator/accounts?q=nothing").await.shows(200, "No account matches");
}

async fn a_plan_is_changed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = operator(&app).await;
    browser.get(&at(&app, "")).await.shows(200, "0 of 250000").shows(200, "/pages\">acme</a>");
    let refused = browser.post(&at(&app, "/plan"), &[("plan", "golden")]).await;
    refused.shows(400, "There is no plan &#34;golden&#34;");
    browser.post(&at(&app, "/plan"), &[("plan", "free")]).await.redirects_to(&at(&app, "?done=changed"));
    assert_eq!(app.publisher.account_show(app.acme.id).await.unwrap().plan, "free");
    let unknown = format!("/dashboard/operator/accounts/{UNKNOWN}");
    assert_eq!(browser.get(&unknown).await.status, 404);
    assert_eq!(browser.post(&format!("{unknown}/plan"), &[("plan", "free")]).await.status, 404);
}

async fn an_account_is_suspended_and_resumed(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = operator(&app).await;
    browser.get(&at(&app, "/suspend")).await.shows(200, "Suspend “Acme”?").shows(200, ">Suspend</button>");
    browser.post(&at(&app, "/suspend"), &[]).await.redirects_to(&at(&app, "?done=changed"));
    assert_eq!(app.client.get("/pages").await.status, 403);
    browser.get(&at(&app, "")).await.shows(200, ">suspended</span>").shows(200, ">Resume</button>");
    browser.post(&at(&app, "/resume"), &[]).await.redirects_to(&at(&app, "?done=changed"));
    assert_eq!(app.client.get("/pages").await.status, 200);
}

async fn the_queue_shows_what_waits(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = operator(&app).await;
    let screen = browser.get("/dashboard/operator/queue").await;
    screen.shows(200, "No build is queued or running").shows(200, "No video is being converted");
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    app.publisher.site_build(&site).await.unwrap();
    browser.get("/dashboard/operator/queue").await.shows(200, ">queued</span>").shows(200, "<td>Acme</td>");
    assert!(app.publisher.run_next_build().await.unwrap());
    browser.get("/dashboard/operator/queue").await.shows(200, "No build is queued or running");
}

async fn the_state_is_what_doctor_reports(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = operator(&app).await;
    let screen = browser.get("/dashboard/operator/state").await;
    for text in
        ["responds", "no build is overdue", " free (store.min_free: ", "counted as configured", "sandbox"]
    {
        screen.shows(200, text);
    }
    assert!(!screen.html.contains("orphans"), "{}", screen.html);
    browser.get("/dashboard/operator/state?objects=yes").await.shows(200, "<td>orphans</td>");
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    app.publisher.site_build(&site).await.unwrap();
    app.advance(Duration::from_secs(61));
    browser.get("/dashboard/operator/state").await.shows(200, "the build of acme has been waiting");
}
