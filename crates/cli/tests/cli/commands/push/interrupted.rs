//! A push that is interrupted between two of its requests: nothing is live, and the next push goes on.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::Signal;
use serde_json::json;

use super::World;
use crate::harness::process::{Process, wait_until};

/// More than the first request has, and less than the second.
const PASSES: u64 = 2 << 20;

/// Between a client and its server. After some bytes it passes on no more of what the client sends.
struct StallingProxy {
    url: String,
    received: Arc<AtomicU64>,
}

impl StallingProxy {
    fn start(server: &str) -> StallingProxy {
        let (server, listener) = (server.to_owned(), TcpListener::bind("127.0.0.1:0").unwrap());
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(AtomicU64::new(0));
        let counter = received.clone();
        // It ends with the tests.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(&server) else { continue };
                let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || pass_back(from, to));
                let counter = counter.clone();
                std::thread::spawn(move || pass_on(client, server, &counter));
            }
        });
        StallingProxy { url, received }
    }

    fn wait_for_stall(&self) {
        wait_until("the second request is on its way", || self.received.load(Ordering::SeqCst) >= PASSES);
    }
}

fn pass_on(mut client: TcpStream, mut server: TcpStream, received: &AtomicU64) {
    let mut piece = [0; 16 << 10];
    while let Ok(length @ 1..) = client.read(&mut piece) {
        if received.fetch_add(length as u64, Ordering::SeqCst) < PASSES {
            let _ = server.write_all(&piece[..length]);
        }
    }
}

fn pass_back(mut server: TcpStream, mut client: TcpStream) {
    let _ = std::io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Both);
}

/// Two pages, each with so many files that they need two requests; the files of the second are large.
fn large(world: &World) {
    let mut text = String::new();
    for number in 0..300 {
        world.write(&format!("files/{number}.txt"), format!("file {number}"));
        world.write(&format!("other/{number}.txt"), format!("other {number} {}", "x".repeat(20_000)));
        text.push_str(&format!("[{number}](files/{number}.txt)\n"));
    }
    world.write("a.md", format!("# A\n\n{text}"));
    world.write("b.md", format!("# B\n\n{}", text.replace("files/", "other/")));
}

/// A push of which only the first request has arrived.
fn stalled(world: &World) -> Process {
    large(world);
    let proxy = StallingProxy::start(world.server.address());
    let pushing = Process::start(world.command(&["--url", &proxy.url]));
    proxy.wait_for_stall();
    assert_eq!(world.server.list(&world.account.token).slugs(), ["a"]);
    assert_eq!(world.visit("/a").0, 404, "nothing is live without a build");
    pushing
}

fn is_completed_by_the_next_push(world: &World) {
    assert_eq!(world.visit("/a").0, 404);
    let report = world.push(&[]);
    assert_eq!((&report["created"], &report["unchanged"]), (&json!(1), &json!(1)), "{report}");
    assert_eq!(report["build"]["status"], "success");
    assert_eq!((world.visit("/a").0, world.visit("/b").0), (200, 200));
    assert_eq!(world.counts(&[]), [0, 0, 2, 0, 0, 600]);
}

#[test]
fn an_interruption_of_the_client_is_reported() {
    let world = World::new();
    let pushing = stalled(&world);
    pushing.signal(Signal::INT);
    let ended = pushing.wait();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("interrupted"), "{ended:?}");
    is_completed_by_the_next_push(&world);
}

#[test]
fn a_killed_client_leaves_nothing_half_published() {
    let world = World::new();
    let pushing = stalled(&world);
    pushing.signal(Signal::KILL);
    pushing.wait();
    is_completed_by_the_next_push(&world);
}

fn the_server_ends_by(signal: Signal) {
    let world = World::new();
    let pushing = stalled(&world);
    world.server.signal(signal);
    let ended = pushing.wait();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("a part of the folder is stored, and nothing is live"), "{ended:?}");
    assert!(ended.stderr.contains("cannot reach"), "{ended:?}");
    let World { recto, server, account, folder } = world;
    server.wait();
    let world = World { server: recto.start(), recto, account, folder };
    is_completed_by_the_next_push(&world);
}

#[test]
fn a_server_that_is_killed_is_reported() {
    the_server_ends_by(Signal::KILL);
}

#[test]
fn a_server_that_stops_is_reported() {
    the_server_ends_by(Signal::TERM);
}
