//! Graceful shutdown.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::harness::server::page;
use crate::serving::large_bodies::Pages;

on_one_machine_and_nodes!(
    a_request_under_way_is_finished_before_the_end,
    the_last_use_of_a_token_is_stored_at_the_end,
);

fn a_request_under_way_is_finished_before_the_end(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let mut body = Vec::new();
    Pages::new(200, 100_000).read_to_end(&mut body).unwrap();
    let mut upload = server.begin_upload(&account.token, body.len());
    let (first, rest) = body.split_at(body.len() / 2);
    upload.write_all(first).unwrap();
    server.signal(Signal::TERM);
    wait_until("the port is closed", || TcpStream::connect(server.address()).is_err());
    for piece in rest.chunks(1 << 20) {
        std::thread::sleep(Duration::from_millis(20));
        upload.write_all(piece).unwrap();
    }
    let mut answer = String::new();
    upload.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{}", &answer[..answer.len().min(500)]);
    let ended = server.wait();
    assert_eq!(ended.code, Some(0), "{ended:?}");

    assert_eq!(recto.start().list(&account.token).slugs().len(), 200);
}

fn the_last_use_of_a_token_is_stored_at_the_end(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    assert!(recto.json(&["token", "list"])[0]["lastUsedAt"].is_null());
    server.publish(&account.token, &page("a")).expect(200);
    server.stop();
    let used = recto.json(&["token", "list"])[0]["lastUsedAt"].as_str().unwrap().to_owned();
    assert!(used.ends_with('Z'), "{used}");
}

#[test]
fn an_idle_server_ends_at_once_on_either_signal() {
    for signal in [Signal::TERM, Signal::INT] {
        let server = Recto::new().start();
        let start = Instant::now();
        server.signal(signal);
        let ended = server.wait();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(10), "an idle connection held it up");
    }
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    for second in [Signal::TERM, Signal::INT] {
        let recto = Recto::new();
        let (account, server) = (recto.account("Acme"), recto.start());
        let mut upload = server.begin_upload(&account.token, 1000);
        upload.write_all(b"{\"pages\": [").unwrap();
        server.signal(Signal::TERM);
        wait_until("the port is closed", || TcpStream::connect(server.address()).is_err());
        let start = Instant::now();
        server.signal(second);
        let ended = server.wait();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
