//! A large image gets smaller copies for small screens.

use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::harness::server::Server;
use crate::media::files::ffmpeg;
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    a_large_image_gets_smaller_copies,
    until_there_is_a_copy_the_image_is_sent,
    an_export_has_every_address_that_pages_name,
    a_damaged_copy_is_found,
);

const HOST: &str = "acme.localhost";
const FRESH: &str = "public, max-age=0, must-revalidate";
const FOREVER: &str = "public, max-age=31536000, immutable";

/// 1000 × 500 pixels.
fn photo() -> Vec<u8> {
    ffmpeg("photo.jpg", "-f lavfi -i testsrc2=size=1000x500 -frames:v 1 -q:v 1")
}

fn smaller(url: &str, width: u32) -> String {
    url.replace(".webp", &format!(".{width}.webp"))
}

fn width_of(webp: &[u8]) -> u32 {
    assert_eq!(&webp[12..16], b"VP8 ", "a lossy image");
    u32::from(u16::from_le_bytes([webp[26], webp[27]]) & 0x3fff)
}

fn wait_for_copies(server: &Server, url: &str) {
    wait_until("the copies are there", || {
        server.visit(HOST, &smaller(url, 640)).header("cache-control") == FOREVER
    });
}

fn a_large_image_gets_smaller_copies(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let page = json!({ "pages": [{ "title": "A page", "content": "![](file:Photo.jpg)" }], "build": true });
    let form = Form::default().file("Photo.jpg", &photo()).payload(&page);
    let answer = server.send_form("/pages", &account, form).expect(200);
    let url = answer["media"][0]["url"].as_str().unwrap();
    let used = recto.storage_used(&account);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    let html = server.visit(HOST, "/blog/a-page").body;
    for width in [640, 960] {
        assert!(html.contains(&format!("{} {width}w, ", smaller(url, width))), "{html}");
    }
    wait_for_copies(&server, url);

    let original = server.download(HOST, url);
    let mut lengths = vec![original.len()];
    for width in [960, 640] {
        let copy = server.download(HOST, &smaller(url, width));
        assert_eq!(width_of(&copy), width);
        lengths.push(copy.len());
    }
    assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
    let seen = server.visit(HOST, &smaller(url, 960));
    assert_eq!(
        (seen.header("content-type"), seen.header("content-length")),
        ("image/webp", lengths[1].to_string().as_str())
    );
    let tags = [url.to_owned(), smaller(url, 640), smaller(url, 960)]
        .map(|url| server.visit(HOST, &url).header("etag").to_owned());
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
    assert_eq!(recto.storage_used(&account), used, "copies cost nothing");
    assert_eq!(server.visit(HOST, &smaller(url, 1440)).status, 404, "wider than the image");
    assert_eq!(recto.json(&["verify"])["damage"], json!([]));

    recto.json(&["media", "delete", "acme", url, "--force"]);
    assert_eq!(server.visit(HOST, &smaller(url, 640)).status, 404);
    assert_eq!(recto.storage_used(&account), 0);
}

fn until_there_is_a_copy_the_image_is_sent(recto: &Recto) {
    let (account, server) =
        (recto.account("Acme"), recto.start_with(&["serve", "--dev", "--role", "api,sites"]));
    let url = server.keep_file(&account, "photo.jpg", &photo());
    let meanwhile = server.visit(HOST, &smaller(&url, 640));
    assert_eq!((meanwhile.status, meanwhile.header("cache-control")), (200, FRESH));
    assert_eq!(server.download(HOST, &smaller(&url, 640)), server.download(HOST, &url));
    server.stop();

    // As an earlier version has stored it: the first visitor causes the copies.
    recto.execute("UPDATE objects SET copies_due = NULL");
    wait_for_copies(&recto.start(), &url);
}

fn an_export_has_every_address_that_pages_name(recto: &Recto) {
    let (account, server) =
        (recto.account("Acme"), recto.start_with(&["serve", "--dev", "--role", "api,sites"]));
    let url = server.keep_file(&account, "photo.jpg", &photo());
    let page = json!({ "pages": [{ "title": "A page", "content": format!("![]({url})") }], "build": true });
    server.send_form("/pages", &account, Form::default().payload(&page)).expect(200);
    let export = |name: &str| {
        let directory = recto.path_next_to_data(name);
        recto.json(&["site", "export", "acme", directory.to_str().unwrap()]);
        let read = |url: &str| std::fs::read(directory.join(url.trim_start_matches('/'))).unwrap();
        (read(&url), read(&smaller(&url, 640)))
    };
    server.stop();
    let server = recto.start();
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    wait_for_copies(&server, &url);
    let (image, copy) = export("with-copies");
    assert_eq!((width_of(&image), width_of(&copy)), (1000, 640));
    recto.execute("UPDATE objects SET state = 'doomed' WHERE original IS NOT NULL");
    let (image, copy) = export("without-copies");
    assert_eq!(image, copy);
}

fn a_damaged_copy_is_found(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let url = server.keep_file(&account, "photo.jpg", &photo());
    wait_for_copies(&server, &url);
    recto.execute("UPDATE objects SET hash = original WHERE width = 640");
    let damage: Value = serde_json::from_str(&recto.run(&["verify", "--json"]).stdout).unwrap();
    let what = damage["damage"][0]["what"].as_str().unwrap();
    assert!(what.ends_with("640 pixels wide: the stored bytes are damaged"), "{what}");
}
