//! By when a client has to do something, told by what passes over its connection.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::time::Instant;

use super::ListenLimits;

/// Far enough that nothing waits for it; the timer takes no unlimited time.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A head is read in pieces of this size at most: what is read at once decides how large hyper makes its buffer.
const HEAD_PIECE: usize = 4096;

pub(super) struct Watch {
    limits: Arc<ListenLimits>,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    /// What was read of the current head.
    head_bytes: usize,
    /// Since when bytes of an answer are waiting for the client to take them.
    waits_since: Option<Instant>,
    /// How much longer they may wait. Waiting uses it up, and what the client takes gives it back, so that neither a
    /// pause nor a fast start makes up for a slow reader in the long run.
    patience: Duration,
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
    pub(super) fn new(limits: Arc<ListenLimits>) -> Watch {
        let now = Instant::now();
        let state = State {
            phase: Phase::Head(now + limits.header_timeout),
            head_bytes: 0,
            waits_since: None,
            patience: limits.write_timeout,
            unread: false,
            never: now + NEVER,
        };
        Watch { limits, state: Mutex::new(state) }
    }

    pub(super) fn wake_at(&self) -> Instant {
        let state = self.lock();
        match (state.waits_since, state.phase) {
            (Some(since), _) => since + state.patience,
            (None, Phase::Idle(by) | Phase::Head(by)) => by,
            (None, Phase::Busy) => state.never,
        }
    }

    pub(super) fn is_unread(&self) -> bool {
        self.lock().unread
    }

    pub(super) fn is_stalled(&self) -> bool {
        self.lock().waits_since.is_some()
    }

    pub(super) fn request_began(&self) {
        let mut state = self.lock();
        state.phase = Phase::Busy;
        state.unread = false;
    }

    fn answer_ended(&self) {
        self.lock().phase = Phase::Idle(Instant::now() + self.limits.idle_timeout);
    }

    fn upload_dropped(&self) {
        self.lock().unread = true;
    }

    /// The most bytes to read now; never none, which would look like the end.
    pub(super) fn read_limit(&self) -> u64 {
        let state = self.lock();
        let head_bytes = match state.phase {
            Phase::Busy => return u64::MAX,
            Phase::Idle(_) => 0,
            Phase::Head(_) => state.head_bytes,
        };
        self.limits.max_header_bytes.saturating_sub(head_bytes).clamp(1, HEAD_PIECE) as u64
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

    pub(super) fn write_waits(&self) {
        let mut state = self.lock();
        if state.waits_since.is_none() {
            state.waits_since = Some(Instant::now());
        }
    }

    pub(super) fn bytes_written(&self, bytes: usize) {
        let mut state = self.lock();
        if let Some(since) = state.waits_since.take() {
            state.patience = state.patience.saturating_sub(since.elapsed());
        }
        let earned = bytes as u64 * 1_000_000 / u64::from(self.limits.min_read_rate.max(1));
        state.patience = (state.patience + Duration::from_micros(earned)).min(self.limits.write_timeout);
        // The last of an answer may be on its way for long after its body has ended.
        if let Phase::Idle(by) = &mut state.phase {
            *by = Instant::now() + self.limits.idle_timeout;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
