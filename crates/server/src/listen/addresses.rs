//! Limits the open connections of each address, so that one client cannot use up all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use super::ListenLimits;

/// A household or a server often has a whole /56 or /48 of IPv6. All /64 networks of a /48 together may have this many
/// times the connections of a single /64.
const WIDE_NETWORK_FACTOR: usize = 4;

#[derive(Clone)]
pub(super) struct Addresses {
    limits: Arc<ListenLimits>,
    open: Arc<Mutex<HashMap<IpNet, usize>>>,
}

/// A counted connection. Dropping this uncounts it.
pub(super) struct ConnectionSlot {
    addresses: Addresses,
    networks: Vec<IpNet>,
}

impl Addresses {
    pub(super) fn new(limits: Arc<ListenLimits>) -> Addresses {
        Addresses { limits, open: Arc::default() }
    }

    /// `None`: the address has too many connections. Trusted proxies are not limited: their connections are those of
    /// their clients.
    pub(super) fn enter(&self, address: IpAddr) -> Option<ConnectionSlot> {
        let address = address.to_canonical();
        let trusted = self.limits.trusted_proxies.iter().any(|proxies| proxies.contains(&address));
        let networks = if trusted { Vec::new() } else { self.networks(address) };
        let mut open = self.lock();
        let is_below_limit =
            |(network, most): &(IpNet, usize)| open.get(network).is_none_or(|open| open < most);
        if !networks.iter().all(is_below_limit) {
            return None;
        }
        let networks: Vec<IpNet> = networks.into_iter().map(|(network, _)| network).collect();
        for network in &networks {
            *open.entry(*network).or_default() += 1;
        }
        Some(ConnectionSlot { addresses: self.clone(), networks })
    }

    /// The networks that an address is counted in, each with its limit.
    fn networks(&self, address: IpAddr) -> Vec<(IpNet, usize)> {
        let most = self.limits.max_connections_per_address;
        match address {
            IpAddr::V4(address) => vec![(Ipv4Net::from(address).into(), most)],
            IpAddr::V6(address) => {
                let network = |length| Ipv6Net::new_assert(address, length).trunc().into();
                vec![(network(64), most), (network(48), most.saturating_mul(WIDE_NETWORK_FACTOR))]
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpNet, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.addresses.lock();
        for network in &self.networks {
            if let Some(count) = open.get_mut(network) {
                *count -= 1;
                if *count == 0 {
                    open.remove(network);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(most: usize, trusted: &str) -> Addresses {
        Addresses::new(Arc::new(ListenLimits {
            max_connections_per_address: most,
            trusted_proxies: [trusted.parse().expect("a network")].into(),
            ..ListenLimits::default()
        }))
    }

    fn enter(addresses: &Addresses, address: &str) -> Option<ConnectionSlot> {
        addresses.enter(address.parse().expect("an address"))
    }

    #[test]
    fn closed_connections_are_uncounted_and_other_addresses_are_not_affected() {
        let addresses = addresses(2, "10.0.0.0/8");
        let (first, second) = (enter(&addresses, "192.0.2.1"), enter(&addresses, "::ffff:192.0.2.1"));
        assert!(first.is_some() && second.is_some() && enter(&addresses, "192.0.2.1").is_none());
        assert!(enter(&addresses, "192.0.2.2").is_some());
        drop(first);
        assert!(enter(&addresses, "192.0.2.1").is_some());
        drop(second);
        assert!(addresses.lock().is_empty());
    }

    #[test]
    fn ipv6_addresses_of_one_64_count_together_and_those_of_one_48_four_times_as_much() {
        let addresses = addresses(2, "10.0.0.0/8");
        let mut slots: Vec<ConnectionSlot> = Vec::new();
        for network in 0..4 {
            for host in 1..3 {
                slots.extend(enter(&addresses, &format!("2001:db8:1:{network}::{host}")));
            }
            assert!(enter(&addresses, &format!("2001:db8:1:{network}::3")).is_none());
        }
        assert_eq!(slots.len(), 8);
        assert!(enter(&addresses, "2001:db8:1:4::1").is_none());
        assert!(enter(&addresses, "2001:db8:2::1").is_some());
    }

    #[test]
    fn a_trusted_proxy_is_not_counted() {
        let addresses = addresses(1, "10.0.0.0/8");
        let places: Vec<_> = (0..10).map(|_| enter(&addresses, "10.0.0.1")).collect();
        assert!(places.iter().all(Option::is_some) && addresses.lock().is_empty());
    }
}
