//! The deadlines of a client, derived from what is read from and written to its connection.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::time::Instant;

use super::ListenLimits;

/// Stands for no deadline: the timer needs a finite time.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// The most that is read at once of a head: hyper sizes its buffer by it.
const HEAD_READ_BYTES: usize = 4096;

pub(super) struct Watch {
    limits: Arc<ListenLimits>,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// Bytes of the current head so far.
    head_bytes: usize,
    /// Since when writing is blocked by the client.
    blocked_since: Option<Instant>,
    /// How much longer writing may be blocked. Blocked time reduces it, and bytes that the client reads increase it again,
    /// so that neither a pause nor a fast start hides a slow reader in the long run.
    allowance: Duration,
    /// A request's body was dropped before its end.
    unread: bool,
    never: Instant,
}

#[derive(Clone, Copy)]
enum Phase {
    /// The deadline for the beginning of the next request.
    Idle(Instant),
    /// The deadline for the end of its head.
    Head(Instant),
    /// A request is being processed; handlers have their own limits.
    Busy,
}

impl Watch {
    pub(super) fn new(limits: Arc<ListenLimits>) -> Watch {
        let now = Instant::now();
        let state = State {
            phase: Phase::Head(now + limits.header_timeout),
            head_bytes: 0,
            blocked_since: None,
            allowance: limits.write_timeout,
            unread: false,
            never: now + NEVER,
        };
        Watch { limits, state: Mutex::new(state) }
    }

    pub(super) fn wake_at(&self) -> Instant {
        let state = self.lock();
        match (state.blocked_since, state.phase) {
            (Some(since), _) => since + state.allowance,
            (None, Phase::Idle(by) | Phase::Head(by)) => by,
            (None, Phase::Busy) => state.never,
        }
    }

    pub(super) fn is_unread(&self) -> bool {
        self.lock().unread
    }

    /// Whether nothing of the first request has been read yet.
    pub(super) fn is_untouched(&self) -> bool {
        let state = self.lock();
        matches!(state.phase, Phase::Head(_)) && state.head_bytes == 0
    }

    pub(super) fn is_stalled(&self) -> bool {
        self.lock().blocked_since.is_some()
    }

    pub(super) fn request_began(&self) {
        let mut state = self.lock();
        state.phase = Phase::Busy;
        state.unread = false;
    }

    pub(super) fn response_ended(&self) {
        self.lock().phase = Phase::Idle(Instant::now() + self.limits.idle_timeout);
    }

    fn body_dropped(&self) {
        self.lock().unread = true;
    }

    /// The most bytes to read now; never 0, which would look like the end of the stream.
    pub(super) fn read_limit(&self) -> u64 {
        let state = self.lock();
        let head_bytes = match state.phase {
            Phase::Busy => return u64::MAX,
            Phase::Idle(_) => 0,
            Phase::Head(_) => state.head_bytes,
        };
        self.limits.max_header_bytes.saturating_sub(head_bytes).clamp(1, HEAD_READ_BYTES) as u64
    }

    pub(super) fn bytes_read(&self, bytes: usize) {
        let mut state = self.lock();
        match state.phase {
            Phase::Idle(_) => {
                state.phase = Phase::Head(Instant::now() + self.limits.header_timeout);
                state.head_bytes = bytes;
            }
            Phase::Head(_) => state.head_bytes += bytes,
            Phase::Busy => {}
        }
    }

    pub(super) fn write_blocked(&self) {
        let mut state = self.lock();
        if state.blocked_since.is_none() {
            state.blocked_since = Some(Instant::now());
        }
    }

    pub(super) fn bytes_written(&self, bytes: usize) {
        let mut state = self.lock();
        if let Some(since) = state.blocked_since.take() {
            state.allowance = state.allowance.saturating_sub(since.elapsed());
        }
        let earned = bytes as u64 * 1_000_000 / u64::from(self.limits.min_read_rate.max(1));
        state.allowance = (state.allowance + Duration::from_micros(earned)).min(self.limits.write_timeout);
        // The end of a response may be written long after its body has ended.
        if let Phase::Idle(by) = &mut state.phase {
            *by = Instant::now() + self.limits.idle_timeout;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's body that reports if it was not read to its end.
pub struct RequestBody {
    body: Incoming,
    ended: bool,
    watch: Arc<Watch>,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, watch: Arc<Watch>) -> RequestBody {
        RequestBody { body, ended: false, watch }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.ended && !self.body.is_end_stream() {
            self.watch.body_dropped();
        }
    }
}

impl HttpBody for RequestBody {
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

/// A response's body that reports when it was handed over completely.
pub(super) struct ResponseBody<B> {
    body: B,
    watch: Arc<Watch>,
}

impl<B> ResponseBody<B> {
    pub(super) fn new(body: B, watch: Arc<Watch>) -> ResponseBody<B> {
        ResponseBody { body, watch }
    }
}

impl<B> Drop for ResponseBody<B> {
    fn drop(&mut self) {
        self.watch.response_ended();
    }
}

impl<B: HttpBody + Unpin> HttpBody for ResponseBody<B> {
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
