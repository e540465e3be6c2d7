//! Rate limits over two nodes, one of which is killed or paused while clients use their windows up: no request is let
//! through beyond a limit, and none is lost below it.

use std::hash::{BuildHasher, RandomState};
use std::iter::Sum;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use rustix::process::Signal;

use crate::harness::recto::Account;
use crate::harness::server::Answer;
use crate::nodes::fleet::{Fleet, Node};

/// Clients that send at the same time.
const CLIENTS: usize = 8;
/// Each one sends at least this many requests: even those to one node are more than any limit.
const REQUESTS: usize = 60;
/// Rounds that count. In the others the machine was too busy: Redis missed a deadline, or the window was over.
const ROUNDS: usize = 6;

#[derive(Clone, Copy)]
enum Fault {
    Kill,
    Pause,
}

/// What became of the requests of a round.
#[derive(Debug, Default)]
struct Outcome {
    accepted: u32,
    refused: u32,
    /// Sent, but the client does not know whether it was counted.
    unknown: u32,
}

impl Sum for Outcome {
    fn sum<I: Iterator<Item = Outcome>>(outcomes: I) -> Outcome {
        outcomes.fold(Outcome::default(), |sum, outcome| Outcome {
            accepted: sum.accepted + outcome.accepted,
            refused: sum.refused + outcome.refused,
            unknown: sum.unknown + outcome.unknown,
        })
    }
}

#[test]
fn a_window_of_an_address_is_exact_while_nodes_are_killed_and_paused() {
    check(120, Duration::from_secs(60), |node, account, round| {
        node.call_from(Ipv4Addr::from_bits(0x0a00_0000 + round), Method::GET, "/pages", &account.token)
    });
}

#[test]
fn a_window_of_an_account_is_exact_while_nodes_are_killed_and_paused() {
    let clients = AtomicU32::new(0x0a00_0000);
    check(20, Duration::from_secs(3600), |node, account, _| {
        // Of many addresses, so that none of them is refused for its own requests.
        let client = Ipv4Addr::from_bits(clients.fetch_add(1, Ordering::Relaxed));
        node.call_from(client, Method::POST, "/builds", &account.token)
    });
}

fn check(
    limit: u32,
    window: Duration,
    request: impl Fn(&Node, &Account, u32) -> reqwest::Result<Answer> + Sync,
) {
    let Some(fleet) = Fleet::new() else { return };
    let fleet = fleet.set("RECTO_API_TRUSTED_PROXIES", "127.0.0.1");
    let apis = [fleet.node_with_rate_limits("api"), fleet.node_with_rate_limits("api")];
    let mut faults = [Fault::Kill, Fault::Pause].into_iter().cycle().take(ROUNDS).peekable();
    for round in 0..5 * ROUNDS as u32 {
        let Some(fault) = faults.peek() else { return };
        let account = fleet.recto.account(&format!("Account {round}"));
        let (start, outages_before) = (Instant::now(), outages(&apis));
        let outcome = play(&apis, *fault, |node| request(node, &account, round));
        if outages(&apis) > outages_before || start.elapsed() >= window {
            continue;
        }
        assert!(outcome.accepted <= limit, "{outcome:?}");
        assert!(outcome.accepted + outcome.unknown >= limit, "{outcome:?}");
        assert!(outcome.refused > 0, "{outcome:?}");
        faults.next();
    }
    assert!(faults.peek().is_none(), "the machine is too busy");
}

/// Sends requests to both nodes, with a fault of one of them in the middle.
fn play(
    apis: &[Node; 2],
    fault: Fault,
    request: impl Fn(&Node) -> reqwest::Result<Answer> + Sync,
) -> Outcome {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (request, over) = (&request, &over);
        let client = |number| scope.spawn(move || send(apis, number, request, over));
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        disturb(apis, fault);
        over.store(true, Ordering::SeqCst);
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    })
}

/// One client: to both nodes in turns, until the fault is over.
fn send(
    apis: &[Node; 2],
    client: usize,
    request: impl Fn(&Node) -> reqwest::Result<Answer>,
    over: &AtomicBool,
) -> Outcome {
    let mut outcome = Outcome::default();
    for number in 0.. {
        if over.load(Ordering::SeqCst) && number >= REQUESTS {
            break;
        }
        match request(&apis[(client + number) % 2]) {
            Ok(answer) if answer.status < 300 => outcome.accepted += 1,
            Ok(answer) if answer.status == 429 => outcome.refused += 1,
            // It was not sent.
            Err(error) if error.is_connect() => {}
            Ok(_) | Err(_) => outcome.unknown += 1,
        }
        std::thread::sleep(Duration::from_millis(random() % 20));
    }
    outcome
}

/// At a moment when the windows are being used up.
fn disturb(apis: &[Node; 2], fault: Fault) {
    let node = &apis[random() as usize % 2];
    std::thread::sleep(Duration::from_millis(random() % 400));
    match fault {
        Fault::Kill => {
            node.kill();
            node.start();
            node.wait_until_ready();
        }
        Fault::Pause => {
            // Longer than the deadline of Redis. Often, so that it waits for an answer of Redis in some of them.
            for _ in 0..10 {
                node.signal(Signal::STOP);
                std::thread::sleep(Duration::from_millis(300 + random() % 100));
                node.signal(Signal::CONT);
                std::thread::sleep(Duration::from_millis(random() % 50));
            }
        }
    }
}

/// How often the nodes have said that they count by themselves.
fn outages(apis: &[Node; 2]) -> usize {
    apis.iter().map(|node| node.log().matches("Redis is unavailable").count()).sum()
}

fn random() -> u64 {
    RandomState::new().hash_one(0)
}
