//! Queues a build when the date of a future-dated page arrives.

use std::time::Duration;

use model::{BuildId, Timestamp, Trigger};
use store::{building, builds};

use crate::{Error, Publisher};

const TICK: Duration = Duration::from_secs(1);
/// The server queues a build of a site at most this often.
const INTERVAL: Duration = Duration::from_secs(60);

impl Publisher {
    /// Checks every second for pages that became due, until the future is dropped.
    pub async fn run_schedule(&self) {
        let mut since = Timestamp::MIN;
        loop {
            let now = self.clock.now();
            match self.queue_due(since).await {
                // The next check begins earlier: some sites have to wait, and a clock may have been set back.
                Ok(_) => since = now.minus(INTERVAL + 10 * TICK),
                Err(error) => tracing::warn!(%error, "database unavailable, scheduled builds paused"),
            }
            tokio::time::sleep(TICK).await;
        }
    }

    /// Queues a build for each site with pages that became due after `since`, unless that happened to the site within
    /// the last minute; returns how many sites those were. Quota and cooldown do not apply: no client requested it.
    pub async fn queue_due(&self, since: Timestamp) -> Result<usize, Error> {
        let now = self.clock.now();
        let due = self.peek(move |tx| Ok(building::due(tx, since, now, now.minus(INTERVAL))?)).await?;
        if due.is_empty() {
            return Ok(0);
        }
        let queued = self.write(move |tx, now| {
            let due = building::due(tx, since, now, now.minus(INTERVAL))?;
            for (site, account) in &due {
                builds::insert(tx, BuildId::new(now), *account, *site, Trigger::Schedule, now)?;
            }
            Ok(due.len())
        });
        queued.await
    }
}
