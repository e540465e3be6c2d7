//! Pages dated in the future appear by themselves: at their time a build is queued.

use std::time::Duration;

use model::{BuildId, Timestamp, Trigger};
use store::{Tx, building, builds};

use crate::{Error, Publisher};

const TICK: Duration = Duration::from_secs(1);
/// The server builds a site by itself at most this often.
const INTERVAL: Duration = Duration::from_secs(60);

impl Publisher {
    /// Looks every second for pages that became due, until the future is dropped.
    pub async fn run_schedule(&self) {
        let mut since = Timestamp::MIN;
        loop {
            let now = self.clock.now();
            match self.queue_due(since).await {
                // The next look begins earlier: some sites have to wait, and a clock may have been set back.
                Ok(_) => since = now.minus(INTERVAL + 10 * TICK),
                Err(error) => tracing::warn!(%error, "database unavailable: pages that became due wait"),
            }
            tokio::time::sleep(TICK).await;
        }
    }

    /// Queues a build for each site with pages that became due after `since`, unless that happened to the site within
    /// the last minute; returns how many sites those were. No quota, no cooldown: nobody asked.
    pub async fn queue_due(&self, since: Timestamp) -> Result<usize, Error> {
        let clock = self.clock.clone();
        let look = move |tx: &mut Tx| {
            let now = clock.now();
            Ok::<_, Error>(building::due(tx, since, now, now.minus(INTERVAL))?)
        };
        let due = self.store.peek(look).await?;
        if due.is_empty() {
            return Ok(0);
        }
        let clock = self.clock.clone();
        let queued = self.store.write(move |tx| {
            let now = clock.now();
            let due = building::due(tx, since, now, now.minus(INTERVAL))?;
            for (site, account) in &due {
                builds::insert(tx, BuildId::new(now), *account, *site, Trigger::Schedule, now)?;
            }
            Ok::<_, Error>(due.len())
        });
        let queued = queued.await?;
        self.queued.notify_one();
        Ok(queued)
    }
}
