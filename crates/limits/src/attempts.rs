//! Password attempts at a gate: a protected site, or a person's password for the dashboard.
//!
//! An address has ten attempts per minute and gate. A botnet has many addresses, so a gate also has a budget: 60 attempts
//! per minute for all addresses together. The first three attempts of an address in an hour do not use the budget, so
//! that an attack does not lock out a visitor who knows the password.

use std::net::IpAddr;
use std::time::Duration;

use model::Timestamp;
use uuid::Uuid;

use crate::memory::MemoryWindow;
use crate::shared::{ATTEMPT, Shared, micros};
use crate::{Backend, Key};

const MINUTE: Duration = Duration::from_secs(60);
const ATTEMPTS_PER_ADDRESS: usize = 10;
const FIRST_ATTEMPTS: usize = 3;
const FIRST_ATTEMPTS_PERIOD: Duration = Duration::from_secs(3600);
const ATTEMPTS_PER_GATE: usize = 60;

pub struct PasswordAttempts {
    backend: Backend,
    of_address: MemoryWindow,
    first: MemoryWindow,
    of_gate: MemoryWindow,
}

impl PasswordAttempts {
    pub fn new(backend: Backend) -> PasswordAttempts {
        PasswordAttempts {
            backend,
            of_address: MemoryWindow::new(ATTEMPTS_PER_ADDRESS, MINUTE),
            first: MemoryWindow::new(FIRST_ATTEMPTS, FIRST_ATTEMPTS_PERIOD),
            of_gate: MemoryWindow::new(ATTEMPTS_PER_GATE, MINUTE),
        }
    }

    /// Counts an attempt of an address; `false`: there were too many.
    pub async fn admit(&self, address: IpAddr, gate: Uuid, now: Timestamp) -> bool {
        let (visitor, own) = self.admit_alone(address, gate, now);
        let all = match self.backend.shared() {
            Some(shared) => self.admit_in_redis(shared, visitor, gate, now).await,
            None => None,
        };
        all.unwrap_or(own)
    }

    /// By the counts of this process. Also returns the key that the visitor was counted under.
    fn admit_alone(&self, address: IpAddr, gate: Uuid, now: Timestamp) -> (Key, bool) {
        let counted = self.of_address.count(Key::Visitor(address, gate), now);
        let visitor = counted.key;
        if counted.before >= ATTEMPTS_PER_ADDRESS {
            return (visitor, false);
        }
        if self.first.count(Key::Visitor(address, gate), now).before < FIRST_ATTEMPTS {
            return (visitor, true);
        }
        let admitted = self.of_gate.count(Key::Gate(gate), now).before < ATTEMPTS_PER_GATE;
        if !admitted {
            // Refused attempts do not use the budget: an attack slows others down, but never locks a gate completely.
            self.of_gate.undo(&Key::Gate(gate), now);
        }
        (visitor, admitted)
    }

    async fn admit_in_redis(
        &self,
        shared: &Shared,
        visitor: Key,
        gate: Uuid,
        now: Timestamp,
    ) -> Option<bool> {
        let mut call = ATTEMPT.key(shared.key("attempts", visitor));
        call.key(shared.key("first-attempts", visitor)).key(shared.key("gate-attempts", Key::Gate(gate)));
        call.arg(shared.now(now));
        for window in [&self.of_address, &self.first, &self.of_gate] {
            call.arg(micros(window.length())).arg(window.limit());
        }
        shared.run(&call).await
    }
}

#[cfg(test)]
mod tests;
