//! Many concurrent connections: their memory, and that the server keeps working.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use reqwest::Method;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::{Server, page};

/// A request's head without its end.
fn half_a_head(address: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "a".repeat(bytes)).as_bytes());
    stream
}

/// The server's limits of open files.
fn open_files(server: &Server) -> (String, String) {
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    (words[3].to_owned(), words[4].to_owned())
}

/// A server with this limit of open files, hard or soft.
fn start_with_files(recto: &Recto, limit: &str) -> Server {
    let serve = recto.command(&["serve", "--dev"]);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit {limit} && exec \"$0\" \"$@\""));
    shell.arg(serve.get_program()).args(serve.get_args());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    Server::start(shell)
}

fn publish(server: &Server, account: &Account) -> String {
    let body = json!({ "pages": [{ "slug": "a", "title": "A" }], "build": true });
    server.publish(&account.token, &body).expect(200);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    account.deploy_url.trim_start_matches("http://").to_owned()
}

#[test]
fn three_thousand_half_sent_heads_cost_little_memory() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let recto = Recto::new().set("RECTO_API_MAX_CONNECTIONS_PER_ADDRESS", "4000");
    let server = recto.start();
    let before = server.memory("VmRSS");
    // The second is about the largest head that is still accepted; a larger one gets a response and is closed.
    for bytes in [100, 16_000] {
        let heads: Vec<TcpStream> = (0..3000).map(|_| half_a_head(server.address(), bytes)).collect();
        assert_eq!(server.get("/healthz").status, 200);
        let taken = server.memory("VmRSS").saturating_sub(before);
        assert!(taken < 100 << 20, "{} MB for heads of {bytes} bytes", taken >> 20);
        drop(heads);
        wait_until("they are gone", || server.connections() < 100);
    }
}

#[test]
fn the_soft_limit_of_open_files_is_raised_to_the_hard_one() {
    let server = start_with_files(&Recto::new(), "-S -n 256");
    let (soft, hard) = open_files(&server);
    assert_eq!(soft, hard);
    assert_ne!(soft, "256");
}

#[test]
fn with_few_files_there_are_fewer_connections_and_everything_goes_on() {
    let recto = Recto::new().set("RECTO_API_MAX_CONNECTIONS_PER_ADDRESS", "4000");
    let account = recto.account("Acme");
    let server = start_with_files(&recto, "-n 512");
    let host = publish(&server, &account);
    // Each listener has (512 - 128) / 4 connections; these use all but a few of the API's.
    let api: Vec<TcpStream> = (0..400).map(|_| half_a_head(server.address(), 100)).collect();
    let sites = server.sites();
    let visitors: Vec<TcpStream> = (0..90).map(|_| half_a_head(&sites, 100)).collect();
    assert_eq!(server.visit(&host, "/blog/a").status, 200);
    // Waiting connections are served when others close.
    drop((api, visitors));
    server.publish(&account.token, &page("after")).expect(200);
    let log = server.stop();
    assert!(log.contains("api.max_connections reduced") && log.contains("max_connections=96"), "{log}");
    assert!(!log.contains("Too many open files"), "{log}");
}

#[test]
fn one_address_does_not_take_all_connections() {
    let recto = Recto::new().set("RECTO_API_MAX_CONNECTIONS_PER_ADDRESS", "20");
    let (account, server) = (recto.account("Acme"), recto.start());
    let host = publish(&server, &account);
    let refused = |address: &str| {
        let heads: Vec<TcpStream> = (0..30).map(|_| half_a_head(address, 100)).collect();
        let is_refused = |stream: &TcpStream| {
            stream.set_nonblocking(true).unwrap();
            let mut answer = [0; 12];
            stream.peek(&mut answer).is_ok() && &answer == b"HTTP/1.1 429"
        };
        let count = || heads.iter().filter(|stream| is_refused(stream)).count();
        wait_until("connections are refused", || count() >= 10);
        std::thread::sleep(Duration::from_millis(500));
        count()
    };
    // Some belong to the test's own client. Each listener counts separately.
    for address in [server.address().to_owned(), server.sites()] {
        let refused = refused(&address);
        assert!((10..=14).contains(&refused), "{refused} of 30");
    }
    // Until then, a refusal may arrive before the request was sent, which is an error.
    let visit = || server.visitor(Method::GET, &host, "/blog/a").send();
    wait_until("the address has connections again", || visit().is_ok_and(|answer| answer.status() == 200));
}
