//! Dependency rules between the crates, checked in their manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The workspace crates that each crate may depend on.
const MAY_USE: [(&str, &[&str]); 24] = [
    ("api", &[]),
    ("sha256", &[]),
    ("model", &["sha256"]),
    ("card", &[]),
    ("front_matter", &[]),
    ("priority", &[]),
    ("webp", &[]),
    ("picture", &["webp"]),
    ("media", &["model", "picture"]),
    ("highlight", &[]),
    ("markdown", &["highlight", "model"]),
    ("search", &["model"]),
    ("openapi", &["front_matter", "model"]),
    ("import", &["front_matter", "model"]),
    ("blob", &["model"]),
    ("limits", &["model"]),
    ("store", &["model", "priority"]),
    ("backup", &["blob", "model", "store"]),
    ("generator", &["markdown", "model", "search"]),
    (
        "publisher",
        &[
            "api",
            "blob",
            "card",
            "front_matter",
            "generator",
            "limits",
            "markdown",
            "media",
            "model",
            "priority",
            "search",
            "store",
        ],
    ),
    ("server", &["api", "generator", "limits", "model", "openapi", "publisher", "search"]),
    ("folder", &["front_matter", "markdown", "media", "model"]),
    ("client", &[]),
    (
        "cli",
        &[
            "backup",
            "blob",
            "client",
            "folder",
            "import",
            "limits",
            "media",
            "model",
            "openapi",
            "publisher",
            "server",
            "store",
        ],
    ),
];

/// External crates that only one workspace crate may depend on.
const ONLY: [(&str, &str); 15] = [
    ("rusqlite", "store"),
    ("postgres", "store"),
    ("object_store", "blob"),
    ("redis", "limits"),
    ("libwebp-sys", "webp"),
    ("image", "picture"),
    ("pulldown-cmark", "markdown"),
    ("htmd", "import"),
    ("axum", "server"),
    ("hyper", "server"),
    ("rmcp", "server"),
    ("clap", "cli"),
    ("ignore", "folder"),
    ("serde-saphyr", "front_matter"),
    ("notify", "cli"),
];

/// The names under `[dependencies]`, by crate.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = |name: &str| std::fs::read_to_string(crates.join(name).join("Cargo.toml")).expect(name);
    let names = |name: &str| {
        let table: toml::Table = manifest(name).parse().expect(name);
        table["dependencies"].as_table().expect(name).keys().cloned().collect()
    };
    MAY_USE.iter().map(|(name, _)| (name.to_string(), names(name))).collect()
}

#[test]
fn crates_use_only_the_crates_below_them() {
    let dependencies = dependencies();
    for (name, allowed) in MAY_USE {
        let used = dependencies[name].iter().filter(|name| dependencies.contains_key(*name));
        let forbidden: Vec<_> = used.filter(|name| !allowed.contains(&name.as_str())).collect();
        assert!(forbidden.is_empty(), "{name} must not use {forbidden:?}");
    }
}

#[test]
fn a_seam_dependency_is_used_by_one_crate() {
    for (name, names) in dependencies() {
        for (library, owner) in ONLY {
            assert!(
                name == owner || !names.contains(library),
                "only {owner} may depend on {library}, not {name}"
            );
        }
    }
}

#[test]
fn html_is_made_by_the_generator_and_the_dashboard() {
    let mut dependencies = dependencies();
    dependencies.retain(|_, names| names.contains("askama"));
    assert_eq!(dependencies.into_keys().collect::<Vec<_>>(), ["generator", "server"]);
}

#[test]
fn model_api_and_generator_are_synchronous() {
    let dependencies = dependencies();
    for name in [
        "api",
        "card",
        "folder",
        "front_matter",
        "generator",
        "highlight",
        "import",
        "markdown",
        "media",
        "model",
        "openapi",
        "picture",
        "search",
        "webp",
    ] {
        assert!(!dependencies[name].contains("tokio"), "{name} is synchronous");
    }
}
