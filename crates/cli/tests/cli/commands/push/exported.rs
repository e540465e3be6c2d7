//! A site that is exported as a folder of Markdown and pushed again: nothing to do.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use super::{PNG, World, sample};
use crate::harness::recto::text;

/// Exports the site, and returns what a push of that folder would do to it.
fn push_of_export(world: &mut World, site: &str, name: &str) -> Value {
    world.folder = world.recto.path_next_to_data(name);
    world.recto.json(&["site", "export", site, text(&world.folder), "--markdown"]);
    world.push(&["--dry-run", "--prune", "--yes"])
}

#[test]
fn an_exported_site_has_its_pages_files_and_settings() {
    let mut world = World::new();
    sample(&world);
    world.write("docs/manual.md", "---\ncover: img/dot.png\n---\n# Manual\n\n[notes](img/notes.txt)\n");
    world.write("docs/img/notes.txt", "Notes");
    world.write("recto.toml", "[settings]\ntitle = \"My \\\"books\\\"\"\nlinks = [\"Docs=/docs\"]\n");
    world.push(&[]);
    let report = push_of_export(&mut world, "acme", "exported");
    assert_eq!(
        (&report["unchanged"], &report["created"], &report["updated"]),
        (&json!(4), &json!(0), &json!(0))
    );
    assert_eq!(report["plan"].get("settings"), None, "{report}");
    // It is complete: another site gets the same pages.
    world.recto.json(&["site", "create", "other", "--account", &world.account.id]);
    assert_eq!(world.push(&["--site", "other"])["created"], 4);
    assert_eq!(world.recto.json(&["site", "settings", "other"])["title"], "My \"books\"");
    assert_eq!(world.server.visit("other.localhost", "/docs/manual").status, 200);
    let exists = |name: &str| walk(&world.folder).iter().any(|path| path.ends_with(name));
    assert!(exists("index.md") && exists("dot.webp") && exists("notes.txt"), "{:?}", walk(&world.folder));
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(walk(&path)),
            false => found.push(path.to_string_lossy().into_owned()),
        }
    }
    found
}

/// Pages as any client may publish them. What no file can express is left out: line ends of Windows, and empty lines at the
/// beginning of a text.
fn pages() -> impl Strategy<Value = Vec<Value>> {
    let text = "([a-zé#>`*~:|-][ -~é\u{2028}🦀]{0,60}(\n[ -Z^-~]{0,40}){0,4}\n?)?";
    let page = (
        prop::sample::select(vec!["blog", "docs", "standalone", "homepage"]),
        prop::sample::select(vec!["", "guides", "api-v2", "index"]),
        prop::sample::select(vec!["a", "index", "2026-01-02-a", "readme", "b-2", "b"]),
        "[\u{7f}\u{85}]?[!-~é🦀][ -~é]{0,30}",
        text,
        prop::collection::vec("[a-z0-9:#é-][a-z :]{0,8}[a-z]", 0..3),
        any::<bool>(),
        prop::sample::select(vec![
            json!({}),
            json!({"a": [1, 1.5, null, true, "no"], "title": "x", "b c": {"d": ""}}),
        ]),
    );
    let entry = page.prop_map(|(content_type, section, slug, title, content, tags, draft, params)| {
        json!({
            "contentType": content_type, "section": section, "slug": slug, "title": title, "content": content,
            "tags": tags, "draft": draft, "params": params, "description": content.lines().next(),
            "publishedAt": "2026-01-02T03:04:05.678Z",
        })
    });
    prop::collection::vec(entry, 1..12).prop_map(|mut pages| {
        let mut keys = std::collections::HashSet::new();
        pages.retain(|page| keys.insert(["contentType", "section", "slug"].map(|key| page[key].clone())));
        pages
    })
}

#[test]
fn a_push_of_an_exported_site_finds_nothing_to_do() {
    // The runner calls a function that cannot change what it captures.
    let state = RefCell::new((World::new(), 0));
    let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
    // The same sites each time: a failure can be repeated.
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&pages(), |pages| {
            let (world, case) = &mut *state.borrow_mut();
            *case += 1;
            let name = format!("site-{case}");
            let site = world.recto.json(&["site", "create", &name, "--account", &world.account.id]);
            let body = json!({"siteId": site["siteId"], "pages": pages});
            let stored = world.server.publish(&world.account.token, &body).expect(200);
            let stored = stored["pages"].as_array().unwrap().len();
            let report = push_of_export(world, &name, &name);
            let counts =
                ["created", "updated", "deleted", "unchanged"].map(|key| report[key].as_u64().unwrap());
            prop_assert_eq!(counts, [0, 0, 0, stored as u64]);
            Ok(())
        })
        .unwrap();
}

#[test]
fn images_that_are_uploaded_again_keep_their_addresses() {
    let mut world = World::new();
    world.write("a.md", "# A\n\n![](dot.png)\n");
    world.write("dot.png", PNG);
    world.push(&[]);
    let before = world.page("/pages/a?contentType=standalone")["content"].clone();
    push_of_export(&mut world, "acme", "exported");
    std::fs::remove_dir_all(world.cache()).unwrap();
    assert_eq!(world.counts(&[]), [0, 0, 1, 0, 1, 0]);
    assert_eq!(world.page("/pages/a?contentType=standalone")["content"], before);
}
