//! Long work runs on threads with the lowest priority, so that it does not delay requests that need little.

use std::sync::LazyLock;

pub(crate) use priority::lower;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::task::AbortOnDropHandle;

static LOW: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().thread_name("recto-low").on_thread_start(lower);
    builder.build().expect("threads can be started")
});

/// Runs a whole future there. It ends when the returned one is dropped, and panics if it panics.
pub async fn run_low<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    match spawn_short(work).await {
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Work of some milliseconds at a time, on as many threads as there are processors.
pub(crate) fn spawn_short<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> AbortOnDropHandle<T> {
    AbortOnDropHandle::new(LOW.spawn(work))
}

/// The kernel lets a waking thread interrupt one of much lower priority at once, and others only after some milliseconds.
pub(crate) fn spawn_low<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    LOW.spawn_blocking(work)
}

/// Short work keeps its priority: a person waits for it.
pub(crate) fn spawn_by_length<T: Send + 'static>(
    is_long: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    if is_long { spawn_low(work) } else { spawn_blocking(work) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 19th field of the thread's `stat`, after the name in parentheses.
    fn nice() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields = stat.rsplit_once(')').unwrap().1;
        fields.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn only_long_work_has_the_lowest_priority() {
        let before = nice();
        assert!(before < 19, "the test runs at the lowest priority");
        assert_eq!(run_low(async { nice() }).await, 19);
        assert_eq!(spawn_short(async { nice() }).await.unwrap(), 19);
        assert_eq!(spawn_low(nice).await.unwrap(), 19);
        assert_eq!(spawn_by_length(true, nice).await.unwrap(), 19);
        assert_eq!(spawn_by_length(false, nice).await.unwrap(), before);
        assert_eq!(nice(), before);
    }
}
