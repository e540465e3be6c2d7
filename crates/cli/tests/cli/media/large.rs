//! Large files are refused as soon as they are known to be too large or too many.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;
use crate::media::forms::{CONTENT_TYPE, Form};

const MB: usize = 1 << 20;

/// An upload that has announced its size and sent no byte of its file.
fn begin(server: &Server, account: &Account, size: usize) -> TcpStream {
    let before = Form::default().before_file("large.zip");
    let mut stream = server.begin_post("/media", &account.token, CONTENT_TYPE, before.len() + size);
    stream.write_all(&before).unwrap();
    stream
}

/// The response, while the client could still be sending.
struct Early {
    status: u16,
    head: String,
    body: Value,
}

fn answer(mut stream: TcpStream) -> Early {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Early { status, head: head.to_lowercase(), body: serde_json::from_str(body).unwrap() }
}

fn header<'a>(answer: &'a Early, name: &str) -> Option<&'a str> {
    answer.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn check_rate_limited(answer: &Early) -> u64 {
    let body =
        json!({ "error": "rate limit exceeded", "message": "too many requests, please try again later" });
    assert_eq!((answer.status, &answer.body), (429, &body));
    assert!(
        header(answer, "x-ratelimit-limit").is_some() && header(answer, "x-ratelimit-remaining").is_some()
    );
    header(answer, "retry-after").unwrap().parse().unwrap()
}

/// A file that is being spooled occupies a slot.
fn wait_for_files(recto: &Recto, count: usize) {
    wait_until("the uploads have begun", || recto.spooled().len() == count);
}

fn wait_for_no_upload(recto: &Recto) {
    wait_until("the uploads have ended", || recto.spool_directories().is_empty());
}

#[test]
fn a_file_that_the_plan_does_not_allow_is_refused_before_it_is_sent() {
    let recto = Recto::new();
    let (free, server) = (recto.account_on("free", "Acme"), recto.start());
    let early = answer(begin(&server, &free, 11 * MB));
    assert_eq!((early.status, &early.body["error"]), (413, &json!("file too large")), "{}", early.body);
    assert!(early.body["message"].as_str().unwrap().contains("10 MB"), "{}", early.body);
    assert_eq!(header(&early, "retry-after"), None);

    let zeroes = vec![0; 10 * MB + 1];
    let page = json!({ "pages": [{ "title": "A page" }] });
    let with_a_page = |bytes: &[u8]| Form::default().file("a.zip", bytes).payload(&page);
    assert_eq!(
        server.send_file(&free, "a.zip", &zeroes).expect(413),
        server.send_form("/pages", &free, with_a_page(&zeroes)).expect(413)
    );
    assert_eq!((recto.storage_used(&free), recto.objects().len()), (0, 0));
    wait_for_no_upload(&recto);
    server.send_form("/pages", &free, with_a_page(&zeroes[1..])).expect(200);
    server.send_file(&free, "a.zip", &zeroes[1..]).expect(200);
    assert_eq!(recto.storage_used(&free), 10 * MB as u64);
}

#[test]
fn an_account_sends_two_large_files_at_a_time() {
    let recto = Recto::new();
    let (account, other, server) = (recto.account("Acme"), recto.account("Other"), recto.start());
    let under_way = [begin(&server, &account, 20 * MB), begin(&server, &account, 20 * MB)];
    wait_for_files(&recto, 2);
    assert_eq!(check_rate_limited(&answer(begin(&server, &account, 20 * MB))), 60);

    // In a form with pages the size of a file is only known when it has arrived.
    let large = vec![0; 10 * MB + 1];
    let page = json!({ "pages": [{ "title": "A page" }] });
    let with_a_page = || Form::default().payload(&page).file("large.zip", &large);
    let refused = server.send_form("/pages", &account, with_a_page());
    assert_eq!((refused.status, refused.header("retry-after")), (429, "60"));
    assert_eq!(refused.json()["error"], "rate limit exceeded");
    assert_eq!(server.list(&account.token).expect(200), json!({ "pages": [] }));

    server.keep_file(&account, "small.zip", &large[1..]);
    server.keep_file(&other, "large.zip", &large);
    drop(under_way);
    wait_for_no_upload(&recto);
    server.send_form("/pages", &account, with_a_page()).expect(200);
}

#[test]
fn an_account_begins_ten_large_files_an_hour() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    for _ in 0..10 {
        let begun = begin(&server, &account, 20 * MB);
        wait_for_files(&recto, 1);
        drop(begun);
        wait_for_no_upload(&recto);
    }
    let seconds = check_rate_limited(&answer(begin(&server, &account, 20 * MB)));
    assert!((3500..=3600).contains(&seconds), "{seconds}");
    let form = Form::default().payload(&json!({ "pages": [] })).file("a.zip", &vec![0; 11 * MB]);
    assert_eq!(server.send_form("/pages", &account, form).status, 429);
    server.keep_file(&account, "small.zip", b"small");
}

#[test]
fn the_server_accepts_as_many_large_files_at_a_time_as_configured() {
    let recto = Recto::new().set("RECTO_UPLOADS_LARGE", "1");
    let (account, other, server) = (recto.account("Acme"), recto.account("Other"), recto.start());
    let under_way = begin(&server, &account, 20 * MB);
    wait_for_files(&recto, 1);
    let busy = answer(begin(&server, &other, 20 * MB));
    assert_eq!((busy.status, header(&busy, "retry-after")), (503, None), "{}", busy.body);
    assert_eq!(crate::harness::recto::keys(&busy.body), ["error", "message"]);
    assert!(busy.body["message"].as_str().unwrap().contains("seconds"), "{}", busy.body);
    let form = || Form::default().file("a.zip", &vec![0; 11 * MB]).payload(&json!({ "pages": [] }));
    assert_eq!(server.send_form("/pages", &other, form()).status, 503);
    server.keep_file(&other, "small.zip", b"small");
    drop(under_way);
    wait_for_no_upload(&recto);
    server.send_form("/pages", &other, form()).expect(200);
}
