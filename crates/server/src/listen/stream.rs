//! A connection's socket. It reports reads and writes to its `Watch`, which decides how much is read at once.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take};
use tokio::net::TcpStream;

use super::watch::Watch;

pub(super) struct WatchedStream {
    stream: Take<TcpStream>,
    watch: Arc<Watch>,
    /// What was read already, and is to be read again.
    again: BytesMut,
}

impl WatchedStream {
    pub(super) fn new(stream: TcpStream, watch: Arc<Watch>) -> WatchedStream {
        WatchedStream { stream: stream.take(0), watch, again: BytesMut::new() }
    }

    pub(super) fn read_again(&mut self, bytes: BytesMut) {
        self.again = bytes;
    }

    pub(super) fn into_stream(self) -> TcpStream {
        self.stream.into_inner()
    }

    fn written(&self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &result {
            Poll::Pending => self.watch.write_blocked(),
            Poll::Ready(Ok(bytes)) => self.watch.bytes_written(*bytes),
            Poll::Ready(Err(_)) => {}
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
        if !self.again.is_empty() {
            let count = self.again.len().min(buffer.remaining());
            buffer.put_slice(&self.again.split_to(count));
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let limit = self.watch.read_limit();
        self.stream.set_limit(limit);
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = buffer.filled().len() - before;
        if read > 0 {
            self.watch.bytes_read(read);
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
        let result = Pin::new(self.stream.get_mut()).poll_write(context, bytes);
        self.written(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(self.stream.get_mut()).poll_write_vectored(context, slices);
        self.written(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.get_ref().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_shutdown(context)
    }
}
