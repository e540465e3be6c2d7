//! The audit log: who did what, and that nothing secret is in it.

use std::time::Duration;

use model::{Email, Role, TokenName};
use publisher::{Action, Actor};
use reqwest::Method;
use serde_json::{Value, json};
use testing::Database;

use super::browser::{Browser, PASSWORD};
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    what_an_owner_does_is_noted_with_the_address,
    what_programs_and_commands_do_is_noted,
    sign_ins_are_noted_and_failed_ones_once_an_hour,
    the_log_is_filtered_and_goes_on,
    the_log_is_downloaded_as_csv_and_json_lines,
    what_was_refused_is_not_noted,
    old_entries_are_deleted,
);

async fn owner(app: &App<'_>) -> Browser {
    Browser::of_member(app, app.acme.id, "ada@example.com", Role::Owner).await
}

fn at(app: &App, path: &str) -> String {
    format!("/dashboard/sites/{}/{path}", app.acme.site)
}

/// Who did what to what, oldest first.
async fn entries(app: &App<'_>) -> Vec<[String; 4]> {
    let entries = app.publisher.audit_list(app.acme.id, None, None, 1000).await.unwrap();
    let row = |entry: publisher::AuditEntry| {
        let entry = entry.entry;
        [entry.actor_kind, entry.actor, entry.action, entry.subject]
    };
    entries.into_iter().rev().map(row).collect()
}

/// The actions of one actor.
async fn done_by(app: &App<'_>, actor: &str) -> Vec<(String, String)> {
    let all = entries(app).await.into_iter();
    all.filter(|[_, who, ..]| who == actor).map(|[_, _, action, subject]| (action, subject)).collect()
}

async fn what_an_owner_does_is_noted_with_the_address(database: &Database) {
    let app = spawn_app(database).await;
    let mut ada = owner(&app).await;
    Browser::of_member(&app, app.acme.id, "bob@example.com", Role::Writer).await;
    let members = app.publisher.member_list(app.acme.id).await.unwrap();
    let bob = members.iter().find(|member| member.email == "bob@example.com").unwrap().user;
    let member = |what: &str| at(&app, &format!("members/{bob}/{what}"));
    let mut step = async |path: String, fields: &[(&str, &str)]| {
        app.advance(Duration::from_millis(5));
        let seen = ada.post(&path, fields).await;
        assert!([200, 303].contains(&seen.status), "{path}: {seen:?}");
    };
    step(at(&app, "tokens"), &[("name", "CI")]).await;
    step(at(&app, "settings"), &[("title", "Books"), ("accent", "#a3301a")]).await;
    // The same again changes nothing.
    step(at(&app, "settings"), &[("title", "Books")]).await;
    step(at(&app, "domains"), &[("domain", "docs.recto.invalid")]).await;
    step(at(&app, "domains/docs.recto.invalid/remove"), &[]).await;
    step(at(&app, "password"), &[("password", "open sesame")]).await;
    step(at(&app, "password/remove"), &[]).await;
    step(member("role"), &[("role", "owner")]).await;
    step(member("remove"), &[]).await;
    step(at(&app, "members"), &[("email", "eve@example.com"), ("role", "writer")]).await;
    step(at(&app, "builds"), &[]).await;
    step(at(&app, "pages/new"), &[("title", "One"), ("contentType", "blog")]).await;
    let page = app.client.get("/pages/one?contentType=blog").await.body["id"].as_str().unwrap().to_owned();
    step(at(&app, &format!("pages/{page}/delete")), &[]).await;
    step(at(&app, &format!("pages/{page}/restore")), &[]).await;
    step("/dashboard/sites/new".into(), &[("name", "second"), ("account", &app.acme.id.to_string())]).await;
    step(at(&app, "delete"), &[("name", "acme")]).await;
    let expected = [
        ("password chosen", "ada@example.com"),
        ("token created", "CI"),
        ("settings changed", "title, accent"),
        ("domain added", "docs.recto.invalid"),
        ("domain removed", "docs.recto.invalid"),
        ("site password set", "acme"),
        ("site password removed", "acme"),
        ("role changed", "bob@example.com (owner)"),
        ("member removed", "bob@example.com"),
        ("member invited", "eve@example.com (writer)"),
        ("build requested", "acme"),
        ("pages published", "1 created, 0 updated, 0 deleted"),
        ("page deleted", "/blog/one"),
        ("page restored", "/blog/one"),
        ("site created", "second"),
        ("site deleted", "acme"),
    ];
    let expected = expected.map(|(action, subject)| (action.to_owned(), subject.to_owned()));
    assert_eq!(done_by(&app, "ada@example.com").await, expected);
    let all = app.publisher.audit_list(app.acme.id, None, None, 1000).await.unwrap();
    let of_ada = all.iter().filter(|entry| entry.entry.actor == "ada@example.com");
    assert!(of_ada.clone().all(|entry| entry.entry.address == "127.0.0.1"), "{all:?}");
    let text = format!("{all:?}");
    assert!(!text.contains(PASSWORD) && !text.contains("sesame") && !text.contains("rec_"), "{text}");
}

async fn what_programs_and_commands_do_is_noted(database: &Database) {
    let app = spawn_app(database).await;
    let page = app.client.page(json!({"title": "One"})).await;
    app.client.page(json!({"title": "One"})).await;
    app.advance(Duration::from_millis(5));
    let slug = page["slug"].as_str().unwrap();
    assert_eq!(app.client.delete(&format!("/pages/{slug}?contentType=blog")).await.status, 204);
    app.advance(Duration::from_millis(5));
    let settings = format!("/sites/{}/settings", app.acme.site);
    let change = app.client.request(Method::PATCH, &settings).json(&json!({"title": "Books"}));
    assert_eq!(app.client.send(change).await.status, 200);
    app.advance(Duration::from_millis(5));
    assert_eq!(app.client.build().await.status, 202);
    let token = app.acme.token_id.to_string();
    let expected = [
        ("pages published", "1 created, 0 updated, 0 deleted"),
        ("page deleted", "/blog/one"),
        ("settings changed", "title"),
        ("build requested", "acme"),
    ];
    let expected = expected.map(|(action, subject)| (action.to_owned(), subject.to_owned()));
    assert_eq!(done_by(&app, &token).await, expected);
    let all = app.publisher.audit_list(app.acme.id, None, None, 1000).await.unwrap();
    assert!(
        all.iter().filter(|entry| entry.entry.actor == token).all(|entry| entry.entry.address == "127.0.0.1")
    );
    let command = app.publisher.by(Actor::Command("root".into()));
    app.advance(Duration::from_millis(5));
    command.token_create(app.acme.id, TokenName::parse("cron").unwrap()).await.unwrap();
    app.advance(Duration::from_millis(5));
    command.account_set_plan(app.acme.id, "free").await.unwrap();
    app.advance(Duration::from_millis(5));
    command.token_revoke(app.acme.token_id).await.unwrap();
    let all = entries(&app).await;
    let done: Vec<_> =
        all.iter().filter(|[kind, ..]| kind == "command").map(|[_, who, what, on]| [who, what, on]).collect();
    assert_eq!(
        done,
        [["root", "token created", "cron"], ["root", "plan changed", "free"], ["root", "token revoked", ""]]
    );
    assert!(all.contains(&["system", "", "account created", "Acme"].map(str::to_owned)), "{all:?}");
}

async fn sign_ins_are_noted_and_failed_ones_once_an_hour(database: &Database) {
    let app = spawn_app(database).await;
    owner(&app).await;
    let count = async |action: Action| {
        app.publisher.audit_list(app.acme.id, Some(action), None, 100).await.unwrap().len()
    };
    let mut browser = Browser::new(&app);
    for _ in 0..3 {
        assert_eq!(browser.sign_in("ada@example.com", "wrong").await.status, 401);
        assert_eq!(browser.sign_in("unknown@example.com", "wrong").await.status, 401);
    }
    assert_eq!((count(Action::SignInFailed).await, count(Action::SignIn).await), (1, 0));
    app.advance(Duration::from_secs(3601));
    assert_eq!(browser.sign_in(" Ada@example.com", "wrong").await.status, 401);
    assert_eq!(count(Action::SignInFailed).await, 2);
    browser.sign_in("ada@example.com", PASSWORD).await.redirects_to("/dashboard");
    assert_eq!(count(Action::SignIn).await, 1);
    assert_eq!(done_by(&app, "ada@example.com").await.len(), 4);
    browser.post("/dashboard/sign-out", &[]).await.redirects_to("/dashboard/sign-in");
    assert_eq!(count(Action::SessionEnded).await, 1);
    // It is not in the log of another account.
    let other = app.account("Other").await;
    let of_other = app.publisher.audit_list(other.id, None, None, 100).await.unwrap();
    assert_eq!(of_other.len(), 1, "{of_other:?}");
}

async fn the_log_is_filtered_and_goes_on(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    for number in 0..101 {
        let name = TokenName::parse(&format!("token {number}")).unwrap();
        app.advance(Duration::from_millis(5));
        app.publisher.token_create(app.acme.id, name).await.unwrap();
    }
    app.advance(Duration::from_millis(5));
    app.publisher.account_set_plan(app.acme.id, "pro").await.unwrap();
    let rows = |html: &str, text: &str| html.matches(&format!("<td>{text}</td>")).count();
    let first = browser.get(&at(&app, "audit")).await;
    first.shows(200, "<td>token 100</td>").shows(200, "<td>plan changed</td>");
    let first = browser.get(&at(&app, "audit?action=token+created")).await;
    assert_eq!((rows(&first.html, "token created"), rows(&first.html, "plan changed")), (100, 0));
    let next = first.between("class=\"more\"><a href=\"", "\"").replace("&#38;", "&");
    let second = browser.get(&next).await;
    second.shows(200, "<td>token 0</td>");
    assert_eq!(rows(&second.html, "token created"), 1);
    browser.get(&at(&app, "audit?action=rolled+back")).await.shows(200, "Nothing yet");
}

async fn the_log_is_downloaded_as_csv_and_json_lines(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    for number in 0..501 {
        let name = TokenName::parse(&format!("=\"{number}\"")).unwrap();
        app.advance(Duration::from_millis(2));
        app.publisher.token_create(app.acme.id, name).await.unwrap();
    }
    let lines = browser.get(&at(&app, "audit.jsonl")).await;
    assert_eq!(lines.headers["content-disposition"], "attachment; filename=\"audit.jsonl\"");
    let lines: Vec<Value> = lines.html.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let created = lines.iter().filter(|line| line["action"] == "token created").count();
    assert_eq!((created, &lines[0]["subject"]), (501, &json!("=\"500\"")));
    let csv = browser.get(&at(&app, "audit.csv")).await;
    csv.shows(200, "time,actor kind,actor,address,action,subject,site\r\n");
    csv.shows(200, "\"system\",\"\",\"\",\"token created\",\"'=\"\"500\"\"\",\"\"\r\n");
    assert_eq!(csv.html.lines().count(), lines.len() + 1);
}

async fn what_was_refused_is_not_noted(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let before = entries(&app).await;
    browser.post(&at(&app, "domains"), &[("domain", "acme.localhost")]).await;
    browser.post(&at(&app, "delete"), &[("name", "other")]).await;
    browser.post(&at(&app, "settings"), &[("language", "nonsense!")]).await;
    browser.post(&at(&app, "builds/9/roll-back"), &[]).await;
    browser.post(&at(&app, "members"), &[("email", "ada@example.com"), ("role", "owner")]).await;
    assert_eq!(app.client.pages(json!([{"title": ""}])).await.status, 400);
    assert_eq!(entries(&app).await, before);
}

async fn old_entries_are_deleted(database: &Database) {
    let app = spawn_app(database).await;
    let made = app.publisher.user_create(Email::parse("a@b.c").unwrap(), app.acme.id, Role::Owner, false);
    made.await.unwrap();
    app.advance(Duration::from_secs(200 * 24 * 3600));
    app.publisher.account_set_plan(app.acme.id, "pro").await.unwrap();
    assert_eq!(app.publisher.sweep_audit().await.unwrap(), 0);
    app.advance(Duration::from_secs(201 * 24 * 3600));
    assert_eq!(app.publisher.sweep_audit().await.unwrap(), 2);
    assert_eq!(entries(&app).await, [["system", "", "plan changed", "pro"].map(str::to_owned)]);
}
