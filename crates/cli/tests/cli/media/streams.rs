//! Uploads of any size need little memory, and interrupted ones leave nothing behind.

use std::io::{Read, Write};

use reqwest::Method;
use serde_json::json;

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::media::files::image;
use crate::media::forms::{CONTENT_TYPE, Form};

const HOST: &str = "acme.localhost";
const MB: u64 = 1 << 20;

#[test]
fn two_gigabytes_take_no_more_memory_than_a_few_megabytes() {
    const SIZE: u64 = 2048 * MB;
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    // The memory of a first upload is not measured.
    server.keep_file(&account, "small.zip", b"small");
    let before = server.memory("VmHWM");

    let before_file = Form::default().before_file("zeroes.zip");
    let after_file = [&b"\r\n"[..], &Form::default().end()].concat();
    let length = before_file.len() + SIZE as usize + after_file.len();
    let mut stream = server.begin_post("/media", &account.token, CONTENT_TYPE, length);
    stream.write_all(&before_file).unwrap();
    let zeroes = vec![0; MB as usize];
    for _ in 0..SIZE / MB {
        stream.write_all(&zeroes).unwrap();
    }
    stream.write_all(&after_file).unwrap();
    let mut answer = [0; 4096];
    let read = stream.read(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer[..read]));
    let growth = server.memory("VmHWM") - before;
    assert!(growth < 64 * MB, "{} MB", growth / MB);

    assert_eq!(recto.storage_used(&account), SIZE + 5);
    let url = recto.media("acme")[0]["urls"][0].as_str().unwrap().to_owned();
    let end = server.visitor(Method::GET, HOST, &url).header("range", "bytes=-3").send().unwrap();
    assert_eq!(end.headers()["content-range"], format!("bytes {}-{}/{SIZE}", SIZE - 3, SIZE - 1));
    assert_eq!(end.bytes().unwrap(), [0; 3][..]);
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let photo = image("photo.png");
    let page = json!({ "pages": [{ "title": "A page" }] });
    // In the middle of a file, of a payload, and of the head of a part; the first file may be processed already.
    let file = Form::default().file("photo.png", &photo).before_file("more.zip");
    let payload = Form::default().file("photo.png", &photo).payload(&page).end();
    for (path, body) in [
        ("/media", &file[..]),
        ("/media", &file[..file.len() - 10]),
        ("/pages", &file[..]),
        ("/pages", &payload[..payload.len() - 60]),
        ("/pages", &file[..200]),
    ] {
        for _ in 0..3 {
            let mut stream = server.begin_post(path, &account.token, CONTENT_TYPE, 5 << 20);
            stream.write_all(body).unwrap();
            wait_until("it has begun", || !recto.spool_directories().is_empty());
            drop(stream);
            wait_until("nothing is left", || recto.spool_directories().is_empty());
        }
    }
    assert_eq!((recto.storage_used(&account), recto.objects().len()), (0, 0));
    assert_eq!(server.list(&account.token).expect(200), json!({ "pages": [] }));
    server.keep_file(&account, "photo.png", &photo);
}
