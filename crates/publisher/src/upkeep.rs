//! What the server does by itself now and then: sweep texts nobody refers to, purge what was deleted long ago,
//! note when tokens were last used.

use std::sync::Arc;
use std::time::Duration;

use store::bin::{self, Purge};
use store::{Tx, builds, sites, texts};

use crate::{Error, Publisher};

/// Bytes of texts deleted in one transaction, so that nobody's save waits long for it.
const SWEEP_BYTES: i64 = 4 << 20;
/// Pages purged in one transaction.
const PURGE_PAGES: i64 = 500;
/// Builds are kept for this long.
const KEEP_BUILDS: Duration = Duration::from_secs(90 * 24 * 3600);
const FORGET_BUILDS: i64 = 500;
/// Transactions of one round; what is left waits for the next.
const STEPS: usize = 200;

/// What one round did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Upkeep {
    pub texts_swept: u64,
    pub pages_purged: u64,
}

impl Publisher {
    pub async fn upkeep(&self) -> Result<Upkeep, Error> {
        self.flush_last_used().await?;
        let mut done = Upkeep::default();
        for _ in 0..STEPS {
            let purged = self.purge_some().await?;
            done.pages_purged += purged;
            if purged == 0 {
                break;
            }
        }
        while let Some(site) = self.store.read(|tx| Ok::<_, Error>(sites::deleted(tx)?)).await? {
            self.remove_deleted(site).await?;
        }
        done.texts_swept = self.sweep_texts().await?;
        Ok(done)
    }

    async fn purge_some(&self) -> Result<u64, Error> {
        let (clock, before) = (self.clock.clone(), self.clock.now().minus(self.settings.purge_after));
        let step = move |tx: &mut Tx| match bin::oldest_before(tx, before)? {
            Some(site) => bin::purge(tx, site, Purge::DeletedBefore(before), PURGE_PAGES, clock.now()),
            None => Ok(0),
        };
        self.store.write(move |tx| step(tx).map_err(Error::from)).await
    }

    /// Deletes replaced texts until none is left that nobody needs: as fast as they come.
    pub async fn sweep_texts(&self) -> Result<u64, Error> {
        let mut all = 0;
        loop {
            let clock = self.clock.clone();
            let step = move |tx: &mut Tx| texts::sweep(tx, clock.now(), SWEEP_BYTES);
            let swept = self.store.write(move |tx| step(tx).map_err(Error::from)).await?;
            all += swept;
            if swept == 0 {
                return Ok(all);
            }
        }
    }

    /// Deletes builds that ended long ago, but for each site's newest.
    pub async fn forget_old_builds(&self) -> Result<u64, Error> {
        let (mut all, before) = (0, self.clock.now().minus(KEEP_BUILDS));
        loop {
            let step = move |tx: &mut Tx| Ok::<_, Error>(builds::forget_before(tx, before, FORGET_BUILDS)?);
            let forgotten = self.store.write(step).await?;
            all += forgotten;
            if forgotten == 0 {
                return Ok(all);
            }
        }
    }

    /// Deletes what processes that died have left of uploads.
    pub fn sweep_spool(&self) -> std::io::Result<()> {
        self.spool.sweep()
    }

    /// Reports how much space is left, and keeps a reserve for when there is none.
    pub fn watch_disks(&self) {
        for disk in self.disks.states() {
            let path = disk.path.display().to_string();
            metrics::gauge!("recto_disk_free_bytes", "path" => path.clone()).set(disk.free.0 as f64);
            metrics::gauge!("recto_disk_low", "path" => path).set(f64::from(u8::from(disk.is_low())));
        }
        if let Err(error) = self.disks.keep_reserve() {
            tracing::warn!(%error, "the disk reserve was not kept");
        }
    }

    pub(crate) async fn flush_last_used(&self) -> Result<(), Error> {
        let used = Arc::new(self.last_used.take());
        if used.is_empty() {
            return Ok(());
        }
        let noted = used.clone();
        let flushed = self.store.write(move |tx| Ok(store::tokens::touch(tx, &noted)?)).await;
        flushed.inspect_err(|_| self.last_used.put_back(&used))
    }
}
