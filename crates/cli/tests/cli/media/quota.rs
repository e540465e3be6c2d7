//! The storage quota is exact, also with concurrent uploads.

use std::sync::Barrier;

use serde_json::json;

use crate::harness::recto::{Account, Recto};
use crate::harness::server::{Answer, Server};
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    storage_is_full_at_the_byte,
    as_many_concurrent_uploads_succeed_as_fit_into_the_quota,
    the_same_bytes_many_times_at_once_are_counted_once,
    pages_and_media_at_once_share_the_quota,
);

const HOST: &str = "acme.localhost";
const MANY: usize = 16;

/// The installation with a plan of this many bytes.
fn start(recto: &Recto, storage: usize) -> (Account, Server) {
    let text = format!("[plans.pro]\nstorage = \"{storage}\"\n");
    let config = recto.write_file("tiny.toml", &text);
    (recto.account("Acme"), recto.start_with(&["serve", "--dev", "--config", config.to_str().unwrap()]))
}

fn check_refused(answer: &Answer, required: u64, remaining: u64) {
    let body = answer.expect(402);
    assert_eq!(body["error"], "storage quota exceeded");
    let message = body["message"].as_str().unwrap();
    assert!(message.contains(&format!("{required} bytes")), "{message}");
    assert!(message.contains(&format!("{remaining} bytes")), "{message}");
    assert_eq!(body, json!({ "error": "storage quota exceeded", "message": message }));
}

fn storage_is_full_at_the_byte(recto: &Recto) {
    let (account, server) = start(recto, 100);
    check_refused(&server.send_file(&account, "a.zip", &[1; 101]), 101, 100);
    server.keep_file(&account, "a.zip", &[1; 60]);
    check_refused(&server.send_file(&account, "b.zip", &[2; 41]), 41, 40);
    assert_eq!(recto.storage_used(&account), 60);
    server.keep_file(&account, "b.zip", &[2; 40]);
    assert_eq!(recto.storage_used(&account), 100);

    // A file that exists already does not count again under another name; an empty file does not count.
    server.keep_file(&account, "a.zip", &[1; 60]);
    server.keep_file(&account, "c.zip", &[2; 40]);
    server.keep_file(&account, "empty.txt", b"");
    check_refused(&server.send_file(&account, "d.zip", &[3; 1]), 1, 0);

    // Only new files of a request count, and equal files once.
    recto.json(&[
        "media",
        "delete",
        "acme",
        recto
            .media("acme")
            .iter()
            .find_map(|medium| medium["urls"][0].as_str().filter(|_| medium["size"] == 60))
            .unwrap(),
    ]);
    let files = |size: usize| {
        let form = Form::default().payload(&json!({ "pages": [{ "title": "A page" }] }));
        form.file("b.zip", &[2; 40])
            .file("e.zip", &vec![5; size])
            .file("f.zip", &vec![5; size])
            .file("g.zip", &[6; 30])
    };
    check_refused(&server.send_form("/pages", &account, files(31)), 61, 60);
    assert_eq!(server.list(&account.token).expect(200), json!({ "pages": [] }));
    server.send_form("/pages", &account, files(30)).expect(200);
    assert_eq!(recto.storage_used(&account), 100);
}

/// All of them concurrently.
fn at_once(uploads: usize, upload: impl Fn(usize) -> Answer + Sync) -> Vec<Answer> {
    let start = Barrier::new(uploads);
    std::thread::scope(|scope| {
        let upload = |n| {
            let (start, upload) = (&start, &upload);
            scope.spawn(move || {
                start.wait();
                upload(n)
            })
        };
        let uploads: Vec<_> = (0..uploads).map(upload).collect();
        uploads.into_iter().map(|upload| upload.join().unwrap()).collect()
    })
}

fn count(answers: &[Answer], status: u16) -> usize {
    answers.iter().filter(|answer| answer.status == status).count()
}

fn as_many_concurrent_uploads_succeed_as_fit_into_the_quota(recto: &Recto) {
    const SIZE: usize = 10_000;
    let (account, server) = start(recto, 6 * SIZE - 1);
    let file = |n: usize| vec![n as u8; SIZE];
    let answers = at_once(MANY, |n| server.send_file(&account, &format!("{n}.zip"), &file(n)));
    assert_eq!((count(&answers, 200), count(&answers, 402)), (5, MANY - 5));
    for (n, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.status == 200) {
        assert!(server.download(HOST, answer.json()["url"].as_str().unwrap()) == file(n));
    }
    assert_eq!((recto.storage_used(&account), recto.media("acme").len()), (5 * SIZE as u64, 5));
}

fn the_same_bytes_many_times_at_once_are_counted_once(recto: &Recto) {
    let (account, server) = start(recto, 1000);
    let answers = at_once(MANY, |_| server.send_file(&account, "a.zip", &[7; 1000]));
    assert_eq!(count(&answers, 200), MANY);
    assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    assert_eq!((recto.storage_used(&account), recto.media("acme").len()), (1000, 1));
    let doomed = "SELECT count(*) FROM objects WHERE state <> 'kept' AND state <> 'doomed'";
    crate::harness::process::wait_until("the others are left to the sweep", || recto.query(doomed) == 0);
}

fn pages_and_media_at_once_share_the_quota(recto: &Recto) {
    let (account, server) = start(recto, 500);
    let answers = at_once(MANY, |n| match n % 2 {
        0 => server.send_file(&account, "a.zip", &[n as u8; 100]),
        _ => {
            let page = json!({ "pages": [{ "title": format!("Page {n}"), "content": "file:a.zip" }] });
            let form = Form::default().file("a.zip", &[n as u8; 100]).payload(&page);
            server.send_form("/pages", &account, form)
        }
    });
    assert_eq!((count(&answers, 200), count(&answers, 402)), (5, MANY - 5));
    let pages = answers.iter().skip(1).step_by(2).filter(|answer| answer.status == 200).count();
    assert_eq!(server.list(&account.token).slugs().len(), pages, "a page comes with its file or not at all");
    assert_eq!((recto.storage_used(&account), recto.media("acme").len()), (500, 5));
}
