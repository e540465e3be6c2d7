//! Periodic work of the server: sweeps texts to which no page refers, purges pages that were deleted long ago, stores
//! when tokens were last used.

mod findings;
mod installation;
mod orphans;
mod queue;
mod tidy;
mod verify;

pub use self::findings::{Finding, Verdict, examine_ffmpeg, examine_sandbox};
pub use self::installation::Belonging;
pub use self::orphans::Orphans;
pub use self::tidy::Tidied;
pub use self::verify::{Damage, Verified};

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use prometheus::{IntGaugeVec, register_int_gauge_vec};
use store::trash::{self, Purge};
use store::{builds, sites, texts};

use crate::pages::PURGE_PAGES;
use crate::{Error, Publisher};

/// Bytes of texts deleted in one transaction: few, so that other writes do not wait long.
const SWEEP_BYTES: i64 = 4 << 20;
/// Builds are kept for this long.
const KEEP_BUILDS: Duration = Duration::from_secs(90 * 24 * 3600);
const FORGET_BUILDS: i64 = 500;
/// Transactions of one round; the rest waits for the next.
const STEPS: usize = 200;

static DISK_FREE: LazyLock<IntGaugeVec> = LazyLock::new(|| {
    register_int_gauge_vec!("recto_disk_free_bytes", "Free space of a disk.", &["path"])
        .expect("registered once")
});
static DISK_LOW: LazyLock<IntGaugeVec> = LazyLock::new(|| {
    let help = "1 if a disk has so little free space that nothing new is stored.";
    register_int_gauge_vec!("recto_disk_low", help, &["path"]).expect("registered once")
});

/// The result of one round.
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
        while let Some(site) = self.read(|tx| Ok(sites::deleted(tx)?)).await? {
            self.remove_deleted(site).await?;
        }
        self.sweep_autosaves().await?;
        done.texts_swept = self.sweep_texts().await?;
        Ok(done)
    }

    async fn purge_some(&self) -> Result<u64, Error> {
        let purge_after = self.settings.purge_after;
        self.write(move |tx, now| {
            let before = now.minus(purge_after);
            match trash::oldest_before(tx, before)? {
                Some(site) => Ok(trash::purge(tx, site, Purge::DeletedBefore(before), PURGE_PAGES, now)?),
                None => Ok(0),
            }
        })
        .await
    }

    /// Deletes doomed texts (to which nothing refers) until none is left.
    pub async fn sweep_texts(&self) -> Result<u64, Error> {
        let mut all = 0;
        loop {
            let swept = self.write(move |tx, now| Ok(texts::sweep(tx, now, SWEEP_BYTES)?)).await?;
            all += swept;
            if swept == 0 {
                return Ok(all);
            }
        }
    }

    /// Deletes builds that ended long ago, except for each site's newest.
    pub async fn forget_old_builds(&self) -> Result<u64, Error> {
        let (mut all, before) = (0, self.clock.now().minus(KEEP_BUILDS));
        loop {
            let forgotten =
                self.write(move |tx, _| Ok(builds::forget_before(tx, before, FORGET_BUILDS)?)).await?;
            all += forgotten;
            if forgotten == 0 {
                return Ok(all);
            }
        }
    }

    /// Deletes files of dead processes from the spool.
    pub fn sweep_spool(&self) -> std::io::Result<()> {
        self.spool.sweep()
    }

    /// Reports the free space as metrics, and maintains the reserve file.
    pub fn watch_disks(&self) {
        for disk in self.disks.states() {
            let path = disk.path.display().to_string();
            DISK_FREE.with_label_values(&[&path]).set(i64::try_from(disk.free.0).unwrap_or(i64::MAX));
            DISK_LOW.with_label_values(&[&path]).set(i64::from(disk.is_low()));
        }
        if let Err(error) = self.disks.keep_reserve() {
            tracing::warn!(%error, "disk reserve file not updated");
        }
    }

    /// Stores when tokens were last used, as far as this process has seen it.
    pub async fn flush_last_used(&self) -> Result<(), Error> {
        let used = Arc::new(self.last_used.take());
        if used.is_empty() {
            return Ok(());
        }
        let noted = used.clone();
        let flushed = self.write(move |tx, _| Ok(store::tokens::touch(tx, &noted)?)).await;
        flushed.inspect_err(|_| self.last_used.put_back(&used))
    }
}
