//! `kill -9` of a backup or a move at any moment, and the same command again.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use testing::Database;

use crate::harness::process::Process;
use crate::harness::recto::{Recto, text};

const PAGES: usize = 400;

/// With enough pages that a copy takes a while.
fn installation() -> Recto {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let page = |number: usize| {
        // Text that does not compress well.
        let words: Vec<String> = (0..400).map(|word| format!("{:x}", word * 7919 * (number + 1))).collect();
        json!({ "slug": format!("page-{number}"), "title": "A page", "content": words.join(" ") })
    };
    let pages: Vec<Value> = (0..PAGES).map(page).collect();
    server.publish(&account.token, &json!({ "pages": pages, "build": true })).expect(200);
    server.wait_for_build(&account.token);
    server.stop();
    recto
}

/// Runs a command to its end once on other arguments, and then kills it at growing fractions of that time. Returns how
/// often it was killed.
fn kill_and_repeat(recto: &Recto, whole: &[&str], killed: &[&str], mut check: impl FnMut()) -> usize {
    let started = Instant::now();
    recto.text(whole);
    let typical = started.elapsed();
    let mut kills = 0;
    for part in 1..=12 {
        let mut process = Process::start(recto.command(killed));
        std::thread::sleep(typical * part / 12);
        if process.is_running() {
            process.signal(Signal::KILL);
            kills += 1;
        }
        process.wait();
        check();
        std::thread::sleep(Duration::from_millis(1));
    }
    kills
}

#[test]
fn a_killed_backup_is_not_complete_and_the_next_one_is() {
    let recto = installation();
    let (whole, killed) = (recto.path_next_to_data("whole"), recto.path_next_to_data("killed"));
    let is_whole = |place: &str| {
        let verified = recto.json(&["backup", "verify", place]);
        assert_eq!(verified["problemCount"], 0, "{verified}");
    };
    let kills = kill_and_repeat(&recto, &["backup", text(&whole)], &["backup", text(&killed)], || {
        let complete = match killed.is_dir() {
            true => recto.json(&["backup", "list", text(&killed)]).as_array().unwrap().len(),
            false => 0,
        };
        if complete > 0 {
            is_whole(text(&killed));
        }
    });
    assert!(kills >= 3, "{kills} kills");
    recto.text(&["backup", text(&killed), "--keep", "1"]);
    is_whole(text(&killed));
    // Nothing is left of the others, neither there nor in the data directory.
    assert_eq!(std::fs::read_dir(killed.join("backups")).unwrap().filter(has_files).count(), 1);
    let left = std::fs::read_dir(recto.data()).unwrap();
    let left =
        left.filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with("backup-"));
    assert_eq!(left.count(), 0);
}

fn has_files(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    std::fs::read_dir(entry.as_ref().unwrap().path()).unwrap().next().is_some()
}

#[test]
fn a_killed_move_to_postgres_is_completed_by_the_same_command() {
    let (Some(whole), Some(killed)) = (Database::postgres(), Database::postgres()) else { return };
    let recto = installation();
    let from = ["migrate", "--from", "sqlite:recto.db", "--to"];
    let (whole_url, killed_url) = (whole.url(), killed.url());
    let whole_command = [&from[..], &[whole_url.as_str()]].concat();
    let killed_command = [&from[..], &[killed_url.as_str()]].concat();
    kill_and_repeat(&recto, &whole_command, &killed_command, || {});
    let rows = |database: &Database| -> Vec<String> {
        database.dump().into_iter().filter(|row| !row.starts_with("migrations:")).collect()
    };
    // One of the runs may have reached its end.
    let last = recto.run(&killed_command);
    assert!(last.code == Some(0) || last.stderr.contains("not empty"), "{last:?}");
    assert_eq!(rows(&killed), rows(&whole));
}

#[test]
fn a_server_refuses_the_target_of_a_killed_move() {
    let recto = installation();
    let command = ["migrate", "--from", "sqlite:recto.db", "--to", "sqlite:new.db"];
    let objects = ["--objects-from", "file:objects", "--objects-to", "file:new-objects"];
    let command = [&command[..], &objects[..]].concat();
    let started = Instant::now();
    loop {
        let process = Process::start(recto.command(&command));
        std::thread::sleep(Duration::from_millis(30) + started.elapsed() / 50);
        process.signal(Signal::KILL);
        process.wait();
        if recto.data().join("new.db").exists() {
            break;
        }
    }
    let new = |arguments: &[&str]| {
        let mut command = recto.command(arguments);
        command.env("RECTO_STORE_URL", "sqlite:new.db").env("RECTO_OBJECTS_URL", "file:new-objects");
        Process::start(command).wait()
    };
    let refused = new(&["site", "list"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let moved = recto.run(&command);
    assert!(moved.code == Some(0) || moved.stderr.contains("not empty"), "{moved:?}");
    let verified = new(&["verify", "--json"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}
