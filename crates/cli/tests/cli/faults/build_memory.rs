//! A build's memory is bounded, whatever the pages contain.

use serde_json::{Value, json};

use crate::harness::recto::Recto;
use crate::harness::server::Server;

const MB: u64 = 1 << 20;

/// Valid texts that need much memory to parse, or produce as much HTML as possible.
fn heavy_texts() -> Vec<(&'static str, String)> {
    let table = |columns: usize| {
        let row = |cell: &str| format!("|{}\n", cell.repeat(columns));
        let head = row("a|") + &row("-|");
        let rows = (99_000 - head.len()) / row("b|").len();
        head + &row("b|").repeat(rows)
    };
    vec![
        ("headings", "# a\n".repeat(24_000)),
        ("narrow table", table(3)),
        ("wide table", table(40)),
        ("widest table", table(300)),
        ("links", "[a](b) ".repeat(14_000)),
        ("code", format!("```rust\n{}```\n", "let a = \"b\" + 1; // c\n".repeat(4_000))),
        ("emphasis", "**a** _b_ `c` ".repeat(7_000)),
    ]
}

#[test]
fn builds_of_many_heavy_pages_take_bounded_memory() {
    let recto = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let tokens = ["Acme", "Globex"].map(|name| recto.account(name).token);
    let server = recto.start();
    let idle = server.memory("VmRSS:");
    for (name, text) in heavy_texts() {
        assert!(text.len() <= 100_000, "{name}: {}", text.len());
        let page = |number| json!({ "title": format!("{name} {number}"), "content": text });
        let pages: Vec<Value> = (0..12).map(page).collect();
        for token in &tokens {
            server.publish(token, &json!({ "pages": pages })).expect(200);
        }
    }
    let growth = memory_of_two_builds(&server, &tokens, idle);
    assert!(growth < 256 * MB, "{} MB above an idle server", growth / MB);
}

/// Each two characters that follow each other are a term of the search index: no other text makes it as large.
#[test]
fn builds_of_long_chinese_pages_take_bounded_memory() {
    let recto = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let tokens = ["Acme", "Globex"].map(|name| recto.account(name).token);
    let server = recto.start();
    let idle = server.memory("VmRSS:");
    // As many pages as a leaf has.
    for part in 0..8 {
        let page = |number| json!({ "title": format!("Page {number}"), "content": varied_chinese(number) });
        let pages: Vec<Value> = (8 * part..8 * part + 8).map(page).collect();
        for token in &tokens {
            server.publish(token, &json!({ "pages": pages })).expect(200);
        }
    }
    let growth = memory_of_two_builds(&server, &tokens, idle);
    // The pages of such a leaf have 80 MB, and while it is merged, so has the result. A debug build needs 40 MB more than
    // a release build, which stays below 256.
    assert!(growth < 320 * MB, "{} MB above an idle server", growth / MB);
}

/// 99,000 characters in which few pairs repeat.
fn varied_chinese(seed: u32) -> String {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from_u32(0x4e00 + (state >> 16) % 20_000).expect("a character")
    };
    (0..99_000).map(next).collect()
}

/// How many bytes the server grew above its idle memory while two workers built at once.
fn memory_of_two_builds(server: &Server, tokens: &[String], idle: u64) -> u64 {
    for token in tokens {
        server.build(token).expect(202);
    }
    for token in tokens {
        assert_eq!(server.wait_for_build(token)["status"], "success");
    }
    server.memory("VmHWM:").saturating_sub(idle)
}
