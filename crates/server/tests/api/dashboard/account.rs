//! Settings, tokens, members and usage: what owners do.

use std::time::Duration;

use model::{Email, Role};
use serde_json::json;
use testing::Database;

use super::browser::{Browser, PASSWORD};
use crate::app::{App, spawn_app};

testing::on_each_configuration!(
    settings_are_saved_together_or_not_at_all,
    a_token_is_shown_once_and_revoked,
    a_new_member_chooses_a_password_by_the_link_of_the_invitation,
    someone_known_joins_only_when_signed_in,
    an_invitation_that_was_taken_back_is_not_valid,
    an_account_keeps_an_owner,
    usage_is_shown_for_every_limit,
    tokens_members_and_deletion_need_a_recent_sign_in,
    a_person_chooses_among_the_sites_of_all_their_accounts,
    an_operator_may_use_every_account,
    a_suspended_account_cannot_be_used,
);

async fn owner(app: &App<'_>) -> Browser {
    Browser::of_member(app, app.acme.id, "ada@example.com", Role::Owner).await
}

fn at(app: &App, path: &str) -> String {
    format!("/dashboard/sites/{}/{path}", app.acme.site)
}

async fn settings_are_saved_together_or_not_at_all(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let path = at(&app, "settings");
    for label in ["Title", "Description", "Language", "Accent"] {
        browser.get(&path).await.shows(200, &format!(">{label}</label>"));
    }
    let wrong = [("title", "Acme <docs>"), ("language", "nonsense!"), ("accent", "#a3301a")];
    let again = browser.post(&path, &wrong).await;
    again.shows(400, "language must be a language tag").shows(400, "value=\"Acme &#60;docs&#62;\"");
    let site = app.publisher.site_find(&app.acme.site).await.unwrap();
    assert_eq!(app.publisher.site_settings(&site).await.unwrap().title, None);
    let right = [("title", "Acme <docs>"), ("language", "de"), ("accent", "#a3301a")];
    browser.post(&path, &right).await.redirects_to(&at(&app, "settings?done=saved"));
    // A field that is not sent stays.
    browser.post(&path, &[("description", "All of it")]).await.redirects_to(&at(&app, "settings?done=saved"));
    let settings = app.publisher.site_settings(&site).await.unwrap();
    let settings = [settings.title, settings.description, settings.language, settings.accent];
    assert_eq!(settings.map(Option::unwrap), ["Acme <docs>", "All of it", "de", "#a3301a"]);
}

async fn a_token_is_shown_once_and_revoked(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    let path = at(&app, "tokens");
    app.advance(Duration::from_secs(1));
    let created = browser.post(&path, &[("name", "CI & co")]).await;
    created.shows(200, "CI &#38; co");
    let token = format!("rec_{}", created.between(">rec_", "<"));
    let client = app.anonymous().with_token(&token);
    assert_eq!(client.get("/pages").await.status, 200);
    let list = browser.get(&path).await;
    assert!(!list.html.contains("rec_"));
    // The newest is first.
    let revoke = list.between(&format!("action=\"{path}/"), "\"");
    browser.get(&format!("{path}/{revoke}")).await.shows(200, "CI &#38; co").shows(200, ">Revoke</button>");
    assert_eq!(client.get("/pages").await.status, 200);
    browser.post(&format!("{path}/{revoke}"), &[]).await.redirects_to(&at(&app, "tokens?done=revoked"));
    assert_eq!(client.get("/pages").await.status, 401);
    assert_eq!(app.client.get("/pages").await.status, 200);
    browser.post(&path, &[("name", &"a".repeat(101))]).await.shows(400, "at most 100 characters");
}

/// Invites someone and returns the path of the link.
async fn invite(browser: &mut Browser, app: &App<'_>, email: &str, role: &str) -> String {
    let invited = browser.post(&at(app, "members"), &[("email", email), ("role", role)]).await;
    invited.shows(200, email).shows(200, "http://127.0.0.1:8080/dashboard/link?key=");
    format!("/dashboard/link?key={}", invited.between("/dashboard/link?key=", "<"))
}

async fn use_link(browser: &mut Browser, path: &str) -> super::browser::Seen {
    let key = path.split_once("key=").unwrap().1;
    browser.post("/dashboard/link", &[("key", key), ("password", PASSWORD), ("repeat", PASSWORD)]).await
}

async fn a_new_member_chooses_a_password_by_the_link_of_the_invitation(database: &Database) {
    let app = spawn_app(database).await;
    let mut ada = owner(&app).await;
    let link = invite(&mut ada, &app, "bob@example.com", "writer").await;
    ada.get(&at(&app, "members")).await.shows(200, "bob@example.com <span class=\"mark\">invited</span>");
    let again = invite(&mut ada, &app, "bob@example.com", "writer").await;
    let mut bob = Browser::new(&app);
    bob.get(&link).await.shows(200, "Set password");
    use_link(&mut bob, &again).await.redirects_to("/dashboard");
    assert_eq!(bob.get(&at(&app, "pages")).await.status, 200);
    assert_eq!(bob.get(&at(&app, "members")).await.status, 403);
    let refused = ada.post(&at(&app, "members"), &[("email", "Bob@example.com"), ("role", "owner")]).await;
    refused.shows(400, "is a member already");
    ada.post(&at(&app, "members"), &[("email", "nonsense"), ("role", "owner")]).await.shows(400, "nonsense");
}

async fn someone_known_joins_only_when_signed_in(database: &Database) {
    let app = spawn_app(database).await;
    let other = app.account("Other").await;
    let mut bob = Browser::of_member(&app, other.id, "bob@example.com", Role::Owner).await;
    let mut ada = owner(&app).await;
    let link = invite(&mut ada, &app, "bob@example.com", "writer").await;
    // Ada cannot choose Bob's password with it, nor join for him.
    let form = format!(
        "/dashboard/sign-in?next={}",
        link.replace('/', "%2F").replace('?', "%3F").replace('=', "%3D")
    );
    ada.get(&link).await.redirects_to(&form);
    assert_eq!(use_link(&mut ada, &link).await.status, 303);
    assert_eq!(Browser::new(&app).sign_in("bob@example.com", "wrong").await.status, 401);
    assert_eq!(bob.get(&at(&app, "pages")).await.status, 404);
    bob.get(&link).await.shows(200, "Join Acme");
    use_link(&mut bob, &link).await.redirects_to("/dashboard/sites");
    assert_eq!(bob.get(&at(&app, "pages")).await.status, 200);
    assert_eq!(bob.get(&at(&app, "settings")).await.status, 403);
    assert_eq!(bob.get(&link).await.status, 410);
}

async fn an_invitation_that_was_taken_back_is_not_valid(database: &Database) {
    let app = spawn_app(database).await;
    let mut ada = owner(&app).await;
    let link = invite(&mut ada, &app, "bob@example.com", "owner").await;
    let list = ada.get(&at(&app, "members")).await;
    let (_, bob) = list.html.split_once("bob@example.com").unwrap();
    let user = bob.split_once("/members/").unwrap().1.split_once('/').unwrap().0;
    let path = at(&app, &format!("members/{user}/remove"));
    ada.get(&path).await.shows(200, "bob@example.com").shows(200, ">Remove</button>");
    ada.post(&path, &[]).await.redirects_to(&at(&app, "members?done=changed"));
    assert_eq!(use_link(&mut Browser::new(&app), &link).await.status, 410);
}

async fn an_account_keeps_an_owner(database: &Database) {
    let app = spawn_app(database).await;
    let mut ada = owner(&app).await;
    let own = ada.get(&at(&app, "members")).await.between(&format!("{}/", at(&app, "members")), "/");
    let (role, remove) =
        (at(&app, &format!("members/{own}/role")), at(&app, &format!("members/{own}/remove")));
    ada.post(&role, &[("role", "writer")]).await.shows(400, "An account needs an owner");
    ada.post(&remove, &[]).await.shows(400, "An account needs an owner");
    Browser::of_member(&app, app.acme.id, "bob@example.com", Role::Owner).await;
    ada.post(&role, &[("role", "writer")]).await.redirects_to(&at(&app, "members?done=changed"));
    assert_eq!(ada.get(&at(&app, "members")).await.status, 403);
}

async fn tokens_members_and_deletion_need_a_recent_sign_in(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    app.advance(Duration::from_secs(14 * 60));
    assert_eq!(browser.get(&at(&app, "tokens")).await.status, 200);
    app.advance(Duration::from_secs(60));
    let form = |screen: &str| {
        let path = at(&app, screen).replace('/', "%2F");
        format!("/dashboard/sign-in?again=yes&next={path}")
    };
    let user = app.publisher.member_list(app.acme.id).await.unwrap()[0].user;
    let (token, member) = (format!("tokens/{}/revoke", app.acme.token_id), format!("members/{user}/remove"));
    for (path, screen) in
        [("tokens", "tokens"), ("members", "members"), (&token, "tokens"), (&member, "members")]
    {
        browser.get(&at(&app, path)).await.redirects_to(&form(screen));
        browser.post(&at(&app, path), &[("name", "x")]).await.redirects_to(&form(screen));
    }
    browser.post(&at(&app, "delete"), &[("name", "acme")]).await.redirects_to(&form("more"));
    assert_eq!(app.publisher.tokens_of_account(app.acme.id).await.unwrap().len(), 1);
    // What does not need it goes on.
    for path in ["pages", "settings", "domains", "more", "usage"] {
        assert_eq!(browser.get(&at(&app, path)).await.status, 200, "{path}");
    }
    let again = browser.get(&form("tokens")).await;
    again.shows(200, "needs a recent sign-in").shows(200, "value=\"ada@example.com\"");
    let next = at(&app, "tokens");
    let wrong = [("email", "ada@example.com"), ("password", "wrong"), ("next", next.as_str())];
    assert_eq!(browser.post("/dashboard/sign-in", &wrong).await.status, 401);
    assert_eq!(browser.get(&next).await.status, 303);
    let right = [("email", "ada@example.com"), ("password", PASSWORD), ("next", next.as_str())];
    browser.post("/dashboard/sign-in", &right).await.redirects_to(&next);
    assert_eq!(browser.get(&next).await.status, 200);
    // The older session has ended.
    assert_eq!(app.publisher.session_list(user).await.unwrap().len(), 1);
}

async fn usage_is_shown_for_every_limit(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    app.client.page(json!({"title": "A", "content": "12345"})).await;
    let screen = browser.get(&at(&app, "usage")).await;
    for text in ["1 of 100", "1 of 250000", "5 B of 20 GB", "0 B of 100 GB", "0 of 1000"] {
        screen.shows(200, text);
    }
    assert_eq!(screen.html.matches("<progress").count(), 5);
}

async fn a_person_chooses_among_the_sites_of_all_their_accounts(database: &Database) {
    let app = spawn_app(database).await;
    let (mut browser, other) = (owner(&app).await, app.account("Other").await);
    app.account("Foreign").await;
    app.publisher
        .user_create(Email::parse("bob@example.com").unwrap(), other.id, Role::Owner, false)
        .await
        .unwrap();
    browser.get("/dashboard").await.redirects_to(&at(&app, "pages"));
    let second = app.site("second").await;
    browser.get("/dashboard").await.redirects_to("/dashboard/sites");
    let choice = browser.get("/dashboard/sites").await;
    choice.shows(200, &format!("/dashboard/sites/{second}/pages")).shows(200, &at(&app, "pages"));
    assert!(!choice.html.contains(&other.site), "{}", choice.html);
}

async fn an_operator_may_use_every_account(database: &Database) {
    let app = spawn_app(database).await;
    let (other, email) = (app.account("Other").await, Email::parse("op@example.com").unwrap());
    let made = app.publisher.user_create(email, app.acme.id, Role::Writer, true).await.unwrap();
    let mut browser = Browser::new(&app);
    browser.choose_password(&made.link, PASSWORD).await;
    browser.get("/dashboard/sites").await.shows(200, &other.site).shows(200, &app.acme.site);
    assert_eq!(browser.get(&format!("/dashboard/sites/{}/tokens", other.site)).await.status, 200);
}

async fn a_suspended_account_cannot_be_used(database: &Database) {
    let app = spawn_app(database).await;
    let mut browser = owner(&app).await;
    app.publisher.account_suspend(app.acme.id).await.unwrap();
    browser.get(&at(&app, "pages")).await.shows(403, "suspended");
    app.publisher.account_resume(app.acme.id).await.unwrap();
    assert_eq!(browser.get(&at(&app, "pages")).await.status, 200);
}
