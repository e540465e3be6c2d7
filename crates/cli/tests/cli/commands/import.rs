//! `recto import` converts a site to a folder.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::recto::{Recto, keys, text};

fn site(recto: &Recto, page: &str) -> PathBuf {
    let site = recto.path_next_to_data("site");
    std::fs::create_dir_all(site.join("docs")).unwrap();
    std::fs::write(site.join("mkdocs.yml"), "site_name: A\nnav:\n  - index.md\n  - First: a.md\n").unwrap();
    std::fs::write(site.join("docs/index.md"), "# Home\n\n[A](a.md)\n").unwrap();
    std::fs::write(site.join("docs/a.md"), page).unwrap();
    site
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn an_import_writes_a_folder_and_reports_what_stays() {
    let recto = Recto::new();
    let (site, folder) = (site(&recto, "# A\n\n[gone](gone.md)\n"), recto.path_next_to_data("folder"));
    let printed = recto.text(&["import", "mkdocs", text(&site), text(&folder)]);
    assert!(
        printed.starts_with("docs/a.md:3: the link gone.md leads to no page or file of the source\n"),
        "{printed}"
    );
    assert!(printed.contains("2 pages, 0 files and 1 redirects of former URLs written to"), "{printed}");
    assert_eq!(read(&folder, "index.md"), "---\nparams:\n  weight: 1\n---\n\n# Home\n\n[A](docs/a.md)\n");
    let expected = "---\nparams:\n  linkTitle: First\n  weight: 2\n  aliases:\n    - /a\n---\n\n# A\n\n[gone](gone.md)\n";
    assert_eq!(read(&folder, "docs/a.md"), expected);
    assert!(!recto.data().exists(), "an import needs no data directory");
}

#[test]
fn an_import_prints_json_for_scripts() {
    let recto = Recto::new();
    let (site, folder) = (site(&recto, "[gone](gone.md)\n"), recto.path_next_to_data("folder"));
    let report = recto.json(&["import", "mkdocs", text(&site), text(&folder)]);
    assert_eq!(keys(&report), ["aliases", "files", "folder", "notes", "pages"]);
    let message = "the link gone.md leads to no page or file of the source";
    assert_eq!(report["notes"], json!([{ "file": "docs/a.md", "line": 1, "message": message }]));
}

#[test]
fn an_import_overwrites_nothing() {
    let recto = Recto::new();
    let site = site(&recto, "# A\n");
    let refusal = recto.refusal(&["import", "mkdocs", text(&site), text(&site)]);
    assert!(refusal.contains("is not empty; an import never overwrites files"), "{refusal}");
}

#[test]
fn an_invalid_source_writes_nothing() {
    let recto = Recto::new();
    let (site, folder) = (site(&recto, "---\ntitle: [\n---\n"), recto.path_next_to_data("folder"));
    std::fs::write(site.join("docs/index.md"), b"text\n\xff\n").unwrap();
    let refusal = recto.refusal(&["import", "mkdocs", text(&site), text(&folder)]);
    for part in ["nothing was written", "docs/a.md:", "docs/index.md:2: is not UTF-8"] {
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    assert!(!folder.exists());
    let missing = recto.refusal(&["import", "ghost", text(&site.join("none.json")), text(&folder)]);
    assert!(missing.contains("none.json"), "{missing}");
}
