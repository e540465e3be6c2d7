//! The macro that runs a test on both backends, and what happens when Redis is unavailable.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use model::{Clock, SystemClock, Timestamp};
use testing::RedisServer;
use uuid::Uuid;

use super::*;

/// Generates two tests, `memory::name` and `redis::name`, from each `async fn name(backend: Backend)`.
macro_rules! on_memory_and_redis {
    ($($name:ident),+ $(,)?) => {
        mod memory {$(
            #[test]
            fn $name() {
                testing::block_on(super::$name(crate::Backend::Memory));
            }
        )+}
        mod redis {$(
            #[test]
            fn $name() {
                let Some(backend) = crate::tests::redis() else { return };
                testing::block_on(crate::tests::while_shared(&backend, super::$name(backend.clone())));
            }
        )+}
    };
}
pub(crate) use on_memory_and_redis;

/// The Redis that `./test` starts, with keys of its own and the time that a test passes. `None`: skip the test.
pub(crate) fn redis() -> Option<Backend> {
    Some(backend(&testing::server(testing::REDIS)?, settings()))
}

/// Two servers that share a Redis.
pub(crate) fn two_servers() -> Option<(Backend, Backend)> {
    let (url, settings) = (testing::server(testing::REDIS)?, settings());
    Some((backend(&url, settings.clone()), backend(&url, settings)))
}

/// With the clock of Redis.
pub(crate) fn redis_with_leases(prefix: &str, lease: Duration) -> Option<Backend> {
    let settings = SharedSettings { prefix: prefix.into(), lease, time: TimeSource::Redis, ..settings() };
    Some(backend(&testing::server(testing::REDIS)?, settings))
}

pub(crate) fn new_prefix() -> String {
    format!("test-{}", Uuid::new_v4().simple())
}

fn settings() -> SharedSettings {
    // A busy machine may be slow.
    let deadline = Duration::from_secs(20);
    SharedSettings { prefix: new_prefix(), time: TimeSource::Caller, deadline, ..SharedSettings::default() }
}

/// As in production, except that a busy machine may be slow.
fn patient(redis: &RedisServer) -> Backend {
    let settings = SharedSettings { deadline: Duration::from_secs(20), ..SharedSettings::default() };
    backend(&redis.url(), settings)
}

fn backend(url: &str, settings: SharedSettings) -> Backend {
    Backend::Redis(Shared::new(url, settings).unwrap())
}

/// Connects to Redis.
pub(crate) async fn start(backend: &Backend) {
    backend.start().await;
    wait_until("there is a connection to Redis", || !backend.is_degraded()).await;
}

/// Runs a test, and checks that Redis made all decisions.
pub(crate) async fn while_shared(backend: &Backend, test: impl Future<Output = ()>) {
    start(backend).await;
    test.await;
    assert!(!backend.is_degraded(), "the connection was lost");
}

fn address(number: u8) -> Key {
    Key::Ip(Ipv4Addr::new(192, 0, 2, number).into())
}

fn now() -> Timestamp {
    SystemClock.now()
}

/// How many requests remain after this one.
async fn remaining(limiter: &Limiter) -> u32 {
    limiter.count(Window::Ip, address(1), now()).await.remaining
}

async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "timed out waiting until {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn without_redis_each_server_counts_for_itself_until_redis_is_back() {
    let Some(mut redis) = RedisServer::start() else { return };
    testing::block_on(async {
        let (one, two) = (&patient(&redis), &patient(&redis));
        start(one).await;
        start(two).await;
        let limiters = [Limiter::new(one.clone()), Limiter::new(two.clone())];
        assert_eq!(remaining(&limiters[0]).await, 119);
        assert_eq!(remaining(&limiters[1]).await, 118);
        assert_eq!(remaining(&limiters[1]).await, 117);

        redis.stop();
        wait_until("it is noticed without a request", || one.is_degraded() && two.is_degraded()).await;
        // Each one has counted its own requests all the time.
        assert_eq!(remaining(&limiters[0]).await, 118);
        assert_eq!(remaining(&limiters[1]).await, 117);

        redis.start_again();
        wait_until("Redis is used again", || !one.is_degraded() && !two.is_degraded()).await;
        // It has lost its counts.
        assert_eq!(remaining(&limiters[0]).await, 119);
        assert_eq!(remaining(&limiters[1]).await, 118);
    });
}

#[test]
fn a_silent_redis_delays_only_the_requests_that_notice_it() {
    let Some(redis) = RedisServer::start() else { return };
    testing::block_on(async {
        let backend = Backend::from_url(&redis.url()).unwrap();
        start(&backend).await;
        let limiter = Limiter::new(backend.clone());
        remaining(&limiter).await;
        redis.freeze();
        let start = Instant::now();
        for before in 1..100 {
            assert_eq!(remaining(&limiter).await, 119 - before);
        }
        // One deadline, on a machine that is not busy.
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(backend.is_degraded());
        redis.thaw();
        wait_until("Redis is used again", || !backend.is_degraded()).await;
    });
}

#[test]
fn a_process_that_was_suspended_uses_the_answer_that_arrived_meanwhile() {
    let Some(redis) = RedisServer::start() else { return };
    // With one thread for everything, a task that blocks it suspends the process.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let deadline = Duration::from_secs(3);
    let backend = backend(&redis.url(), SharedSettings { deadline, ..SharedSettings::default() });
    runtime.unwrap().block_on(async {
        start(&backend).await;
        let limiter = std::sync::Arc::new(Limiter::new(backend.clone()));
        redis.freeze();
        let counting = tokio::spawn({
            let limiter = limiter.clone();
            async move { remaining(&limiter).await }
        });
        let suspended = tokio::spawn(async move { std::thread::sleep(deadline + deadline / 6) });
        redis.thaw();
        suspended.await.unwrap();
        counting.await.unwrap();
        assert!(!backend.is_degraded());
    });
}

#[test]
fn a_redis_that_is_unavailable_at_the_start_is_used_later() {
    let Some(mut redis) = RedisServer::start() else { return };
    redis.stop();
    testing::block_on(async {
        let backend = patient(&redis);
        backend.start().await;
        assert!(backend.is_degraded());
        let limiter = Limiter::new(backend.clone());
        assert_eq!(remaining(&limiter).await, 119);
        redis.start_again();
        wait_until("Redis is used", || !backend.is_degraded()).await;
    });
}

#[test]
fn a_redis_that_cannot_write_is_unavailable() {
    let Some(redis) = RedisServer::start() else { return };
    testing::block_on(async {
        let backend = patient(&redis);
        start(&backend).await;
        redis.command(&["CONFIG", "SET", "maxmemory", "1"]);
        wait_until("it is noticed", || backend.is_degraded()).await;
        let Backend::Redis(shared) = &backend else { panic!("Redis") };
        let why = shared.check().await.unwrap_err();
        assert!(why.contains("OOM"), "{why}");
        redis.command(&["CONFIG", "SET", "maxmemory", "0"]);
        wait_until("Redis is used again", || !backend.is_degraded()).await;
    });
}

#[test]
fn a_redis_that_was_emptied_is_still_used() {
    let Some(redis) = RedisServer::start() else { return };
    testing::block_on(async {
        let backend = patient(&redis);
        start(&backend).await;
        let limiter = Limiter::new(backend.clone());
        let count = limiter.count(Window::Ip, address(1), now()).await;
        redis.command(&["FLUSHALL"]);
        redis.command(&["SCRIPT", "FLUSH"]);
        limiter.undo(count.counted).await;
        assert_eq!(remaining(&limiter).await, 119);
        assert!(!backend.is_degraded());
    });
}

#[test]
fn keys_expire_by_themselves_and_hold_no_more_than_twice_the_limit() {
    let Some(redis) = RedisServer::start() else { return };
    testing::block_on(async {
        let backend = patient(&redis);
        start(&backend).await;
        let limiter = Limiter::new(backend.clone());
        for _ in 0..300 {
            limiter.count(Window::Ip, address(1), now()).await;
        }
        let site = model::SiteId::new(now());
        PasswordAttempts::new(backend.clone()).admit(Ipv4Addr::LOCALHOST.into(), site.0, now()).await;
        let _slot = LargeUploads::new(backend.clone(), 9).take(model::AccountId::new(now()), now()).await;
        assert_eq!(redis.command(&["LLEN", "recto:ip:192.0.2.1"]), "240");
        let keys = redis.command(&["KEYS", "*"]);
        assert_eq!(keys.lines().filter(|key| !key.contains("probe")).count(), 6, "{keys}");
        for key in keys.lines() {
            assert!(key.starts_with("recto:"), "{key}");
            let expires: i64 = redis.command(&["PTTL", key]).parse().unwrap();
            // -2: it has expired in the meantime.
            assert!(expires > 0 && expires <= 3_600_000 || expires == -2, "{key}: {expires}");
        }
    });
}

#[test]
fn a_clock_of_redis_that_is_set_back_locks_no_client_out() {
    let Some(backend) = redis() else { return };
    let at = |seconds: i64| Timestamp::from_micros(1_000_000_000_000 + seconds * 1_000_000);
    testing::block_on(while_shared(&backend, async {
        let limiter = Limiter::new(backend.clone());
        for _ in 0..120 {
            limiter.count(Window::Ip, address(1), at(1000)).await;
        }
        // A little: as if the time stood still. Far: as if there were no counts.
        assert!(limiter.count(Window::Ip, address(1), at(950)).await.refused);
        let count = limiter.count(Window::Ip, address(1), at(900)).await;
        assert!(!count.refused && count.remaining == 119, "{count:?}");
    }));
}

#[test]
fn an_invalid_url_is_refused_without_showing_its_password() {
    let check = |url: &str, named: &str| {
        let why = Backend::from_url(url).unwrap_err().to_string();
        assert!(why.contains(named) && !why.contains("secret"), "{url}: {why}");
    };
    check("mysql://user:secret@host", "redis://");
    check("", "memory:");
    check("redis://", "redis://user:password@host:6379/0");
    check("redis://user:secret@host/name", "database number");
    check("redis://user:secret@host:port", "redis://user:password@host:6379/0");
    check("rediss://user:secret@host/#insecure", "SSL_CERT_FILE");
    for url in ["memory:", "redis://host", "rediss://user:secret@host:1/2", "redis://:secret@[::1]:6379"] {
        let backend = Backend::from_url(url).unwrap();
        assert!(!format!("{backend:?}").contains("secret"), "{backend:?}");
    }
}
