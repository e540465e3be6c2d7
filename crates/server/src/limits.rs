//! Rate limits: exact sliding windows over the requests of an address or account.

mod memory;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::{AccountId, SiteId, Timestamp};

use self::memory::Counted;
pub(crate) use self::memory::MemoryWindow;

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
}

/// Requests with the same key are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A result of `client::limit_key`.
    Ip(IpAddr),
    Account(AccountId),
    /// Password attempts of an address at a protected site.
    Visitor(IpAddr, SiteId),
    /// Password attempts of all addresses at a protected site.
    Site(SiteId),
}

/// The state of a window after counting a request.
#[derive(Debug)]
pub struct Count {
    pub limit: u32,
    pub remaining: u32,
    pub refused: bool,
    pub retry_after_seconds: u64,
    /// Keep it for as long as the request may still be uncounted with `Limiter::undo`.
    pub slot: Slot,
}

/// A counted request. Dropping this confirms the count.
#[derive(Debug)]
pub struct Slot {
    memory: Arc<MemoryWindow>,
    key: Key,
    number: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.memory.confirm(&self.key, self.number);
    }
}

pub struct Limiter {
    write: Arc<MemoryWindow>,
    heavy: Arc<MemoryWindow>,
    ip: Arc<MemoryWindow>,
}

impl Limiter {
    /// Counts within this process.
    pub fn memory() -> Limiter {
        let memory = |window: Window| Arc::new(MemoryWindow::new(window.limit() as usize, window.length()));
        Limiter { write: memory(Window::Write), heavy: memory(Window::Heavy), ip: memory(Window::Ip) }
    }

    /// Counts a request. Refused requests count too.
    pub async fn count(&self, window: Window, key: Key, now: Timestamp) -> Count {
        let memory = match window {
            Window::Write => &self.write,
            Window::Heavy => &self.heavy,
            Window::Ip => &self.ip,
        };
        let counted = memory.count(key, now);
        let limit = window.limit();
        let before = u32::try_from(counted.before).unwrap_or(u32::MAX);
        Count {
            limit,
            remaining: limit.saturating_sub(before.saturating_add(1)),
            refused: before >= limit,
            retry_after_seconds: retry_after_seconds(window, &counted, now),
            slot: Slot { memory: memory.clone(), key: counted.key, number: counted.number },
        }
    }

    /// Uncounts a request: it ended in a 5xx before authentication.
    pub async fn undo(&self, slot: Slot) {
        slot.memory.undo(&slot.key, slot.number);
    }
}

/// For the windows of a minute always 60; for the hourly one, the time until a slot is free.
fn retry_after_seconds(window: Window, counted: &Counted, now: Timestamp) -> u64 {
    match window {
        Window::Write | Window::Ip => 60,
        Window::Heavy => {
            let wait = counted.free_at.map_or(Duration::ZERO, |free_at| free_at.since(now));
            let started_seconds = wait.as_micros().div_ceil(1_000_000);
            u64::try_from(started_seconds).unwrap_or(u64::MAX).clamp(1, 3600)
        }
    }
}

#[cfg(test)]
mod tests;
