//! PostgreSQL goes away and comes back: the server stays, says so, and recovers by itself.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::large_bodies::Pages;
use crate::process::wait_until;
use crate::recto::{Recto, keys};
use crate::server::{Answer, page};

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
    database.signal(Signal::STOP);
    // Questions do not pile up: the last of many is answered as soon as the first.
    for _ in 0..3 {
        let start = Instant::now();
        let answers = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| server.get("/readyz"))).collect();
            asking.into_iter().map(|asked| asked.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(start.elapsed() < Duration::from_millis(2500), "{:?}", start.elapsed());
        for answer in answers {
            is_503(&answer);
            assert!(answer.body.contains("the database did not answer within 2 seconds"), "{}", answer.body);
        }
    }
    assert_eq!(server.get("/healthz").status, 200);
    database.signal(Signal::CONT);
    wait_until("the server is ready again", || server.get("/readyz").status == 200);
    server.stop();
}

fn is_503(answer: &Answer) {
    let body = answer.expect(503);
    assert_eq!(keys(&body), ["error", "message"]);
    assert!(!answer.headers.contains_key("retry-after"));
}

/// A PostgreSQL of this test's own, which it may stop.
struct Cluster {
    directory: PathBuf,
}

impl Cluster {
    fn start() -> Cluster {
        // Made by the user that the database runs as, who is not always us. A socket's path must be short.
        let made = as_postgres("mktemp").args(["-d", "/tmp/recto-away.XXXXXX"]).output().unwrap();
        let directory = PathBuf::from(String::from_utf8(made.stdout).unwrap().trim());
        let cluster = Cluster { directory };
        cluster.run("initdb", &["--username=postgres", "--auth=trust", "--no-sync"]);
        cluster.start_again();
        cluster
    }

    fn start_again(&self) {
        let socket =
            format!("-c listen_addresses='' -c unix_socket_directories='{}'", self.directory.display());
        let log = self.directory.join("log");
        self.run("pg_ctl", &["start", "--wait", "--log", log.to_str().unwrap(), "--options", &socket]);
    }

    fn stop(&self) {
        self.run("pg_ctl", &["stop", "--mode=immediate"]);
    }

    /// To the server and all its processes.
    fn signal(&self, signal: Signal) {
        let pid_file = std::fs::read_to_string(self.directory.join("data/postmaster.pid")).unwrap();
        let postmaster: i32 = pid_file.lines().next().unwrap().parse().unwrap();
        let children = std::fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children"));
        let children = children.unwrap();
        let children = children.split_whitespace().map(|id| id.parse().unwrap());
        for id in std::iter::once(postmaster).chain(children) {
            // One that has ended meanwhile needs no signal.
            let _ = kill_process(Pid::from_raw(id).unwrap(), signal);
        }
    }

    fn url(&self) -> String {
        format!("postgres://postgres@{}/postgres", self.directory.to_str().unwrap().replace('/', "%2F"))
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        // Not captured: the database itself would keep the pipe open.
        let mut command = as_postgres(newest_bin().join(program).to_str().unwrap());
        command.arg("--pgdata").arg(self.directory.join("data")).args(arguments).current_dir("/");
        let status =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{program} {arguments:?}: {status}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.directory.join("data/postmaster.pid").exists() {
            self.signal(Signal::CONT);
            self.stop();
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// PostgreSQL refuses to be run by root.
fn as_postgres(program: &str) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--", program]);
    command
}

/// Where Debian keeps the server's programs, which are on nobody's PATH.
fn newest_bin() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("this test needs PostgreSQL: run ./test");
    let bins = versions.map(|version| version.unwrap().path().join("bin"));
    bins.filter(|bin| bin.join("initdb").exists()).max().expect("this test needs PostgreSQL: run ./test")
}
