//! A body that is received by the task of its connection, somewhat ahead of its use by another thread. Without it, the two
//! threads would have to take turns for each piece of 16 KB.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use tokio::sync::{mpsc, oneshot};

/// Pieces that wait in memory, each of at most 16 KB.
const MAX_PIECES: usize = 16;

type Piece = Result<Frame<Bytes>, axum::Error>;

/// The body for the other thread, and a future that receives it and never ends.
pub(super) fn read_ahead(body: Body) -> (Body, impl Future<Output = Infallible>) {
    let (start, started) = oneshot::channel();
    let (sender, receiver) = mpsc::channel(MAX_PIECES);
    let ahead = ReadAhead { start: Some(start), receiver: Some(receiver) };
    let receive = async {
        if started.await.is_ok() {
            receive(body, sender).await;
        }
        pending().await
    };
    (Body::new(ahead), receive)
}

struct ReadAhead {
    /// A client may wait with its body until it is read.
    start: Option<oneshot::Sender<()>>,
    /// `None` instead of a piece is the end of the body.
    receiver: Option<mpsc::Receiver<Option<Piece>>>,
}

impl HttpBody for ReadAhead {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        if let Some(start) = self.start.take() {
            let _ = start.send(());
        }
        let Some(receiver) = &mut self.receiver else { return Poll::Ready(None) };
        // Without its end, the body must not be taken for complete.
        let stopped = || Some(Err(axum::Error::new("the body was not received completely")));
        let piece = ready!(receiver.poll_recv(context)).unwrap_or_else(stopped);
        if !matches!(piece, Some(Ok(_))) {
            self.receiver = None;
        }
        Poll::Ready(piece)
    }
}

async fn receive(mut body: Body, sender: mpsc::Sender<Option<Piece>>) {
    loop {
        let piece = body.frame().await;
        let is_last = !matches!(piece, Some(Ok(_)));
        if sender.send(piece).await.is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream;
    use tokio::task::yield_now;

    use super::*;

    /// A body of numbered pieces, and how many were requested.
    fn numbered(count: usize) -> (Body, Arc<AtomicUsize>) {
        let requested = Arc::new(AtomicUsize::new(0));
        let counter = requested.clone();
        let piece = move |number: usize| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok::<_, axum::Error>(Bytes::from(format!("{number} ")))
        };
        (Body::from_stream(stream::iter((0..count).map(piece))), requested)
    }

    /// As if the two were on threads of their own.
    fn spawn_receiving(body: Body) -> Body {
        let (body, receive) = read_ahead(body);
        tokio::spawn(receive);
        body
    }

    #[tokio::test]
    async fn all_pieces_arrive_in_order() {
        let body = spawn_receiving(numbered(100).0);
        let expected: String = (0..100).map(|number| format!("{number} ")).collect();
        assert_eq!(body.collect().await.unwrap().to_bytes(), expected);
    }

    #[tokio::test]
    async fn nothing_is_requested_before_the_first_read_and_few_ahead_of_it() {
        let (body, requested) = numbered(100);
        let mut body = spawn_receiving(body);
        yield_now().await;
        assert_eq!(requested.load(Ordering::Relaxed), 0);
        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "0 ");
        for _ in 0..100 {
            yield_now().await;
        }
        let ahead = requested.load(Ordering::Relaxed);
        assert!((2..=MAX_PIECES + 2).contains(&ahead), "{ahead}");
    }

    #[tokio::test]
    async fn an_error_is_the_last_piece() {
        let pieces = [Ok(Bytes::from("a")), Err(axum::Error::new("cut")), Ok(Bytes::from("b"))];
        let mut body = spawn_receiving(Body::from_stream(stream::iter(pieces)));
        assert!(body.frame().await.unwrap().is_ok());
        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
    }

    #[tokio::test]
    async fn a_body_whose_connection_has_ended_is_not_complete() {
        let (body, requested) = numbered(3);
        let (mut body, receive) = read_ahead(body);
        drop(receive);
        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
        assert_eq!(requested.load(Ordering::Relaxed), 0);
    }
}
