//! `kill -9` at random moments of a build: visitors get the old or the new release, never a mixture, and the build ends
//! after the restart.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;

const HOST: &str = "acme.localhost";
const PAGES: usize = 300;

#[test]
fn on_sqlite_a_killed_build_leaves_a_complete_release_and_ends_after_the_restart() {
    kill_running_builds(Recto::new(), 6);
}

#[test]
fn on_postgres_a_killed_build_leaves_a_complete_release_and_ends_after_the_restart() {
    let Some(recto) = Recto::on_postgres() else { return };
    kill_running_builds(recto, 3);
}

/// Kills the server at random moments until it was killed `wanted` times while it was building.
fn kill_running_builds(recto: Recto, wanted: usize) {
    let recto = recto.set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let (account, mut server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, 0);
    let build = server.wait_for_build(&account.token);
    let typical = build["durationMs"].as_u64().unwrap();
    let (mut round, mut killed) = (0, 0);
    while killed < wanted {
        round += 1;
        assert!(round <= 4 * wanted, "{killed} of {} kills hit a running build", round - 1);
        publish(&server, &account, round);
        wait_until("the build has begun", || {
            let begun = "SELECT count(*) FROM builds WHERE started_at IS NOT NULL";
            recto.query(begun) > round as i64
        });
        std::thread::sleep(random_moment(typical * 3 / 4));
        server.signal(Signal::KILL);
        server.wait();
        let last = recto.json(&["site", "show", "acme"])["lastBuild"].clone();
        killed += usize::from(last["status"] == "running");
        server = recto.start();
        check(&server, &[round - 1, round]);
        let build = server.wait_for_build(&account.token);
        assert_eq!(build["status"], "success", "{build}");
        check(&server, &[round]);
    }
    server.stop();
    recto.check_integrity();
    assert_eq!(recto.query("SELECT count(*) FROM releases"), 1 + round as i64, "one release per round");
}

/// A queued or running build ends before the shutdown or after the restart.
#[test]
fn a_graceful_stop_during_a_build_loses_nothing() {
    let recto = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(&server, &account, 0);
    server.wait_for_build(&account.token);
    publish(&server, &account, 1);
    server.stop();
    let server = recto.start();
    check(&server, &[0, 1]);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    check(&server, &[1]);
}

/// Every page contains the number of its round.
fn publish(server: &Server, account: &Account, round: usize) {
    let page = |number: usize| {
        let content = format!("Written in round-{round}-end.\n\n```rust\nlet number = {number};\n```\n");
        json!({ "title": format!("Page {number}"), "content": content })
    };
    let pages: Vec<Value> = (0..PAGES).map(page).collect();
    let answer = server.publish(&account.token, &json!({ "pages": pages, "build": true })).expect(200);
    assert_eq!(answer["build"]["status"], "queued");
}

/// All pages of a release are from the same round, which must be an allowed one.
fn check(server: &Server, allowed: &[usize]) {
    let mut seen: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    for number in 0..PAGES {
        let page = server.visit(HOST, &format!("/blog/page-{number}"));
        assert_eq!(page.status, 200, "page {number}: {}", page.body);
        let rest = page.body.split("Written in round-").nth(1).unwrap_or_else(|| panic!("{}", page.body));
        let round = rest.split("-end.").next().unwrap().parse().unwrap();
        *seen.entry(page.header("x-recto-release").to_owned()).or_default().entry(round).or_default() += 1;
    }
    for (release, rounds) in &seen {
        assert_eq!(rounds.len(), 1, "release {release} mixes rounds: {rounds:?}");
        assert!(rounds.keys().all(|round| allowed.contains(round)), "{seen:?} instead of {allowed:?}");
    }
}

fn random_moment(max_millis: u64) -> Duration {
    Duration::from_millis(RandomState::new().hash_one(()) % max_millis.max(1))
}
