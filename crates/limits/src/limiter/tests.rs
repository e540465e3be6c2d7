//! Rules of the rate limits, by examples and by comparison with a naive model that keeps every request.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::tests::{on_memory_and_redis, redis, two_servers, while_shared};

on_memory_and_redis!(
    the_limit_is_let_through_and_the_next_request_refused,
    the_remaining_requests_already_count_this_one,
    a_request_exactly_a_window_old_has_left_it,
    refused_requests_count_too,
    the_hourly_window_says_when_a_slot_is_free,
    the_wait_is_rounded_up_to_whole_seconds,
    keys_and_windows_do_not_share_their_counts,
    an_undone_request_does_not_count,
);

const START: i64 = 1_767_323_045_678_901;
const SECOND: i64 = 1_000_000;

fn ip(number: u8) -> Key {
    Key::Ip(Ipv4Addr::new(192, 0, 2, number).into())
}

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(START + micros)
}

/// What a client sees of a window.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    remaining: u32,
    refused: bool,
    retry_after_seconds: u64,
}

impl From<&Count> for Seen {
    fn from(count: &Count) -> Seen {
        Seen {
            remaining: count.remaining,
            refused: count.refused,
            retry_after_seconds: count.retry_after_seconds,
        }
    }
}

/// Counts a request at that time and returns what the client sees.
async fn seen(limiter: &Limiter, window: Window, micros: i64) -> Seen {
    Seen::from(&limiter.count(window, ip(1), at(micros)).await)
}

async fn fill(limiter: &Limiter, window: Window, micros: i64, requests: u32) {
    for _ in 0..requests {
        seen(limiter, window, micros).await;
    }
}

async fn the_limit_is_let_through_and_the_next_request_refused(backend: Backend) {
    let limiter = Limiter::new(backend);
    for (window, retry_after_seconds) in [(Window::Write, 60), (Window::Heavy, 3600), (Window::Ip, 60)] {
        let limit = window.limit();
        fill(&limiter, window, 0, limit - 1).await;
        let last = seen(&limiter, window, 0).await;
        assert_eq!(last, Seen { remaining: 0, refused: false, retry_after_seconds });
        let next = seen(&limiter, window, 0).await;
        assert_eq!(next, Seen { remaining: 0, refused: true, retry_after_seconds });
    }
}

async fn the_remaining_requests_already_count_this_one(backend: Backend) {
    let limiter = Limiter::new(backend);
    assert_eq!(seen(&limiter, Window::Write, 0).await.remaining, 59);
    assert_eq!(seen(&limiter, Window::Heavy, 0).await.remaining, 19);
    assert_eq!(seen(&limiter, Window::Ip, 0).await.remaining, 119);
}

async fn a_request_exactly_a_window_old_has_left_it(backend: Backend) {
    let limiter = Limiter::new(backend);
    for (address, age, refused) in [(1, 60 * SECOND - 1, true), (2, 60 * SECOND, false)] {
        for _ in 0..60 {
            limiter.count(Window::Write, ip(address), at(0)).await;
        }
        assert_eq!(limiter.count(Window::Write, ip(address), at(age)).await.refused, refused, "{age}");
    }
}

async fn refused_requests_count_too(backend: Backend) {
    let limiter = Limiter::new(backend);
    fill(&limiter, Window::Write, 0, 60).await;
    fill(&limiter, Window::Write, 30 * SECOND, 60).await;
    assert!(seen(&limiter, Window::Write, 60 * SECOND).await.refused);
}

async fn the_hourly_window_says_when_a_slot_is_free(backend: Backend) {
    let limiter = Limiter::new(backend);
    for minute in 0..20 {
        seen(&limiter, Window::Heavy, minute * 60 * SECOND).await;
    }
    // The refused request counts too, which moves the wait from the first to the second minute.
    let refused = seen(&limiter, Window::Heavy, 1800 * SECOND).await;
    assert_eq!(refused, Seen { remaining: 0, refused: true, retry_after_seconds: 1860 });
    assert!(!seen(&limiter, Window::Heavy, (1800 + 1860) * SECOND).await.refused);
}

async fn the_wait_is_rounded_up_to_whole_seconds(backend: Backend) {
    let limiter = Limiter::new(backend);
    fill(&limiter, Window::Heavy, 0, 20).await;
    fill(&limiter, Window::Heavy, 1, 20).await;
    let wait = |seen: Seen| seen.retry_after_seconds;
    assert_eq!(wait(seen(&limiter, Window::Heavy, 2).await), 3600);
    fill(&limiter, Window::Heavy, 2, 18).await;
    assert_eq!(wait(seen(&limiter, Window::Heavy, 3600 * SECOND).await), 1);
}

async fn keys_and_windows_do_not_share_their_counts(backend: Backend) {
    let limiter = Limiter::new(backend);
    fill(&limiter, Window::Heavy, 0, 20).await;
    assert!(!limiter.count(Window::Heavy, ip(2), at(0)).await.refused);
    assert!(!seen(&limiter, Window::Ip, 0).await.refused);
}

async fn an_undone_request_does_not_count(backend: Backend) {
    let limiter = Limiter::new(backend);
    fill(&limiter, Window::Write, 0, 59).await;
    for _ in 0..200 {
        let count = limiter.count(Window::Write, ip(1), at(SECOND)).await;
        assert!(!count.refused);
        limiter.undo(count.counted).await;
    }
    assert!(!seen(&limiter, Window::Write, 2 * SECOND).await.refused);
    assert!(seen(&limiter, Window::Write, 2 * SECOND).await.refused);
}

#[derive(Debug, Clone)]
enum Step {
    Wait(i64),
    /// This many confirmed requests of a key.
    Requests(u8, usize),
    /// A request of a key that may still be undone.
    Pending(u8),
    GiveBack(prop::sample::Index),
    Settle(prop::sample::Index),
}

fn history(window: Window) -> impl Strategy<Value = Vec<Step>> {
    let limit = window.limit() as usize;
    let length = window.length().as_micros() as i64;
    let waits = vec![1, length / 2, length - 1, length, length + 1, length / limit as i64, SECOND];
    let step = prop_oneof![
        2 => prop::sample::select(waits).prop_map(Step::Wait),
        3 => (0..3u8, 1..limit).prop_map(|(key, requests)| Step::Requests(key, requests)),
        6 => (0..3u8).prop_map(Step::Pending),
        3 => any::<prop::sample::Index>().prop_map(Step::GiveBack),
        2 => any::<prop::sample::Index>().prop_map(Step::Settle),
    ];
    vec(step, 1..120)
}

/// Every request that was not undone.
struct Naive {
    window: Window,
    requests: HashMap<u8, Vec<(u64, i64)>>,
    next: u64,
}

impl Naive {
    fn count(&mut self, key: u8, now: i64) -> (u64, Seen) {
        let length = self.window.length().as_micros() as i64;
        let limit = self.window.limit() as usize;
        let requests = self.requests.entry(key).or_default();
        let inside = |time: i64| requests.iter().filter(|(_, at)| *at > time - length && *at <= time).count();
        let before = inside(now);
        requests.push((self.next, now));
        self.next += 1;
        let free_at = |at: &i64| at + length;
        let times = requests.iter().map(|(_, at)| *at).rev();
        let slot_free = times.take(limit).nth(limit - 1).as_ref().map_or(now, free_at);
        let retry_after_seconds = match self.window {
            Window::Heavy => ((slot_free - now + SECOND - 1) / SECOND).max(1) as u64,
            Window::Write | Window::Ip => 60,
        };
        let remaining = limit.saturating_sub(before + 1) as u32;
        (self.next - 1, Seen { remaining, refused: before >= limit, retry_after_seconds })
    }

    fn undo(&mut self, key: u8, id: u64) {
        self.requests.entry(key).or_default().retain(|(other, _)| *other != id);
    }
}

async fn check_history(backend: Backend, window: Window, steps: Vec<Step>) {
    let limiter = Limiter::new(backend);
    let mut naive = Naive { window, requests: HashMap::new(), next: 0 };
    let mut pending: Vec<(u8, u64, Counted)> = Vec::new();
    let mut now = 0;
    for step in steps {
        match step {
            Step::Wait(time) => now += time,
            Step::Requests(key, requests) => {
                for _ in 0..requests {
                    let count = limiter.count(window, ip(key), at(now)).await;
                    assert_eq!(Seen::from(&count), naive.count(key, now).1);
                }
            }
            Step::Pending(key) => {
                let count = limiter.count(window, ip(key), at(now)).await;
                let (id, expected) = naive.count(key, now);
                assert_eq!(Seen::from(&count), expected);
                if !count.refused {
                    pending.push((key, id, count.counted));
                }
            }
            Step::GiveBack(index) if !pending.is_empty() => {
                let (key, id, slot) = pending.swap_remove(index.index(pending.len()));
                limiter.undo(slot).await;
                naive.undo(key, id);
            }
            Step::Settle(index) if !pending.is_empty() => {
                drop(pending.swap_remove(index.index(pending.len())));
            }
            Step::GiveBack(_) | Step::Settle(_) => {}
        }
    }
}

/// Each history has addresses of its own on a Redis.
fn check_on_redis(window: Window, steps: Vec<Step>) {
    if let Some(backend) = redis() {
        testing::block_on(while_shared(&backend, check_history(backend.clone(), window, steps)));
    }
}

proptest! {
    #[test]
    fn the_hourly_window_forgets_nothing_that_matters(steps in history(Window::Heavy)) {
        testing::block_on(check_history(Backend::Memory, Window::Heavy, steps));
    }

    #[test]
    fn the_write_window_forgets_nothing_that_matters(steps in history(Window::Write)) {
        testing::block_on(check_history(Backend::Memory, Window::Write, steps));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_hourly_window_of_redis_forgets_nothing_that_matters(steps in history(Window::Heavy)) {
        check_on_redis(Window::Heavy, steps);
    }

    #[test]
    fn the_write_window_of_redis_forgets_nothing_that_matters(steps in history(Window::Write)) {
        check_on_redis(Window::Write, steps);
    }
}

#[test]
fn requests_that_race_at_two_servers_are_counted_exactly() {
    let Some((one, two)) = two_servers() else { return };
    testing::block_on(async {
        crate::tests::start(&one).await;
        crate::tests::start(&two).await;
        let limiters = [Limiter::new(one), Limiter::new(two)].map(Arc::new);
        let requests = (0..400).map(|n| {
            let limiter = limiters[n % 2].clone();
            tokio::spawn(async move { limiter.count(Window::Ip, ip(1), at(0)).await })
        });
        let mut remaining = Vec::new();
        for request in requests.collect::<Vec<_>>() {
            let count = request.await.unwrap();
            if !count.refused {
                remaining.push(count.remaining);
            }
        }
        remaining.sort_unstable();
        assert_eq!(remaining, (0..120).collect::<Vec<_>>());
    });
}
