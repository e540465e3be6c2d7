//! Limits password attempts.
//!
//! An address has ten attempts per minute and site. A botnet has many addresses, so a site also has a budget: 60 attempts
//! per minute for all addresses together. The first three attempts of an address in an hour do not use the budget, so
//! that an attack does not lock out a visitor who knows the password. The checks of one site run one after the other:
//! guessing at one site delays only the visitors of that site.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use model::{SiteId, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::{Key, MemoryWindow};

const MINUTE: Duration = Duration::from_secs(60);
const ATTEMPTS_PER_ADDRESS: usize = 10;
const FIRST_ATTEMPTS: usize = 3;
const FIRST_ATTEMPTS_PERIOD: Duration = Duration::from_secs(3600);
const ATTEMPTS_PER_SITE: usize = 60;

/// Each uses a core for some ten milliseconds and 19 MB: guessing must not slow down the server.
const CHECKS_AT_ONCE: usize = 2;
const MAX_WAIT: Duration = Duration::from_secs(5);

pub(super) struct Attempts {
    of_address: MemoryWindow,
    first: MemoryWindow,
    of_site: MemoryWindow,
    /// Sites with password checks that are running or waiting.
    sites: Mutex<HashMap<SiteId, Weak<Semaphore>>>,
    checks: Arc<Semaphore>,
}

/// Hold this while a password is checked: the site's permit and a global one.
pub(super) type Turn = [OwnedSemaphorePermit; 2];

impl Attempts {
    pub(super) fn new() -> Attempts {
        Attempts {
            of_address: MemoryWindow::new(ATTEMPTS_PER_ADDRESS, MINUTE),
            first: MemoryWindow::new(FIRST_ATTEMPTS, FIRST_ATTEMPTS_PERIOD),
            of_site: MemoryWindow::new(ATTEMPTS_PER_SITE, MINUTE),
            sites: Mutex::default(),
            checks: Arc::new(Semaphore::new(CHECKS_AT_ONCE)),
        }
    }

    /// Counts an attempt of an address (a result of `client::limit_key`); `false`: there were too many.
    pub(super) fn admits(&self, address: IpAddr, site: SiteId, now: Timestamp) -> bool {
        let visitor = Key::Visitor(address, site);
        if count(&self.of_address, visitor, now) >= ATTEMPTS_PER_ADDRESS {
            return false;
        }
        if count(&self.first, visitor, now) < FIRST_ATTEMPTS {
            return true;
        }
        let counted = self.of_site.count(Key::Site(site), now);
        let admitted = counted.before < ATTEMPTS_PER_SITE;
        match admitted {
            true => self.of_site.confirm(&counted.key, counted.number),
            // Refused attempts do not use the budget: an attack slows others down, but never locks the site completely.
            false => self.of_site.undo(&counted.key, counted.number),
        }
        admitted
    }

    /// `None`: too many others are waiting.
    pub(super) async fn turn(&self, site: SiteId) -> Option<Turn> {
        let (own, all) = (self.turns_of(site), self.checks.clone());
        let both = async { Some([own.acquire_owned().await.ok()?, all.acquire_owned().await.ok()?]) };
        timeout(MAX_WAIT, both).await.ok()?
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

/// Counts an attempt, and returns how many there were before it.
fn count(memory: &MemoryWindow, key: Key, now: Timestamp) -> usize {
    let counted = memory.count(key, now);
    memory.confirm(&counted.key, counted.number);
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

    /// How many of `of` attempts of an address are admitted.
    fn admitted(attempts: &Attempts, number: usize, site: SiteId, seconds: i64, of: usize) -> usize {
        (0..of).filter(|_| attempts.admits(address(number), site, second(seconds))).count()
    }

    #[test]
    fn an_address_has_ten_attempts_per_minute_and_site() {
        let (attempts, site, other) = (Attempts::new(), SiteId::new(second(0)), SiteId::new(second(0)));
        assert_eq!(admitted(&attempts, 1, site, 0, 20), 10);
        assert_eq!(admitted(&attempts, 1, other, 0, 20), 10);
        assert_eq!(admitted(&attempts, 1, site, 60, 20), 10);
    }

    #[test]
    fn a_botnet_has_sixty_attempts_per_minute_besides_the_first_three_of_each_address() {
        let (attempts, site) = (Attempts::new(), SiteId::new(second(0)));
        let all: usize = (0..500).map(|number| admitted(&attempts, number, site, 0, 10)).sum();
        assert_eq!(all, 500 * 3 + 60);
        for minute in 1..10 {
            let all: usize = (0..500).map(|number| admitted(&attempts, number, site, minute * 60, 10)).sum();
            assert_eq!(all, 60);
        }
    }

    #[test]
    fn a_new_visitor_has_three_attempts_during_an_attack() {
        let (attempts, site) = (Attempts::new(), SiteId::new(second(0)));
        for number in 0..500 {
            admitted(&attempts, number, site, 0, 10);
        }
        assert_eq!(admitted(&attempts, 1000, site, 0, 4), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn guessing_at_one_site_does_not_delay_another() {
        let (attempts, site, other) = (Attempts::new(), SiteId::new(second(0)), SiteId::new(second(0)));
        let turn = attempts.turn(site).await.expect("the first");
        let (again, meanwhile) = tokio::join!(attempts.turn(site), attempts.turn(other));
        assert!(again.is_none() && meanwhile.is_some());
        drop((turn, meanwhile));
        assert!(attempts.turn(site).await.is_some());
        assert_eq!(attempts.sites.lock().expect("no panic").len(), 1);
    }
}
