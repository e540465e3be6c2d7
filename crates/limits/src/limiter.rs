//! Rate limits: exact sliding windows over the requests of an address or account.

use std::time::Duration;

use model::Timestamp;

use crate::memory::{MemoryWindow, OwnCount};
use crate::shared::{COUNT, Shared, UNDO, micros};
use crate::{Backend, Key};

/// The rate limits of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// `POST /pages`, per account.
    Write,
    /// `POST /builds`, per account.
    Heavy,
    /// Every API request, per address.
    Ip,
}

impl Window {
    pub fn limit(self) -> u32 {
        match self {
            Window::Write => 60,
            Window::Heavy => 20,
            Window::Ip => 120,
        }
    }

    pub fn length(self) -> Duration {
        match self {
            Window::Write | Window::Ip => Duration::from_secs(60),
            Window::Heavy => Duration::from_secs(3600),
        }
    }

    /// A part of its keys in Redis.
    fn name(self) -> &'static str {
        match self {
            Window::Write => "write",
            Window::Heavy => "heavy",
            Window::Ip => "ip",
        }
    }
}

/// The state of a window after counting a request.
#[derive(Debug)]
pub struct Count {
    pub limit: u32,
    pub remaining: u32,
    pub refused: bool,
    pub retry_after_seconds: u64,
    /// For `Limiter::undo`.
    pub counted: Counted,
}

/// A counted request.
#[derive(Debug)]
pub struct Counted {
    window: Window,
    key: Key,
    at: Timestamp,
    /// The name of the key in Redis, and the time there.
    shared: Option<(String, i64)>,
}

pub struct Limiter {
    backend: Backend,
    write: MemoryWindow,
    heavy: MemoryWindow,
    ip: MemoryWindow,
}

impl Limiter {
    pub fn new(backend: Backend) -> Limiter {
        let memory = |window: Window| MemoryWindow::new(window.limit() as usize, window.length());
        Limiter {
            backend,
            write: memory(Window::Write),
            heavy: memory(Window::Heavy),
            ip: memory(Window::Ip),
        }
    }

    pub fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Counts a request. Refused requests count too.
    pub async fn count(&self, window: Window, key: Key, now: Timestamp) -> Count {
        // Its key is also the one in Redis, so that the number of keys is bounded there, too.
        let OwnCount { key, before, free_in } = self.memory(window).count(key, now);
        let mut counted = Counted { window, key, at: now, shared: None };
        let mut state = (before, free_in);
        if let Some(shared) = self.backend.shared() {
            let name = shared.key(window.name(), key);
            if let Some((at, before, free_in)) = count_in_redis(shared, &name, window, now).await {
                counted.shared = Some((name, at));
                state = (before, free_in);
            }
        }
        let (before, free_in) = state;
        let (limit, before) = (window.limit(), u32::try_from(before).unwrap_or(u32::MAX));
        Count {
            limit,
            remaining: limit.saturating_sub(before.saturating_add(1)),
            refused: before >= limit,
            retry_after_seconds: retry_after_seconds(window, free_in),
            counted,
        }
    }

    /// Uncounts a request that was let through: it ended in a 5xx before authentication.
    pub async fn undo(&self, counted: Counted) {
        self.memory(counted.window).undo(&counted.key, counted.at);
        if let (Some(shared), Some((name, at))) = (self.backend.shared(), counted.shared) {
            // If this fails, the request leaves the window a minute later.
            let _: Option<()> = shared.run(UNDO.key(name).arg(at)).await;
        }
    }

    fn memory(&self, window: Window) -> &MemoryWindow {
        match window {
            Window::Write => &self.write,
            Window::Heavy => &self.heavy,
            Window::Ip => &self.ip,
        }
    }
}

/// The time there, the number of requests before this one, and the time until the window is below its limit.
async fn count_in_redis(
    shared: &Shared,
    name: &str,
    window: Window,
    now: Timestamp,
) -> Option<(i64, usize, Duration)> {
    let mut call = COUNT.key(name);
    call.arg(shared.now(now)).arg(micros(window.length())).arg(window.limit());
    let (at, before, free_in): (i64, usize, u64) = shared.run(&call).await?;
    Some((at, before, Duration::from_micros(free_in)))
}

/// For the windows of a minute always 60; for the hourly one, the time until a slot is free.
fn retry_after_seconds(window: Window, free_in: Duration) -> u64 {
    match window {
        Window::Write | Window::Ip => 60,
        Window::Heavy => seconds_begun(free_in).clamp(1, 3600),
    }
}

/// Rounded up.
pub(crate) fn seconds_begun(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
