//! Who may try a password, and when.
//!
//! An address has ten tries a minute and site. That alone would give a botnet as many as it has addresses, without end,
//! so a site has a budget as well: 60 tries a minute of all who have tried before. An address's first three tries in an
//! hour are not part of it, so that guessers who use the budget up do not lock out a visitor who knows the password.
//! Checks of one site run one after the other: guessing at one site makes only its own newcomers wait.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use model::{SiteId, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::{Key, Memory};

const MINUTE: Duration = Duration::from_secs(60);
const TRIES_OF_ADDRESS: usize = 10;
const FIRST_TRIES: usize = 3;
const FIRST_TRIES_IN: Duration = Duration::from_secs(3600);
const TRIES_OF_SITE: usize = 60;

/// Each takes a core for some ten milliseconds and 19 MB: readers must not wait for guessers.
const CHECKS_AT_ONCE: usize = 2;
const LONGEST_WAIT: Duration = Duration::from_secs(5);

pub(super) struct Tries {
    of_address: Memory,
    first: Memory,
    of_site: Memory,
    /// Those of which passwords are being checked.
    sites: Mutex<HashMap<SiteId, Weak<Semaphore>>>,
    checks: Arc<Semaphore>,
}

/// To be kept while a password is checked: the turn of its site, and one of all.
pub(super) type Turn = [OwnedSemaphorePermit; 2];

impl Tries {
    pub(super) fn new() -> Tries {
        Tries {
            of_address: Memory::new(TRIES_OF_ADDRESS, MINUTE),
            first: Memory::new(FIRST_TRIES, FIRST_TRIES_IN),
            of_site: Memory::new(TRIES_OF_SITE, MINUTE),
            sites: Mutex::default(),
            checks: Arc::new(Semaphore::new(CHECKS_AT_ONCE)),
        }
    }

    /// Counts a try of an address, as `client::limit_key` gives it; `false`: there were too many.
    pub(super) fn admits(&self, address: IpAddr, site: SiteId, now: Timestamp) -> bool {
        let visitor = Key::Visitor(address, site);
        if count(&self.of_address, visitor, now) >= TRIES_OF_ADDRESS {
            return false;
        }
        if count(&self.first, visitor, now) < FIRST_TRIES {
            return true;
        }
        let counted = self.of_site.count(Key::Site(site), now);
        let admitted = counted.before < TRIES_OF_SITE;
        match admitted {
            true => self.of_site.settle(&counted.key, counted.number),
            // Only what is admitted uses the budget up: it slows guessers down, but never closes the gate for good.
            false => self.of_site.remove(&counted.key, counted.number),
        }
        admitted
    }

    /// `None`: too many others are waiting.
    pub(super) async fn turn(&self, site: SiteId) -> Option<Turn> {
        let (own, all) = (self.turns_of(site), self.checks.clone());
        let both = async { Some([own.acquire_owned().await.ok()?, all.acquire_owned().await.ok()?]) };
        timeout(LONGEST_WAIT, both).await.ok()?
    }

    fn turns_of(&self, site: SiteId) -> Arc<Semaphore> {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = sites.get(&site).and_then(Weak::upgrade) {
            return turns;
        }
        sites.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Semaphore::new(1));
        sites.insert(site, Arc::downgrade(&turns));
        turns
    }
}

/// Counts a try that stays counted; returns how many there were before it.
fn count(memory: &Memory, key: Key, now: Timestamp) -> usize {
    let counted = memory.count(key, now);
    memory.settle(&counted.key, counted.number);
    counted.before
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(number: usize) -> IpAddr {
        Ipv4Addr::from_bits(number as u32).into()
    }

    fn second(seconds: i64) -> Timestamp {
        Timestamp::from_micros(1_000_000_000_000 + seconds * 1_000_000)
    }

    /// How many of so many tries of an address are admitted.
    fn admitted(tries: &Tries, number: usize, site: SiteId, seconds: i64, of: usize) -> usize {
        (0..of).filter(|_| tries.admits(address(number), site, second(seconds))).count()
    }

    #[test]
    fn an_address_has_ten_tries_a_minute_and_site() {
        let (tries, site, other) = (Tries::new(), SiteId::new(second(0)), SiteId::new(second(0)));
        assert_eq!(admitted(&tries, 1, site, 0, 20), 10);
        assert_eq!(admitted(&tries, 1, other, 0, 20), 10);
        assert_eq!(admitted(&tries, 1, site, 60, 20), 10);
    }

    #[test]
    fn a_botnet_has_sixty_tries_a_minute_beside_the_first_three_of_each_address() {
        let (tries, site) = (Tries::new(), SiteId::new(second(0)));
        let all: usize = (0..500).map(|number| admitted(&tries, number, site, 0, 10)).sum();
        assert_eq!(all, 500 * 3 + 60);
        for minute in 1..10 {
            let all: usize = (0..500).map(|number| admitted(&tries, number, site, minute * 60, 10)).sum();
            assert_eq!(all, 60);
        }
    }

    #[test]
    fn whoever_comes_during_a_flood_has_three_tries() {
        let (tries, site) = (Tries::new(), SiteId::new(second(0)));
        for number in 0..500 {
            admitted(&tries, number, site, 0, 10);
        }
        assert_eq!(admitted(&tries, 1000, site, 0, 4), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn guessing_at_one_site_does_not_make_another_wait() {
        let (tries, site, other) = (Tries::new(), SiteId::new(second(0)), SiteId::new(second(0)));
        let turn = tries.turn(site).await.expect("the first");
        let (again, meanwhile) = tokio::join!(tries.turn(site), tries.turn(other));
        assert!(again.is_none() && meanwhile.is_some());
        drop((turn, meanwhile));
        assert!(tries.turn(site).await.is_some());
        assert_eq!(tries.sites.lock().expect("no panic").len(), 1);
    }
}
