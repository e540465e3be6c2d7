//! One connection: its requests, its deadlines and its end.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::stream::WatchedStream;
use super::watch::{Answer, Upload, Watch};
use super::{Answers, ListenLimits};

/// What hyper reads ahead, and at most makes its buffer. Uploads are no faster with more of it, and it is what each
/// connection costs, whatever it does.
const BUFFER: usize = 16 * 1024;

/// What the system takes of an answer before it can be sent. A slow reader is noticed by what the system does not take
/// from us; of its own accord it would hide megabytes, and take more only after a third of them is gone.
const MAX_UNSENT_BYTES: u32 = 128 * 1024;

enum End {
    Closed,
    /// The client may still be sending what nobody read.
    Unread,
    /// The client has stopped taking its answer.
    Stalled,
}

pub(super) async fn run(
    stream: TcpStream,
    peer: SocketAddr,
    answers: impl Answers,
    limits: Arc<ListenLimits>,
    shutdown: CancellationToken,
) {
    // Answers are written whole; waiting for more to send with them only makes them late.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_tcp_notsent_lowat(MAX_UNSENT_BYTES);
    let watch = Arc::new(Watch::new(limits.clone()));
    let service = service_fn(|request| Box::pin(answer(&answers, peer, watch.clone(), request)));
    let io = TokioIo::new(WatchedStream::new(stream, watch.clone()));
    let mut connection = http1(&limits).serve_connection(io, service);
    let mut sleep = pin!(sleep_until(watch.wake_at()));
    let mut stop = pin!(shutdown.cancelled());
    let mut stopping = false;
    let end = poll_fn(|context| {
        if !stopping && stop.as_mut().poll(context).is_ready() {
            stopping = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        if let Poll::Ready(result) = connection.poll_without_shutdown(context) {
            return Poll::Ready(End::of(result, &watch));
        }
        // All that moves the time happens inside the poll above.
        if sleep.deadline() != watch.wake_at() {
            sleep.as_mut().reset(watch.wake_at());
        }
        sleep.as_mut().poll(context).map(|()| if watch.is_stalled() { End::Stalled } else { End::Closed })
    })
    .await;
    let stream = connection.into_parts().io.into_inner().into_stream();
    match end {
        End::Closed => {}
        End::Unread => linger(stream, &limits).await,
        // What the system still holds for a client that takes nothing is not worth keeping.
        End::Stalled => drop(stream.set_zero_linger()),
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
        .max_buf_size(BUFFER.max(limits.max_header_bytes))
        // Its clock starts with the wait for the next request, so it cannot tell a slow head from an
        // idle connection. `Watch` can.
        .header_read_timeout(None);
    builder
}

async fn answer<A: Answers>(
    answers: &A,
    peer: SocketAddr,
    watch: Arc<Watch>,
    request: Request<Incoming>,
) -> Result<Response<Answer<A::Body>>, Infallible> {
    watch.request_began();
    let request = request.map(|body| Upload::new(body, watch.clone()));
    let mut response = answers.answer(peer, request).await;
    if watch.is_unread() {
        // What the client still sends would be taken for its next request, so this was the last one here.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| Answer::new(body, watch)))
}

/// Closing a socket with unread bytes resets the connection, and the client loses the answer that
/// it has not read yet. So we take what still comes, within limits.
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
