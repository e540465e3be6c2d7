//! A build's memory is bounded by bytes, whatever the pages hold.

use serde_json::{Value, json};

use crate::recto::Recto;

const MB: u64 = 1 << 20;

/// Legal texts that become as much HTML as they can.
fn heavy_texts() -> Vec<(&'static str, String)> {
    let row = |cell: &str| format!("|{}\n", cell.repeat(300));
    let table = format!("{}{}{}", row("a|"), row("-|"), row("b|").repeat(160));
    vec![
        ("headings", "# a\n".repeat(24_000)),
        ("table", table.chars().take(99_000).collect()),
        ("links", "[a](b) ".repeat(14_000)),
        ("code", format!("```rust\n{}```\n", "let a = \"b\" + 1; // c\n".repeat(4_000))),
        ("emphasis", "**a** _b_ `c` ".repeat(7_000)),
    ]
}

#[test]
fn a_build_of_many_heavy_pages_takes_bounded_memory() {
    let recto = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let (account, server) = (recto.account("Acme"), recto.start());
    // The first page warms up what is made once.
    server.publish(&account.token, &json!({ "title": "Warm", "build": true })).expect(200);
    server.wait_for_build(&account.token);
    for (name, text) in heavy_texts() {
        assert!(text.len() <= 100_000, "{name}: {}", text.len());
        let page = |number| json!({ "title": format!("{name} {number}"), "content": text });
        let pages: Vec<Value> = (0..60).map(page).collect();
        server.publish(&account.token, &json!({ "pages": pages })).expect(200);
    }
    let before = server.memory("VmRSS:");
    server.build(&account.token).expect(202);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    let growth = server.memory("VmHWM:").saturating_sub(before);
    assert!(growth < 256 * MB, "the build took {} MB", growth / MB);
}
