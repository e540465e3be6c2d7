//! Responses that need no decision: a handler has their bytes at hand. A connection begins like this, and is passed on to
//! hyper at the first request for which there is none. That takes less than half of the processor time that the server itself needs.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::{Duration, UNIX_EPOCH};

use bytes::{Buf, Bytes, BytesMut};
use httparse::{Request, Status};
use model::{Clock, SystemClock};
use tokio::io::AsyncWriteExt;
use tokio_util::io::poll_read_buf;

use super::RequestHandler;
use super::shutdown::Shutdown;
use super::stream::WatchedStream;
use super::watch::Watch;

/// A response as it is sent.
pub(crate) struct AtHand {
    /// The status line and the headers, without the date and the end of the head.
    pub head: Bytes,
    pub body: Bytes,
}

/// A longer head is read by hyper.
const MAX_HEAD_BYTES: usize = 4096;
const MAX_HEADERS: usize = 32;

/// Responds until a request needs more, or a shutdown begins: what was read of it is read again from the stream. `Ok(false)`:
/// the client has closed the connection.
pub(super) async fn respond(
    stream: &mut WatchedStream,
    handler: &impl RequestHandler,
    watch: &Watch,
    shutdown: &Shutdown,
) -> io::Result<bool> {
    let (mut read, mut head) = (BytesMut::with_capacity(MAX_HEAD_BYTES), Vec::new());
    loop {
        while !read.is_empty() {
            let (end, response) = match parse(&read, |request| handler.at_hand(request)) {
                Some(Status::Complete(found)) => found,
                Some(Status::Partial) => break,
                None => {
                    stream.read_again(read);
                    return Ok(true);
                }
            };
            watch.request_began();
            read.advance(end);
            head.clear();
            head.extend_from_slice(&response.head);
            add_date(&mut head);
            stream.write_all_buf(&mut head.as_slice().chain(response.body)).await?;
            watch.response_ended();
        }
        let more = poll_fn(|context| {
            if read.len() >= MAX_HEAD_BYTES || shutdown.has_begun() {
                return Poll::Ready(Ok(None));
            }
            let count = ready!(poll_read_buf(Pin::new(&mut *stream), context, &mut read));
            Poll::Ready(count.map(Some))
        });
        match more.await? {
            Some(0) if read.is_empty() => return Ok(false),
            Some(0) | None => {
                stream.read_again(read);
                return Ok(true);
            }
            Some(_) => {}
        }
    }
}

/// The length of the head, and the response. `None`: hyper responds.
fn parse(
    bytes: &[u8],
    respond: impl FnOnce(&Request<'_, '_>) -> Option<AtHand>,
) -> Option<Status<(usize, AtHand)>> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = Request::new(&mut []);
    match request.parse_with_uninit_headers(bytes, &mut headers).ok()? {
        Status::Complete(length) => Some(Status::Complete((length, respond(&request)?))),
        Status::Partial => Some(Status::Partial),
    }
}

/// The date, and the end of the head. The date is the system's, as in all other responses, which hyper writes.
fn add_date(head: &mut Vec<u8>) {
    thread_local! {
        static LAST: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
    }
    let second = (SystemClock.now().micros() / 1_000_000).unsigned_abs();
    LAST.with_borrow_mut(|(of, line)| {
        if *of != second {
            let date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(second));
            (*of, *line) = (second, format!("date: {date}\r\n\r\n"));
        }
        head.extend_from_slice(line.as_bytes());
    });
}
