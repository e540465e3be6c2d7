//! A file that was uploaded before is recognised before it is processed.

use std::collections::BTreeSet;

use reqwest::Method;

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::harness::server::Server;
use crate::media::files::{image, pdf, video};
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    a_known_file_is_not_processed_again,
    a_known_file_gets_another_name_and_another_site,
    a_deleted_file_is_processed_again,
);

/// The workers that wait for a file. Each processes one file and ends.
fn workers(server: &Server) -> BTreeSet<u32> {
    // A new one may be starting.
    wait_until("two workers wait", || server.children().len() == 2);
    server.children().into_iter().map(|(id, _)| id).collect()
}

fn a_known_file_is_not_processed_again(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let files = [("a.png", image("a.png")), ("b.pdf", pdf("words")), ("c.mp4", video("c.mp4"))];
    for (name, bytes) in &files {
        let before = workers(&server);
        let url = server.keep_file(&account, name, bytes);
        let after = workers(&server);
        assert_ne!(before, after, "{name} is opened by a worker");
        assert_eq!(server.keep_file(&account, name, bytes), url);
        assert_eq!(workers(&server), after, "{name} is not opened again");
    }
}

fn a_known_file_gets_another_name_and_another_site(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let png = image("a.png");
    let url = server.keep_file(&account, "a.png", &png);
    assert_eq!(server.keep_file(&account, "b.png", &png), url.replace("/a.webp", "/b.webp"));
    let second = recto.json(&["site", "create", "second", "--account", &account.id]);
    let form = Form::default().file("a.png", &png).field("siteId", second["siteId"].as_str().unwrap());
    assert_eq!(server.send_form("/media", &account, form).expect(200)["url"], *url);
    assert_eq!(server.download("second.localhost", &url), server.download("acme.localhost", &url));

    // Files of another account do not count as known.
    let (other, before) = (recto.account("Other"), workers(&server));
    server.keep_file(&other, "a.png", &png);
    assert_ne!(workers(&server), before);
}

fn a_deleted_file_is_processed_again(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let png = image("a.png");
    let url = server.keep_file(&account, "a.png", &png);
    recto.text(&["media", "delete", "acme", &url]);
    let before = workers(&server);
    assert_eq!(server.keep_file(&account, "a.png", &png), url);
    assert_ne!(workers(&server), before);
    assert_eq!(server.visitor(Method::GET, "acme.localhost", &url).send().unwrap().status().as_u16(), 200);
}
