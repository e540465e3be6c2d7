//! Limits password attempts and checks. The checks of one site run one after the other: guessing at one site delays only
//! the visitors of that site.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use limits::{Backend, PasswordAttempts};
use model::{SiteId, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Each uses a core for some ten milliseconds and 19 MB: guessing must not slow down the server.
const CHECKS_AT_ONCE: usize = 2;
const MAX_WAIT: Duration = Duration::from_secs(5);

pub(super) struct Attempts {
    counts: PasswordAttempts,
    /// Sites with password checks that are running or waiting.
    sites: Mutex<HashMap<SiteId, Weak<Semaphore>>>,
    checks: Arc<Semaphore>,
}

/// Hold this while a password is checked: the site's permit and a global one.
pub(super) type Turn = [OwnedSemaphorePermit; 2];

impl Attempts {
    pub(super) fn new(limits: Backend) -> Attempts {
        Attempts {
            counts: PasswordAttempts::new(limits),
            sites: Mutex::default(),
            checks: Arc::new(Semaphore::new(CHECKS_AT_ONCE)),
        }
    }

    /// Counts an attempt of an address (a result of `client::limit_key`); `false`: there were too many.
    pub(super) async fn admit(&self, address: IpAddr, site: SiteId, now: Timestamp) -> bool {
        self.counts.admit(address, site.0, now).await
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn guessing_at_one_site_does_not_delay_another() {
        let start = Timestamp::from_micros(0);
        let (attempts, site, other) =
            (Attempts::new(Backend::Memory), SiteId::new(start), SiteId::new(start));
        let turn = attempts.turn(site).await.expect("the first");
        let (again, meanwhile) = tokio::join!(attempts.turn(site), attempts.turn(other));
        assert!(again.is_none() && meanwhile.is_some());
        drop((turn, meanwhile));
        assert!(attempts.turn(site).await.is_some());
        assert_eq!(attempts.sites.lock().expect("no panic").len(), 1);
    }
}
