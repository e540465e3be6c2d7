//! One window's counts within one process.

mod keys;

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Timestamp;

use self::keys::Keys;
use super::Key;

/// Some hundred bytes each, as long as each has few requests.
const MOST_KEYS: usize = 100_000;

/// Refused requests count too, so "the window holds its limit" means "the limit-th newest request
/// is inside the window": the newest `limit` times of a key say everything, however many there were.
#[derive(Debug)]
pub(crate) struct Memory {
    limit: usize,
    length: Duration,
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    keys: Keys,
    next_number: u64,
}

/// Requests in the order they came. Those that may still be given back stand beside the newest
/// `limit` that may not; there are as many of them as requests being answered.
#[derive(Debug, Default)]
struct Ring {
    requests: VecDeque<Request>,
    settled: usize,
}

#[derive(Debug)]
struct Request {
    number: u64,
    at: Timestamp,
    settled: bool,
}

pub(crate) struct Counted {
    /// What the request was counted under; together with its number it names the request to `settle` and `remove`.
    pub(crate) key: Key,
    pub(crate) number: u64,
    /// How many requests the window held before this one; from the limit on the number may be too low.
    pub(crate) before: usize,
    /// When the window will hold fewer than its limit, if it does not now.
    pub(super) free_at: Option<Timestamp>,
}

impl Memory {
    pub(crate) fn new(limit: usize, length: Duration) -> Memory {
        Memory::remembering(MOST_KEYS, limit, length)
    }

    fn remembering(most_keys: usize, limit: usize, length: Duration) -> Memory {
        let counts = Counts { keys: Keys::new(most_keys), next_number: 0 };
        Memory { limit, length, counts: Mutex::new(counts) }
    }

    pub(crate) fn count(&self, key: Key, now: Timestamp) -> Counted {
        let mut counts = self.lock();
        let gone = counts.keys.turn(now, self.length);
        let number = counts.next_number;
        counts.next_number += 1;
        let (key, ring) = counts.keys.freshen(key);
        ring.prune(self.limit, now.minus(self.length));
        let before = ring.requests.len();
        ring.requests.push_back(Request { number, at: now, settled: false });
        let free_at =
            ring.requests.iter().nth_back(self.limit - 1).map(|request| request.at.plus(self.length));
        drop(counts);
        drop(gone); // Many keys take a while, and nobody has to wait for that.
        Counted { key, number, before, free_at }
    }

    pub(crate) fn settle(&self, key: &Key, number: u64) {
        if let Some(ring) = self.lock().keys.ring(key)
            && let Some(index) = ring.find(number)
        {
            ring.requests[index].settled = true;
            ring.settled += 1;
        }
    }

    pub(crate) fn remove(&self, key: &Key, number: u64) {
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
    /// Drops what no count can need: what has left the window, and what is older than `limit`
    /// requests that are there to stay.
    fn prune(&mut self, limit: usize, left: Timestamp) {
        while let Some(oldest) = self.requests.front() {
            let settled_behind = self.settled - usize::from(oldest.settled);
            if oldest.at > left && settled_behind < limit {
                return;
            }
            self.settled = settled_behind;
            self.requests.pop_front();
        }
    }

    fn find(&self, number: u64) -> Option<usize> {
        self.requests.binary_search_by_key(&number, |request| request.number).ok()
    }
}

#[cfg(test)]
mod tests;
