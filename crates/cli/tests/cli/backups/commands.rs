//! Backups and moves by command, and by the server itself.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::{Recto, keys, text};
use crate::harness::server::{Server, free_port};
use crate::media::files::pdf;

on_both_databases!(a_backup_is_listed_verified_and_restored, a_server_makes_backups_by_itself);

const HOST: &str = "acme.localhost";

fn a_backup_is_listed_verified_and_restored(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let file = server.keep_file(&account, "notes.pdf", &pdf("Hello reader"));
    let pages = json!({ "pages": [{ "title": "Hello", "content": "Some *words*." }], "build": true });
    server.publish(&account.token, &pages).expect(200);
    server.wait_for_build(&account.token);
    let (place, other) = (recto.path_next_to_data("backups"), recto.path_next_to_data("other"));
    let place = text(&place);

    let made = recto.json(&["backup", place]);
    assert!(made["objectsCopied"].as_u64().unwrap() >= 2, "{made}");
    let again = recto.json(&["backup", place, "--keep", "1"]);
    assert_eq!((&again["bytesCopied"], &again["deleted"]), (&json!(0), &json!([made["id"]])));
    let listed = recto.json(&["backup", "list", place]);
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &again["id"]));
    assert!(recto.text(&["backup", "list", place]).contains(again["id"].as_str().unwrap()));
    let verified = recto.json(&["backup", "verify", place]);
    assert_eq!((&verified["id"], &verified["problems"]), (&again["id"], &json!([])));
    server.stop();

    let copy = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    assert!(copy.refusal(&["restore", text(&other)]).contains("there is no directory"));
    let restored = copy.json(&["restore", place]);
    assert_eq!(restored["id"], again["id"]);
    assert_ne!(restored["restoredAs"], restored["installationId"]);
    assert!(copy.refusal(&["restore", place]).contains("database is not empty"));
    assert_eq!(copy.json(&["verify"])["damage"], json!([]));
    let server = copy.start();
    assert!(server.visit(HOST, "/blog/hello").body.contains("Some <em>words</em>."));
    assert!(!server.download(HOST, &file).is_empty());
    let more = json!({ "title": "Another", "content": "More", "build": true });
    server.publish(&account.token, &more).expect(200);
    server.wait_for_build(&account.token);
    assert_eq!(server.visit(HOST, "/blog/another").status, 200);
    server.stop();
}

fn a_server_makes_backups_by_itself(recto: &Recto) {
    let port = free_port();
    let place = recto.path_next_to_data("backups");
    let command = |arguments: &[&str]| {
        let mut command = recto.command(arguments);
        command.env("RECTO_ADMIN_LISTEN", format!("127.0.0.1:{port}"));
        command.env("RECTO_BACKUP_URL", format!("file:{}", place.display()));
        command
    };
    recto.account("Acme");
    let doctor = || -> Value {
        let output = command(&["doctor", "--json"]).output().unwrap();
        let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
        let is_backup = |finding: &&Value| finding["check"] == "backup";
        findings.as_array().unwrap().iter().find(is_backup).cloned().unwrap()
    };
    let before = doctor();
    assert_eq!(before["verdict"], "warning", "{before}");
    let server = Server::start(command(&["serve", "--dev"]));
    let complete = || !recto.json(&["backup", "list", text(&place)]).as_array().unwrap().is_empty();
    wait_until("a backup is made", || place.is_dir() && complete());
    wait_until("the log says so", || server.stderr().contains("backup made"));
    let metrics = reqwest::blocking::get(format!("http://127.0.0.1:{port}/metrics")).unwrap().text().unwrap();
    let made = metrics.lines().find_map(|line| line.strip_prefix("recto_backup_last_success_seconds "));
    let made = Duration::from_secs(made.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap());
    assert!(SystemTime::UNIX_EPOCH.elapsed().unwrap() - made < Duration::from_secs(120));
    server.stop();
    let after = doctor();
    assert_eq!(after["verdict"], "ok", "{after}");
}

#[test]
fn a_flipped_byte_is_named_and_the_exit_code_says_so() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    server.keep_file(&account, "notes.pdf", &pdf("Hello reader"));
    server.stop();
    let place = recto.path_next_to_data("backups");
    recto.text(&["backup", text(&place)]);
    let folder = std::fs::read_dir(place.join("media")).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let ended = recto.run(&["backup", "verify", text(&place)]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("media object") && ended.stdout.contains("1 problems"), "{ended:?}");
    let json = recto.run(&["backup", "verify", text(&place), "--json"]);
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((json.code, &found["problemCount"]), (Some(1), &json!(1)));
}

#[test]
fn commands_say_what_is_missing() {
    let recto = Recto::new();
    let nowhere = recto.path_next_to_data("backups");
    assert!(recto.refusal(&["backup"]).contains("set backup.url"));
    assert!(recto.refusal(&["backup", text(&nowhere)]).contains("recto serve"));
    assert!(!nowhere.exists(), "nothing is created");
    assert!(recto.refusal(&["backup", "verify", text(&nowhere)]).contains("there is no directory"));
    recto.account("Acme");
    recto.text(&["backup", text(&nowhere)]);
    let refusal = recto.refusal(&["restore", text(&nowhere), "--at", "yesterday"]);
    assert!(refusal.contains("no complete backup yesterday"), "{refusal}");
    let objects = recto.data().join("objects");
    recto.start().stop();
    assert!(recto.refusal(&["backup", text(&objects)]).contains("a place of their own"));
    let same = ["migrate", "--from", "sqlite:recto.db", "--to", "sqlite:recto.db"];
    assert!(recto.refusal(&same).contains("the same"));
    assert!(recto.refusal(&["migrate", "--from", "mysql://x", "--to", "sqlite:a.db"]).contains("--from"));
}

#[test]
fn an_installation_moves_to_postgres_and_back() {
    let Some(target) = testing::Database::postgres() else { return };
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let pages = json!({ "pages": [{ "title": "Hello", "content": "Some *words*." }], "build": true });
    server.publish(&account.token, &pages).expect(200);
    server.wait_for_build(&account.token);
    server.stop();
    let there = ["migrate", "--from", "sqlite:recto.db", "--to", &target.url()];
    let moved = recto.json(&there);
    let expected = ["bytesCopied", "installationId", "objects", "problemCount", "problems", "tables"];
    assert_eq!(keys(&moved), expected);
    let objects = ["--objects-from", "file:objects", "--objects-to", "file:new-objects"];
    let back = ["migrate", "--from", &target.url(), "--to", "sqlite:new.db"];
    let output = recto.text(&[&back[..], &objects[..]].concat());
    assert!(output.contains("next: set store.url and objects.url"), "{output}");
    let recto = recto.set("RECTO_STORE_URL", "sqlite:new.db").set("RECTO_OBJECTS_URL", "file:new-objects");
    assert_eq!(recto.json(&["verify"])["damage"], json!([]));
    let server = recto.start();
    assert!(server.visit(HOST, "/blog/hello").body.contains("Some <em>words</em>."));
    server.publish(&account.token, &json!({ "title": "Another", "content": "More" })).expect(200);
    server.stop();
}

#[test]
fn objects_move_to_a_bucket_and_backups_go_there() {
    let Some(endpoint) = testing::server(testing::S3) else { return };
    let recto = Recto::new().set("AWS_ENDPOINT_URL", &endpoint).set("AWS_ALLOW_HTTP", "true");
    let recto = recto.set("AWS_ACCESS_KEY_ID", "recto-test").set("AWS_SECRET_ACCESS_KEY", "secret");
    let (account, server) = (recto.account("Acme"), recto.start());
    let file = server.keep_file(&account, "notes.pdf", &pdf("Hello reader"));
    server.stop();
    let bucket = format!("s3://recto/{}", uuid::Uuid::new_v4());
    let (objects, place) = (format!("{bucket}/objects"), format!("{bucket}/backups"));
    let rows = ["migrate", "--from", "sqlite:recto.db", "--to", "sqlite:new.db"];
    let moved =
        recto.json(&[&rows[..], &["--objects-from", "file:objects", "--objects-to", &objects]].concat());
    assert_eq!(moved["objects"], 1, "{moved}");
    let recto = recto.set("RECTO_STORE_URL", "sqlite:new.db").set("RECTO_OBJECTS_URL", &objects);
    let server = recto.start();
    assert!(!server.download(HOST, &file).is_empty());
    recto.text(&["backup", &place]);
    assert_eq!(recto.json(&["backup", "verify", &place])["problemCount"], 0);
    assert_eq!(recto.json(&["backup", &place])["bytesCopied"], 0);
    server.stop();
}

#[test]
fn a_place_may_have_more_backups_than_files_may_be_open() {
    let (recto, other) = (Recto::new(), Recto::new());
    recto.account("Acme");
    let place = recto.path_next_to_data("backups");
    let made = recto.json(&["backup", text(&place)]);
    let id = made["id"].as_str().unwrap();
    let backups = place.join("backups");
    let manifest = std::fs::read_to_string(backups.join(id).join("manifest.json")).unwrap();
    for number in 0..120 {
        let copy = format!("{}-{number:06}", id.split_once('-').unwrap().0);
        std::fs::create_dir(backups.join(&copy)).unwrap();
        for name in ["rows.ndjson.zst", "objects.ndjson.zst", "begun"] {
            std::fs::copy(backups.join(id).join(name), backups.join(&copy).join(name)).unwrap();
        }
        std::fs::write(backups.join(&copy).join("manifest.json"), manifest.replace(id, &copy)).unwrap();
    }
    // A killed backup was going to copy an object that none of them has, so that the next one looks for it in all lists.
    let (account, server) = (other.account("Other"), other.start());
    server.keep_file(&account, "a.txt", b"a");
    let other_place = other.path_next_to_data("backups");
    let killed = other.json(&["backup", text(&other_place)])["id"].as_str().unwrap().to_owned();
    let plan = backups.join(&killed).join("plan-1.ndjson.zst");
    std::fs::create_dir(backups.join(&killed)).unwrap();
    std::fs::copy(other_place.join("backups").join(&killed).join("objects.ndjson.zst"), &plan).unwrap();

    let few_files = "ulimit -n 100 && exec \"$0\" \"$@\"";
    let arguments = ["-c", few_files, env!("CARGO_BIN_EXE_recto"), "backup", text(&place)];
    let ended = Process::start(recto.command_of(Path::new("sh"), &recto.data(), &arguments)).wait();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!plan.exists());
}
