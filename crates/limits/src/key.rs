//! Whose requests are counted together.

use std::fmt;
use std::net::IpAddr;

use model::AccountId;
use uuid::Uuid;

/// Requests with the same key are counted together. An IPv6 address stands for its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    Ip(IpAddr),
    Account(AccountId),
    /// Password attempts of an address at a protected site, or at a person's password.
    Visitor(IpAddr, Uuid),
    /// Password attempts of all addresses there.
    Gate(Uuid),
}

/// As a part of a key in Redis.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Ip(address) => write!(f, "{address}"),
            Key::Account(account) => write!(f, "{account}"),
            Key::Visitor(address, gate) => write!(f, "{gate}:{address}"),
            Key::Gate(gate) => write!(f, "{gate}"),
        }
    }
}
