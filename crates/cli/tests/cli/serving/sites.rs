//! From pages to a published site: publishing, settings and protection take effect at the next request.

use model::{Clock, SystemClock};
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::{Account, Recto};
use crate::harness::server::{Answer, Server};

on_both_databases!(
    pages_are_read_on_their_site_after_a_build,
    settings_show_after_their_build,
    a_domain_holds_with_the_next_request,
    a_password_holds_with_the_next_request,
    a_rollback_holds_until_a_requested_build,
    a_page_dated_in_the_future_appears_by_itself,
    a_renamed_site_is_found_at_its_new_address_only,
    a_site_is_built_without_a_server,
    a_failed_build_says_why_and_changes_nothing,
);

const HOST: &str = "acme.localhost";

fn pages_are_read_on_their_site_after_a_build(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    assert_eq!(server.visit(HOST, "/").status, 404, "nothing was built yet");
    let pages = json!({ "pages": [
        { "title": "First post", "content": "Some *words*." },
        { "title": "Install", "contentType": "docs", "section": "guides", "content": "More words." },
        { "title": "A draft", "draft": true, "content": "Not yet." },
    ], "build": true });
    publish(&server, &account, &pages);

    let post = server.visit(HOST, "/blog/first-post");
    assert_eq!(post.status, 200, "{}", post.body);
    assert!(post.body.contains("Some <em>words</em>.") && post.body.contains("First post"), "{}", post.body);
    assert_eq!(post.header("content-type"), "text/html; charset=utf-8");
    assert!(server.visit(HOST, "/docs/guides/install").body.contains("More words."));
    assert!(server.visit(HOST, "/").body.contains("First post"));
    assert_eq!(server.visit(HOST, "/blog/a-draft").status, 404);
    assert_eq!(server.visit("other.localhost", "/blog/first-post").status, 404);
    assert_eq!(server.visit(&format!("{HOST}:8081"), "/blog/first-post").body, post.body);

    let answer = server.call(Method::DELETE, "/pages/first-post?contentType=blog", &account.token, None);
    assert_eq!(answer.status, 204);
    assert_eq!(server.visit(HOST, "/blog/first-post").status, 200, "it goes with the next build");
    recto.text(&["site", "build", "acme", "--wait"]);
    assert_eq!(server.visit(HOST, "/blog/first-post").status, 404);
    server.stop();
    assert!(recto.start().visit(HOST, "/docs/guides/install").body.contains("More words."));
}

fn settings_show_after_their_build(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, &json!({ "title": "Hello", "build": true }));
    assert!(!server.visit(HOST, "/blog/hello").body.contains("Lanternfish"));
    let css = recto.write_file("custom.css", "h1 { color: rebeccapurple }\n");
    let css = format!("css=@{}", css.display());
    recto.text(&["site", "set", "acme", "title=Lanternfish", "language=de", &css]);
    wait_until("the settings show", || server.visit(HOST, "/blog/hello").body.contains("Lanternfish"));
    let page = server.visit(HOST, "/blog/hello").body;
    assert!(page.contains("<html lang=\"de\""), "{page}");

    recto.text(&["site", "set", "acme", "title=Anglerfish", "--no-build"]);
    assert!(server.visit(HOST, "/blog/hello").body.contains("Lanternfish"), "no build was asked for");
    recto.text(&["site", "build", "acme", "--wait"]);
    let page = server.visit(HOST, "/blog/hello").body;
    assert!(page.contains("Anglerfish") && !page.contains("Lanternfish"), "{page}");
}

fn a_domain_holds_with_the_next_request(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, &json!({ "title": "Hello", "build": true }));
    let (domain, ask) =
        ("docs.example.com", |host: &str| server.get(&format!("/tls/ask?domain={host}")).status);
    assert_eq!((server.visit(domain, "/blog/hello").status, ask(domain)), (404, 404));
    recto.text(&["site", "domain", "acme", "add", "Docs.Example.com"]);
    assert_eq!((server.visit(domain, "/blog/hello").status, ask(domain)), (200, 200));
    assert_eq!(server.visit(HOST, "/blog/hello").status, 200);

    recto.text(&["site", "build", "acme", "--wait"]);
    let page = server.visit(domain, "/blog/hello").body;
    assert!(page.contains("http://docs.example.com/blog/hello"), "{page}");
    recto.text(&["site", "domain", "acme", "remove", domain]);
    assert_eq!((server.visit(domain, "/blog/hello").status, ask(domain)), (404, 404));
}

fn a_password_holds_with_the_next_request(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, &json!({ "title": "Hello", "content": "A secret text.", "build": true }));
    let is_open = |server: &Server| server.visit(HOST, "/blog/hello").body.contains("A secret text.");
    assert!(is_open(&server));
    recto.text_given(&["site", "password", "acme"], "open sesame\n");
    assert!(!is_open(&server));
    assert!(!server.visit(HOST, "/blog/hello.md").body.contains("A secret text."));
    server.stop();
    let server = recto.start();
    assert!(!is_open(&server));
    recto.text(&["site", "password", "acme", "--remove"]);
    assert!(is_open(&server));
}

fn a_rollback_holds_until_a_requested_build(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    for text in ["one", "two", "three"] {
        server
            .publish(&account.token, &json!({ "title": "Hello", "content": format!("Text {text}.") }))
            .expect(200);
        recto.text(&["site", "build", "acme", "--wait"]);
    }
    let shows = |text: &str| server.visit(HOST, "/blog/hello").body.contains(&format!("Text {text}."));
    assert!(shows("three"));
    assert_eq!(recto.json(&["site", "rollback", "acme"])["release"], 2);
    assert!(shows("two"));
    recto.text(&["site", "rollback", "acme", "1"]);
    assert!(shows("one"));

    // A scheduled build for a page that becomes due does not replace it.
    let due = in_a_moment(1);
    server.publish(&account.token, &json!({ "title": "Due", "publishedAt": due })).expect(200);
    wait_until("the scheduled build is over", || recto.query("SELECT count(*) FROM releases") == 4);
    assert!(shows("one"));
    recto.text(&["site", "build", "acme", "--wait"]);
    assert!(shows("three"));
    assert_eq!(server.visit(HOST, "/blog/due").status, 200);
}

fn a_page_dated_in_the_future_appears_by_itself(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let pages = json!({ "pages": [
        { "title": "Now" },
        { "title": "Later", "publishedAt": in_a_moment(3) },
    ], "build": true });
    publish(&server, &account, &pages);
    assert_eq!(server.visit(HOST, "/blog/now").status, 200);
    assert_eq!(server.visit(HOST, "/blog/later").status, 404);
    assert!(!server.visit(HOST, "/blog").body.contains("Later"));
    wait_until("the page appears", || server.visit(HOST, "/blog/later").status == 200);
    assert!(server.visit(HOST, "/blog").body.contains("Later"));
    let build = server.call(Method::GET, "/builds/latest", &account.token, None).expect(200);
    assert_eq!(build["triggeredBy"], "publish", "the scheduled build is not reported");
}

fn a_renamed_site_is_found_at_its_new_address_only(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, &json!({ "title": "Hello", "build": true }));
    recto.text(&["site", "rename", "acme", "anvils"]);
    assert_eq!(server.visit(HOST, "/blog/hello").status, 404);
    assert_eq!(server.visit("anvils.localhost", "/blog/hello").status, 200);
    recto.text(&["site", "delete", "anvils", "--yes"]);
    assert_eq!(server.visit("anvils.localhost", "/blog/hello").status, 404);
}

fn a_site_is_built_without_a_server(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    server.publish(&account.token, &json!({ "title": "Hello" })).expect(200);
    server.stop();
    let built = recto.json(&["site", "build", "acme", "--wait"]);
    assert_eq!(built["status"], "success");
    assert_eq!(recto.start().visit(HOST, "/blog/hello").status, 200);
}

fn a_failed_build_says_why_and_changes_nothing(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, &json!({ "title": "Hello", "build": true }));
    server.publish(&account.token, &json!({ "title": "Another" })).expect(200);
    let (packs, away) = (recto.data().join("objects/packs"), recto.path_next_to_data("packs"));
    std::fs::rename(&packs, &away).unwrap();
    std::fs::write(&packs, "in the way").unwrap();
    let build = Process::start(recto.command(&["site", "build", "acme", "--wait"]));
    wait_until("the first attempt has failed", || {
        recto.query("SELECT count(*) FROM builds WHERE status = 'queued' AND attempts = 1") == 1
    });
    // The other attempts would take minutes.
    recto.execute("UPDATE builds SET attempts = 5, due_at = 0 WHERE status = 'queued'");
    let ended = build.wait();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let last = recto.json(&["site", "show", "acme"])["lastBuild"].clone();
    assert_eq!(last["status"], "failed");
    let why = last["error"].as_str().unwrap();
    assert!(
        why.contains("6 times") && ended.stderr.trim_end().ends_with(&format!("the build failed: {why}")),
        "{ended:?}"
    );
    std::fs::remove_file(&packs).unwrap();
    std::fs::rename(&away, &packs).unwrap();
    assert_eq!(server.visit(HOST, "/blog/hello").status, 200);
    assert_eq!(server.visit(HOST, "/blog/another").status, 404);
}

/// Publishes with `build: true`, and waits for the build.
fn publish(server: &Server, account: &Account, body: &Value) -> Answer {
    let answer = server.publish(&account.token, body);
    assert_eq!(answer.expect(200)["build"]["status"], "queued");
    let build = server.wait_for_build(&account.token);
    assert_eq!(build["status"], "success", "{build}");
    answer
}

fn in_a_moment(seconds: u64) -> String {
    SystemClock.now().plus(std::time::Duration::from_secs(seconds)).to_string()
}
