//! Resolves the names of domains.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::AccountId;
use publisher::{Turns, is_public};
use tokio::net::lookup_host;
use tokio::time::timeout;

/// Each occupies a thread until the name servers answer.
const AT_ONCE: usize = 4;
const DEADLINE: Duration = Duration::from_secs(4);

/// The lookups that run. Accounts take turns.
pub(crate) fn lookups() -> Arc<Turns> {
    Turns::new(AT_ONCE)
}

/// What the name servers know of a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Addresses(BTreeSet<IpAddr>),
    /// There is no such name, or it has no address.
    Nothing,
    NoAnswer,
}

impl Found {
    /// An address that both names have.
    pub(super) fn common(&self, other: &Found) -> Option<IpAddr> {
        match (self, other) {
            (Found::Addresses(own), Found::Addresses(others)) => own.intersection(others).next().copied(),
            _ => None,
        }
    }
}

pub(super) async fn resolve(lookups: &Arc<Turns>, account: AccountId, host: &str) -> Found {
    let host = host.to_owned();
    let lookup = async {
        let place = lookups.take(account).await;
        // In a task of its own: after the deadline, the place is occupied for as long as the thread is.
        let lookup = tokio::spawn(async move {
            let found = lookup_host((host, 443)).await;
            drop(place);
            found
        });
        lookup.await
    };
    match timeout(DEADLINE, lookup).await {
        Ok(Ok(Ok(found))) => {
            let found: BTreeSet<IpAddr> = found.map(|address| address.ip().to_canonical()).collect();
            if found.is_empty() { Found::Nothing } else { Found::Addresses(found) }
        }
        Ok(Ok(Err(_))) => Found::Nothing,
        Ok(Err(_)) | Err(_) => Found::NoAnswer,
    }
}

/// For a person. `expected` is what the name servers know of `target`, an address of this server.
pub(super) fn describe(found: &Found, expected: &Found, target: &str) -> String {
    let found = match found {
        Found::Addresses(found) => found,
        Found::Nothing => {
            return format!(
                "No address was found. Add a CNAME record that points to {target}, or A and AAAA records with the \
                 addresses of the server. A new record may take some hours."
            );
        }
        Found::NoAnswer => return "The name servers did not answer in time. Try again later.".to_owned(),
    };
    let Found::Addresses(expected) = expected else {
        return format!("It points to {}. The address of this server ({target}) is not known.", list(found));
    };
    match found.is_disjoint(expected) {
        false => format!("It points to this server: {}.", list(found)),
        true => format!(
            "It points to {}, and {target} to {}. That is right only if a proxy or a content delivery network is in \
             between.",
            list(found),
            list(expected)
        ),
    }
}

/// Private addresses are not shown: they would describe the network of the server to others.
fn list(addresses: &BTreeSet<IpAddr>) -> String {
    let text =
        |address: &IpAddr| if is_public(*address) { address.to_string() } else { "a private address".into() };
    let mut texts: Vec<String> = addresses.iter().map(text).collect();
    texts.dedup();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn found(addresses: &[&str]) -> Found {
        Found::Addresses(addresses.iter().map(|address| address.parse().expect("an address")).collect())
    }

    #[test]
    fn what_a_name_points_to_is_said_plainly() {
        let here = found(&["9.9.9.1", "2620:fe::1"]);
        let check = |seen: Found, expected: &Found, text: &str| {
            assert_eq!(describe(&seen, expected, "books.example.com"), text);
        };
        check(found(&["2620:fe::1"]), &here, "It points to this server: 2620:fe::1.");
        check(
            found(&["9.9.9.9"]),
            &here,
            "It points to 9.9.9.9, and books.example.com to 9.9.9.1, 2620:fe::1. That is right only if a proxy or a \
             content delivery network is in between.",
        );
        check(
            found(&["9.9.9.9"]),
            &Found::Nothing,
            "It points to 9.9.9.9. The address of this server (books.example.com) is not known.",
        );
        check(Found::NoAnswer, &here, "The name servers did not answer in time. Try again later.");
        assert!(
            describe(&Found::Nothing, &here, "a.b").starts_with("No address was found. Add a CNAME record")
        );
    }

    #[test]
    fn only_an_address_of_both_names_is_common() {
        let here = found(&["9.9.9.1", "2620:fe::1"]);
        assert_eq!(found(&["9.9.9.9", "2620:fe::1"]).common(&here), "2620:fe::1".parse().ok());
        assert_eq!(found(&["9.9.9.9", "127.0.0.1"]).common(&here), None);
        assert_eq!(found(&["9.9.9.9"]).common(&Found::NoAnswer), None);
    }

    #[test]
    fn addresses_of_private_networks_are_not_shown() {
        let private =
            ["10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "::1", "fd00::1"];
        let text = describe(&found(&private), &Found::Nothing, "a.b");
        assert_eq!(text, "It points to a private address. The address of this server (a.b) is not known.");
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_resolved() {
        let account = AccountId(Uuid::nil());
        let Found::Addresses(addresses) = resolve(&lookups(), account, "localhost").await else {
            panic!("localhost has an address");
        };
        assert!(addresses.iter().all(IpAddr::is_loopback), "{addresses:?}");
    }

    #[tokio::test]
    async fn an_account_whose_lookups_hang_leaves_a_place_for_others() {
        let (lookups, [busy, other]) = (lookups(), [1, 2].map(|number| AccountId(Uuid::from_u128(number))));
        let mut held = Vec::new();
        while let Ok(place) = timeout(Duration::from_millis(50), lookups.take(busy)).await {
            held.push(place);
        }
        assert!(matches!(resolve(&lookups, other, "localhost").await, Found::Addresses(_)));
    }
}
