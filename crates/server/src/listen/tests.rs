//! Slow, silent and many clients, and shutdown, over real sockets. The tests do not depend on the speed of the machine:
//! they wait for events, with a generous timeout. The deadlines of slow readers are tested with a paused clock.

use std::io::{Read, Write};
use std::net::Ipv4Addr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance};

use super::watch::Watch;
use super::*;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const GET_HELD: &[u8] = b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n";
const LARGE: usize = 64 * 1024 * 1024;
/// The timeout of events that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

struct Server {
    address: SocketAddr,
    /// One permit per request to `/held` that has reached its handler.
    held: Arc<Semaphore>,
    /// Each permit lets one of these handlers go on.
    release: Arc<Semaphore>,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

/// How `/` and `/large` are responded to.
#[derive(Clone, Copy)]
enum Way {
    Hyper,
    AtHand,
}

macro_rules! both_ways {
    ($($name:ident),* $(,)?) => {
        mod hyper_responds {
            $(#[tokio::test] async fn $name() { super::$name(super::Way::Hyper).await })*
        }
        mod at_hand {
            $(#[tokio::test] async fn $name() { super::$name(super::Way::AtHand).await })*
        }
    };
}

both_ways!(
    a_head_that_does_not_end_is_cut_off_even_if_it_trickles,
    an_idle_connection_outlives_the_timeout_of_a_head,
    an_idle_connection_is_closed_after_its_own_timeout,
    the_head_of_a_second_request_has_the_timeout_of_a_head,
    a_client_that_stops_reading_is_cut_off,
    a_shutdown_closes_idle_connections_and_waits_for_running_requests,
);

/// Has the responses to `/` and `/large` at hand.
#[derive(Clone)]
struct Ready(Router);

impl RequestHandler for Ready {
    type Body = Body;

    async fn handle(&self, peer: SocketAddr, request: Request<RequestBody>) -> Response<Body> {
        self.0.handle(peer, request).await
    }

    const HAS_RESPONSES_AT_HAND: bool = true;

    fn at_hand(&self, request: &httparse::Request<'_, '_>) -> Option<AtHand> {
        static LARGE_BODY: LazyLock<Bytes> = LazyLock::new(|| vec![b'a'; LARGE].into());
        let body = match request.path? {
            "/" => Bytes::from("hello"),
            "/large" => LARGE_BODY.clone(),
            _ => return None,
        };
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n", body.len());
        Some(AtHand { head: head.into(), body })
    }
}

async fn start(limits: ListenLimits) -> Server {
    start_on(Threads::default(), limits).await
}

async fn start_on(threads: Threads, limits: ListenLimits) -> Server {
    start_with(Way::Hyper, threads, limits).await
}

async fn start_as(way: Way, limits: ListenLimits) -> Server {
    start_with(way, Threads::default(), limits).await
}

async fn start_with(way: Way, threads: Threads, limits: ListenLimits) -> Server {
    let (held, release) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let gate = (held.clone(), release.clone());
    let hold = async move || {
        gate.0.add_permits(1);
        gate.1.acquire().await.expect("never closed").forget();
        "released"
    };
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/peer", get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.to_string()))
        .route("/thread", get(async || format!("on {:?}", std::thread::current().id())))
        .route("/held", get(hold))
        .route("/large", get(async || Body::from(vec![b'a'; LARGE])))
        .route("/refuse", post(async || (StatusCode::PAYLOAD_TOO_LARGE, "too large")));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let shutdown = CancellationToken::new();
    let serving = match way {
        Way::Hyper => tokio::spawn(serve_on(threads, listener, router.into(), limits, shutdown.clone())),
        Way::AtHand => tokio::spawn(accept_all(threads, listener, Ready(router), limits, shutdown.clone())),
    };
    Server { address, held, release, shutdown, serving }
}

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }

    /// Returns once a request to `/held` is being handled.
    async fn wait_for_handler(&self) {
        timeout(PATIENCE, self.held.acquire()).await.expect("in time").expect("never closed").forget();
    }
}

async fn send(stream: &mut TcpStream, request: &[u8]) {
    stream.write_all(request).await.expect("sent");
}

/// Reads a response up to the end of its body, which is known.
async fn receive(stream: &mut TcpStream, end: &str) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(end.as_bytes()) {
        let read = stream.read_buf(&mut answer).await.expect("an answer");
        assert_ne!(read, 0, "closed after {}", String::from_utf8_lossy(&answer));
    }
    String::from_utf8(answer).expect("text")
}

/// Waits until the server closes the connection.
async fn closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("closed");
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test]
async fn handlers_know_the_peer() {
    let server = start(ListenLimits::default()).await;
    let mut stream = server.connect().await;
    let own = stream.local_addr().expect("an address").to_string();
    send(&mut stream, b"GET /peer HTTP/1.1\r\nHost: a\r\n\r\n").await;
    receive(&mut stream, &own).await;
}

#[tokio::test]
async fn connections_take_turns_on_the_threads_of_a_listener() {
    let threads = Threads::start("test", 2, 1).expect("threads");
    let server = start_on(threads, ListenLimits::default()).await;
    let mut used = Vec::new();
    for _ in 0..4 {
        let mut stream = server.connect().await;
        send(&mut stream, b"GET /thread HTTP/1.1\r\nHost: a\r\n\r\n").await;
        let answer = receive(&mut stream, ")").await;
        used.push(answer.rsplit_once("on ").expect("a thread").1.to_owned());
    }
    assert_eq!((&used[0], &used[1]), (&used[2], &used[3]));
    assert_ne!(used[0], used[1]);
    assert!(!used.contains(&format!("{:?}", std::thread::current().id())));

    // A shutdown waits for their requests too.
    let mut stream = server.connect().await;
    send(&mut stream, GET_HELD).await;
    server.wait_for_handler().await;
    server.shutdown.cancel();
    server.release.add_permits(1);
    receive(&mut stream, "released").await;
    timeout(PATIENCE, server.serving).await.expect("in time").expect("no panic");
}

async fn a_head_that_does_not_end_is_cut_off_even_if_it_trickles(way: Way) {
    let server = start_as(way, ListenLimits { header_timeout: millis(300), ..Default::default() }).await;
    let start = Instant::now();
    let mut silent = server.connect().await;
    let mut trickling = server.connect().await;
    send(&mut silent, b"GET / HT").await;
    send(&mut trickling, b"GET / HTTP/1.1\r\nHost: ").await;
    // Each pause is shorter than the timeout.
    let trickle = async {
        while trickling.write_all(b"a").await.is_ok() {
            sleep(millis(50)).await;
        }
    };
    timeout(PATIENCE, trickle).await.expect("closed");
    closed(&mut silent).await;
    assert!(start.elapsed() >= millis(300), "{:?}", start.elapsed());
}

async fn an_idle_connection_outlives_the_timeout_of_a_head(way: Way) {
    let server = start_as(way, ListenLimits { header_timeout: millis(2000), ..Default::default() }).await;
    let mut idle = server.connect().await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    let mut without_end = server.connect().await;
    send(&mut without_end, b"GET /").await;
    closed(&mut without_end).await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
}

async fn an_idle_connection_is_closed_after_its_own_timeout(way: Way) {
    let server = start_as(way, ListenLimits { idle_timeout: millis(300), ..Default::default() }).await;
    let mut idle = server.connect().await;
    let start = Instant::now();
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    closed(&mut idle).await;
    assert!(start.elapsed() >= millis(300), "{:?}", start.elapsed());
}

async fn the_head_of_a_second_request_has_the_timeout_of_a_head(way: Way) {
    let limits = ListenLimits {
        header_timeout: millis(2000),
        idle_timeout: Duration::from_secs(3600),
        ..Default::default()
    };
    let server = start_as(way, limits).await;
    let mut stream = server.connect().await;
    send(&mut stream, GET).await;
    receive(&mut stream, "hello").await;
    send(&mut stream, b"GET /").await;
    closed(&mut stream).await;
}

#[tokio::test(start_paused = true)]
async fn a_running_handler_has_no_deadline() {
    let watch = Watch::new(Arc::new(ListenLimits::default()));
    watch.bytes_read(GET.len());
    watch.request_began();
    advance(Duration::from_secs(24 * 3600)).await;
    assert!(watch.wake_at() > Instant::now() + Duration::from_secs(24 * 3600));
}

async fn a_client_that_stops_reading_is_cut_off(way: Way) {
    let server = start_as(way, ListenLimits { write_timeout: millis(200), ..Default::default() }).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    // The reset is reported by the socket without reading.
    timeout(PATIENCE, stream.ready(Interest::ERROR)).await.expect("a reset").expect("an event");
    let mut received = Vec::new();
    let end = stream.read_to_end(&mut received).await;
    assert!(end.is_err(), "reset");
    assert!(received.len() < LARGE);
}

#[tokio::test]
async fn a_client_that_reads_with_pauses_gets_everything() {
    let server = start(ListenLimits::default()).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
    let mut received = 0;
    let mut buffer = vec![0; 4 * 1024 * 1024];
    loop {
        let read = stream.read(&mut buffer).await.expect("no reset");
        received += read;
        if read == 0 {
            break;
        }
        sleep(millis(10)).await;
    }
    assert!(received > LARGE);
}

/// A client that reads `bytes_per_second` in small steps for ten minutes. `true`: its deadline passes.
async fn is_cut_off(limits: ListenLimits, bytes_per_second: usize) -> bool {
    const STEPS_PER_SECOND: usize = 50;
    let watch = Watch::new(Arc::new(limits));
    watch.request_began();
    for _ in 0..600 * STEPS_PER_SECOND {
        watch.write_blocked();
        advance(Duration::from_secs(1) / STEPS_PER_SECOND as u32).await;
        if watch.wake_at() <= Instant::now() {
            return watch.is_stalled();
        }
        watch.bytes_written(bytes_per_second / STEPS_PER_SECOND);
    }
    false
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_below_the_minimum_rate_is_cut_off() {
    let limits = ListenLimits { min_read_rate: 400_000, ..Default::default() };
    assert!(is_cut_off(limits, 300_000).await);
}

#[tokio::test(start_paused = true)]
async fn a_slow_client_above_the_minimum_rate_is_not_cut_off() {
    let limits = ListenLimits { min_read_rate: 400_000, ..Default::default() };
    assert!(!is_cut_off(limits, 500_000).await);
}

#[tokio::test(start_paused = true)]
async fn a_fast_start_does_not_make_up_for_a_pause() {
    let limits = ListenLimits::default();
    let watch = Watch::new(Arc::new(limits.clone()));
    watch.request_began();
    watch.bytes_written(LARGE);
    watch.write_blocked();
    assert_eq!(watch.wake_at(), Instant::now() + limits.write_timeout);
}

#[tokio::test]
async fn an_early_response_reaches_a_client_that_sends_everything_before_it_reads() {
    let server = start(ListenLimits::default()).await;
    let address = server.address;
    let upload = move || {
        let length = 20 * 1024 * 1024;
        let mut stream = std::net::TcpStream::connect(address)?;
        write!(stream, "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n")?;
        stream.write_all(&vec![b'a'; length])?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        io::Result::Ok(answer)
    };
    let answer = tokio::task::spawn_blocking(upload).await.expect("no panic").expect("no reset");
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.ends_with("too large"), "{answer}");
}

#[tokio::test]
async fn discarding_a_body_ends_with_its_limit_or_when_the_client_is_silent() {
    let request = b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n";
    let limits = ListenLimits {
        linger_bytes: 1_000_000,
        linger_silence: millis(200),
        linger_timeout: Duration::from_secs(3600),
        ..Default::default()
    };
    let server = start(limits).await;
    let mut endless = server.connect().await;
    send(&mut endless, request).await;
    let flood = async { while endless.write_all(&[b'a'; 100_000]).await.is_ok() {} };
    timeout(PATIENCE, flood).await.expect("closed");
    let mut silent = server.connect().await;
    send(&mut silent, request).await;
    receive(&mut silent, "too large").await;
    // Once the server has closed, a byte is answered with a reset, and the next write fails. Each pause is longer than
    // the one before, in case the server is slow.
    let mut pause = millis(300);
    let is_closed = async {
        loop {
            sleep(pause).await;
            pause *= 2;
            let first = silent.write_all(b"a").await;
            sleep(millis(50)).await;
            if first.is_err() || silent.write_all(b"a").await.is_err() {
                break;
            }
        }
    };
    timeout(PATIENCE, is_closed).await.expect("closed");
}

#[tokio::test]
async fn heads_have_a_maximum_size_and_number_of_headers() {
    let limits = ListenLimits { max_header_bytes: 8192, ..Default::default() };
    let server = start(limits).await;
    let check = async |headers: String, expected: &str| {
        let mut stream = server.connect().await;
        let head = format!("GET / HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        send(&mut stream, head.as_bytes()).await;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("no reset");
        assert!(answer.starts_with(expected), "{answer}");
    };
    check(format!("a: {}\r\n", "b".repeat(8000)), "HTTP/1.1 200 ").await;
    check(format!("a: {}\r\n", "b".repeat(500_000)), "HTTP/1.1 431 ").await;
    check("a: b\r\n".repeat(99), "HTTP/1.1 200 ").await;
    check("a: b\r\n".repeat(100), "HTTP/1.1 431 ").await;
}

#[tokio::test]
async fn a_head_has_at_most_16_kilobytes() {
    let server = start(ListenLimits::default()).await;
    let check = async |length: usize, expected: &str| {
        let mut stream = server.connect().await;
        let frame = "GET / HTTP/1.1\r\nConnection: close\r\na: \r\n\r\n".len();
        let filler = "b".repeat(length - frame);
        send(&mut stream, format!("GET / HTTP/1.1\r\nConnection: close\r\na: {filler}\r\n\r\n").as_bytes())
            .await;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("no reset");
        assert!(answer.starts_with(expected), "{length}: {answer}");
    };
    check(16 * 1024, "HTTP/1.1 200 ").await;
    check(16 * 1024 + 1, "HTTP/1.1 431 ").await;
}

#[tokio::test]
async fn connections_of_one_address_beyond_its_cap_are_refused() {
    let server = start(ListenLimits { max_connections_per_address: 2, ..Default::default() }).await;
    let mut first = server.connect().await;
    let _second = server.connect().await;
    send(&mut first, GET).await;
    receive(&mut first, "hello").await;
    let mut third = server.connect().await;
    let mut answer = String::new();
    third.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 429 ") && answer.contains("\"too many connections\""), "{answer}");
    drop(first);
    let accepted = async {
        loop {
            let mut fourth = server.connect().await;
            send(&mut fourth, GET).await;
            let mut start = [0; "HTTP/1.1 200".len()];
            // Until the server has noticed the end of the first connection, this one is refused.
            if fourth.read_exact(&mut start).await.is_ok() && &start == b"HTTP/1.1 200" {
                break;
            }
            sleep(millis(20)).await;
        }
    };
    timeout(PATIENCE, accepted).await.expect("a connection");
}

#[tokio::test]
async fn connections_of_a_trusted_proxy_are_not_counted_by_address() {
    let trusted_proxies = ["127.0.0.0/8".parse().expect("a network")].into();
    let limits = ListenLimits { max_connections_per_address: 1, trusted_proxies, ..Default::default() };
    let server = start(limits).await;
    let mut connections = [server.connect().await, server.connect().await, server.connect().await];
    for stream in &mut connections {
        send(stream, GET).await;
        receive(stream, "hello").await;
    }
}

#[tokio::test]
async fn connections_beyond_the_cap_wait() {
    let server = start(ListenLimits { max_connections: 2, ..Default::default() }).await;
    let mut first = server.connect().await;
    let _second = server.connect().await;
    send(&mut first, GET).await;
    receive(&mut first, "hello").await;
    let mut third = server.connect().await;
    send(&mut third, GET).await;
    assert!(timeout(millis(200), receive(&mut third, "hello")).await.is_err());
    drop(first);
    timeout(PATIENCE, receive(&mut third, "hello")).await.expect("accepted");
}

async fn a_shutdown_closes_idle_connections_and_waits_for_running_requests(way: Way) {
    let limits = ListenLimits { shutdown_grace: Duration::from_secs(3600), ..Default::default() };
    let server = start_as(way, limits).await;
    let mut idle = server.connect().await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    let mut busy = server.connect().await;
    send(&mut busy, GET_HELD).await;
    server.wait_for_handler().await;
    server.shutdown.cancel();
    // While the request is still running.
    closed(&mut idle).await;
    assert!(!server.serving.is_finished());
    server.release.add_permits(1);
    receive(&mut busy, "released").await;
    timeout(PATIENCE, server.serving).await.expect("the end").expect("no panic");
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn a_shutdown_does_not_wait_longer_than_its_grace_period() {
    let server = start(ListenLimits { shutdown_grace: millis(100), ..Default::default() }).await;
    let mut busy = server.connect().await;
    send(&mut busy, GET_HELD).await;
    server.wait_for_handler().await;
    server.shutdown.cancel();
    // The handler is never released.
    timeout(PATIENCE, server.serving).await.expect("the end").expect("no panic");
    closed(&mut busy).await;
}

#[tokio::test]
async fn a_request_that_has_begun_before_a_shutdown_gets_its_response() {
    let server = start_as(Way::AtHand, ListenLimits::default()).await;
    let mut stream = server.connect().await;
    send(&mut stream, GET).await;
    receive(&mut stream, "hello").await;
    send(&mut stream, &GET[..10]).await;
    // It has to arrive first. A connection without any is closed.
    sleep(millis(500)).await;
    server.shutdown.cancel();
    sleep(millis(50)).await;
    send(&mut stream, &GET[10..]).await;
    assert!(receive(&mut stream, "hello").await.to_lowercase().contains("connection: close"));
    timeout(PATIENCE, server.serving).await.expect("the end").expect("no panic");
}
