//! One window's counts within one process.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Timestamp;

use super::Key;

/// Refused requests count too, so "the window holds its limit" means "the limit-th newest request
/// is inside the window": the newest `limit` times of a key say everything, however many there were.
#[derive(Debug)]
pub(crate) struct Memory {
    limit: usize,
    length: Duration,
    keys: Mutex<Keys>,
}

/// A key moves to `fresh` when it is used. Once in a window's length `fresh` becomes `stale`, and what
/// was `stale` goes: no request of those keys is inside the window any more. So keys that are not used
/// cost nothing but their memory, and that for two lengths at most.
#[derive(Debug)]
struct Keys {
    fresh: HashMap<Key, Ring>,
    stale: HashMap<Key, Ring>,
    turned: Timestamp,
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
    /// Names this request to `settle` and `remove`.
    pub(crate) number: u64,
    /// How many requests the window held before this one; from the limit on the number may be too low.
    pub(crate) before: usize,
    /// When the window will hold fewer than its limit, if it does not now.
    pub(super) free_at: Option<Timestamp>,
}

impl Memory {
    pub(crate) fn new(limit: usize, length: Duration) -> Memory {
        let keys = Keys {
            fresh: HashMap::new(),
            stale: HashMap::new(),
            turned: Timestamp::from_micros(0),
            next_number: 0,
        };
        Memory { limit, length, keys: Mutex::new(keys) }
    }

    pub(crate) fn count(&self, key: Key, now: Timestamp) -> Counted {
        let mut keys = self.lock();
        let gone = keys.turn(now, self.length);
        let number = keys.next_number;
        keys.next_number += 1;
        let ring = keys.freshen(key);
        ring.prune(self.limit, now.minus(self.length));
        let before = ring.requests.len();
        ring.requests.push_back(Request { number, at: now, settled: false });
        let free_at =
            ring.requests.iter().nth_back(self.limit - 1).map(|request| request.at.plus(self.length));
        drop(keys);
        drop(gone); // Many keys take a while, and nobody has to wait for that.
        Counted { number, before, free_at }
    }

    pub(crate) fn settle(&self, key: &Key, number: u64) {
        if let Some(ring) = self.lock().ring(key)
            && let Some(index) = ring.find(number)
        {
            ring.requests[index].settled = true;
            ring.settled += 1;
        }
    }

    pub(super) fn remove(&self, key: &Key, number: u64) {
        if let Some(ring) = self.lock().ring(key)
            && let Some(index) = ring.find(number)
        {
            ring.requests.remove(index);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keys {
    /// Turns the generations when it is time, and returns the one that goes.
    fn turn(&mut self, now: Timestamp, length: Duration) -> HashMap<Key, Ring> {
        if now.since(self.turned) < length {
            return HashMap::new();
        }
        self.turned = now;
        let fresh = mem::take(&mut self.fresh);
        mem::replace(&mut self.stale, fresh)
    }

    fn freshen(&mut self, key: Key) -> &mut Ring {
        let stale = &mut self.stale;
        self.fresh.entry(key).or_insert_with(|| stale.remove(&key).unwrap_or_default())
    }

    fn ring(&mut self, key: &Key) -> Option<&mut Ring> {
        self.fresh.get_mut(key).or_else(|| self.stale.get_mut(key))
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
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn key(number: u32) -> Key {
        Key::Ip(Ipv4Addr::from_bits(number).into())
    }

    fn second(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn a_flood_on_one_key_keeps_no_more_than_the_limit() {
        let memory = Memory::new(5, Duration::from_secs(60));
        for _ in 0..1000 {
            let counted = memory.count(key(1), second(100));
            memory.settle(&key(1), counted.number);
        }
        memory.count(key(1), second(100));
        assert_eq!(memory.lock().fresh[&key(1)].requests.len(), 6);
    }

    #[test]
    fn keys_that_are_not_used_any_more_go_within_two_lengths() {
        let memory = Memory::new(5, Duration::from_secs(60));
        for number in 0..1000 {
            memory.count(key(number), second(100));
        }
        for seconds in [160, 220] {
            memory.count(key(0), second(seconds));
        }
        let keys = memory.lock();
        assert_eq!((keys.fresh.len(), keys.stale.len()), (1, 0));
    }
}
