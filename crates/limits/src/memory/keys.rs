//! The keys of a window. Their number is bounded.
//!
//! An attacker may have more IPv6 networks than fit into memory, so they have a separate table. While it is at most half
//! full, each /64 has its own key. Beyond that, a new network is counted together with its /48, and in a full table
//! together with all other new networks. So an attacker with many networks is soon counted as one client, and other
//! clients share its count only if they are new and in the same /48 (or, in a full table, if they are new).
//!
//! All other keys (IPv4 addresses, accounts) are not available in such numbers. If there are too many, those that were
//! unused for longest are dropped early. That never refuses a request by mistake.

use std::collections::HashMap;
use std::mem;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use model::Timestamp;

use super::Ring;
use crate::Key;

#[derive(Debug)]
pub(super) struct Keys {
    exact: Table,
    networks: Table,
    /// The most keys of each table.
    most: usize,
    rotated_at: Timestamp,
}

/// A key moves to `fresh` when it is used. Once per window length `fresh` becomes `stale` and the old `stale` is dropped,
/// because its keys have no requests in the window any more. So an unused key takes memory for at most two lengths.
#[derive(Debug, Default)]
struct Table {
    fresh: HashMap<Key, Ring>,
    stale: HashMap<Key, Ring>,
}

impl Keys {
    pub(super) fn new(most: usize) -> Keys {
        Keys {
            exact: Table::default(),
            networks: Table::default(),
            most,
            rotated_at: Timestamp::from_micros(0),
        }
    }

    /// Rotates the generations when it is time, and returns those that expired.
    pub(super) fn rotate(&mut self, now: Timestamp, length: Duration) -> [HashMap<Key, Ring>; 2] {
        if now.since(self.rotated_at) >= length {
            self.rotated_at = now;
            return [self.exact.rotate(), self.networks.rotate()];
        }
        // `fresh` fills half of the table: rotate early, before the table is full.
        let full = self.exact.fresh.len() >= self.most / 2;
        [if full { self.exact.rotate() } else { HashMap::new() }, HashMap::new()]
    }

    /// The key under which a request is counted, and the requests of that key.
    pub(super) fn touch(&mut self, key: Key) -> (Key, &mut Ring) {
        if !key.is_network() {
            return (key, self.exact.touch(key));
        }
        let known = self.networks.len();
        let key = if known < self.most / 2 || self.networks.contains(&key) {
            key
        } else if known < self.most || self.networks.contains(&key.network(48)) {
            key.network(48)
        } else {
            key.network(0)
        };
        (key, self.networks.touch(key))
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
    fn rotate(&mut self) -> HashMap<Key, Ring> {
        let fresh = mem::take(&mut self.fresh);
        mem::replace(&mut self.stale, fresh)
    }

    fn touch(&mut self, key: Key) -> &mut Ring {
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

    /// Its network with a prefix of this length.
    fn network(self, bits: u32) -> Key {
        let prefix_of = |address: Ipv6Addr| {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            IpAddr::from(Ipv6Addr::from_bits(address.to_bits() & mask))
        };
        match self {
            Key::Ip(IpAddr::V6(address)) => Key::Ip(prefix_of(address)),
            Key::Visitor(IpAddr::V6(address), site) => Key::Visitor(prefix_of(address), site),
            other => other,
        }
    }
}
