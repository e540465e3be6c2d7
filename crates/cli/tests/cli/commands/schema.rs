//! The schema of the database: who upgrades it, and who does not.

use serde_json::json;

use crate::harness::recto::Recto;

on_both_databases!(
    a_server_upgrades_an_old_schema_unless_told_not_to,
    commands_that_only_read_leave_the_schema_alone
);

/// The last migration, and the one before it.
const NEWEST: i64 = 13;
const BEFORE: i64 = 12;

/// Takes the last migration back.
fn age(recto: &Recto) {
    for table in ["challenges", "passkeys"] {
        recto.execute(&format!("DROP TABLE {table}"));
    }
    recto.execute(&format!("DELETE FROM migrations WHERE version = {NEWEST}"));
}

fn schema(recto: &Recto) -> i64 {
    recto.query("SELECT max(version) FROM migrations")
}

fn a_server_upgrades_an_old_schema_unless_told_not_to(recto: &Recto) {
    let account = recto.account("acme");
    age(recto);
    let mut manual = recto.command(&["serve"]);
    manual.env("RECTO_STORE_UPGRADE", "manual");
    let refused = crate::harness::process::Process::start(manual).wait();
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains(&format!("schema {BEFORE}"))
            && refused.stderr.contains("recto store upgrade"),
        "{refused:?}"
    );
    assert_eq!(schema(recto), BEFORE);
    assert_eq!(recto.json(&["store", "upgrade"]), json!({ "from": BEFORE, "to": NEWEST }));
    assert_eq!(recto.json(&["store", "upgrade"]), json!({ "from": NEWEST, "to": NEWEST }));
    assert!(recto.text(&["store", "upgrade"]).contains("up to date"));
    age(recto);
    drop(recto.start());
    assert_eq!(schema(recto), NEWEST);
    assert_eq!(recto.json(&["account", "list"])[0]["accountId"], json!(account.id));
}

fn commands_that_only_read_leave_the_schema_alone(recto: &Recto) {
    let reading: [&[&str]; 8] = [
        &["account", "list"],
        &["token", "list"],
        &["site", "list"],
        &["site", "show", "acme"],
        &["site", "domain", "acme"],
        &["page", "deleted", "--site", "acme"],
        &["media", "list", "acme"],
        &["verify"],
    ];
    for command in reading {
        assert!(recto.refusal(command).contains("recto serve"), "{command:?}");
    }
    assert!(!recto.data().join("recto.db").exists());
    recto.account("acme");
    for command in reading {
        recto.json(command);
    }
    age(recto);
    for command in reading {
        assert!(recto.refusal(command).contains("recto store upgrade"), "{command:?}");
    }
    let report = recto.run(&["doctor"]);
    assert!(report.stdout.contains("recto store upgrade"), "{report:?}");
    assert_eq!(schema(recto), BEFORE);
    // A command that writes upgrades, as a server does.
    recto.account("other");
    assert_eq!(schema(recto), NEWEST);
}
