//! The log, and what it must not contain.

use serde_json::{Value, json};

use crate::harness::recto::Recto;

#[test]
fn a_request_is_one_line_with_its_id_and_without_secrets() {
    let recto = Recto::new().set("RECTO_LOG_FORMAT", "json").set("RECTO_LOG_FILTER", "debug");
    let (account, server) = (recto.account("Acme"), recto.start());
    let body = json!({ "title": "A private title", "content": "A private text" });
    let published = server.publish(&account.token, &body);
    published.expect(200);
    let unknown = format!("rec_{}", "0".repeat(64));
    let refused = server.list(&unknown);
    refused.expect(401);

    let log = server.stop();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |id: &str| -> Vec<&Value> { lines.iter().filter(|line| line["request_id"] == id).collect() };
    let [line] = of(published.header("x-request-id"))[..] else { panic!("{log}") };
    assert_eq!(
        (&line["method"], &line["path"], &line["status"]),
        (&json!("POST"), &json!("/api/v1/public/pages"), &json!(200))
    );
    let [line] = of(refused.header("x-request-id"))[..] else { panic!("{log}") };
    assert_eq!(line["status"], 401);
    for secret in ["rec_", &account.token[4..], &unknown[4..], "private"] {
        assert!(!log.contains(secret), "{secret:?} is in the log: {log}");
    }
}

#[test]
fn people_read_a_line_of_text() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let id = server.list(&account.token).header("x-request-id").to_owned();
    let log = server.stop();
    let line = log.lines().find(|line| line.contains(&id)).unwrap();
    assert!(line.contains("status=200") && line.contains("path=\"/api/v1/public/pages\""), "{line}");
    assert!(!log.contains('\u{1b}'), "colours are for terminals");
}
