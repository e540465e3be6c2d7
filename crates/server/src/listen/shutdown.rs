//! Lets connections know that the server stops. Asking whether it does is an atomic read: that happens for every request.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

#[derive(Default)]
pub(super) struct Shutdown {
    begun: AtomicBool,
    notify: Notify,
}

impl Shutdown {
    pub(super) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.notify.notify_waiters();
    }

    pub(super) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Wakes the task that has polled this once, when the shutdown begins. To be made before the first `has_begun`.
    pub(super) fn woken(&self) -> Notified<'_> {
        self.notify.notified()
    }
}
