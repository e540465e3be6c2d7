//! `kill -9` during uploads: acknowledged files are stored, and the usage is correct.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;
use crate::media::files::image;
use crate::media::forms::{CONTENT_TYPE, Form};

const HOST: &str = "acme.localhost";

#[test]
fn on_sqlite_a_killed_server_loses_no_file_it_acknowledged() {
    kill_again_and_again(&Recto::new(), 5);
}

#[test]
fn on_postgres_a_killed_server_loses_no_file_it_acknowledged() {
    let Some(recto) = Recto::on_postgres() else { return };
    kill_again_and_again(&recto, 2);
}

/// URLs and their contents; for an image only that it exists.
type Acknowledged = Mutex<BTreeMap<String, Option<Vec<u8>>>>;

fn kill_again_and_again(recto: &Recto, rounds: usize) {
    let (account, acknowledged) = (recto.account("Acme"), Acknowledged::default());
    let png = image("image.png");
    for round in 0..rounds {
        let (server, before) = (recto.start(), acknowledged.lock().unwrap().len());
        std::thread::scope(|scope| {
            for client in ["media", "pages", "images"] {
                let (server, account, acknowledged, png) = (&server, &account, &acknowledged, &png);
                scope.spawn(move || {
                    upload_until_killed(server, account, acknowledged, png, &format!("{client}-{round}"))
                });
            }
            wait_until("some files are acknowledged", || acknowledged.lock().unwrap().len() > before + 2);
            std::thread::sleep(Duration::from_millis(RandomState::new().hash_one(round) % 700));
            server.signal(Signal::KILL);
        });
        server.wait();
        check(recto, &account, &acknowledged.lock().unwrap());
    }
    recto.check_integrity();
}

fn upload_until_killed(
    server: &Server,
    account: &Account,
    acknowledged: &Acknowledged,
    png: &[u8],
    client: &str,
) {
    for n in 0.. {
        let (name, bytes) = (format!("{client}-{n}.txt"), format!("{client} {n}").into_bytes());
        let (path, form, kept) = match client.split('-').next().unwrap() {
            "media" => ("/media", Form::default().file(&name, &bytes), Some(bytes)),
            "pages" => {
                let page = json!({ "pages": [{ "title": name, "content": format!("file:{name}") }] });
                ("/pages", Form::default().file(&name, &bytes).payload(&page), Some(bytes))
            }
            _ => ("/media", Form::default().file(&format!("{client}-{n}.png"), png), None),
        };
        match server.post(path, &account.token, CONTENT_TYPE, form.end()) {
            Ok(answer) if answer.is_complete() => {
                let body = answer.expect(200);
                let item = if path == "/pages" { &body["media"][0] } else { &body };
                acknowledged.lock().unwrap().insert(item["url"].as_str().unwrap().to_owned(), kept);
            }
            _ => return,
        }
    }
}

fn check(recto: &Recto, account: &Account, acknowledged: &BTreeMap<String, Option<Vec<u8>>>) {
    let server = recto.start();
    for (url, kept) in acknowledged {
        let sent = server.download(HOST, url);
        assert!(kept.as_ref().map_or(!sent.is_empty(), |kept| *kept == sent), "{url}");
    }
    let media = recto.media("acme");
    for medium in &media {
        let sent = server.download(HOST, medium["urls"][0].as_str().unwrap());
        assert_eq!(sent.len() as u64, medium["size"].as_u64().unwrap(), "{medium}");
    }
    let pages = media.iter().filter(|medium| medium["urls"][0].as_str().unwrap().contains("/pages-")).count();
    assert_eq!(server.list(&account.token).slugs().len(), pages, "a page and its file are stored together");
    let sizes: u64 = media.iter().map(|medium| medium["size"].as_u64().unwrap()).sum();
    assert_eq!(recto.storage_used(account), sizes);

    let again = server.keep_file(account, "again.txt", b"again");
    recto.json(&["media", "delete", "acme", &again]);
    wait_until("the files of the killed server are deleted", || recto.spool_directories().is_empty());
    let processes = std::fs::read_dir(recto.data().join("uploads")).unwrap().count();
    assert_eq!(processes, 1, "only the running server has a place there");
}
