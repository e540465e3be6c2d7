//! Accepts connections, with limits and timeouts that axum's own server does not have.

mod addresses;
mod at_hand;
mod connection;
mod shutdown;
mod stream;
mod threads;
mod watch;

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::Body as HttpBody;
use ipnet::IpNet;
use prometheus::{IntCounter, register_int_counter};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;

use self::addresses::Addresses;
pub(crate) use self::at_hand::AtHand;
use self::shutdown::Shutdown;
pub use self::threads::Threads;
pub use self::watch::RequestBody;
use crate::preview::Preview;
use crate::sites::Sites;

/// Handles the requests of a listener. Every connection has a clone.
pub(crate) trait RequestHandler: Clone + Send + Sync + 'static {
    type Body: HttpBody<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static;

    fn handle(
        &self,
        peer: SocketAddr,
        request: Request<RequestBody>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;

    const HAS_RESPONSES_AT_HAND: bool = false;

    /// The response to a request without a body, if it needs no further decision.
    fn at_hand(&self, _request: &httparse::Request<'_, '_>) -> Option<AtHand> {
        None
    }
}

/// The peer's address is in each request's extensions, as `ConnectInfo<SocketAddr>`.
impl RequestHandler for Router {
    type Body = Body;

    async fn handle(&self, peer: SocketAddr, mut request: Request<RequestBody>) -> Response<Body> {
        request.extensions_mut().insert(ConnectInfo(peer));
        let Ok(response) = self.clone().call(request).await;
        response
    }
}

#[derive(Debug, Clone)]
pub struct ListenLimits {
    /// From a connection's start, or a request's first byte, to the end of the request's head.
    pub header_timeout: Duration,
    /// From a response to the first byte of the next request.
    pub idle_timeout: Duration,
    /// How long writing a response may be blocked by the client in total, beyond the time that it takes at
    /// `min_read_rate`.
    pub write_timeout: Duration,
    /// In bytes per second.
    pub min_read_rate: u32,
    /// Beyond this many, connections wait in the system's backlog.
    pub max_connections: usize,
    /// Beyond this many of one address (IPv6: of one /64), connections are refused.
    pub max_connections_per_address: usize,
    /// Their connections are not counted by address.
    pub trusted_proxies: Arc<[IpNet]>,
    /// A larger head, or more than 100 headers, gets a 431.
    pub max_header_bytes: usize,
    /// How much of an unread body is received and discarded, so that the client can read its response.
    pub linger_bytes: usize,
    /// How long that may take in total, and without receiving anything.
    pub linger_timeout: Duration,
    pub linger_silence: Duration,
    /// How long running requests may take to end after the shutdown begins.
    pub shutdown_grace: Duration,
}

impl Default for ListenLimits {
    fn default() -> ListenLimits {
        ListenLimits {
            header_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(60),
            min_read_rate: 1024,
            max_connections: 4096,
            max_connections_per_address: 256,
            trusted_proxies: [].into(),
            max_header_bytes: 16 * 1024,
            linger_bytes: 32 * 1024 * 1024,
            linger_timeout: Duration::from_secs(15),
            linger_silence: Duration::from_secs(3),
            shutdown_grace: Duration::from_secs(30),
        }
    }
}

/// What a listener serves.
pub enum Handler {
    Router(Router),
    Sites(Sites),
    Preview(Preview),
}

impl From<Router> for Handler {
    fn from(router: Router) -> Handler {
        Handler::Router(router)
    }
}

impl From<Sites> for Handler {
    fn from(sites: Sites) -> Handler {
        Handler::Sites(sites)
    }
}

impl From<Preview> for Handler {
    fn from(preview: Preview) -> Handler {
        Handler::Preview(preview)
    }
}

/// Serves until `shutdown` is cancelled, then waits for running requests, up to `shutdown_grace`.
///
/// Boxed, so that it is compiled here: an async function is compiled by every crate that awaits it.
pub fn serve(
    listener: TcpListener,
    handler: impl Into<Handler>,
    limits: ListenLimits,
    shutdown: CancellationToken,
) -> BoxFuture<'static, ()> {
    serve_on(Threads::default(), listener, handler.into(), limits, shutdown)
}

/// The same, with threads of its own.
pub fn serve_on(
    threads: Threads,
    listener: TcpListener,
    handler: Handler,
    limits: ListenLimits,
    shutdown: CancellationToken,
) -> BoxFuture<'static, ()> {
    match handler {
        Handler::Router(router) => Box::pin(accept_all(threads, listener, router, limits, shutdown)),
        Handler::Sites(sites) => Box::pin(accept_all(threads, listener, sites, limits, shutdown)),
        Handler::Preview(preview) => Box::pin(accept_all(threads, listener, preview, limits, shutdown)),
    }
}

async fn accept_all(
    mut threads: Threads,
    listener: TcpListener,
    handler: impl RequestHandler,
    limits: ListenLimits,
    shutdown: CancellationToken,
) {
    let limits = Arc::new(limits);
    let (slots, addresses) =
        (Arc::new(Semaphore::new(limits.max_connections)), Addresses::new(limits.clone()));
    let mut refusals = Refusals::default();
    let stop = Arc::<Shutdown>::default();
    let mut connections = JoinSet::new();
    loop {
        let (stream, peer, slot) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        while connections.try_join_next().is_some() {}
        let Some(address_slot) = addresses.enter(peer.ip()) else {
            refusals.refuse(&stream);
            continue;
        };
        let (handler, limits, stop) = (handler.clone(), limits.clone(), stop.clone());
        let spawned = threads.spawn(&mut connections, stream, async move |stream| {
            connection::run(stream, peer, handler, limits, stop).await;
            drop((address_slot, slot));
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "a connection was dropped");
        }
    }
    drop(listener);
    stop.begin();
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.shutdown_grace, all_ended).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "shutdown: open connections were closed after the grace period"
        );
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let slot = slots.clone().acquire_owned().await.expect("the semaphore is never closed");
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, slot),
            Err(error) if is_client_error(&error) => {}
            Err(error) => {
                // Probably out of file descriptors: try again when some are free.
                tracing::error!(%error, "cannot accept connections; retrying every second");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

static REFUSED: LazyLock<IntCounter> = LazyLock::new(|| {
    let help = "Connections refused because their address has too many.";
    register_int_counter!("recto_refused_connections_total", help).expect("registered once")
});

/// Refuses connections of addresses that have too many.
#[derive(Default)]
struct Refusals {
    logged: Option<Instant>,
}

impl Refusals {
    /// Sends a 429, but only if that does not block.
    fn refuse(&mut self, stream: &TcpStream) {
        let _ = stream.try_write(TOO_MANY.as_bytes());
        REFUSED.inc();
        if self.logged.is_none_or(|logged| logged.elapsed() > Duration::from_secs(60)) {
            self.logged = Some(Instant::now());
            tracing::warn!("connections refused: an address reached api.max_connections_per_address");
        }
    }
}

const TOO_MANY: &str = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n\
    Retry-After: 5\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n\
    {\"error\":\"too many connections\",\"message\":\"your address has too many connections open; close some first\"}";

/// The client disconnected before its connection was accepted.
fn is_client_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests;
