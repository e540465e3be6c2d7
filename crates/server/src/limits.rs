//! The rate limits: exact sliding windows over the requests of one address or account.

mod memory;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::{AccountId, SiteId, Timestamp};

use self::memory::Counted;
pub(crate) use self::memory::Memory;

/// "Rate limits" of the specification, line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// `POST /pages`, per account.
    Write,
    /// `POST /builds`, per account.
    Heavy,
    /// Every request to the API, per address.
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

/// Whose requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// As `client::limit_key` gives it.
    Ip(IpAddr),
    Account(AccountId),
    /// An address at the gate of a protected site.
    Visitor(IpAddr, SiteId),
    /// All addresses at it.
    Site(SiteId),
}

/// What a window says to a request, this request included.
#[derive(Debug)]
pub struct Count {
    pub limit: u32,
    pub remaining: u32,
    pub refused: bool,
    pub retry_after_seconds: u64,
    /// To be kept for as long as the request may still be given back.
    pub slot: Slot,
}

/// The place that a request takes in its window. Dropping it settles that the request counts.
#[derive(Debug)]
pub struct Slot {
    memory: Arc<Memory>,
    key: Key,
    number: u64,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.memory.settle(&self.key, self.number);
    }
}

pub struct Limiter {
    write: Arc<Memory>,
    heavy: Arc<Memory>,
    ip: Arc<Memory>,
}

impl Limiter {
    /// Counts within this process.
    pub fn memory() -> Limiter {
        let memory = |window: Window| Arc::new(Memory::new(window.limit() as usize, window.length()));
        Limiter { write: memory(Window::Write), heavy: memory(Window::Heavy), ip: memory(Window::Ip) }
    }

    /// Counts a request, also one that is refused.
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

    /// Makes it as if the request had never come: it ended in a 5xx before authentication.
    pub async fn give_back(&self, slot: Slot) {
        slot.memory.remove(&slot.key, slot.number);
    }
}

/// The per-minute windows always say a minute, the hourly one when a slot is free again.
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
