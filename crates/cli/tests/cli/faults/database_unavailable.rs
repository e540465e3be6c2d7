//! PostgreSQL stops and starts again: the server responds with 503 meanwhile and recovers by itself.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use testing::Cluster;

use crate::harness::process::wait_until;
use crate::harness::recto::{Recto, keys};
use crate::harness::server::{Answer, page};
use crate::serving::large_bodies::Pages;

#[test]
fn a_server_without_its_database_answers_503_and_recovers() {
    let database = Cluster::start();
    let recto = Recto::new().set("RECTO_STORE_URL", &database.url());
    let (account, server) = (recto.account("Acme"), recto.start());
    server.publish(&account.token, &page("before")).expect(200);

    let mut body = Vec::new();
    Pages::new(200, 100_000).read_to_end(&mut body).unwrap();
    let mut upload = server.begin_upload(&account.token, body.len());
    let (first, rest) = body.split_at(body.len() / 2);
    upload.write_all(first).unwrap();
    database.stop();
    upload.write_all(rest).unwrap();
    let mut answer = String::new();
    upload.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");

    for _ in 0..3 {
        is_503(&server.get("/readyz"));
        is_503(&server.list(&account.token));
        is_503(&server.publish(&account.token, &page("during")));
        is_503(&server.build(&account.token));
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.publish("no token", &page("during")).status, 401);
    assert!(recto.refusal(&["token", "list"]).contains("database"));

    database.start_again();
    wait_until("the server is ready again", || server.get("/readyz").status == 200);
    server.publish(&account.token, &page("after")).expect(200);
    assert_eq!(server.list(&account.token).slugs(), ["after", "before"]);
    server.stop();
}

#[test]
fn readiness_is_answered_within_two_seconds_while_the_database_is_silent() {
    let database = Cluster::start();
    let recto = Recto::new().set("RECTO_STORE_URL", &database.url());
    let server = recto.start();
    database.freeze();
    // Checks do not pile up: the last of many is answered as soon as the first.
    for _ in 0..3 {
        let start = Instant::now();
        let answers = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| server.get("/readyz"))).collect();
            asking.into_iter().map(|asked| asked.join().unwrap()).collect::<Vec<_>>()
        });
        // Two seconds, on a machine that is not busy.
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        for answer in answers {
            is_503(&answer);
            assert!(answer.body.contains("the database did not answer within 2 seconds"), "{}", answer.body);
        }
    }
    assert_eq!(server.get("/healthz").status, 200);
    database.thaw();
    wait_until("the server is ready again", || server.get("/readyz").status == 200);
    server.stop();
}

fn is_503(answer: &Answer) {
    let body = answer.expect(503);
    assert_eq!(keys(&body), ["error", "message"]);
    assert!(!answer.headers.contains_key("retry-after"));
}
