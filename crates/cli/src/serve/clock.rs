//! One time for all servers of a PostgreSQL database: its own. A machine with a wrong clock would otherwise date pages in
//! the future, where the others do not show them yet.

use std::sync::atomic::{AtomicI64, Ordering};

use model::{Clock, SystemClock, Timestamp};
use publisher::{Error, Publisher};

/// From here on the operator should know.
const WORTH_A_WARNING_SECONDS: i64 = 5;
const SECOND: i64 = 1_000_000;

/// This machine's clock, corrected by how far the database's is ahead. It never goes backwards.
#[derive(Default)]
pub(super) struct DatabaseClock {
    ahead_micros: AtomicI64,
    latest_micros: AtomicI64,
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let now = SystemClock.now().micros() + self.ahead_micros.load(Ordering::Acquire);
        Timestamp::from_micros(self.latest_micros.fetch_max(now, Ordering::AcqRel).max(now))
    }
}

impl DatabaseClock {
    /// Looks at the database's clock. With SQLite that is the machine's own.
    pub(super) async fn correct(&self, publisher: &Publisher) -> Result<(), Error> {
        let before = SystemClock.now();
        let there = publisher.database_time(before).await?;
        if there == before {
            return Ok(());
        }
        let after = SystemClock.now();
        let ahead = there.micros() - (before.micros() + after.micros()) / 2;
        let known = self.ahead_micros.swap(ahead, Ordering::AcqRel);
        if (ahead - known).abs() > WORTH_A_WARNING_SECONDS * SECOND {
            let seconds = ahead / SECOND;
            tracing::warn!(seconds, "the database's clock is ahead of this machine's; its time is used");
        }
        Ok(())
    }
}
