//! By when a client has to do something, told by what passes over its connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::ListenLimits;

/// Far enough that nothing waits for it; the timer takes no unlimited time.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) struct Watch {
    header_timeout: Duration,
    idle_timeout: Duration,
    write_timeout: Duration,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// By when the client must take more of its answer, once it has left us waiting.
    write_by: Option<Instant>,
    /// A request's body was dropped before its end.
    unread: bool,
    never: Instant,
}

#[derive(Clone, Copy)]
enum Phase {
    /// By when the next request must begin.
    Idle(Instant),
    /// By when its head must be complete.
    Head(Instant),
    /// A request is being answered; handlers have their own limits.
    Busy,
}

impl Watch {
    pub(super) fn new(limits: &ListenLimits) -> Watch {
        let now = Instant::now();
        let phase = Phase::Head(now + limits.header_timeout);
        Watch {
            header_timeout: limits.header_timeout,
            idle_timeout: limits.idle_timeout,
            write_timeout: limits.write_timeout,
            state: Mutex::new(State { phase, write_by: None, unread: false, never: now + NEVER }),
        }
    }

    pub(super) fn wake_at(&self) -> Instant {
        let state = self.lock();
        match (state.write_by, state.phase) {
            (Some(by), _) | (None, Phase::Idle(by) | Phase::Head(by)) => by,
            (None, Phase::Busy) => state.never,
        }
    }

    pub(super) fn is_unread(&self) -> bool {
        self.lock().unread
    }

    pub(super) fn is_stalled(&self) -> bool {
        self.lock().write_by.is_some()
    }

    pub(super) fn request_began(&self) {
        let mut state = self.lock();
        state.phase = Phase::Busy;
        state.unread = false;
    }

    fn answer_ended(&self) {
        self.lock().phase = Phase::Idle(Instant::now() + self.idle_timeout);
    }

    fn upload_dropped(&self) {
        self.lock().unread = true;
    }

    fn bytes_read(&self) {
        let mut state = self.lock();
        if let Phase::Idle(_) = state.phase {
            state.phase = Phase::Head(Instant::now() + self.header_timeout);
        }
    }

    fn write_waits(&self) {
        let mut state = self.lock();
        if state.write_by.is_none() {
            state.write_by = Some(Instant::now() + self.write_timeout);
        }
    }

    fn bytes_written(&self) {
        let mut state = self.lock();
        state.write_by = None;
        // The last of an answer may be on its way for long after its body has ended.
        if let Phase::Idle(by) = &mut state.phase {
            *by = Instant::now() + self.idle_timeout;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct WatchedStream {
    stream: TcpStream,
    watch: Arc<Watch>,
}

impl WatchedStream {
    pub(super) fn new(stream: TcpStream, watch: Arc<Watch>) -> WatchedStream {
        WatchedStream { stream, watch }
    }

    pub(super) fn into_stream(self) -> TcpStream {
        self.stream
    }

    fn written(&self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match result {
            Poll::Pending => self.watch.write_waits(),
            Poll::Ready(_) => self.watch.bytes_written(),
        }
        result
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.watch.bytes_read();
        }
        result
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A request's body that tells when it was not read to its end.
pub struct Upload {
    body: Incoming,
    ended: bool,
    watch: Arc<Watch>,
}

impl Upload {
    pub(super) fn new(body: Incoming, watch: Arc<Watch>) -> Upload {
        Upload { body, ended: false, watch }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.ended && !self.body.is_end_stream() {
            self.watch.upload_dropped();
        }
    }
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.ended |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// An answer's body that tells when it has been handed on.
pub(super) struct Answer<B> {
    body: B,
    watch: Arc<Watch>,
}

impl<B> Answer<B> {
    pub(super) fn new(body: B, watch: Arc<Watch>) -> Answer<B> {
        Answer { body, watch }
    }
}

impl<B> Drop for Answer<B> {
    fn drop(&mut self) {
        self.watch.answer_ended();
    }
}

impl<B: HttpBody + Unpin> HttpBody for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
