//! A worker that is paused in the middle of a large build and continues after another has taken over: nothing that
//! it still writes may become part of a release.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;

const HOST: &str = "acme.localhost";
/// More rows than a large build writes in one step.
const PAGES: usize = 4500;

/// On PostgreSQL, because a paused process would hold SQLite's write lock.
#[test]
fn a_stalled_worker_commits_nothing_into_a_release() {
    let Some(recto) = Recto::on_postgres() else { return };
    let recto = recto.set("RECTO_BUILDS_COOLDOWN_SECONDS", "0").set("RECTO_BUILDS_WORKERS", "1");
    let (account, stalled) = (recto.account("Acme"), recto.start());
    publish(&stalled, &account, "first", 0);
    assert_eq!(stalled.wait_for_build(&account.token)["status"], "success");

    publish(&stalled, &account, "second", PAGES / 2);
    wait_until("rows are written ahead of the release", || {
        recto.query("SELECT count(*) FROM sites WHERE staged_release IS NOT NULL") > 0
    });
    stalled.signal(Signal::STOP);
    let other = recto.start();
    assert_eq!(other.wait_for_build(&account.token)["status"], "success");
    check(&other);
    stalled.signal(Signal::CONT);
    let start = std::time::Instant::now();
    while !stalled.stderr().contains("build lease lost") {
        assert!(start.elapsed().as_secs() < 50, "{}", stalled.stderr());
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    check(&other);
    check(&stalled);
    assert_eq!(recto.query("SELECT count(*) FROM sites WHERE staged_release IS NOT NULL"), 0);
    assert_eq!(recto.query("SELECT count(*) FROM release_files WHERE from_release > 2"), 0);
    // The next build is not affected either.
    other.publish(&account.token, &json!({ "title": "One more", "build": true })).expect(200);
    assert_eq!(other.wait_for_build(&account.token)["status"], "success");
    check(&other);
    assert_eq!(recto.json(&["verify"])["damage"], json!([]));
}

/// All pages with this text, except the first ones, which are deleted.
fn publish(server: &Server, account: &Account, text: &str, deleted: usize) {
    let slug = |number: usize| format!("page-{number}");
    let page =
        |number| json!({ "slug": slug(number), "title": slug(number), "content": format!("{text} text") });
    let pages: Vec<Value> = (deleted..PAGES).map(page).collect();
    let deletes: Vec<Value> =
        (0..deleted).map(|n| json!({ "slug": slug(n), "contentType": "blog" })).collect();
    let body = json!({ "pages": pages, "deleteSlugs": deletes, "build": true });
    server.publish(&account.token, &body).expect(200);
}

fn check(server: &Server) {
    for number in (0..PAGES).step_by(97) {
        let page = server.visit(HOST, &format!("/blog/page-{number}"));
        let expected = if number < PAGES / 2 { 404 } else { 200 };
        assert_eq!(page.status, expected, "page {number}: {}", page.body);
        assert!(expected == 404 || page.body.contains("second text"), "page {number}: {}", page.body);
    }
}
