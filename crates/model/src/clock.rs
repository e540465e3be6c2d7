//! The current time as a dependency, so that time windows, cooldowns and months can be tested without waiting.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::Timestamp;

pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// The wall clock; the only place where it is read.
///
/// Within the process it never goes backwards and never stands still: if the machine's clock is set back, it continues
/// from the last time it returned.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// When this process first read the time; the time elapsed since is not affected by setting the clock.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);
/// The wall-clock time at that moment, raised whenever a later clock reading implies a later one.
static WALL_AT_START: AtomicI64 = AtomicI64::new(i64::MIN);

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Timestamp {
        let passed = micros(START.elapsed());
        let wall = micros(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
        let at_start = wall - passed;
        let latest = WALL_AT_START.fetch_max(at_start, Ordering::AcqRel);
        Timestamp::from_micros(at_start.max(latest) + passed)
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX / 2)
}

/// A clock that only moves when it is set.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    pub fn new(now: Timestamp) -> ManualClock {
        ManualClock(AtomicI64::new(now.micros()))
    }

    pub fn set(&self, now: Timestamp) {
        self.0.store(now.micros(), Ordering::Release);
    }

    pub fn advance(&self, time: Duration) {
        self.set(self.now().plus(time));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_never_goes_backwards() {
        let mut last = SystemClock.now();
        for _ in 0..1000 {
            let now = SystemClock.now();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn a_manual_clock_moves_when_set() {
        let start = Timestamp::from_micros(1_000_000);
        let clock = ManualClock::new(start);
        assert_eq!(clock.now(), start);
        clock.advance(Duration::from_secs(30));
        assert_eq!(clock.now(), Timestamp::from_micros(31_000_000));
        clock.set(start);
        assert_eq!(clock.now(), start);
    }
}
