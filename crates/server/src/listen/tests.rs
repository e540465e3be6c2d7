//! Slow, silent and many clients, and shutdown, over real sockets. The tests wait for events, with a generous
//! timeout; where there is none to wait for, they wait much longer than it needs.

use std::net::Ipv4Addr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::Instant;

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

mod deadlines;
mod limits;
mod shutdowns;

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
