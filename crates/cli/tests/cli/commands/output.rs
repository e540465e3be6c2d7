//! Output of the commands, for programs and for people, and their errors.

use crate::harness::recto::{Recto, keys};

const UNKNOWN_ID: &str = "019a0000-0000-7000-8000-000000000000";

on_both_databases!(json_output_of_the_commands, a_refusal_has_a_reason_and_a_fix);

fn json_output_of_the_commands(recto: &Recto) {
    let created = recto.json(&["account", "create", "Acme & Søns"]);
    assert_eq!(keys(&created), ["accountId", "deployUrl", "siteId", "token", "tokenId"]);
    assert_eq!(created["deployUrl"], "http://acme-sons.localhost:8081");
    let account = created["accountId"].as_str().unwrap();
    let site = recto.json(&["site", "create", "docs", "--account", account]);
    assert_eq!(keys(&site), ["deployUrl", "siteId"]);
    assert_eq!(site["deployUrl"], "http://docs.localhost:8081");
    let token = recto.json(&["token", "create", "--account", account, "--name", "ci"]);
    assert_eq!(keys(&token), ["token", "tokenId"]);
    assert_eq!(keys(&recto.json(&["token", "create", "--account", account])), ["token", "tokenId"]);

    let accounts = recto.json(&["account", "list"]);
    assert_eq!(accounts.as_array().unwrap().len(), 1);
    assert_eq!(accounts[0], recto.json(&["account", "show", account]));
    assert_eq!(
        (accounts[0]["name"].as_str(), accounts[0]["plan"].as_str()),
        (Some("Acme & Søns"), Some("pro"))
    );
    assert_eq!((&accounts[0]["sites"], &accounts[0]["pages"]), (&2.into(), &0.into()));
    let sites = recto.json(&["site", "list"]);
    assert_eq!(sites.as_array().unwrap().len(), 2);
    assert_eq!(recto.json(&["site", "show", "docs"])["siteId"], site["siteId"]);
    let tokens = recto.json(&["token", "list", "--account", account]);
    assert_eq!(tokens.as_array().unwrap().len(), 3);
    assert!(!tokens.to_string().contains("rec_"), "tokens are shown once");
    let other = recto.account("acme sons");
    assert_eq!(other.deploy_url, "http://acme-sons-2.localhost:8081");
    assert_eq!(recto.json(&["token", "list", "--account", account]).as_array().unwrap().len(), 3);
    assert_eq!(recto.json(&["token", "list"]).as_array().unwrap().len(), 4);
}

fn a_refusal_has_a_reason_and_a_fix(recto: &Recto) {
    let account = &recto.account("Acme").id;
    let check = |arguments: &[&str], expected: &str| {
        let why = recto.refusal(arguments);
        assert!(why.contains(expected), "{arguments:?}: {why:?} does not contain {expected:?}");
    };
    check(&["account", "create", " "], "name");
    check(&["account", "create", "B", "--plan", "gold"], "free, simple, pro");
    check(&["account", "show", "acme"], "recto account list");
    check(&["account", "show", UNKNOWN_ID], "recto account list");
    check(&["account", "suspend", UNKNOWN_ID], "recto account list");
    check(&["account", "resume", UNKNOWN_ID], "recto account list");
    check(&["account", "plan", UNKNOWN_ID, "free"], "recto account list");
    check(&["account", "plan", account, "gold"], "free, simple, pro");
    check(&["site", "create", "acme", "--account", account], "taken; choose another");
    check(&["site", "create", "Not A Label", "--account", account], "site name");
    check(&["site", "create", "fine", "--account", UNKNOWN_ID], "recto account list");
    check(&["site", "create", "fine"], "--account");
    check(&["site", "show", "nowhere"], "recto site list");
    check(&["site", "rename", "nowhere", "fine"], "recto site list");
    check(&["site", "rename", "acme", "-"], "site name");
    check(&["site", "delete", "nowhere", "--yes"], "recto site list");
    check(&["site", "delete", "acme"], "--yes");
    check(&["token", "create", "--account", UNKNOWN_ID], "recto account list");
    check(&["token", "revoke", "one"], "recto token list");
    check(&["token", "revoke", UNKNOWN_ID], "recto token list");
    check(&["page", "deleted", "--site", "nowhere"], "recto site list");
    check(&["page", "restore", UNKNOWN_ID, "--site", "acme"], UNKNOWN_ID);
    check(&["page", "restore", "one", "--site", "acme"], "recto page deleted");
    check(&["page", "purge", "--site", "acme"], "--all");
    check(&["no-such-command"], "no-such-command");
    assert_eq!(recto.json(&["site", "list"]).as_array().unwrap().len(), 1, "nothing was made or deleted");
}

#[test]
fn people_read_text() {
    let recto = Recto::new();
    let shown = recto.text(&["account", "create", "Acme"]);
    assert!(shown.contains("rec_") && shown.contains("http://acme.localhost:8081"), "{shown}");
    assert!(recto.text(&["account", "list"]).starts_with("ACCOUNT"));
    assert!(recto.text(&["site", "list"]).contains("http://acme.localhost:8081"));
    assert!(!recto.text(&["token", "list"]).contains("rec_"));
    let help = recto.text(&["--help"]);
    for command in ["serve", "account", "site", "token", "page", "doctor", "--data", "--config", "--json"] {
        assert!(help.contains(command), "the help does not mention {command}");
    }
    assert_eq!(recto.text(&["--version"]), format!("recto {}\n", env!("CARGO_PKG_VERSION")));
}
