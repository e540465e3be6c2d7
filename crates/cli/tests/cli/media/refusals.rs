//! Refusals: their messages, their order, and that they store nothing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto, keys};
use crate::harness::server::Server;
use crate::media::files::{image, pdf, run, video, with_file};
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    references_to_no_file_are_counted_and_named,
    a_payload_may_have_a_file_name,
    forms_that_cannot_be_understood_are_refused,
    files_that_cannot_be_cleaned_are_refused,
    the_first_error_is_reported,
);

fn form() -> Form {
    Form::default()
}

fn page(content: &str) -> Value {
    json!({ "pages": [{ "title": "A page", "content": content }] })
}

/// Checks that nothing was stored since the account was created.
fn check_nothing_is_stored(recto: &Recto, server: &Server, account: &Account) {
    assert_eq!(server.list(&account.token).expect(200), json!({ "pages": [] }));
    assert_eq!((recto.media("acme"), recto.storage_used(account)), (vec![], 0));
    wait_until("nothing waits to be stored", || recto.spool_directories().is_empty());
}

fn references_to_no_file_are_counted_and_named(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let unresolved = |names: &str, details: Value| {
        let message = format!(
            "no attached file is called {names}; \
             send each as a part of a multipart/form-data request, under exactly this name"
        );
        json!({ "error": "unresolved file references", "message": message, "details": details })
    };
    let pages = json!({ "pages": [
        { "title": "One", "content": "![](file:a.png) ![](file:a.png) [x](file:b.pdf) file:there.txt" },
        { "title": "Two", "content": "Nothing, `file:a.png`." },
        { "title": "Three", "content": "[it](file:c.docx)" },
    ] });
    let expected = unresolved(
        r#""a.png", "b.pdf", "c.docx""#,
        json!({ "0": { "unresolvedCount": 3 }, "2": { "unresolvedCount": 1 } }),
    );
    let there = || form().file("there.txt", b"there");
    assert_eq!(server.send_form("/pages", &account, there().payload(&pages)).expect(400), expected);
    assert_eq!(
        server.send_form("/pages", &account, form().payload(&pages).file("there.txt", b"")).expect(400),
        expected
    );
    // Names are compared exactly.
    for name in ["A.png", "a.PNG", " a.png", "./a.png", "a.jpg"] {
        let answer =
            server.send_form("/pages", &account, form().file(name, b"").payload(&page("![](file:a.png)")));
        assert_eq!(
            answer.expect(400),
            unresolved(r#""a.png""#, json!({ "0": { "unresolvedCount": 1 } })),
            "{name}"
        );
    }
    // Without any files.
    let all = unresolved(
        r#""a.png", "b.pdf", "there.txt", "c.docx""#,
        json!({ "0": { "unresolvedCount": 4 }, "2": { "unresolvedCount": 1 } }),
    );
    assert_eq!(server.publish(&account.token, &pages).expect(400), all);
    assert_eq!(server.send_form("/pages", &account, form().payload(&pages)).expect(400), all);
    let single = json!({ "title": "One", "content": "![](file:a.png)" });
    let one = unresolved(r#""a.png""#, json!({ "0": { "unresolvedCount": 1 } }));
    assert_eq!(server.publish(&account.token, &single).expect(400), one);
    // Long lists and long names are cut.
    let content: String = (0..12).chain(0..12).map(|n| format!("[x](file:{n}.txt) ")).collect();
    let many = unresolved(
        r#""0.txt", "1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt", "7.txt", "8.txt", "9.txt", and 4 more"#,
        json!({ "0": { "unresolvedCount": 24 } }),
    );
    assert_eq!(server.publish(&account.token, &page(&content)).expect(400), many);
    let long = "é".repeat(1000);
    let cut = unresolved(&format!("\"{}…\"", &long[..200]), json!({ "0": { "unresolvedCount": 1 } }));
    assert_eq!(server.publish(&account.token, &page(&format!("[x](file:{long}.txt)"))).expect(400), cut);
    check_nothing_is_stored(recto, &server, &account);
    assert_eq!(recto.object_count(), 0);
}

fn a_payload_may_have_a_file_name(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let send = |path: &str, form: Form| server.send_form(path, &account, form);
    for name in ["blob", "page.json", "photo.png", "no extension"] {
        for form in [
            form().payload_file(name, &page("file:a.txt")).file("a.txt", b"a"),
            form().file("a.txt", b"a").payload_file(name, &page("file:a.txt")),
        ] {
            let answer = send("/pages", form).expect(200);
            assert_eq!(
                (&answer["pages"][0]["slug"], &answer["media"][0]["filename"]),
                (&json!("a-page"), &json!("a.txt"))
            );
            assert_eq!(answer["media"].as_array().unwrap().len(), 1, "{name}: {answer}");
        }
    }
    let twice = form().payload_file("blob", &page("")).payload(&page(""));
    check_message(&send("/pages", twice).expect(400), "two fields `payload`");
    let files = |count: usize| {
        (0..count)
            .fold(form(), |form, n| form.file(&format!("{n}.txt"), b"1"))
            .payload_file("blob", &page(""))
    };
    assert_eq!(send("/pages", files(500)).expect(200)["media"].as_array().unwrap().len(), 500);
    check_message(&send("/pages", files(501)).expect(400), "at most 500");
    // `POST /media` has no payload: it is a file like any other.
    let url = send("/media", form().payload_file("data.txt", &json!("kept"))).expect(200)["url"].clone();
    assert_eq!(server.download("acme.localhost", url.as_str().unwrap()), b"\"kept\"");
}

/// A 400 with nothing but an error and a message.
fn check_message(answer: &Value, words: &str) {
    assert_eq!(keys(answer), ["error", "message"], "{answer}");
    assert!(answer["message"].as_str().unwrap().contains(words), "{answer} does not say {words:?}");
}

fn forms_that_cannot_be_understood_are_refused(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let check = |path: &str, form: Form, words: &str| {
        check_message(&server.send_form(path, &account, form).expect(400), words);
    };
    let (good, empty) = (|| form().payload(&page("Words")), || json!({ "pages": [] }));
    check("/pages", good().file("a.txt", b"1").file("a.txt", b"2"), "\"a.txt\"");
    check("/pages", form().file("a.txt", b"1"), "payload");
    check("/pages", form(), "payload");
    check("/pages", good().payload(&empty()), "payload");
    check("/pages", good().file("a.svg", b"<svg/>"), "\"a.svg\"");
    check("/pages", good().file("noextension", b""), "\"noextension\"");
    check("/pages", form().field("payload", "{").file("a.txt", b"1"), "");
    check("/pages", form().field("payload", r#"{"pages": null}"#).file("a.txt", b"1"), "pages");
    let files = |count: usize| (0..count).fold(good(), |form, n| form.file(&format!("{n}.txt"), b"1"));
    check("/pages", files(501), "500");

    check("/media", form(), "file");
    check("/media", form().field("file", "no file name"), "file");
    check("/media", form().file("a.exe", b"MZ"), "\"a.exe\"");
    check("/media", form().file("a.txt", b"1").file("b.txt", b"2"), "one file");
    check("/media", form().field("siteId", "nonsense").file("a.txt", b"1"), "siteId");
    let json = server.post("/media", &account.token, "application/json", "{}").unwrap();
    check_message(&json.expect(415), "multipart/form-data");
    let cut_off = form().file("a.txt", b"1").end();
    let cut_off =
        server.post("/media", &account.token, crate::media::forms::CONTENT_TYPE, cut_off[..100].to_vec());
    check_message(&cut_off.unwrap().expect(400), "");
    check_nothing_is_stored(recto, &server, &account);
    assert_eq!(recto.object_count(), 0);

    assert_eq!(
        server.send_form("/pages", &account, files(500)).expect(200)["media"].as_array().unwrap().len(),
        500
    );
}

fn files_that_cannot_be_cleaned_are_refused(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let check = |name: &str, bytes: &[u8], words: &str| {
        let alone = server.send_file(&account, name, bytes).expect(400);
        check_message(&alone, words);
        let with_a_page =
            form().file(name, bytes).file("fine.txt", b"fine").payload(&page(&format!("file:{name}")));
        let with_a_page = server.send_form("/pages", &account, with_a_page).expect(400);
        check_message(&with_a_page, words);
        assert_eq!(alone, with_a_page);
    };
    check("a.png", b"no image", "\"a.png\"");
    check("empty.jpg", b"", "\"empty.jpg\"");
    let drawing = image("drawing.png");
    check("drawing.png", &drawing[..drawing.len() / 2], "\"drawing.png\"");
    check("a.mp4", b"no video", "\"a.mp4\"");
    let video = video("video.mp4");
    check("video.mp4", &video[..video.len() / 2], "\"video.mp4\"");
    check("locked.pdf", &encrypted(&pdf("Hello")), "encrypted");
    check("broken.pdf", b"%PDF-1.7 /Info", "\"broken.pdf\"");
    check_nothing_is_stored(recto, &server, &account);
    assert_eq!(recto.object_count(), 0);
}

fn encrypted(pdf: &[u8]) -> Vec<u8> {
    with_file("plain.pdf", pdf, |path| {
        run("qpdf", &["--encrypt", "user", "owner", "256", "--", path.to_str().unwrap(), "-"])
    })
}

fn the_first_error_is_reported(recto: &Recto) {
    // Set after the account was created, because the server reads the plan.
    let account = recto.account("Acme");
    let config = recto.write_file("tiny.toml", "[plans.pro]\nstorage = \"20\"\n");
    let server = recto.start_with(&["serve", "--dev", "--config", config.to_str().unwrap()]);
    let (bad, large) = (b"no image", [b'x'; 21]);
    let both_orders = |payload: &Value, files: &[(&str, &[u8])], status: u16, error: &str| {
        let attach = |form: Form| files.iter().fold(form, |form, (name, bytes)| form.file(name, bytes));
        for form in [attach(form()).payload(payload), attach(form().payload(payload))] {
            let answer = server.send_form("/pages", &account, form).expect(status);
            assert_eq!(answer["error"], error, "{payload} {answer}");
        }
    };
    let wrong: &[(&str, &[u8])] = &[("a.png", bad), ("large.txt", &large)];
    let twice =
        json!([{ "slug": "a", "title": "A" }, { "slug": "a", "title": "B", "content": "file:no.txt" }]);
    let invalid = json!({ "pages": [{ "slug": "a", "content": "file:no.txt" }] });
    let conflict = json!({
        "pages": [{ "slug": "a", "title": "A", "content": "file:no.txt" }],
        "deleteSlugs": [{ "slug": "a", "contentType": "blog" }],
    });
    both_orders(&invalid, wrong, 400, "validation failed");
    both_orders(&json!({ "pages": twice }), wrong, 400, "duplicate slugs in batch");
    both_orders(&conflict, wrong, 400, "slug conflict");
    both_orders(&page("file:no.txt file:a.png"), wrong, 400, "unresolved file references");
    both_orders(&page("file:a.png"), wrong, 400, "bad request");
    both_orders(&page("file:large.txt"), &wrong[1..], 402, "storage quota exceeded");
    let elsewhere = json!({ "siteId": "00000000-0000-7000-8000-000000000000", "pages": invalid["pages"] });
    both_orders(&elsewhere, wrong, 403, "forbidden");
    let alone = form().file("a.png", bad).field("siteId", "00000000-0000-7000-8000-000000000000");
    assert_eq!(server.send_form("/media", &account, alone).expect(403)["error"], "forbidden");
    check_nothing_is_stored(recto, &server, &account);
}

/// The bytes of a request over the quota were already written. The sweep runs once a minute.
#[test]
fn objects_of_a_refused_request_are_swept() {
    let recto = Recto::new().with_tiny_plan(20);
    let (account, server) = (recto.account_on("tiny", "Acme"), recto.start());
    let kept = server.keep_file(&account, "kept.txt", b"kept");
    let before = recto.objects();
    for n in 0..3 {
        let bytes = format!("{n} does not fit anywhere");
        assert_eq!(server.send_file(&account, "a.txt", bytes.as_bytes()).status, 402);
        let form = form().file("b.txt", bytes.as_bytes()).file("c.txt", b"fits").payload(&page("file:b.txt"));
        assert_eq!(server.send_form("/pages", &account, form).status, 402);
    }
    wait_until("no upload can use it any more", || {
        recto.query("SELECT count(*) FROM objects WHERE state = 'pending'") == 0
    });
    let start = Instant::now();
    while recto.objects() != before {
        assert!(start.elapsed() < Duration::from_secs(90), "{:?} instead of {before:?}", recto.objects());
        std::thread::sleep(Duration::from_millis(500));
    }
    assert_eq!(recto.query("SELECT count(*) FROM objects"), 1);
    assert_eq!(
        (server.download("acme.localhost", &kept), recto.storage_used(&account)),
        (b"kept".to_vec(), 4)
    );
}
