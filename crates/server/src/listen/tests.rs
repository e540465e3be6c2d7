//! Clients that are slow, silent, many or in the middle of something, over real sockets.

use std::io::{Read, Write};
use std::net::Ipv4Addr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const LARGE: usize = 64 * 1024 * 1024;

struct Server {
    address: SocketAddr,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

async fn start(limits: ListenLimits) -> Server {
    let slow = async || {
        sleep(millis(600)).await;
        "slow"
    };
    let router = Router::new()
        .route("/", get(async || "hello"))
        .route("/peer", get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.to_string()))
        .route("/slow", get(slow))
        .route("/large", get(async || Body::from(vec![b'a'; LARGE])))
        .route("/refuse", post(async || (StatusCode::PAYLOAD_TOO_LARGE, "too large")));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(serve(listener, router, limits, shutdown.clone()));
    Server { address, shutdown, serving }
}

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }
}

async fn send(stream: &mut TcpStream, request: &[u8]) {
    stream.write_all(request).await.expect("sent");
}

/// Reads one answer, of which the body's end is known.
async fn receive(stream: &mut TcpStream, end: &str) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(end.as_bytes()) {
        let read = stream.read_buf(&mut answer).await.expect("an answer");
        assert_ne!(read, 0, "closed after {}", String::from_utf8_lossy(&answer));
    }
    String::from_utf8(answer).expect("text")
}

/// How long it takes until the server ends the connection.
async fn closed_after(stream: &mut TcpStream) -> Duration {
    let start = Instant::now();
    let mut rest = Vec::new();
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut rest)).await.expect("closed");
    start.elapsed()
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
async fn a_head_that_does_not_end_is_cut_off_however_it_trickles() {
    let server = start(ListenLimits { header_timeout: millis(300), ..Default::default() }).await;
    let mut silent = server.connect().await;
    let mut trickling = server.connect().await;
    let start = Instant::now();
    send(&mut silent, b"GET / HT").await;
    send(&mut trickling, b"GET / HTTP/1.1\r\nHost: ").await;
    for _ in 0..5 {
        sleep(millis(50)).await;
        let _ = trickling.write_all(b"a").await;
    }
    closed_after(&mut silent).await;
    closed_after(&mut trickling).await;
    assert!((millis(300)..millis(5000)).contains(&start.elapsed()), "{:?}", start.elapsed());
}

#[tokio::test]
async fn an_idle_connection_has_its_own_longer_time() {
    let limits =
        ListenLimits { header_timeout: millis(200), idle_timeout: millis(1000), ..Default::default() };
    let server = start(limits).await;
    let mut stream = server.connect().await;
    for _ in 0..2 {
        send(&mut stream, GET).await;
        receive(&mut stream, "hello").await;
        sleep(millis(400)).await;
    }
    let mut other = server.connect().await;
    send(&mut other, GET).await;
    receive(&mut other, "hello").await;
    let closed = closed_after(&mut other).await;
    assert!((millis(900)..millis(5000)).contains(&closed), "{closed:?}");
}

#[tokio::test]
async fn the_head_of_a_second_request_has_the_shorter_time() {
    let limits =
        ListenLimits { header_timeout: millis(200), idle_timeout: millis(5000), ..Default::default() };
    let server = start(limits).await;
    let mut stream = server.connect().await;
    send(&mut stream, GET).await;
    receive(&mut stream, "hello").await;
    send(&mut stream, b"GET /").await;
    assert!(closed_after(&mut stream).await < millis(3000));
}

#[tokio::test]
async fn a_handler_may_take_longer_than_any_time_of_the_connection() {
    let limits = ListenLimits {
        header_timeout: millis(100),
        idle_timeout: millis(100),
        write_timeout: millis(100),
        ..Default::default()
    };
    let server = start(limits).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await;
    receive(&mut stream, "slow").await;
}

#[tokio::test]
async fn a_client_that_stops_reading_is_cut_off() {
    let server = start(ListenLimits { write_timeout: millis(200), ..Default::default() }).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    sleep(millis(800)).await;
    let mut taken = Vec::new();
    let end = stream.read_to_end(&mut taken).await;
    assert!(end.is_err(), "reset");
    assert!(taken.len() < LARGE);
}

#[tokio::test]
async fn a_client_that_reads_slowly_but_steadily_gets_everything() {
    let limits = ListenLimits { write_timeout: millis(500), idle_timeout: millis(500), ..Default::default() };
    let server = start(limits).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
    let mut taken = 0;
    let mut buffer = vec![0; 4 * 1024 * 1024];
    loop {
        let read = stream.read(&mut buffer).await.expect("no reset");
        taken += read;
        if read == 0 {
            break;
        }
        sleep(millis(10)).await;
    }
    assert!(taken > LARGE);
}

/// Reads of the large answer as fast as said, in small steps, for at most five seconds. `true`: the server cut it off.
async fn is_cut_off(server: &Server, bytes_a_second: usize) -> bool {
    // A small buffer, so that what the client takes and what the server can send are about the same.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(16 * 1024).expect("a small buffer");
    let mut stream = socket.connect(server.address).await.expect("a connection");
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let start = Instant::now();
    let mut taken = 0;
    let mut piece = vec![0; bytes_a_second / 50];
    while start.elapsed() < Duration::from_secs(5) {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return true,
            Ok(read) => taken += read,
        }
        let due = Duration::from_secs_f64(taken as f64 / bytes_a_second as f64);
        sleep(due.saturating_sub(start.elapsed())).await;
    }
    false
}

#[tokio::test]
async fn a_client_that_takes_a_little_now_and_then_is_cut_off() {
    let limits = ListenLimits { write_timeout: millis(1000), min_read_rate: 400_000, ..Default::default() };
    let server = start(limits).await;
    assert!(is_cut_off(&server, 100_000).await);
}

#[tokio::test]
async fn a_slow_client_that_takes_enough_is_not_cut_off() {
    let limits = ListenLimits { write_timeout: millis(1000), min_read_rate: 100_000, ..Default::default() };
    let server = start(limits).await;
    assert!(!is_cut_off(&server, 400_000).await);
}

#[tokio::test]
async fn a_fast_start_does_not_make_up_for_a_slow_rest() {
    let limits = ListenLimits { write_timeout: millis(500), min_read_rate: 1_000_000, ..Default::default() };
    let server = start(limits).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let mut half = vec![0; LARGE / 2];
    stream.read_exact(&mut half).await.expect("the first half");
    sleep(millis(2000)).await;
    let mut rest = Vec::new();
    assert!(stream.read_to_end(&mut rest).await.is_err(), "reset");
}

#[tokio::test]
async fn an_early_answer_reaches_a_client_that_writes_everything_before_it_reads() {
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
async fn lingering_ends_with_its_bytes_or_the_clients_silence() {
    let request = b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n";
    let limits = ListenLimits { linger_bytes: 1_000_000, linger_silence: millis(200), ..Default::default() };
    let server = start(limits).await;
    let mut endless = server.connect().await;
    send(&mut endless, request).await;
    while endless.write_all(&[b'a'; 100_000]).await.is_ok() {}
    let mut silent = server.connect().await;
    send(&mut silent, request).await;
    receive(&mut silent, "too large").await;
    sleep(millis(500)).await;
    // The server has closed by now, so the first bytes are answered with a reset.
    send(&mut silent, b"a").await;
    sleep(millis(50)).await;
    assert!(silent.write_all(b"a").await.is_err());
}

#[tokio::test]
async fn heads_have_a_largest_size_and_number() {
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
    sleep(millis(200)).await;
    let mut fourth = server.connect().await;
    send(&mut fourth, GET).await;
    receive(&mut fourth, "hello").await;
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
    timeout(millis(2000), receive(&mut third, "hello")).await.expect("its turn");
}

#[tokio::test]
async fn a_shutdown_lets_running_requests_end() {
    let server = start(ListenLimits::default()).await;
    let mut idle = server.connect().await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    let mut busy = server.connect().await;
    send(&mut busy, b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await;
    sleep(millis(100)).await;
    server.shutdown.cancel();
    assert!(closed_after(&mut idle).await < millis(400));
    receive(&mut busy, "slow").await;
    timeout(millis(3000), server.serving).await.expect("the end").expect("no panic");
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn a_shutdown_does_not_wait_longer_than_its_grace() {
    let server = start(ListenLimits { shutdown_grace: millis(100), ..Default::default() }).await;
    let mut busy = server.connect().await;
    send(&mut busy, b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await;
    sleep(millis(50)).await;
    server.shutdown.cancel();
    timeout(millis(400), server.serving).await.expect("the end").expect("no panic");
    closed_after(&mut busy).await;
}
