//! Accepts connections and ends those that keep us waiting. The framework's own server has no limits.

mod addresses;
mod connection;
mod stream;
mod watch;

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use bytes::Bytes;
use hyper::body::Body as HttpBody;
use ipnet::IpNet;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower::Service;

use self::addresses::Addresses;
pub use self::watch::Upload;

/// What answers the requests that a listener takes. Every connection has a clone.
pub trait Answers: Clone + Send + Sync + 'static {
    type Body: HttpBody<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static;

    fn answer(
        &self,
        peer: SocketAddr,
        request: Request<Upload>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// The peer's address is in each request's extensions, as `ConnectInfo<SocketAddr>`.
impl Answers for Router {
    type Body = Body;

    async fn answer(&self, peer: SocketAddr, mut request: Request<Upload>) -> Response<Body> {
        request.extensions_mut().insert(ConnectInfo(peer));
        let Ok(response) = self.clone().call(request).await;
        response
    }
}

#[derive(Debug, Clone)]
pub struct ListenLimits {
    /// From a connection's start, or a request's first byte, to the end of the request's head.
    pub header_timeout: Duration,
    /// From one answer to the next request's first byte.
    pub idle_timeout: Duration,
    /// How long bytes of an answer may wait for the client to take them, in all, beyond what it needs to take them at
    /// `min_read_rate`.
    pub write_timeout: Duration,
    /// In bytes a second.
    pub min_read_rate: u32,
    /// Beyond this many, connections wait in the system's backlog.
    pub max_connections: usize,
    /// Beyond this many of one address (IPv6: of one /64), connections are refused.
    pub max_connections_per_address: usize,
    /// Their connections are not counted by address.
    pub trusted_proxies: Arc<[IpNet]>,
    /// A larger head is answered 431, as is one of more than 100 headers.
    pub max_header_bytes: usize,
    /// How much of a body that nobody read is taken from the client, so that it can read its answer.
    pub linger_bytes: usize,
    /// How long that may take, and how long the client may be silent meanwhile.
    pub linger_timeout: Duration,
    pub linger_silence: Duration,
    /// What running requests have to end after the shutdown begins.
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

/// Serves until `shutdown`, then lets running requests end.
pub async fn serve(
    listener: TcpListener,
    answers: impl Answers,
    limits: ListenLimits,
    shutdown: CancellationToken,
) {
    let limits = Arc::new(limits);
    let (slots, addresses) =
        (Arc::new(Semaphore::new(limits.max_connections)), Addresses::new(limits.clone()));
    let mut refusals = Refusals::default();
    let mut connections = JoinSet::new();
    loop {
        let (stream, peer, slot) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        while connections.try_join_next().is_some() {}
        let Some(place) = addresses.enter(peer.ip()) else {
            refusals.refuse(&stream);
            continue;
        };
        let (answers, limits, shutdown) = (answers.clone(), limits.clone(), shutdown.clone());
        connections.spawn(async move {
            connection::run(stream, peer, answers, limits, shutdown).await;
            drop((place, slot));
        });
    }
    drop(listener);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.shutdown_grace, all_ended).await.is_err() {
        tracing::warn!(connections = connections.len(), "shutdown cuts off connections that did not end");
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let slot = slots.clone().acquire_owned().await.expect("nobody closes the semaphore");
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, slot),
            Err(error) if is_of_the_connection(&error) => {}
            Err(error) => {
                // Out of file descriptors, most likely; some will be free again.
                tracing::error!(%error, "cannot accept connections");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

/// Connections of addresses that have too many.
#[derive(Default)]
struct Refusals {
    logged: Option<Instant>,
}

impl Refusals {
    /// The answer is sent if the system takes it at once: nothing here waits for such a client.
    fn refuse(&mut self, stream: &TcpStream) {
        let _ = stream.try_write(TOO_MANY.as_bytes());
        metrics::counter!("recto_refused_connections_total").increment(1);
        if self.logged.is_none_or(|logged| logged.elapsed() > Duration::from_secs(60)) {
            self.logged = Some(Instant::now());
            tracing::warn!("connections are refused: an address has api.max_connections_per_address of them");
        }
    }
}

const TOO_MANY: &str = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n\
    Retry-After: 5\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n\
    {\"error\":\"too many connections\",\"message\":\"your address has too many connections open; close some first\"}";

/// The client went away before we came to it.
fn is_of_the_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests;
