//! The walls between the rooms: who may depend on whom, read from the manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What each crate may name of ours.
const MAY_USE: [(&str, &[&str]); 12] = [
    ("api", &[]),
    ("model", &[]),
    ("webp", &[]),
    ("picture", &["webp"]),
    ("media", &["model", "picture"]),
    ("markdown", &["model"]),
    ("blob", &["model"]),
    ("store", &["model"]),
    ("generator", &["markdown", "model"]),
    ("publisher", &["api", "blob", "generator", "markdown", "media", "model", "store"]),
    ("server", &["api", "model", "publisher"]),
    ("cli", &["blob", "media", "model", "publisher", "server", "store"]),
];

/// Crates that only one of ours may name: the seams.
const ONLY: [(&str, &str); 10] = [
    ("rusqlite", "store"),
    ("postgres", "store"),
    ("object_store", "blob"),
    ("libwebp-sys", "webp"),
    ("image", "picture"),
    ("pulldown-cmark", "markdown"),
    ("askama", "generator"),
    ("axum", "server"),
    ("hyper", "server"),
    ("clap", "cli"),
];

/// Room by room, the names under `[dependencies]`.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = |room: &str| std::fs::read_to_string(crates.join(room).join("Cargo.toml")).expect(room);
    let names = |room: &str| {
        let table: toml::Table = manifest(room).parse().expect(room);
        table["dependencies"].as_table().expect(room).keys().cloned().collect()
    };
    MAY_USE.iter().map(|(room, _)| (room.to_string(), names(room))).collect()
}

#[test]
fn rooms_use_only_the_rooms_below_them() {
    let dependencies = dependencies();
    for (room, allowed) in MAY_USE {
        let ours = dependencies[room].iter().filter(|name| dependencies.contains_key(*name));
        let strangers: Vec<_> = ours.filter(|name| !allowed.contains(&name.as_str())).collect();
        assert!(strangers.is_empty(), "{room} must not use {strangers:?}");
    }
}

#[test]
fn a_seam_is_named_by_one_room() {
    for (room, names) in dependencies() {
        for (library, owner) in ONLY {
            assert!(room == owner || !names.contains(library), "only {owner} may name {library}, not {room}");
        }
    }
}

#[test]
fn the_words_the_wire_and_the_generator_are_synchronous() {
    let dependencies = dependencies();
    for room in ["api", "generator", "markdown", "media", "model", "picture", "webp"] {
        assert!(!dependencies[room].contains("tokio"), "{room} is synchronous");
    }
}
