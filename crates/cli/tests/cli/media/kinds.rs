//! Every supported type of file: the response, the stored file and how it is served.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::recto::{Account, Recto};
use crate::harness::server::{Answer, Server};
use crate::media::files::{image, pdf, video};
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    every_supported_file_is_taken_and_sent,
    equal_bytes_are_stored_and_counted_once,
    files_that_no_worker_processes_are_stored_unchanged,
);

const HOST: &str = "acme.localhost";
const OFFICE: &str = "application/vnd.openxmlformats-officedocument";

/// The name of the stored file and its content type.
struct Expected {
    name: &'static str,
    stored: &'static str,
    content_type: String,
    disposition: &'static str,
}

fn every_kind() -> Vec<Expected> {
    let kind = |name, stored, content_type: &str, disposition| Expected {
        name,
        stored,
        content_type: content_type.to_owned(),
        disposition,
    };
    let text = "text/plain; charset=utf-8";
    vec![
        kind("A Photo.jpg", "a-photo.webp", "image/webp", "inline"),
        kind("photo.jpeg", "photo.webp", "image/webp", "inline"),
        kind("drawing.PNG", "drawing.webp", "image/webp", "inline"),
        kind("moving.gif", "moving.webp", "image/webp", "inline"),
        kind("small.webp", "small.webp", "image/webp", "inline"),
        kind("document.pdf", "document.pdf", "application/pdf", "inline"),
        kind("old.doc", "old.doc", "application/msword", "attachment"),
        kind("new.docx", "new.docx", &format!("{OFFICE}.wordprocessingml.document"), "attachment"),
        kind("old.xls", "old.xls", "application/vnd.ms-excel", "attachment"),
        kind("new.xlsx", "new.xlsx", &format!("{OFFICE}.spreadsheetml.sheet"), "attachment"),
        kind("old.ppt", "old.ppt", "application/vnd.ms-powerpoint", "attachment"),
        kind("new.pptx", "new.pptx", &format!("{OFFICE}.presentationml.presentation"), "attachment"),
        kind("notes.txt", "notes.txt", text, "inline"),
        kind("table.csv", "table.csv", text, "inline"),
        kind("read.me.md", "read-me.md", text, "inline"),
        kind("all.zip", "all.zip", "application/zip", "attachment"),
        kind("song.mp3", "song.mp3", "audio/mpeg", "inline"),
        kind("video.mp4", "video.mp4", "video/mp4", "inline"),
        kind("video.webm", "video.webm", "video/webm", "inline"),
        kind("VIDEO.MOV", "video.mov", "video/quicktime", "inline"),
    ]
}

/// Typical content for a file of that name; anything for types that are not processed.
fn content_of(name: &str) -> Vec<u8> {
    let name = name.to_lowercase();
    match name.rsplit_once('.').unwrap().1 {
        "jpg" | "jpeg" | "png" | "gif" | "webp" => image(&name),
        "mp4" | "webm" | "mov" => video(&name),
        "pdf" => pdf("Hello reader"),
        _ => format!("<script>alert('{name}')</script>\0").into_bytes(),
    }
}

/// Alone, and all together with a page; the URL is the same and works before the first build.
fn every_supported_file_is_taken_and_sent(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let (mut form, mut items) = (Form::default(), Vec::new());
    for expected in every_kind() {
        let bytes = content_of(expected.name);
        let item = server.send_file(&account, expected.name, &bytes).expect(200);
        let url = item["url"].as_str().unwrap();
        assert_eq!(item, json!({ "url": url, "filename": expected.stored }));
        check_address(url, expected.stored);
        check_sent(&server, url, &expected);
        form = form.file(expected.name, &bytes);
        items.push(json!({ "filename": expected.name, "url": url }));
    }
    let used = recto.storage_used(&account);
    let form = form.payload(&json!({ "pages": [{ "title": "All of them" }] }));
    let mut answer = server.send_form("/pages", &account, form).expect(200);
    assert_eq!(answer["media"].take(), Value::Array(items));
    assert_eq!(recto.storage_used(&account), used, "all of it was there");
    let sizes: u64 = recto.media("acme").iter().map(|medium| medium["size"].as_u64().unwrap()).sum();
    assert_eq!(sizes, used);
}

/// `/media/`, at least 12 digits of a hash, the name; for an image also its size of 64 × 48 pixels.
fn check_address(url: &str, stored: &str) {
    let (segment, name) = url.strip_prefix("/media/").unwrap().split_once('/').unwrap();
    assert_eq!(name, stored);
    assert!(segment.len() >= 12 && segment.bytes().all(|byte| byte.is_ascii_hexdigit()), "{url}");
    assert_eq!(stored.ends_with(".webp"), segment.len() == 40 && segment.ends_with("00400030"), "{url}");
}

fn check_sent(server: &Server, url: &str, expected: &Expected) {
    let ask = |method: Method, header: &str, value: &str| {
        Answer::read(server.visitor(method, HOST, url).header(header, value).send().unwrap())
    };
    let whole = server.download(HOST, url);
    for method in [Method::GET, Method::HEAD] {
        let answer = ask(method.clone(), "accept", "*/*");
        assert_eq!(answer.status, 200, "{method} {url}");
        assert_eq!(answer.header("content-type"), expected.content_type, "{url}");
        let disposition = answer.header("content-disposition");
        assert!(disposition.starts_with(expected.disposition), "{url}: {disposition}");
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("content-length"), whole.len().to_string(), "{method} {url}");
        assert_eq!(answer.header("accept-ranges"), "bytes");
    }
    let tag = ask(Method::HEAD, "accept", "*/*").header("etag").to_owned();
    let known = ask(Method::GET, "if-none-match", &tag);
    assert_eq!((known.status, known.body.as_str(), known.header("etag")), (304, "", tag.as_str()));

    let part = server.visitor(Method::GET, HOST, url).header("range", "bytes=2-5").send().unwrap();
    assert_eq!(part.status().as_u16(), 206, "{url}");
    assert_eq!(part.headers()["content-range"], format!("bytes 2-5/{}", whole.len()));
    assert_eq!(part.bytes().unwrap(), whole[2..6]);
    let outside = ask(Method::GET, "range", &format!("bytes={}-", whole.len()));
    assert_eq!(outside.status, 416, "{url}");
    assert_eq!(outside.header("content-range"), format!("bytes */{}", whole.len()));
}

fn files_that_no_worker_processes_are_stored_unchanged(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    for extension in ["doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt", "csv", "md", "zip", "mp3"] {
        // Also text that looks like the end of a part.
        let bytes: Vec<u8> =
            format!("{extension}\r\n--\r\n\r\n--no-file-holds-thi").bytes().chain(0..=255).collect();
        let url = server.keep_file(&account, &format!("file.{extension}"), &bytes);
        assert!(server.download(HOST, &url) == bytes, "{url}");
    }
    let url = server.keep_file(&account, "empty.txt", b"");
    assert_eq!(server.download(HOST, &url), b"");
}

fn equal_bytes_are_stored_and_counted_once(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let upload = |name: &str, bytes: &[u8]| server.keep_file(&account, name, bytes);
    let first = upload("notes.txt", b"twelve bytes");
    assert_eq!(upload("Notes.TXT", b"twelve bytes"), first);
    assert_eq!(recto.storage_used(&account), 12);

    let second = upload("other.md", b"twelve bytes");
    assert_eq!(second, first.replace("notes.txt", "other.md"));
    assert_eq!((recto.storage_used(&account), recto.object_count()), (12, 1));
    assert_eq!(server.download(HOST, &second), b"twelve bytes");
    assert_eq!(server.visit(HOST, &second).header("content-type"), "text/plain; charset=utf-8");

    // In one request, under two names.
    let form = Form::default().payload(&json!({ "pages": [] })).file("a.zip", b"more").file("b.zip", b"more");
    let answer = server.send_form("/pages", &account, form).expect(200);
    let urls: Vec<&str> =
        answer["media"].as_array().unwrap().iter().map(|item| item["url"].as_str().unwrap()).collect();
    assert_eq!(urls[0].replace("a.zip", "b.zip"), urls[1]);
    for url in urls {
        assert_eq!(server.download(HOST, url), b"more");
    }
    assert_eq!((recto.storage_used(&account), recto.object_count()), (16, 2));
    assert_eq!(recto.media("acme").len(), 2);
    check_unknown_addresses(&server, &account, &first);
}

/// Only the returned URL works.
fn check_unknown_addresses(server: &Server, account: &Account, url: &str) {
    let image = server.keep_file(account, "drawing.png", &image("drawing.png"));
    let size_left_out = image.replace("00400030/", "/");
    let wrong_size = image.replace("00400030/", "00300040/");
    for wrong in [
        url.replace("notes.txt", "notes.md"),
        url.replace("notes", "others"),
        url.to_uppercase(),
        url.replace("/media/", "/media/00"),
        url.replace("notes.txt", ""),
        url.replace("/notes.txt", ""),
        format!("{url}/"),
        format!("/media/{}/notes.txt", "0".repeat(32)),
        "/media".into(),
        "/media/".into(),
        "/media/..%2f..%2frecto.db".into(),
        size_left_out,
        wrong_size,
    ] {
        let mut status = server.visit(HOST, &wrong).status;
        if matches!(status, 301 | 308) {
            let there = server.visit(HOST, &wrong).header("location").to_owned();
            status = server.visit(HOST, &there).status;
        }
        // An extra slash is redirected.
        let expected = if wrong == format!("{url}/") { 200 } else { 404 };
        assert_eq!(status, expected, "{wrong}");
    }
    assert_eq!(server.visit("other.localhost", url).status, 404);
}
