//! A connection: its requests, its deadlines and how it ends.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};

use super::shutdown::Shutdown;
use super::stream::WatchedStream;
use super::watch::{RequestBody, ResponseBody, Watch};
use super::{ListenLimits, RequestHandler, at_hand};

/// The most that hyper buffers of a request. Every connection may use this much memory, and uploads are not faster with
/// more.
const MAX_BUFFER_BYTES: usize = 16 * 1024;

/// How much of a response the system buffers. A slow reader is detected by a full buffer; by default the system buffers
/// megabytes and accepts more only after a third of them is sent.
const MAX_UNSENT_BYTES: u32 = 128 * 1024;

/// A connection that was accepted just before a shutdown may have sent its request, which has not been read yet: the client
/// gets its response, instead of a connection that is reset.
const FIRST_BYTES_GRACE: Duration = Duration::from_millis(500);

enum End {
    Closed,
    /// The client may still be sending a body that was not read.
    Unread,
    /// The client has stopped reading its response.
    Stalled,
}

pub(super) async fn run(
    stream: TcpStream,
    peer: SocketAddr,
    handler: impl RequestHandler,
    limits: Arc<ListenLimits>,
    shutdown: Arc<Shutdown>,
) {
    // Responses are written whole: delaying small packets to combine them only adds latency.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
    let watch = Arc::new(Watch::new(limits.clone()));
    let mut stream = WatchedStream::new(stream, watch.clone());
    let mut timer = pin!(sleep_until(watch.wake_at()));
    let mut woken = pin!(shutdown.woken());
    // Once it is polled the task will be woken. A poll for each request would cost a lock that all connections share.
    poll_fn(|context| Poll::Ready(woken.as_mut().poll(context).is_ready())).await;
    let end = match respond_at_hand(&mut stream, &handler, &watch, &shutdown, timer.as_mut()).await {
        Some(end) => end,
        None => {
            let service = service_fn(|request| Box::pin(handle(&handler, peer, watch.clone(), request)));
            let mut connection = http1(&limits).serve_connection(TokioIo::new(stream), service);
            let mut grace = pin!(async {
                if watch.is_untouched() {
                    sleep(FIRST_BYTES_GRACE).await;
                }
            });
            let mut stopping = false;
            let respond = poll_fn(|context| {
                loop {
                    if let Poll::Ready(result) = connection.poll_without_shutdown(context) {
                        return Poll::Ready(End::of(result, &watch));
                    }
                    // After what has arrived is read: a request that has begun gets its response.
                    if stopping || !shutdown.has_begun() || grace.as_mut().poll(context).is_pending() {
                        return poll_deadline(timer.as_mut(), &watch, context);
                    }
                    stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            });
            let end = respond.await;
            stream = connection.into_parts().io.into_inner();
            end
        }
    };
    let stream = stream.into_stream();
    match end {
        End::Closed => {}
        End::Unread => linger(stream, &limits).await,
        // Discard what the system has buffered for a client that reads nothing.
        End::Stalled => drop(stream.set_zero_linger()),
    }
}

/// `None`: the connection goes on.
async fn respond_at_hand<H: RequestHandler>(
    stream: &mut WatchedStream,
    handler: &H,
    watch: &Watch,
    shutdown: &Shutdown,
    mut timer: Pin<&mut Sleep>,
) -> Option<End> {
    if !H::HAS_RESPONSES_AT_HAND {
        return None;
    }
    let mut responding = pin!(at_hand::respond(stream, handler, watch, shutdown));
    poll_fn(|context| match responding.as_mut().poll(context) {
        Poll::Ready(Ok(true)) => Poll::Ready(None),
        Poll::Ready(Ok(false) | Err(_)) => Poll::Ready(Some(End::Closed)),
        Poll::Pending => poll_deadline(timer.as_mut(), watch, context).map(Some),
    })
    .await
}

/// To be polled after everything that changes the deadline. The timer is set when that comes earlier; a later one is noticed
/// when the timer fires, because to set it for each request costs more than to answer it.
fn poll_deadline(mut timer: Pin<&mut Sleep>, watch: &Watch, context: &mut Context<'_>) -> Poll<End> {
    loop {
        let deadline = watch.wake_at();
        if deadline < timer.deadline() {
            timer.as_mut().reset(deadline);
        }
        ready!(timer.as_mut().poll(context));
        if deadline <= Instant::now() {
            return Poll::Ready(if watch.is_stalled() { End::Stalled } else { End::Closed });
        }
        timer.as_mut().reset(deadline);
    }
}

impl End {
    fn of(result: hyper::Result<()>, watch: &Watch) -> End {
        let unread = result.map_or_else(|error| error.is_parse(), |()| watch.is_unread());
        if unread { End::Unread } else { End::Closed }
    }
}

fn http1(limits: &ListenLimits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .max_header_size(limits.max_header_bytes)
        .max_buf_size(MAX_BUFFER_BYTES.max(limits.max_header_bytes))
        // hyper's timeout starts while the connection is idle, so it cannot distinguish that from a slow head. `Watch`
        // can.
        .header_read_timeout(None);
    builder
}

async fn handle<H: RequestHandler>(
    handler: &H,
    peer: SocketAddr,
    watch: Arc<Watch>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody<H::Body>>, Infallible> {
    watch.request_began();
    let request = request.map(|body| RequestBody::new(body, watch.clone()));
    let mut response = handler.handle(peer, request).await;
    if watch.is_unread() {
        // The rest of the body would be parsed as the next request, so the connection must be closed.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| ResponseBody::new(body, watch)))
}

/// Closing a socket with unread bytes resets the connection, and the client may lose the response. So the rest of the
/// body is received and discarded, within limits.
async fn linger(mut stream: TcpStream, limits: &ListenLimits) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let drain = async {
        let mut sink = vec![0; 16 * 1024];
        let mut left = limits.linger_bytes;
        while let Ok(Ok(read)) = timeout(limits.linger_silence, stream.read(&mut sink)).await {
            left = left.saturating_sub(read);
            if read == 0 || left == 0 {
                return;
            }
        }
    };
    let _ = timeout(limits.linger_timeout, drain).await;
}
