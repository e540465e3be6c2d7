//! Changes by commands take effect at the server's next request.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::recto::{Recto, text};
use crate::harness::server::{Server, page};

on_one_machine_and_nodes!(
    tokens_come_and_go_with_the_next_request,
    a_suspended_account_is_refused_until_it_is_resumed,
    a_suspended_accounts_sites_are_off_line_until_it_is_resumed,
    a_deleted_default_site_leaves_none_until_one_is_named,
    a_plan_holds_with_the_next_build,
    a_renamed_site_is_built_at_its_new_address,
    a_deleted_site_is_not_found,
    deleted_pages_are_listed_restored_and_purged,
    every_command_works_with_and_without_a_server,
);

fn tokens_come_and_go_with_the_next_request(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let second = recto.json(&["token", "create", "--account", &account.id]);
    let second = second["token"].as_str().unwrap();
    assert_eq!((server.list(&account.token).status, server.list(second).status), (200, 200));

    recto.text(&["token", "revoke", &account.token_id]);
    let refused = server.list(&account.token);
    assert_eq!(refused.expect(401), json!({ "error": "invalid or revoked token" }));
    assert_eq!(refused.header("www-authenticate"), "Bearer");
    assert_eq!(server.publish(&account.token, &page("a")).status, 401);
    assert_eq!(server.list(second).slugs(), [""; 0]);
}

fn a_suspended_account_is_refused_until_it_is_resumed(recto: &Recto) {
    let (account, other, server) = (recto.account("Acme"), recto.account("Other"), recto.start());
    recto.text(&["account", "suspend", &account.id]);
    assert_eq!(server.list(&account.token).expect(403)["error"], "forbidden");
    assert_eq!(server.publish(&account.token, &page("a")).status, 403);
    assert_eq!(server.list(&other.token).status, 200);
    assert!(recto.text(&["account", "show", &account.id]).contains("suspended"));

    recto.text(&["account", "resume", &account.id]);
    assert_eq!(server.list(&account.token).slugs(), [""; 0]);
}

fn a_suspended_accounts_sites_are_off_line_until_it_is_resumed(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let mut body = page("a");
    body["build"] = json!(true);
    server.publish(&account.token, &body).expect(200);
    server.wait_for_build(&account.token);
    assert_eq!(server.visit("acme.localhost", "/blog/a").status, 200);

    recto.text(&["account", "suspend", &account.id]);
    for path in ["/blog/a", "/blog/a.md", "/", "/media/x"] {
        let page = server.visit("acme.localhost", path);
        assert_eq!(page.status, 503, "{path}");
        assert!(page.body.contains("not available") && !page.body.contains("suspended"), "{}", page.body);
        assert!(page.header("cache-control").contains("no-store"), "{path}");
    }
    recto.text(&["account", "resume", &account.id]);
    assert_eq!(server.visit("acme.localhost", "/blog/a").status, 200);
}

fn a_deleted_default_site_leaves_none_until_one_is_named(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let second = recto.json(&["site", "create", "second", "--account", &account.id]);
    let second = second["siteId"].as_str().unwrap();
    recto.text(&["site", "delete", "acme", "--yes"]);
    let refused = server.publish(&account.token, &page("a")).expect(403);
    assert_eq!(refused["error"], "forbidden");
    assert_eq!(server.list(&account.token).status, 403);
    assert_eq!(recto.json(&["account", "show", &account.id])["defaultSiteId"], Value::Null);
    let mut named = page("a");
    named["siteId"] = json!(second);
    server.publish(&account.token, &named).expect(200);

    let other = recto.account("Other");
    let why = recto.refusal(&["account", "default-site", &account.id, &other.site]);
    assert!(why.contains("another account"), "{why}");
    recto.text(&["account", "default-site", &account.id, "second"]);
    assert_eq!(server.list(&account.token).slugs(), ["a"]);
}

fn a_plan_holds_with_the_next_build(recto: &Recto) {
    let account = recto.account("Acme");
    let serve = || {
        let mut command = recto.command(&["serve", "--dev"]);
        command.env("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
        Server::start(command)
    };
    let server = serve();
    recto.text(&["account", "plan", &account.id, "free"]);
    for _ in 0..3 {
        assert_eq!(server.build(&account.token).status, 202);
    }
    let refused = server.build(&account.token).expect(402);
    assert_eq!(refused["error"], "build quota exceeded");
    assert!(refused["message"].as_str().unwrap().contains('3'), "{refused}");
    server.stop();
    let server = serve();
    assert_eq!(server.build(&account.token).status, 402, "the count outlives the server");
    assert_eq!(recto.json(&["account", "show", &account.id])["buildsThisMonth"], 3);

    recto.text(&["account", "plan", &account.id, "simple"]);
    assert_eq!(server.build(&account.token).status, 202);
}

fn a_renamed_site_is_built_at_its_new_address(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    recto.text(&["site", "rename", "acme", "anvils"]);
    let built = server.publish(&account.token, &json!({ "build": true })).expect(200);
    assert_eq!(built["build"], json!({ "status": "queued", "deployUrl": "http://anvils.localhost:8081" }));
    recto.text(&["site", "create", "acme", "--account", &account.id]);
}

fn a_deleted_site_is_not_found(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let made = recto.json(&["site", "create", "second", "--account", &account.id]);
    let second = made["siteId"].as_str().unwrap();
    let to_second = json!({ "siteId": second, "title": "Hello" });
    assert_eq!(server.publish(&account.token, &to_second).status, 200);
    assert_eq!(server.list(&account.token).slugs(), [""; 0], "the first site stays the default");

    recto.text(&["site", "delete", "second", "--yes"]);
    let refused = server.publish(&account.token, &to_second);
    assert_eq!(refused.expect(403)["error"], "forbidden");
    let listed = server.call(Method::GET, &format!("/pages?siteId={second}"), &account.token, None);
    assert_eq!(listed.expect(403), refused.json());
    assert_eq!(server.publish(&account.token, &page("a")).status, 200);
}

fn deleted_pages_are_listed_restored_and_purged(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let three = json!({ "pages": [{ "title": "A" }, { "title": "B" }, { "title": "C" }] });
    server.publish(&account.token, &three).expect(200);
    for slug in ["a", "b", "c"] {
        delete(&server, &account.token, slug);
    }
    let deleted = recto.json(&["page", "deleted", "--site", &account.site]);
    let id = |slug: &str| {
        let page = deleted.as_array().unwrap().iter().find(|page| page["slug"] == slug);
        page.unwrap()["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(deleted.as_array().unwrap().len(), 3);

    recto.text(&["page", "restore", &id("a"), "--site", "acme"]);
    let listed = server.list(&account.token).expect(200)["pages"].clone();
    assert_eq!((&listed[0]["id"], &listed[0]["title"]), (&Value::from(id("a")), &Value::from("A")));
    assert!(recto.refusal(&["page", "restore", &id("a"), "--site", "acme"]).contains(&id("a")));

    server.publish(&account.token, &page("b")).expect(200);
    assert!(recto.refusal(&["page", "restore", &id("b"), "--site", "acme"]).contains("slug"));
    assert_eq!(recto.json(&["page", "purge", &id("b"), "--site", "acme"]), json!({ "purged": 1 }));
    assert_eq!(recto.json(&["page", "purge", "--all", "--site", "acme"]), json!({ "purged": 1 }));
    assert_eq!(recto.json(&["page", "deleted", "--site", "acme"]), json!([]));
    assert_eq!(server.list(&account.token).slugs(), ["a", "b"], "live pages are not purged");
}

fn every_command_works_with_and_without_a_server(recto: &Recto) {
    let account = recto.account("Acme");
    let server = recto.start();
    let pages = json!({ "pages": [{ "title": "A" }, { "title": "B" }, { "title": "C" }, { "title": "D" }] });
    server.publish(&account.token, &pages).expect(200);
    for slug in ["a", "b", "c", "d"] {
        delete(&server, &account.token, slug);
    }
    run_every_command(recto, "beside");
    server.stop();
    run_every_command(recto, "alone");

    let server = recto.start();
    assert_eq!(server.list(&account.token).expect(200)["pages"].as_array().unwrap().len(), 2);
}

/// Takes two deleted pages of the site `acme`.
fn run_every_command(recto: &Recto, name: &str) {
    let account = recto.account(name);
    let id = account.id.as_str();
    let renamed = format!("{name}-renamed");
    for command in [
        &["account", "list"][..],
        &["account", "show", id],
        &["account", "suspend", id],
        &["account", "resume", id],
        &["account", "plan", id, "free"],
        &["site", "create", &format!("{name}-2nd"), "--account", id],
        &["site", "list"],
        &["site", "show", name],
        &["site", "rename", name, &renamed],
        &["site", "set", &renamed, "title=Other"],
        &["site", "settings", &renamed],
        &["site", "build", &renamed, "--wait"],
        &["site", "set", &renamed, "title=Another", "--no-build"],
        &["site", "build", &renamed, "--wait"],
        &["site", "releases", &renamed],
        &["site", "rollback", &renamed],
        &["site", "search", &renamed, "word"],
        &["site", "export", &renamed, text(&recto.path_next_to_data(name))],
        &["site", "domain", &renamed, "add", &format!("{name}.example.com")],
        &["site", "domain", &renamed, "list"],
        &["site", "domain", &renamed, "remove", &format!("{name}.example.com")],
        &["site", "password", &renamed, "--remove"],
        &["site", "open", &renamed],
        &["site", "delete", &renamed, "--yes"],
        &["token", "create", "--account", id, "--name", "ci"],
        &["token", "list"],
        &["token", "revoke", &account.token_id],
        &["page", "deleted", "--site", "acme"],
        &["doctor"],
    ] {
        recto.text(command);
    }
    let deleted = recto.json(&["page", "deleted", "--site", "acme"]);
    let page = |index: usize| deleted[index]["id"].as_str().unwrap();
    recto.text(&["page", "restore", page(0), "--site", "acme"]);
    recto.text(&["page", "purge", page(1), "--site", "acme"]);
}

fn delete(server: &Server, token: &str, slug: &str) {
    let answer = server.call(Method::DELETE, &format!("/pages/{slug}?contentType=blog"), token, None);
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
}
