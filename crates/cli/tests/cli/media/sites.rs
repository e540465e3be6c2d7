//! Media belong to a site: its URL, its protection, its account.

use reqwest::Method;
use serde_json::json;

use crate::harness::recto::Recto;
use crate::harness::server::Answer;
use crate::media::files::image;
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    a_protected_site_protects_its_media,
    the_site_id_chooses_the_site,
    an_account_cannot_reach_another_accounts_media
);

const HOST: &str = "acme.localhost";

fn a_protected_site_protects_its_media(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let url = server.keep_file(&account, "notes.txt", b"a secret text");
    recto.text_given(&["site", "password", "acme"], "open sesame\n");
    let later = server.keep_file(&account, "drawing.png", &image("drawing.png"));
    for url in [&url, &later] {
        let shut = server.visit(HOST, url);
        assert!(shut.status == 401 && !shut.body.contains("secret"), "{url}: {}", shut.body);
        let part = server.visitor(Method::GET, HOST, url).header("range", "bytes=0-3").send().unwrap();
        assert_eq!(part.status().as_u16(), 401, "{url}");
    }
    let form =
        server.visitor(Method::POST, HOST, &url).header("content-type", "application/x-www-form-urlencoded");
    let opened = Answer::read(form.body("password=open+sesame").send().unwrap());
    assert_eq!((opened.status, opened.header("location")), (303, url.as_str()));
    let cookie = opened.header("set-cookie").split(';').next().unwrap();
    let open = Answer::read(server.visitor(Method::GET, HOST, &url).header("cookie", cookie).send().unwrap());
    assert_eq!((open.status, open.body.as_str()), (200, "a secret text"));
    assert_eq!(open.header("cache-control"), "private, max-age=31536000, immutable");
    recto.text(&["site", "password", "acme", "--remove"]);
    assert_eq!(server.visit(HOST, &url).header("cache-control"), "public, max-age=31536000, immutable");
}

fn the_site_id_chooses_the_site(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let second = recto.json(&["site", "create", "second", "--account", &account.id]);
    let second = second["siteId"].as_str().unwrap();
    let file = || Form::default().file("notes.txt", b"notes");
    let url = server.send_form("/media", &account, file().field("siteId", second)).expect(200)["url"].clone();
    let url = url.as_str().unwrap();
    let there = |host: &str| server.visit(host, url).status == 200;
    assert!(there("second.localhost") && !there(HOST));
    assert_eq!(recto.storage_used(&account), 5);

    // Each site has its own copy, which counts; the order of the parts does not matter.
    let again = Form::default().field("siteId", &account.site).file("notes.txt", b"notes");
    assert_eq!(server.send_form("/media", &account, again).expect(200)["url"], url);
    assert!(there("second.localhost") && there(HOST));
    assert_eq!(recto.storage_used(&account), 10);

    let payload = json!({ "siteId": second, "pages": [{ "title": "A page", "content": "file:other.txt" }] });
    let form = Form::default().file("other.txt", b"other").payload(&payload);
    let answer = server.send_form("/pages", &account, form).expect(200);
    let other = answer["media"][0]["url"].as_str().unwrap();
    assert_eq!(
        (server.visit("second.localhost", other).status, server.visit(HOST, other).status),
        (200, 404)
    );
    assert_eq!((recto.media("acme").len(), recto.media("second").len()), (1, 2));

    recto.text(&["site", "delete", "second", "--yes"]);
    assert_eq!(recto.storage_used(&account), 5, "what the site had is free again");
    assert!(!there("second.localhost") && there(HOST));
}

fn an_account_cannot_reach_another_accounts_media(recto: &Recto) {
    let (account, other, server) = (recto.account("Acme"), recto.account("Other"), recto.start());
    let url = server.keep_file(&account, "notes.txt", b"notes");
    let unknown = "00000000-0000-7000-8000-000000000000";
    let upload = |site: &str| {
        server
            .send_form("/media", &other, Form::default().field("siteId", site).file("a.txt", b"a"))
            .expect(403)
    };
    let publish = |site: &str| {
        let payload = json!({ "siteId": site, "pages": [{ "title": "A page" }] });
        server.send_form("/pages", &other, Form::default().file("a.txt", b"a").payload(&payload)).expect(403)
    };
    assert_eq!(upload(&account.site), upload(unknown), "whose it is stays unknown");
    assert_eq!(publish(&account.site), publish(unknown));
    assert_eq!(upload(unknown), publish(unknown));

    // Equal files of two accounts are independent.
    assert_eq!(server.visit("other.localhost", &url).status, 404);
    assert_eq!(server.keep_file(&other, "notes.txt", b"notes"), url);
    recto.json(&["media", "delete", "acme", &url]);
    assert_eq!((server.visit(HOST, &url).status, server.visit("other.localhost", &url).status), (404, 200));
    assert_eq!((recto.storage_used(&account), recto.storage_used(&other)), (0, 5));
    let unauthorized =
        server.post("/media", "rec_wrong", crate::media::forms::CONTENT_TYPE, Form::default().end());
    assert_eq!(unauthorized.unwrap().expect(401), json!({ "error": "invalid or revoked token" }));
}
