//! A large write blocks all others while it runs. While other accounts write, an account pauses after each of its large
//! writes, for many times as long as the write took.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use store::Tx;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::Publisher;

const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// An account that wrote this recently is expected to write again.
const RECENT: Duration = Duration::from_secs(2);
/// How often a pause checks whether others still write.
const CHECK_EVERY: Duration = Duration::from_millis(50);

/// Kinds of large writes. The value is the length of the pause after it, in multiples of the time it took.
#[derive(Clone, Copy)]
pub(crate) enum Large {
    /// One of many short steps: writing takes a tenth of the time.
    Step = 9,
    /// A whole publish: so little of the time that 99 of 100 writes of others do not wait. A short one counts as a
    /// step.
    Whole = 399,
}

const SHORT: Duration = Duration::from_millis(5);

impl Publisher {
    /// A large write of an account, or of the site that is built, to be called after [`Pace::pause`]. The pause depends
    /// on how long the transaction blocks others: from its begin to the end of its commit, without the wait before it.
    pub(crate) async fn write_large<T, E>(
        &self,
        id: Uuid,
        large: Large,
        mut work: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<store::Error> + Send + 'static,
    {
        let began = Arc::new(Mutex::new(None));
        let begins = began.clone();
        let work = move |tx: &mut Tx| {
            *begins.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            work(tx)
        };
        let written = match large {
            Large::Step => self.store.write_step(self.pace.others_write(id), work).await,
            // Its texts were written in steps, which have waited for SQLite's log.
            Large::Whole => self.store.write(work).await,
        };
        let began: Option<Instant> = *began.lock().unwrap_or_else(PoisonError::into_inner);
        self.pace.wrote(id, large, began.map_or(Duration::ZERO, |began| began.elapsed()));
        written
    }
}

#[derive(Default)]
pub(crate) struct Pace(Mutex<State>);

#[derive(Default)]
struct State {
    /// The two accounts that wrote last: at most one of them is the account that asks.
    writers: [Option<(Uuid, Instant)>; 2],
    /// When each may make its next large write.
    pauses: HashMap<Uuid, Instant>,
}

impl Pace {
    /// Records a small write of an account.
    pub(crate) fn note(&self, account: Uuid) {
        let mut state = self.lock();
        let [newest, other] = state.writers;
        let other = if newest.is_some_and(|(id, _)| id == account) { other } else { newest };
        state.writers = [Some((account, Instant::now())), other];
    }

    /// Whether another account wrote recently.
    pub(crate) fn others_write(&self, account: Uuid) -> bool {
        self.lock().others_write(account)
    }

    /// Waits until the account, or the site that is built, may make a large write. Its other large writes wait until
    /// the pause after that one.
    pub(crate) async fn pause(&self, id: Uuid) {
        loop {
            let left = {
                let mut state = self.lock();
                let Some(left) = state.pause_left(id) else {
                    state.pauses.insert(id, Instant::now() + LONGEST_PAUSE);
                    return;
                };
                left
            };
            sleep(left.min(CHECK_EVERY)).await;
        }
    }

    /// Records a large write, successful or not, and how long it took.
    pub(crate) fn wrote(&self, id: Uuid, large: Large, took: Duration) {
        let large = if took < SHORT { Large::Step } else { large };
        let now = Instant::now();
        let mut state = self.lock();
        state.pauses.retain(|_, until| *until > now);
        state.pauses.insert(id, now + (took * large as u32).min(LONGEST_PAUSE));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn others_write(&self, id: Uuid) -> bool {
        let is_recent = |(writer, at): &(Uuid, Instant)| *writer != id && at.elapsed() < RECENT;
        self.writers.iter().flatten().any(is_recent)
    }

    fn pause_left(&self, id: Uuid) -> Option<Duration> {
        let until = self.pauses.get(&id).filter(|_| self.others_write(id))?;
        Some(until.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: Uuid = Uuid::from_u128(1);
    const SMALL: Uuid = Uuid::from_u128(2);

    /// How long the next large write waits, while the other account writes for `others`.
    async fn waits(pace: &Pace, others: Duration) -> Duration {
        let began = Instant::now();
        tokio::join!(pace.pause(LARGE), async {
            while began.elapsed() < others {
                pace.note(SMALL);
                pace.note(LARGE);
                sleep(CHECK_EVERY).await;
            }
        });
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn who_writes_alone_does_not_wait() {
        let pace = Pace::default();
        pace.note(LARGE);
        pace.wrote(LARGE, Large::Whole, Duration::from_millis(50));
        assert_eq!(waits(&pace, Duration::ZERO).await, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn who_writes_beside_others_makes_pauses_by_the_length_of_its_writes() {
        let (step, whole) = (Large::Step, Large::Whole);
        for (large, took, pause) in
            [(step, 2, 18), (step, 20, 180), (whole, 2, 18), (whole, 20, 7980), (whole, 1000, 10_000)]
        {
            let (pace, pause) = (Pace::default(), Duration::from_millis(pause));
            pace.note(SMALL);
            pace.wrote(LARGE, large, Duration::from_millis(took));
            let waited = waits(&pace, pause).await;
            assert!(waited >= pause && waited <= pause + 2 * CHECK_EVERY, "{took} ms: {waited:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn large_writes_of_one_account_wait_for_each_other() {
        let (pace, began) = (Pace::default(), Instant::now());
        pace.note(SMALL);
        let write = async || {
            pace.pause(LARGE).await;
            pace.wrote(LARGE, Large::Step, Duration::from_millis(10));
        };
        tokio::join!(write(), write(), write());
        assert_eq!(began.elapsed(), Duration::from_millis(180));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_ends_when_the_others_do() {
        let pace = Pace::default();
        pace.note(SMALL);
        pace.wrote(LARGE, Large::Whole, Duration::from_millis(90));
        let waited = waits(&pace, Duration::from_secs(1)).await;
        assert!(waited > RECENT && waited < Duration::from_secs(4), "{waited:?}");
        pace.note(SMALL);
        pace.wrote(SMALL, Large::Whole, Duration::from_millis(90));
        pace.pause(LARGE).await;
    }
}
