//! `recto media`: storage can be freed.

use serde_json::{Value, json};

use crate::harness::recto::{Account, Recto, keys};
use crate::harness::server::Server;
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    a_list_shows_the_pages_that_use_a_file,
    deleting_frees_storage_at_once,
    a_used_file_is_deleted_only_with_force,
    orphans_are_listed_and_deleted_together,
);

const HOST: &str = "acme.localhost";

/// The first name of each file and the pages that use it, newest first.
fn listed(recto: &Recto, options: &[&str]) -> Vec<(String, Value)> {
    let media = recto.json(&[&["media", "list", "acme"], options].concat());
    let name = |medium: &Value| medium["urls"][0].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    media.as_array().unwrap().iter().map(|medium| (name(medium), medium["usedBy"].clone())).collect()
}

/// `a.txt` on two pages, `b.txt` in a page's params, `c.txt` nowhere.
fn fill(recto: &Recto) -> (Account, Server, Vec<String>) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let b = server.keep_file(&account, "b.txt", b"22");
    let c = server.keep_file(&account, "c.txt", b"333");
    let form = Form::default().file("a.txt", b"1").payload(&json!({ "pages": [
        { "title": "One", "content": "file:a.txt" },
        { "title": "Two", "content": "[a](file:a.txt)", "contentType": "docs", "section": "guides" },
        { "title": "Three", "params": { "cover": b } },
    ] }));
    let answer = server.send_form("/pages", &account, form).expect(200);
    let a = answer["media"][0]["url"].as_str().unwrap().to_owned();
    (account, server, vec![a, b, c])
}

fn a_list_shows_the_pages_that_use_a_file(recto: &Recto) {
    let (_, _server, urls) = fill(recto);
    assert_eq!(
        listed(recto, &[]),
        [
            ("a.txt".to_owned(), json!(["/blog/one", "/docs/guides/two"])),
            ("c.txt".to_owned(), json!([])),
            ("b.txt".to_owned(), json!(["/blog/three"])),
        ]
    );
    let media = recto.media("acme");
    assert_eq!(keys(&media[0]), ["createdAt", "size", "transcode", "urls", "usedBy"]);
    assert_eq!(
        (&media[0]["size"], &media[0]["urls"], &media[0]["transcode"]),
        (&json!(1), &json!([urls[0]]), &Value::Null)
    );
    let text = recto.text(&["media", "list", "acme"]);
    for word in [&urls[0], "/blog/one and 1 more", "/blog/three", "  -", "recto media delete acme --orphans"]
    {
        assert!(text.contains(word), "no {word:?} in {text}");
    }
    assert!(recto.refusal(&["media", "list", "unknown"]).contains("unknown"));
}

fn deleting_frees_storage_at_once(recto: &Recto) {
    let (account, server, urls) = fill(recto);
    assert_eq!((recto.storage_used(&account), server.visit(HOST, &urls[2]).status), (6, 200));
    let deleted = recto.json(&["media", "delete", "acme", &urls[2]]);
    assert_eq!(deleted, json!({ "deleted": [urls[2]], "freedBytes": 3 }));
    assert_eq!((recto.storage_used(&account), server.visit(HOST, &urls[2]).status), (3, 404));
    let gone = recto.refusal(&["media", "delete", "acme", &urls[2]]);
    assert!(gone.contains(&urls[2]), "{gone}");

    // With a second name it stays, and its size counts as before.
    let second = server.keep_file(&account, "second.txt", b"22");
    assert_eq!(recto.json(&["media", "delete", "acme", &second, "--force"])["freedBytes"], 0);
    assert_eq!((server.visit(HOST, &second).status, server.visit(HOST, &urls[1]).body.as_str()), (404, "22"));
    assert_eq!(recto.storage_used(&account), 3);
    // A file that is uploaded again is available again.
    assert_eq!(server.keep_file(&account, "c.txt", b"333"), urls[2]);
    assert_eq!((recto.storage_used(&account), server.visit(HOST, &urls[2]).body.as_str()), (6, "333"));
}

fn a_used_file_is_deleted_only_with_force(recto: &Recto) {
    let (account, server, urls) = fill(recto);
    for (url, page) in [(&urls[0], "/blog/one"), (&urls[1], "/blog/three")] {
        let refusal = recto.refusal(&["media", "delete", "acme", &urls[2], url]);
        assert!(refusal.contains(url) && refusal.contains(page) && refusal.contains("--force"), "{refusal}");
        assert_eq!((server.visit(HOST, url).status, server.visit(HOST, &urls[2]).status), (200, 200));
    }
    let text = recto.text(&["media", "delete", "acme", &urls[0], &urls[1], "--force"]);
    assert!(text.contains("2 deleted, 3 B freed"), "{text}");
    assert_eq!((server.visit(HOST, &urls[0]).status, recto.storage_used(&account)), (404, 3));
    assert!(recto.refusal(&["media", "delete", "acme"]).contains("--orphans"));
    assert!(recto.refusal(&["media", "delete", "acme", "nonsense"]).contains("nonsense"));
}

fn orphans_are_listed_and_deleted_together(recto: &Recto) {
    let (account, server, urls) = fill(recto);
    let also = server.keep_file(&account, "also.txt", b"333");
    assert_eq!(listed(recto, &["--orphans"]), [("also.txt".to_owned(), json!([]))]);
    let page = json!({ "deleteSlugs": [{ "slug": "three", "contentType": "blog" }] });
    server.publish(&account.token, &page).expect(200);
    let orphans = ["also.txt", "b.txt"].map(|name| (name.to_owned(), json!([])));
    assert_eq!(listed(recto, &["--orphans"]), orphans, "a deleted page uses nothing");
    let deleted = recto.json(&["media", "delete", "acme", "--orphans"]);
    assert_eq!(deleted, json!({ "deleted": [also, urls[2], urls[1]], "freedBytes": 5 }));
    assert_eq!((recto.storage_used(&account), listed(recto, &[]).len()), (1, 1));
    assert_eq!(listed(recto, &["--orphans"]), []);
    assert_eq!(recto.json(&["media", "delete", "acme", "--orphans"])["freedBytes"], 0);
}
