//! Whole sources: those of `tests/import`, whose URLs the programs themselves have listed, and fixtures with golden folders.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::Slug;
use proptest::prelude::*;
use recto_import::{Error, Kind, Report};
use tempfile::TempDir;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn fixture(name: &str) -> PathBuf {
    repository("crates/import/tests/fixtures").join(name)
}

/// An imported source.
struct Imported {
    folder: TempDir,
    report: Report,
}

fn import(kind: Kind, source: &Path) -> Imported {
    let folder = TempDir::new().unwrap();
    let report = recto_import::import(kind, source, folder.path()).unwrap();
    Imported { folder, report }
}

impl Imported {
    /// All files by their paths.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        walk(self.folder.path(), "", &mut files);
        files
    }

    fn pages(&self) -> BTreeMap<String, String> {
        let texts = self.files().into_iter().filter(|(path, _)| path.ends_with(".md"));
        texts.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
    }
}

fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => walk(&entry.path(), &format!("{path}/"), files),
            false => drop(files.insert(path, std::fs::read(entry.path()).unwrap())),
        }
    }
}

/// The value of a key, as the importer writes front matter.
fn value(page: &str, key: &str) -> Option<String> {
    let line =
        page.split("\n---\n").next()?.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")))?;
    Some(line.trim_matches('"').to_owned())
}

fn aliases(page: &str) -> Vec<String> {
    let front_matter = page.split("\n---\n").next().unwrap_or_default();
    front_matter
        .lines()
        .filter_map(|line| line.strip_prefix("    - "))
        .map(|url| url.trim_matches('"').to_owned())
        .collect()
}

/// The rules of `recto push`, once more: the URL of a file, and of the list of its section.
fn urls(path: &str, page: &str) -> Vec<String> {
    let slug = |text: &str| Slug::from_title(text).unwrap().as_str().to_owned();
    let mut folders: Vec<&str> = path.split('/').collect();
    let file = folders.pop().unwrap().strip_suffix(".md").unwrap();
    let has_type = matches!(folders.first(), Some(&("blog" | "docs")));
    let start = if has_type { format!("/{}", folders.remove(0)) } else { String::new() };
    let section = folders.iter().map(|folder| slug(folder)).collect::<Vec<_>>().join("-");
    if matches!(file, "index" | "_index") {
        return vec![format!("{start}/{section}")];
    }
    let is_dated = file.len() > 11
        && file.starts_with(|first: char| first.is_ascii_digit())
        && file.as_bytes()[7] == b'-';
    let own = value(page, "slug").unwrap_or_else(|| slug(if is_dated { &file[11..] } else { file }));
    match section.is_empty() {
        true => vec![format!("{start}/{own}")],
        false => vec![format!("{start}/{section}/{own}"), format!("{start}/{section}")],
    }
}

/// Every path that answers after a push.
fn answering(imported: &Imported) -> Vec<String> {
    let mut paths = ["/", "/blog", "/docs", "/tags", "/search"].map(str::to_owned).to_vec();
    for (path, page) in imported.pages() {
        if value(&page, "draft").is_some() {
            continue;
        }
        paths.extend(urls(&path, &page));
        paths.extend(aliases(&page));
        let tags = value(&page, "tags").unwrap_or_default();
        let tags = tags.trim_matches(['[', ']']).split(", ").filter_map(Slug::from_title);
        paths.extend(tags.map(|tag| format!("/tags/{}", tag.as_str())));
    }
    paths
}

fn check_former_urls(kind: Kind, name: &str) {
    let imported = import(kind, &repository(&format!("tests/import/{name}/site")));
    let paths = answering(&imported);
    let list = std::fs::read_to_string(repository(&format!("tests/import/{name}/urls.txt"))).unwrap();
    let missing: Vec<&str> = list.lines().filter(|url| !paths.contains(&looked_up(url))).collect();
    assert!(missing.is_empty(), "{missing:?} do not answer: {paths:#?}");
    check_links(&imported);
}

/// As a site looks a path up: decoded, without a slash at the end.
fn looked_up(url: &str) -> String {
    let mut bytes = vec![];
    let mut rest = url.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|hex| u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    let path = String::from_utf8(bytes).unwrap();
    if path == "/" { path } else { path.trim_end_matches('/').to_owned() }
}

/// Each relative link leads to a file of the folder.
fn check_links(imported: &Imported) {
    let files = imported.files();
    for (path, page) in imported.pages() {
        let links = page.split("](").skip(1).filter_map(|rest| rest.split([')', ' ', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.starts_with('/') && !link.contains("://")) {
            let base = Path::new(&path).parent().unwrap().join(looked_up(link));
            let mut parts: Vec<&str> = vec![];
            for part in base.to_str().unwrap().split('/') {
                match part {
                    ".." => parts.truncate(parts.len() - 1),
                    part => parts.push(part),
                }
            }
            assert!(files.contains_key(&parts.join("/")), "{path}: {link} leads to no file");
        }
    }
}

#[test]
fn every_url_of_a_hugo_site_answers() {
    check_former_urls(Kind::Hugo, "hugo");
}

#[test]
fn every_url_of_a_jekyll_site_answers() {
    check_former_urls(Kind::Jekyll, "jekyll");
}

#[test]
fn every_url_of_a_mkdocs_site_answers() {
    check_former_urls(Kind::Mkdocs, "mkdocs");
}

#[test]
fn every_url_of_an_mdbook_answers() {
    check_former_urls(Kind::Mdbook, "mdbook");
}

/// A golden folder as one text. `RECORD=1 cargo test -p recto-import` writes it.
fn check_golden(kind: Kind, source: &str, golden: &str) {
    let imported = import(kind, &fixture(source));
    let mut whole = String::new();
    for (path, bytes) in imported.files() {
        match String::from_utf8(bytes) {
            Ok(text) if path.ends_with(".md") => whole += &format!("==== {path}\n{text}"),
            _ => whole += &format!("==== {path}: a file\n"),
        }
    }
    whole += "==== notes\n";
    whole.extend(imported.report.notes.iter().map(|note| format!("{note}\n")));
    if std::env::var_os("RECORD").is_some() {
        std::fs::write(fixture(golden), &whole).unwrap();
    }
    let expected = std::fs::read_to_string(fixture(golden)).unwrap();
    assert!(whole == expected, "{golden} differs from:\n{whole}");
    if kind != Kind::Wordpress {
        check_links(&imported);
    }
}

#[test]
fn a_docusaurus_site_becomes_the_golden_folder() {
    check_golden(Kind::Docusaurus, "docusaurus", "docusaurus.txt");
}

#[test]
fn an_obsidian_vault_becomes_the_golden_folder() {
    check_golden(Kind::Obsidian, "obsidian", "obsidian.txt");
}

#[test]
fn a_ghost_export_becomes_the_golden_folder() {
    check_golden(Kind::Ghost, "ghost/export.json", "ghost.txt");
}

#[test]
fn a_wordpress_export_becomes_the_golden_folder() {
    check_golden(Kind::Wordpress, "wordpress/export.xml", "wordpress.txt");
}

#[test]
fn links_out_of_the_source_are_not_followed() {
    let site = TempDir::new().unwrap();
    let outside = TempDir::new().unwrap();
    std::fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let docs = site.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(site.path().join("mkdocs.yml"), "site_name: A\n").unwrap();
    std::fs::write(docs.join("index.md"), "![](secret.png) [x](secret.md)\n").unwrap();
    for (link, target) in [("secret.md", "secret.md"), ("secret.png", "secret.md"), ("folder", "")] {
        std::os::unix::fs::symlink(outside.path().join(target), docs.join(link)).unwrap();
    }
    std::os::unix::fs::symlink(docs.join("index.md"), docs.join("inside.md")).unwrap();
    let imported = import(Kind::Mkdocs, site.path());
    let files: Vec<String> = imported.files().into_keys().collect();
    assert_eq!(files, ["docs/inside.md", "index.md"]);
    let left_out = imported.report.notes.iter().filter(|note| note.message.contains("symbolic link")).count();
    assert_eq!(left_out, 3);
}

#[test]
fn a_source_of_another_kind_is_refused() {
    let source = repository("tests/import/hugo/site");
    let folder = TempDir::new().unwrap();
    for kind in [Kind::Docusaurus, Kind::Mkdocs, Kind::Mdbook, Kind::Ghost, Kind::Wordpress] {
        let refused = recto_import::import(kind, &source, folder.path()).unwrap_err();
        assert!(matches!(refused, Error::Source { .. }), "{kind:?}: {refused}");
    }
}

/// A source cannot make the importer panic, whatever its files hold.
#[test]
fn broken_files_give_messages() {
    let broken: [(Kind, &str, &[u8]); 7] = [
        (Kind::Hugo, "content/a.md", b"---\ntitle: [\n---\n"),
        (Kind::Hugo, "hugo.toml", b"baseURL = "),
        (Kind::Jekyll, "_config.yml", b"a: [\n"),
        (Kind::Jekyll, "about.md", b"---\na: \xff\n---\n"),
        (Kind::Mdbook, "book.toml", b"[book\n"),
        (Kind::Mkdocs, "mkdocs.yml", b"nav: [\n"),
        (Kind::Docusaurus, "blog/authors.yml", b"a: [\n"),
    ];
    for (kind, file, bytes) in broken {
        let site = TempDir::new().unwrap();
        std::fs::write(site.path().join("docusaurus.config.js"), "").unwrap();
        let path = site.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        let refused = recto_import::import(kind, site.path(), &site.path().join("out")).unwrap_err();
        let Error::Invalid(faults) = &refused else { panic!("{file}: {refused}") };
        assert_eq!(faults[0].file, file);
        assert!(!site.path().join("out").exists());
    }
    let site = TempDir::new().unwrap();
    for (kind, name, text) in
        [(Kind::Ghost, "a.json", "{\n\"db\": 5}"), (Kind::Wordpress, "a.xml", "<rss>\n</a>")]
    {
        let file = site.path().join(name);
        std::fs::write(&file, text).unwrap();
        let refused = recto_import::import(kind, &file, &site.path().join("out")).unwrap_err();
        assert!(refused.to_string().contains(&format!("{name}:2: ")), "{refused}");
    }
}

/// Names and texts that mean something to some kind.
fn any_file() -> impl Strategy<Value = (String, String)> {
    let folder =
        "(content/|_posts/|docs/|blog/|src/|src/pages/|static/|_x/)?(a b/|\\.\\./|posts/|_drafts/|01-x/)?";
    let name = "(index|_index|README|SUMMARY|2024-01-02-a|a|_category_|---)\\.(md|html|json|mdx|png)";
    let part = prop_oneof![
        Just("---\n".to_owned()),
        Just("title: a\nslug: ../../x\nurl: /../y\naliases: [//z, '/%ff', b]\ndate: 2024-02-30\n".to_owned()),
        Just("permalink: /:x/:year/../:title\ntags: 5\nweight: 1e300\n".to_owned()),
        Just("- [a](b.md)\n  - [c](../../../etc/passwd)\n".to_owned()),
        Just(
            "{{< ref \"a\" >}}{% post_url a %}{{#include ../a.md:9:2}}[[a|b]]![[x]]:::note\n!!! tip\n    b\n"
                .to_owned()
        ),
        "[\\[\\]()!<>`~:%{}#|\"' \na-cé-]{0,40}",
    ];
    let text = prop::collection::vec(part, 0..5).prop_map(|parts| parts.concat());
    ((folder, name).prop_map(|(folder, name)| format!("{folder}{name}")), text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_folders_never_panic_and_stay_in_the_folder(files in prop::collection::vec(any_file(), 1..8)) {
        let place = TempDir::new().unwrap();
        let site = place.path().join("site");
        std::fs::create_dir(&site).unwrap();
        for (name, text) in [("mkdocs.yml", "site_name: a\n"), ("book.toml", ""), ("docusaurus.config.js", "baseUrl: '")] {
            std::fs::write(site.join(name), text).unwrap();
        }
        for (path, text) in files.iter().filter(|(path, _)| !path.contains("..")) {
            let path = site.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for kind in [Kind::Hugo, Kind::Jekyll, Kind::Docusaurus, Kind::Mkdocs, Kind::Mdbook, Kind::Obsidian] {
            let folder = place.path().join("out");
            let imported = recto_import::import(kind, &site, &folder);
            prop_assert!(!matches!(imported, Err(Error::Io { .. })), "{imported:?}");
            let entries = std::fs::read_dir(place.path()).unwrap().count();
            prop_assert_eq!(entries, if folder.exists() { 2 } else { 1 });
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}
