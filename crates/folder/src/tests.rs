//! Whole folders.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use model::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::{Folder, Options, Problem, Reader, read};

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        write(folder.path(), name, text.as_bytes());
    }
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn good(folder: &TempDir) -> Folder {
    read(folder.path(), &Options::default(), &|_| ()).unwrap()
}

fn bad(folder: &TempDir) -> Vec<String> {
    let problems = read(folder.path(), &Options::default(), &|_| ()).unwrap_err();
    problems.iter().map(Problem::to_string).collect()
}

fn urls(folder: &Folder) -> Vec<String> {
    folder.pages.iter().map(|page| page.key.path()).collect()
}

#[test]
fn every_markdown_file_is_a_page_except_those_that_are_left_alone() {
    let folder = folder(&[
        ("index.md", "# Home"),
        ("docs/a.md", "# A"),
        ("docs/b.MD", "# B"),
        ("docs/text.txt", ""),
        (".hidden/a.md", ""),
        ("_drafts/a.md", ""),
        ("docs/_a.md", ""),
        ("docs/guides/_index.md", "# Guides"),
        ("node_modules/a/readme.md", ""),
        (".gitignore", "ignored/\n*.tmp.md\n"),
        ("ignored/a.md", ""),
        ("a.tmp.md", ""),
    ]);
    assert_eq!(urls(&good(&folder)), ["/docs/a", "/docs/b", "/docs/guides", "/"]);
    let options = Options { ignore: vec!["docs/".into()], ..Options::default() };
    assert_eq!(urls(&read(folder.path(), &options, &|_| ()).unwrap()), ["/"]);
}

#[test]
fn fields_come_from_front_matter_the_text_and_the_name() {
    let folder = folder(&[
        ("blog/2026-01-02-first-post.md", "Text without a heading"),
        ("docs/b.md", "---\ntitle: Title\nslug: other\ntags: [x]\ndraft: true\nweight: 2\n---\n# Heading\n"),
        ("docs/c.md", "Text\n\n## The *heading*\n"),
    ]);
    let pages = good(&folder).pages;
    let shown: Vec<_> = pages.iter().map(|page| (page.key.path(), page.title.as_str())).collect();
    let expected = [("/blog/first-post", "first-post"), ("/docs/other", "Title"), ("/docs/c", "The heading")];
    assert_eq!(shown, expected.map(|(url, title)| (url.to_owned(), title)));
    assert_eq!(pages[0].published_at.unwrap().to_string(), "2026-01-02T00:00:00.000Z");
    assert_eq!((pages[1].draft, pages[1].params_for_upload(|_| None)), (true, json!({"weight": 2})));
    assert_eq!((pages[2].draft, pages[2].published_at), (false, None));
}

#[test]
fn links_lead_to_pages_and_files() {
    let text = "[a](../docs/b.md#part) ![b](img/c%20d.png) [c](../docs/b.md) [e](/docs/b) [f](#x) [g](https://x.y/z.md)\n\
        `[h](b.md)` [i](img/c%20d.png)";
    let folder =
        folder(&[("blog/a.md", text), ("docs/b.md", "---\nslug: other\n---\n"), ("blog/img/c d.png", "png")]);
    let read = good(&folder);
    let page = &read.pages[0];
    let expected = "[a](/docs/other#part) ![b](URL) [c](/docs/other) [e](/docs/b) [f](#x) [g](https://x.y/z.md)\n\
        `[h](b.md)` [i](URL)";
    assert_eq!(page.text.with(|_| "URL".into()), expected);
    assert_eq!(page.text.for_upload(|_| None), expected.replace("URL", "file:blog/img/c%20d.png"));
    assert_eq!(page.text.files().collect::<Vec<_>>(), ["blog/img/c d.png", "blog/img/c d.png"]);
    assert_eq!(read.files.keys().collect::<Vec<_>>(), ["blog/img/c d.png"]);
    assert_eq!(read.warnings, []);
}

#[test]
fn files_that_only_front_matter_names_are_uploaded() {
    let matter = "---\ncover: img/a b.png\nimage: https://example.com/b.png\nother: img/c.png\n---\n";
    let folder = folder(&[("docs/a.md", matter), ("docs/img/a b.png", "png"), ("docs/img/c.png", "png")]);
    let read = good(&folder);
    let page = &read.pages[0];
    assert_eq!(read.files.keys().collect::<Vec<_>>(), ["docs/img/a b.png"]);
    assert_eq!(page.files().collect::<Vec<_>>(), ["docs/img/a b.png"]);
    let params =
        |cover: &str| json!({"cover": cover, "image": "https://example.com/b.png", "other": "img/c.png"});
    assert_eq!(page.params_for_upload(|_| None), params("file:docs/img/a%20b.png"));
    assert_eq!(page.params_for_upload(|_| Some("/media/a.webp".into())), params("/media/a.webp"));
    let hash = |address| page.hash(&page.key, Timestamp::from_micros(0), |_| address);
    assert_eq!(hash(None), None);
    assert_ne!(hash(Some("/media/a.webp")), hash(Some("/media/b.webp")));

    std::fs::remove_file(folder.path().join("docs/img/a b.png")).unwrap();
    let problems = bad(&folder);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("docs/a.md:2: cover: "), "{problems:?}");
}

#[test]
fn a_second_reading_sees_every_change() {
    let folder = folder(&[
        ("docs/a.md", "[b](b.md)"),
        ("docs/b.md", "# B"),
        ("docs/c.md", "![c](c.png)"),
        ("docs/c.png", "png"),
    ]);
    let long_ago = SystemTime::UNIX_EPOCH;
    for name in ["docs/a.md", "docs/b.md", "docs/c.md"] {
        File::open(folder.path().join(name)).unwrap().set_modified(long_ago).unwrap();
    }
    let mut reader = Reader::new(folder.path(), Options::default());
    let mut read = || reader.read(&|_| ());
    let (first, second) = (read().unwrap(), read().unwrap());
    assert!(Arc::ptr_eq(&first.pages[0], &second.pages[0]), "a file that did not change was read again");
    let text = |folder: &Folder| folder.pages[0].text.with(|_| String::new());
    assert_eq!(text(&second), "[b](/docs/b)");

    // Another page moves, and the link follows.
    write(folder.path(), "docs/b.md", b"---\nslug: moved\n---\n");
    assert_eq!(text(&read().unwrap()), "[b](/docs/moved)");
    // The same size, and changed a moment ago.
    write(folder.path(), "docs/b.md", b"---\nslug: gone!\n---\n");
    assert_eq!(read().unwrap_err().len(), 1);
    std::fs::remove_file(folder.path().join("docs/b.md")).unwrap();
    assert_eq!(read().unwrap().warnings.len(), 1);
    std::fs::remove_file(folder.path().join("docs/c.png")).unwrap();
    assert_eq!(read().unwrap_err().len(), 1);
}

#[test]
fn links_that_lead_nowhere_are_warnings_and_missing_files_are_problems() {
    let folder = folder(&[
        ("a.md", "---\ntitle: A\n---\n\n[a](b.md) [c](../d.md) [e](f/) [g](main.rs)\n"),
        ("main.rs", ""),
    ]);
    let warnings: Vec<String> = good(&folder).warnings.iter().map(Problem::to_string).collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings.iter().all(|warning| warning.starts_with("a.md:5: ")), "{warnings:?}");
    write(folder.path(), "b.md", b"![a](c.png)\n\n[d](../e.pdf) ![not a link](f g.png)\n");
    let problems = bad(&folder);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].starts_with("b.md:1: ") && problems[0].contains("c.png"), "{problems:?}");
    assert!(problems[1].starts_with("b.md:3: ") && problems[1].contains("outside"), "{problems:?}");
}

#[test]
fn all_bad_files_are_named_at_once() {
    let folder = folder(&[
        ("a.md", "---\ntitle: [\n---\n"),
        ("b.md", "---\ntitle: B\ndate: tomorrow\ntype: news\n---\n"),
        ("docs/!!!.md", ""),
        ("docs/c.md", ""),
        ("docs/d.md", "---\nslug: c\n---\n"),
        ("docs/long.md", &"a".repeat(100_001)),
        ("tags.md", "# Reserved"),
        ("good.md", "# Good"),
    ]);
    write(folder.path(), "utf.md", b"# A\n\n\xff");
    let files: Vec<String> =
        bad(&folder).iter().map(|problem| problem.rsplit_once(": ").unwrap().0.to_owned()).collect();
    let starts =
        ["a.md:2", "b.md:3", "b.md:4", "docs/!!!.md:1", "docs/d.md", "docs/long.md:1", "tags.md:1", "utf.md"];
    assert_eq!(files.len(), starts.len(), "{files:?}");
    for (file, start) in files.iter().zip(starts) {
        assert!(file.starts_with(start), "{file} {start}");
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_out_of_the_folder_are_problems() {
    use std::os::unix::fs::symlink;
    let (outside, folder) =
        (folder(&[("a.md", "# A"), ("b.png", "")]), folder(&[("in.md", "# In ![b](b.png)")]));
    symlink(folder.path().join("in.md"), folder.path().join("same.md")).unwrap();
    std::fs::write(folder.path().join("b.png"), "").unwrap();
    assert_eq!(urls(&good(&folder)), ["/in", "/same"]);
    symlink(outside.path().join("a.md"), folder.path().join("a.md")).unwrap();
    symlink(outside.path(), folder.path().join("more")).unwrap();
    std::fs::remove_file(folder.path().join("b.png")).unwrap();
    symlink(outside.path().join("b.png"), folder.path().join("b.png")).unwrap();
    let problems = bad(&folder);
    let expected = ["a.md: ", "in.md:1: ", "more: ", "same.md:1: "];
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
    for (problem, start) in problems.iter().zip(expected) {
        assert!(problem.starts_with(start) && problem.contains("out"), "{problem}");
    }
}

#[test]
fn a_folder_that_is_not_there_is_a_problem() {
    assert_eq!(read(Path::new("no/such/folder"), &Options::default(), &|_| ()).unwrap_err().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_folder_panics(files in prop::collection::btree_map(
        "[a-zé!_ 0-9.-]{1,12}(/[a-z!_.]{1,6}){0,2}\\.(md|png)",
        "(---\n[a-z: \n\\[\\]{}\"-]{0,40}\n---\n)?[ a-z#`!\\[\\]()<>:./=\"\n-]{0,80}",
        0..8,
    )) {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name.replace("..", "x"));
            // A file may be in the way of a folder of the same name.
            if std::fs::create_dir_all(path.parent().unwrap()).is_ok() {
                let _ = std::fs::write(path, text);
            }
        }
        let _ = read(folder.path(), &Options::default(), &|_| ());
    }
}
