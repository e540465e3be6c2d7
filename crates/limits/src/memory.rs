//! A sliding window whose counts are in this process's memory.

mod keys;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Timestamp;

use self::keys::Keys;
use crate::Key;

/// Each takes some hundred bytes while it has few requests.
const MAX_KEYS: usize = 100_000;

/// Refused requests count too, so the limit is reached exactly if the limit-th newest request is inside the window: only
/// the newest `limit` times of a key are needed. Requests that were let through may be undone, and at most `limit` of
/// these are inside the window: of the newest `2 * limit` requests, at least `limit` always remain.
#[derive(Debug)]
pub(crate) struct MemoryWindow {
    limit: usize,
    length: Duration,
    keys: Mutex<Keys>,
}

/// The times of the newest requests of a key, oldest first.
type Ring = VecDeque<Timestamp>;

pub(crate) struct OwnCount {
    /// The key that the request was counted under.
    pub(crate) key: Key,
    /// How many requests were in the window before this one. Above the limit the number may be too low.
    pub(crate) before: usize,
    /// The time until the window is below its limit again; zero if it is now.
    pub(crate) free_in: Duration,
}

impl MemoryWindow {
    pub(crate) fn new(limit: usize, length: Duration) -> MemoryWindow {
        MemoryWindow::with_max_keys(MAX_KEYS, limit, length)
    }

    fn with_max_keys(max_keys: usize, limit: usize, length: Duration) -> MemoryWindow {
        MemoryWindow { limit, length, keys: Mutex::new(Keys::new(max_keys)) }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn length(&self) -> Duration {
        self.length
    }

    pub(crate) fn count(&self, key: Key, now: Timestamp) -> OwnCount {
        let mut keys = self.lock();
        let expired = keys.rotate(now, self.length);
        let (key, ring) = keys.touch(key);
        let start = now.minus(self.length);
        while ring.front().is_some_and(|oldest| *oldest <= start) {
            ring.pop_front();
        }
        let before = ring.len();
        ring.push_back(now);
        if ring.len() > 2 * self.limit {
            ring.pop_front();
        }
        let limiting = ring.iter().nth_back(self.limit - 1);
        let free_in = limiting.map_or(Duration::ZERO, |at| at.plus(self.length).since(now));
        drop(keys);
        // Dropping many keys takes a while, so it happens after the lock is released.
        drop(expired);
        OwnCount { key, before, free_in }
    }

    /// Uncounts a request that was let through. Requests of the same time are interchangeable.
    pub(crate) fn undo(&self, key: &Key, at: Timestamp) {
        if let Some(ring) = self.lock().ring(key)
            && let Some(index) = ring.iter().rposition(|other| *other == at)
        {
            ring.remove(index);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
