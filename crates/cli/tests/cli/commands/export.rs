//! `recto site export` writes the files that visitors get.

use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::json;

use crate::harness::recto::{Recto, keys, text};
use crate::harness::server::Server;

const HOST: &str = "acme.localhost";

on_one_machine_and_nodes!(an_export_is_what_visitors_get, an_export_overwrites_nothing_without_force);

fn an_export_is_what_visitors_get(recto: &Recto) {
    let (server, directory) = (build_a_site(recto), recto.path_next_to_data("out"));
    let exported = recto.json(&["site", "export", "acme", text(&directory)]);
    assert_eq!(keys(&exported), ["directory", "files", "media", "redirects", "release"]);
    assert_eq!(exported["directory"], text(&directory));

    let redirects = std::fs::read_to_string(directory.join("_redirects")).unwrap();
    let redirects: Vec<(&str, &str)> = redirects.lines().map(redirect).collect();
    assert!(redirects.contains(&("/blog/former", "/blog/post-0")), "{redirects:?}");
    assert_eq!(exported["redirects"], redirects.len());
    for (from, to) in &redirects {
        let answer = server.visit(HOST, from);
        assert!([301, 308].contains(&answer.status), "{from}: {}", answer.status);
        assert!(answer.header("location").ends_with(to), "{from}: {}", answer.header("location"));
        let page = std::fs::read_to_string(directory.join(&from[1..]).join("index.html")).unwrap();
        assert!(page.contains(&format!("url={to}\"")), "{page}");
    }

    let mut compared = 0;
    for path in files(&directory, &directory) {
        let url = url_of(&path);
        if path == "_redirects" || redirects.iter().any(|(from, _)| *from == url) {
            continue;
        }
        let answer = server.visitor(Method::GET, HOST, &url).send().unwrap();
        let expected = if url == "/404.html" { 404 } else { 200 };
        assert_eq!(answer.status(), expected, "{path} is exported, {url} is not served");
        let exported = std::fs::read(directory.join(&path)).unwrap();
        assert!(answer.bytes().unwrap() == exported, "{url} is served with other bytes");
        compared += 1;
    }
    assert_eq!(exported["media"], 2, "each of an upload's names");
    assert_eq!(exported["files"].as_i64().unwrap() + 2, compared);
    for path in ["index.html", "blog/index.html", "blog/post-0/index.html", "blog/post-0.md", "sitemap.xml"] {
        assert!(directory.join(path).is_file(), "{path} is missing");
    }
    assert!(directory.join("assets/fonts").is_dir());
    recto.text(&["site", "set", "acme", "fonts=system"]);
    recto.text(&["site", "build", "acme", "--wait"]);
    let without = recto.path_next_to_data("without-fonts");
    recto.text(&["site", "export", "acme", text(&without)]);
    assert!(!without.join("assets/fonts").exists());
    assert!(!directory.join("blog/former.md").exists());
}

fn an_export_overwrites_nothing_without_force(recto: &Recto) {
    let server = build_a_site(recto);
    let directory = recto.path_next_to_data("out");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("mine"), "precious").unwrap();
    assert!(recto.refusal(&["site", "export", "acme", text(&directory)]).contains("--force"));
    assert_eq!(files(&directory, &directory), ["mine"], "nothing was written");

    let first = recto.json(&["site", "export", "acme", text(&directory), "--release", "1", "--force"]);
    assert_eq!(first["release"], 1);
    assert!(directory.join("blog/former/index.html").is_file());
    assert_eq!(std::fs::read_to_string(directory.join("mine")).unwrap(), "precious");
    let why =
        recto.refusal(&["site", "export", "acme", text(&recto.path_next_to_data("other")), "--release", "9"]);
    assert!(why.contains("no release 9"), "{why}");
    assert!(!recto.path_next_to_data("other").exists());
    server.stop();
}

/// Two releases; in the second one a page has moved.
fn build_a_site(recto: &Recto) -> Server {
    let (account, server) = (recto.account("Acme"), recto.start());
    let post = |number: usize| {
        json!({
            "title": format!("Post {number}"),
            "slug": if number == 0 { "former".to_owned() } else { format!("post-{number}") },
            "tags": ["one", format!("tag {}", number % 3)],
            "content": format!("Text of *{number}*.\n\n```rust\nlet x = {number};\n```\n"),
        })
    };
    let mut pages: Vec<_> = (0..30).map(post).collect();
    pages.push(json!({ "title": "About", "contentType": "standalone" }));
    for name in ["Install", "Configure"] {
        pages.push(
            json!({ "title": name, "contentType": "docs", "section": "guides", "content": "# One\n\nTwo." }),
        );
    }
    server.keep_file(&account, "notes.txt", b"as they are");
    server.keep_file(&account, "the same.txt", b"as they are");
    let published = server.publish(&account.token, &json!({ "pages": pages })).expect(200);
    recto.text(&["site", "build", "acme", "--wait"]);
    let id = &published["pages"][0]["id"];
    server.publish(&account.token, &json!({ "id": id, "slug": "post-0" })).expect(200);
    recto.text(&["site", "build", "acme", "--wait"]);
    server
}

fn redirect(line: &str) -> (&str, &str) {
    let [from, to, "301"] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
    (from, to)
}

fn url_of(path: &str) -> String {
    let path = path.strip_suffix("index.html").map_or(path, |directory| directory.trim_end_matches('/'));
    format!("/{path}")
}

/// Every file, relative to the top.
fn files(top: &Path, directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(top, &path)),
            false => found.push(path.strip_prefix(top).unwrap().to_str().unwrap().to_owned()),
        }
    }
    found
}
