//! Password attempts at protected sites.
//!
//! An address has ten attempts per minute and site. A botnet has many addresses, so a site also has a budget: 60 attempts
//! per minute for all addresses together. The first three attempts of an address in an hour do not use the budget, so
//! that an attack does not lock out a visitor who knows the password.

use std::net::IpAddr;
use std::time::Duration;

use model::{SiteId, Timestamp};

use crate::memory::MemoryWindow;
use crate::shared::{ATTEMPT, Shared, micros};
use crate::{Backend, Key};

const MINUTE: Duration = Duration::from_secs(60);
const ATTEMPTS_PER_ADDRESS: usize = 10;
const FIRST_ATTEMPTS: usize = 3;
const FIRST_ATTEMPTS_PERIOD: Duration = Duration::from_secs(3600);
const ATTEMPTS_PER_SITE: usize = 60;

pub struct PasswordAttempts {
    backend: Backend,
    of_address: MemoryWindow,
    first: MemoryWindow,
    of_site: MemoryWindow,
}

impl PasswordAttempts {
    pub fn new(backend: Backend) -> PasswordAttempts {
        PasswordAttempts {
            backend,
            of_address: MemoryWindow::new(ATTEMPTS_PER_ADDRESS, MINUTE),
            first: MemoryWindow::new(FIRST_ATTEMPTS, FIRST_ATTEMPTS_PERIOD),
            of_site: MemoryWindow::new(ATTEMPTS_PER_SITE, MINUTE),
        }
    }

    /// Counts an attempt of an address; `false`: there were too many.
    pub async fn admit(&self, address: IpAddr, site: SiteId, now: Timestamp) -> bool {
        let (visitor, own) = self.admit_alone(address, site, now);
        let all = match self.backend.shared() {
            Some(shared) => self.admit_in_redis(shared, visitor, site, now).await,
            None => None,
        };
        all.unwrap_or(own)
    }

    /// By the counts of this process. Also returns the key that the visitor was counted under.
    fn admit_alone(&self, address: IpAddr, site: SiteId, now: Timestamp) -> (Key, bool) {
        let counted = self.of_address.count(Key::Visitor(address, site), now);
        let visitor = counted.key;
        if counted.before >= ATTEMPTS_PER_ADDRESS {
            return (visitor, false);
        }
        if self.first.count(Key::Visitor(address, site), now).before < FIRST_ATTEMPTS {
            return (visitor, true);
        }
        let admitted = self.of_site.count(Key::Site(site), now).before < ATTEMPTS_PER_SITE;
        if !admitted {
            // Refused attempts do not use the budget: an attack slows others down, but never locks the site completely.
            self.of_site.undo(&Key::Site(site), now);
        }
        (visitor, admitted)
    }

    async fn admit_in_redis(
        &self,
        shared: &Shared,
        visitor: Key,
        site: SiteId,
        now: Timestamp,
    ) -> Option<bool> {
        let mut call = ATTEMPT.key(shared.key("attempts", visitor));
        call.key(shared.key("first-attempts", visitor)).key(shared.key("site-attempts", Key::Site(site)));
        call.arg(shared.now(now));
        for window in [&self.of_address, &self.first, &self.of_site] {
            call.arg(micros(window.length())).arg(window.limit());
        }
        shared.run(&call).await
    }
}

#[cfg(test)]
mod tests;
