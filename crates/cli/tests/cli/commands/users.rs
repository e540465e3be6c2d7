//! `recto user`: people who use the dashboard.

use serde_json::json;

use crate::harness::recto::{Recto, keys};

on_both_databases!(
    a_link_of_a_command_opens_the_dashboard,
    people_are_listed_with_their_accounts,
    a_refusal_says_what_is_wrong,
);

fn a_link_of_a_command_opens_the_dashboard(recto: &Recto) {
    let account = recto.account("Acme").id;
    let created = recto.json(&["user", "create", "Ada@example.com", "--account", &account]);
    assert_eq!(keys(&created), ["url", "userId"]);
    let again = recto.json(&["user", "link", "ada@example.com"]);
    assert_eq!(keys(&again), ["url"]);
    let server = recto.start();
    for url in [&created["url"], &again["url"]] {
        let path = url.as_str().unwrap().rsplit_once("/dashboard").unwrap().1;
        let opened = server.get(&format!("/dashboard{path}"));
        assert!(opened.status == 200 && opened.body.contains("ada@example.com"), "{}", opened.body);
        assert!(!server.stderr().contains(path.split_once("key=").unwrap().1), "a secret is in the log");
    }
}

fn people_are_listed_with_their_accounts(recto: &Recto) {
    let (one, other) = (recto.account("One").id, recto.account("Other").id);
    assert_eq!(recto.json(&["user", "list"]), json!([]));
    recto.json(&["user", "create", "bob@example.com", "--account", &one, "--role", "writer"]);
    let ada = recto.json(&["user", "create", "ada@example.com", "--account", &one]);
    let again = recto.json(&["user", "create", "ada@example.com", "--account", &other, "--operator"]);
    assert_eq!(ada["userId"], again["userId"]);
    let listed = recto.json(&["user", "list"]);
    let expected = json!([{"accountId": one, "role": "owner"}, {"accountId": other, "role": "owner"}]);
    assert_eq!(listed[0]["accounts"], expected);
    assert_eq!((&listed[0]["operator"], &listed[1]["operator"]), (&json!(true), &json!(false)));
    assert_eq!(listed[1]["accounts"], json!([{"accountId": one, "role": "writer"}]));
    assert!(recto.text(&["user", "list"]).contains("bob@example.com"));
}

fn a_refusal_says_what_is_wrong(recto: &Recto) {
    let account = recto.account("Acme").id;
    let unknown = "019a0000-0000-7000-8000-000000000000";
    let check = |arguments: &[&str], expected: &str| {
        let why = recto.refusal(arguments);
        assert!(why.contains(expected), "{arguments:?}: {why:?} does not contain {expected:?}");
    };
    check(&["user", "create", "ada", "--account", &account], "ada@example.com");
    check(&["user", "create", "ada@example.com", "--account", unknown], "recto account list");
    check(&["user", "create", "ada@example.com", "--account", &account, "--role", "king"], "owner or writer");
    check(&["user", "create", "ada@example.com"], "--account");
    check(&["user", "link", "ada@example.com"], "recto user list");
    assert_eq!(recto.json(&["user", "list"]), json!([]));
}
