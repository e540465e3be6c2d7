//! A sliding window whose counts are in this process's memory.

mod keys;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Timestamp;

use self::keys::Keys;
use super::Key;

/// Each takes some hundred bytes while it has few requests.
const MAX_KEYS: usize = 100_000;

/// Refused requests count too, so the limit is reached exactly if the limit-th newest request is inside the window: only
/// the newest `limit` times of a key are needed.
#[derive(Debug)]
pub(crate) struct MemoryWindow {
    limit: usize,
    length: Duration,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    keys: Keys,
    next_number: u64,
}

/// The requests of a key, oldest first: the newest `limit` confirmed ones, and those that may still be undone, which are
/// requests that are being processed.
#[derive(Debug, Default)]
struct Ring {
    requests: VecDeque<Request>,
    confirmed: usize,
}

#[derive(Debug)]
struct Request {
    number: u64,
    at: Timestamp,
    confirmed: bool,
}

pub(crate) struct Counted {
    /// The key that the request was counted under. With `number` it identifies the request for `confirm` and `undo`.
    pub(crate) key: Key,
    pub(crate) number: u64,
    /// How many requests were in the window before this one. At or above the limit the number may be too low.
    pub(crate) before: usize,
    /// When the window will be below its limit again, if it is not now.
    pub(super) free_at: Option<Timestamp>,
}

impl MemoryWindow {
    pub(crate) fn new(limit: usize, length: Duration) -> MemoryWindow {
        MemoryWindow::with_max_keys(MAX_KEYS, limit, length)
    }

    fn with_max_keys(max_keys: usize, limit: usize, length: Duration) -> MemoryWindow {
        let counts = Counts { keys: Keys::new(max_keys), next_number: 0 };
        MemoryWindow { limit, length, counts: Mutex::new(counts) }
    }

    pub(crate) fn count(&self, key: Key, now: Timestamp) -> Counted {
        let mut counts = self.lock();
        let expired = counts.keys.rotate(now, self.length);
        let number = counts.next_number;
        counts.next_number += 1;
        let (key, ring) = counts.keys.touch(key);
        ring.prune(self.limit, now.minus(self.length));
        let before = ring.requests.len();
        ring.requests.push_back(Request { number, at: now, confirmed: false });
        let free_at =
            ring.requests.iter().nth_back(self.limit - 1).map(|request| request.at.plus(self.length));
        drop(counts);
        // Dropping many keys takes a while, so it happens after the lock is released.
        drop(expired);
        Counted { key, number, before, free_at }
    }

    pub(crate) fn confirm(&self, key: &Key, number: u64) {
        if let Some(ring) = self.lock().keys.ring(key)
            && let Some(index) = ring.find(number)
        {
            ring.requests[index].confirmed = true;
            ring.confirmed += 1;
        }
    }

    pub(crate) fn undo(&self, key: &Key, number: u64) {
        if let Some(ring) = self.lock().keys.ring(key)
            && let Some(index) = ring.find(number)
        {
            ring.requests.remove(index);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    /// Drops requests that are no longer needed: those before `start`, the beginning of the window, and those older than
    /// the newest `limit` confirmed requests.
    fn prune(&mut self, limit: usize, start: Timestamp) {
        while let Some(oldest) = self.requests.front() {
            let confirmed_after = self.confirmed - usize::from(oldest.confirmed);
            if oldest.at > start && confirmed_after < limit {
                return;
            }
            self.confirmed = confirmed_after;
            self.requests.pop_front();
        }
    }

    fn find(&self, number: u64) -> Option<usize> {
        self.requests.binary_search_by_key(&number, |request| request.number).ok()
    }
}

#[cfg(test)]
mod tests;
