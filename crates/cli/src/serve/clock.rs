//! One time for all servers of a PostgreSQL database: its own. A machine with a wrong clock would otherwise date pages in
//! the future, where the others do not show them yet.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::{Clock, SystemClock, Timestamp};
use publisher::{Error, Publisher};

/// From here on the operator should know.
const WORTH_A_WARNING: Duration = Duration::from_secs(5);
/// A reading that took longer says little.
const LONGEST_READING: Duration = Duration::from_secs(1);

/// The database's time at its last reading, and what has passed since. Until the first one, and with SQLite, it is the
/// machine's. It never goes backwards, unless it was ahead by more than a second: then it would stand still for too long.
#[derive(Default)]
pub(super) struct DatabaseClock {
    reading: Mutex<Option<(Timestamp, Instant)>>,
    latest_micros: AtomicI64,
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let now = self.uncorrected().micros();
        let latest = self.latest_micros.fetch_max(now, Ordering::AcqRel);
        if latest > now + LONGEST_READING.as_micros() as i64 {
            self.latest_micros.store(now, Ordering::Release);
            return Timestamp::from_micros(now);
        }
        Timestamp::from_micros(latest.max(now))
    }
}

impl DatabaseClock {
    fn uncorrected(&self) -> Timestamp {
        match *self.reading.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((time, read_at)) => time.plus(read_at.elapsed()),
            None => SystemClock.now(),
        }
    }

    /// Reads the database's clock.
    pub(super) async fn correct(&self, publisher: &Publisher) -> Result<(), Error> {
        let (here, started) = (SystemClock.now(), Instant::now());
        let there = publisher.database_time(here).await?;
        let took = started.elapsed();
        // With SQLite it is the time that was passed in.
        if there == here || took > LONGEST_READING {
            return Ok(());
        }
        let known = self.uncorrected();
        // As if read at the end, so that it is never ahead of the database's: servers of earlier releases would take a page
        // that was just published for one that is dated in the future.
        let reading = (there, started + took);
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        let (ahead, behind) = (there.since(known), known.since(there));
        if ahead.max(behind) > WORTH_A_WARNING {
            tracing::warn!(%there, here = %known, "the clocks of the database and of this machine differ; the database's is used");
        }
        Ok(())
    }
}
