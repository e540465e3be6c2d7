//! Whose requests a window remembers: a bounded number of keys, however many there are in the world.
//!
//! Anybody may have more IPv6 networks than fit into memory, so these have a table of their own. While it is half full
//! at most, each /64 has a key. Beyond that, a network that is not known yet is counted with its whole /48, and in a
//! full table with all the others that are not known. So who floods with networks is soon counted as one, and only
//! newcomers whose /48 floods (or, in a full table, all newcomers) are counted with others.
//!
//! All other keys cannot be had for nothing: IPv4 addresses and accounts. When there are too many of them, those that
//! were not used for longest are forgotten early, which refuses nobody.

use std::collections::HashMap;
use std::mem;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use model::Timestamp;

use super::{Key, Ring};

#[derive(Debug)]
pub(super) struct Keys {
    exact: Table,
    networks: Table,
    /// Of each table.
    most: usize,
    turned: Timestamp,
}

/// A key moves to `fresh` when it is used. Once in a window's length `fresh` becomes `stale`, and what was `stale` goes:
/// no request of those keys is inside the window any more. So keys that are not used cost nothing but their memory, and
/// that for two lengths at most.
#[derive(Debug, Default)]
struct Table {
    fresh: HashMap<Key, Ring>,
    stale: HashMap<Key, Ring>,
}

impl Keys {
    pub(super) fn new(most: usize) -> Keys {
        Keys { exact: Table::default(), networks: Table::default(), most, turned: Timestamp::from_micros(0) }
    }

    /// Turns the generations when it is time, and returns those that go.
    pub(super) fn turn(&mut self, now: Timestamp, length: Duration) -> [HashMap<Key, Ring>; 2] {
        if now.since(self.turned) >= length {
            self.turned = now;
            return [self.exact.turn(), self.networks.turn()];
        }
        // Half of the table is fresh, so it could become full before its time.
        let full = self.exact.fresh.len() >= self.most / 2;
        [if full { self.exact.turn() } else { HashMap::new() }, HashMap::new()]
    }

    /// The requests to count this one with, and the key they have in common.
    pub(super) fn freshen(&mut self, key: Key) -> (Key, &mut Ring) {
        if !key.is_network() {
            return (key, self.exact.freshen(key));
        }
        let known = self.networks.len();
        let key = if known < self.most / 2 || self.networks.contains(&key) {
            key
        } else if known < self.most || self.networks.contains(&key.within(48)) {
            key.within(48)
        } else {
            key.within(0)
        };
        (key, self.networks.freshen(key))
    }

    pub(super) fn ring(&mut self, key: &Key) -> Option<&mut Ring> {
        if key.is_network() { self.networks.ring(key) } else { self.exact.ring(key) }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> (usize, usize) {
        (self.exact.len(), self.networks.len())
    }
}

impl Table {
    fn turn(&mut self) -> HashMap<Key, Ring> {
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

    fn contains(&self, key: &Key) -> bool {
        self.fresh.contains_key(key) || self.stale.contains_key(key)
    }

    fn len(&self) -> usize {
        self.fresh.len() + self.stale.len()
    }
}

impl Key {
    fn is_network(&self) -> bool {
        matches!(self, Key::Ip(IpAddr::V6(_)) | Key::Visitor(IpAddr::V6(_), _))
    }

    /// The network of so many bits that it is in.
    fn within(self, bits: u32) -> Key {
        let network = |address: Ipv6Addr| {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            IpAddr::from(Ipv6Addr::from_bits(address.to_bits() & mask))
        };
        match self {
            Key::Ip(IpAddr::V6(address)) => Key::Ip(network(address)),
            Key::Visitor(IpAddr::V6(address), site) => Key::Visitor(network(address), site),
            other => other,
        }
    }
}
