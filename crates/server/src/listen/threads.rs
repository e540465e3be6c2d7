//! Threads that each serve connections of their own, so that nothing is passed between processors for a request.

use std::future::pending;
use std::io;
use std::thread;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinSet;

/// They run as long as the process. Without any, connections are served by the runtime that accepts them.
#[derive(Default)]
pub struct Threads {
    handles: Vec<Handle>,
    next: usize,
}

impl Threads {
    /// `blocking`: how many further threads each of them may start, for reading files and for compression.
    pub fn start(name: &str, count: usize, blocking: usize) -> io::Result<Threads> {
        let start = |_| {
            let mut builder = Builder::new_current_thread();
            let runtime = builder.enable_all().thread_name(name).max_blocking_threads(blocking).build()?;
            let handle = runtime.handle().clone();
            thread::Builder::new().name(name.to_owned()).spawn(move || runtime.block_on(pending::<()>()))?;
            Ok(handle)
        };
        Ok(Threads { handles: (0..count).map(start).collect::<io::Result<_>>()?, next: 0 })
    }

    /// Serves a connection. The threads take turns.
    pub(super) fn spawn<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        connections: &mut JoinSet<()>,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) -> F + Send + 'static,
    ) -> io::Result<()> {
        let Some(thread) = self.handles.get(self.next) else {
            connections.spawn(serve(stream));
            return Ok(());
        };
        self.next = (self.next + 1) % self.handles.len();
        // Each runtime waits for its own connections.
        let stream = stream.into_std()?;
        let serve = async move {
            if let Ok(stream) = TcpStream::from_std(stream) {
                serve(stream).await;
            }
        };
        connections.spawn_on(serve, thread);
        Ok(())
    }
}
