//! `recto doctor` reports problems with fixes.

use serde_json::Value;

use crate::harness::recto::{Recto, keys, text};

on_both_databases!(a_healthy_installation_passes, builds_that_no_server_runs_are_reported);

fn a_healthy_installation_passes(recto: &Recto) {
    assert!(recto.text(&["doctor"]).contains("database"));
    let server = recto.start();
    let findings = recto.json(&["doctor"]);
    let findings = findings.as_array().unwrap();
    assert!(findings.len() >= 4, "{findings:?}");
    for finding in findings {
        assert_eq!(keys(finding), ["check", "message", "verdict"]);
        assert_ne!(finding["verdict"], "failure");
    }
    server.stop();
}

fn builds_that_no_server_runs_are_reported(recto: &Recto) {
    recto.account("Acme");
    recto.text(&["site", "build", "acme"]);
    let builds = || {
        let findings = recto.json(&["doctor"]);
        let findings = findings.as_array().unwrap().iter();
        let found: Vec<Value> = findings.filter(|finding| finding["check"] == "builds").cloned().collect();
        let [found] = &found[..] else { panic!("{found:?}") };
        (found["verdict"].as_str().unwrap().to_owned(), found["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(builds().0, "ok", "it waits for a moment only");
    recto.execute("UPDATE builds SET created_at = created_at - 61000000");
    let (verdict, message) = builds();
    assert_eq!(verdict, "warning");
    assert!(message.contains("acme") && message.contains("server"), "{message}");
    recto.text(&["site", "build", "acme", "--wait"]);
    assert_eq!(builds().0, "ok");
}

#[test]
fn problems_are_reported_with_a_fix() {
    let recto = Recto::new();
    let wrong = recto.write_file("recto.toml", "[api]\nlisen = \"x\"\n");
    let complaint = failure(&recto, &["doctor", "--config", text(&wrong)]);
    assert!(complaint.contains("lisen"), "{complaint}");

    let unreachable = recto
        .write_file("unreachable.toml", "[store]\nurl = \"postgres://recto:secret@127.0.0.1:1/recto\"\n");
    let complaint = failure(&recto, &["doctor", "--config", text(&unreachable)]);
    assert!(complaint.contains("store.url"), "{complaint}");
    assert!(!complaint.contains("secret"), "{complaint}");
    let why = recto.refusal(&["serve", "--config", text(&unreachable)]);
    assert!(why.contains("database") && why.contains("recto doctor") && !why.contains("secret"), "{why}");

    let blocked = recto.write_file("blocked", "no directory");
    let recto = recto.set("RECTO_STORE_URL", "sqlite:blocked/recto.db");
    std::fs::create_dir_all(recto.data()).unwrap();
    std::fs::copy(blocked, recto.data().join("blocked")).unwrap();
    assert!(failure(&recto, &["doctor"]).contains("database"));
}

fn findings(recto: &Recto, check: &str) -> Vec<(String, String)> {
    let findings: Vec<Value> = serde_json::from_str(&recto.run(&["doctor", "--json"]).stdout).unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let of_check = findings.iter().filter(|finding| finding["check"] == check);
    of_check.map(|finding| (text(finding, "verdict"), text(finding, "message"))).collect()
}

#[test]
fn set_and_misspelt_variables_are_reported() {
    let recto =
        Recto::new().set("RECTO_STROE_URL", "postgres://me:secret@db/recto").set("RECTO_API_KEY", "x");
    let found = findings(&recto, "environment");
    let set = "set: RECTO_API_LISTEN, RECTO_SITES_LISTEN, RECTO_STORE_MIN_FREE";
    assert_eq!(found[0], ("ok".into(), set.into()));
    let typo = "RECTO_STROE_URL is not a Recto setting; did you mean RECTO_STORE_URL?";
    assert_eq!(found[1..], [("warning".into(), typo.into())]);
    assert!(!recto.text(&["doctor"]).contains("secret"));

    let recto = Recto::new().set("RECTO_STORE_ULR", "sqlite:x.db");
    let why = recto.refusal(&["serve"]);
    assert!(why.contains("RECTO_STORE_ULR") && why.contains("did you mean RECTO_STORE_URL?"), "{why}");
}

#[test]
fn a_port_of_a_running_recto_is_no_problem() {
    let recto = Recto::new();
    let server = recto.start();
    let (api, sites) = (server.base.trim_start_matches("http://").to_owned(), server.sites());
    let other = Recto::new().set("RECTO_API_LISTEN", &api).set("RECTO_SITES_LISTEN", &sites);
    for (key, address) in [("api.listen", &api), ("sites.listen", &sites)] {
        assert_eq!(findings(&other, key), [("ok".into(), format!("Recto is running on {address}"))]);
    }
    server.stop();
    let taken = std::net::TcpListener::bind(&api).unwrap();
    let [(verdict, message)] = &findings(&other, "api.listen")[..] else { panic!("no finding") };
    assert!(verdict == "warning" && message.contains(&api) && message.contains("api.listen"), "{message}");
    drop(taken);
    assert_eq!(findings(&other, "api.listen"), [("ok".into(), format!("{api} is free"))]);
}

#[test]
fn a_data_directory_that_cannot_be_created_is_reported_with_a_fix() {
    let recto = Recto::new();
    std::fs::write(recto.data(), "no directory").unwrap();
    assert!(recto.refusal(&["serve"]).contains("--data"));
    assert!(recto.refusal(&["account", "list"]).contains("--data"));
    let complaint = failure(&recto, &["doctor"]);
    assert!(complaint.contains("data directory") && complaint.contains("--data"), "{complaint}");
    assert!(!complaint.contains("store.url"), "{complaint}");
}

#[test]
fn objects_that_cannot_be_written_are_reported() {
    let recto = Recto::new();
    std::fs::create_dir_all(recto.data()).unwrap();
    std::fs::write(recto.data().join("objects"), "no directory").unwrap();
    let complaint = failure(&recto, &["doctor"]);
    assert!(complaint.contains("objects.url") && !complaint.contains("store.url"), "{complaint}");
    let why = recto.refusal(&["serve"]);
    assert!(why.contains("objects") && why.contains("recto doctor"), "{why}");
}

#[test]
fn the_sandbox_of_uploads_is_reported() {
    let sandbox = |recto: &Recto| {
        let findings = recto.json(&["doctor"]);
        let found = findings.as_array().unwrap().iter().find(|finding| finding["check"] == "sandbox");
        found.cloned().unwrap()
    };
    let recto = Recto::new();
    let on = sandbox(&recto);
    assert_eq!(on["verdict"], "ok", "{on}");
    assert!(on["message"].as_str().unwrap().contains("Landlock (ABI "), "{on}");
    let off = sandbox(&recto.set("RECTO_UPLOADS_SANDBOX", "off"));
    assert_eq!(off["verdict"], "warning", "{off}");
    assert!(off["message"].as_str().unwrap().contains("uploads.sandbox"), "{off}");
}

/// The failures of a doctor run that must exit with 1, both in JSON and in text.
fn failure(recto: &Recto, arguments: &[&str]) -> String {
    let shown = recto.run(arguments);
    assert_eq!(shown.code, Some(1), "{shown:?}");
    let ended = recto.run(&[arguments, &["--json"]].concat());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let findings: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    let failed = findings.iter().filter(|finding| finding["verdict"] == "failure");
    let messages: Vec<String> =
        failed.map(|finding| format!("{}: {}", finding["check"], finding["message"])).collect();
    assert!(!messages.is_empty() && shown.stdout.contains("FAIL"), "{shown:?}");
    messages.join("\n")
}
