//! The version changes with everything that affects the generated files, and with nothing else.

#[path = "../../build/version.rs"]
mod version;

use std::fs;
use std::path::Path;

use tempfile::TempDir;

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A copy of all inputs and some other files.
fn copy() -> TempDir {
    let copy = TempDir::new().unwrap();
    for path in version::inputs().into_iter().chain(["crates/markdown/tests".to_owned()]) {
        copy_all(&workspace().join(&path), &copy.path().join(&path));
    }
    copy
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).unwrap().flatten() {
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

/// Whether the version differs after `path` was changed.
fn changes(path: &str, change: impl FnOnce(String) -> String) -> bool {
    let copy = copy();
    let before = version::of(copy.path());
    let file = copy.path().join(path);
    let (text, changed) = {
        let text = fs::read_to_string(&file).unwrap_or_default();
        (text.clone(), change(text))
    };
    assert_ne!(text, changed, "{path}");
    fs::write(file, changed).unwrap();
    version::of(copy.path()) != before
}

fn appended(text: String) -> String {
    text + "\n"
}

/// A new release of a package in the lockfile.
fn bumped(package: &str) -> impl FnOnce(String) -> String {
    let start = format!("[[package]]\nname = \"{package}\"\nversion = \"");
    move |lock| lock.replacen(&start, &format!("{start}9"), 1)
}

#[test]
fn the_version_is_that_of_the_workspace() {
    assert_eq!(version::of(workspace()), recto_generator::VERSION);
    assert_eq!(version::of(copy().path()), recto_generator::VERSION);
}

#[test]
fn the_version_depends_on_the_code_and_the_theme() {
    for path in [
        "crates/generator/src/make.rs",
        "crates/generator/templates/post.html",
        "crates/generator/theme/recto.css",
        "crates/generator/askama.toml",
        "crates/highlight/src/paint.rs",
        "crates/markdown/src/document/table.rs",
        "crates/model/src/lib.rs",
        "crates/search/src/tokens.rs",
    ] {
        assert!(changes(path, appended), "{path}");
    }
    assert!(changes("crates/model/src/new.rs", appended));
}

#[test]
fn the_version_depends_on_dependencies() {
    for package in ["pulldown-cmark", "askama", "math-core", "jiff", "unicase", "askama_derive", "zstd"] {
        assert!(changes("Cargo.lock", bumped(package)), "{package}");
    }
    assert!(changes("Cargo.toml", |text| text.replace("math-core = {", "math-core = { optional = true,")));
}

#[test]
fn the_version_depends_on_nothing_else() {
    for package in ["rusqlite", "tokio", "axum", "proptest", "quick-xml", "toml", "recto-server"] {
        assert!(!changes("Cargo.lock", bumped(package)), "{package}");
    }
    assert!(!changes("Cargo.toml", |text| text.replace("rusqlite = {", "rusqlite = { optional = true,")));
    assert!(!changes("crates/generator/Cargo.toml", appended));
    assert!(!changes("crates/markdown/tests/markdown/main.rs", appended));
    assert!(!changes("crates/highlight/src/tests/own.rs", appended));
}

#[test]
fn the_version_does_not_depend_on_tests() {
    let path = "crates/generator/src/text.rs";
    assert!(!changes(path, |code| code.replace("mod tests {", "mod tests {\n    use std::fmt;")));
    assert!(changes(path, |code| code.replace("\n#[cfg(test)]", "\nfn more() {}\n\n#[cfg(test)]")));
    assert!(changes(path, |code| code + "\nfn more() {}\n"));
}
