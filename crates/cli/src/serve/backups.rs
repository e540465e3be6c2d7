//! Scheduled backups. The place of the backups says when the next one is due, and lets one server of an installation make
//! it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use backup::{BackedUp, Due, Installation, Keep, Place, Progress};
use blob::Blob;
use model::{ByteSize, Clock};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::config::{BackupSchedule, Config};

/// How often the server checks whether a backup is due.
const CHECK_EVERY: Duration = Duration::from_secs(60);
/// The first check, once the server has started.
const FIRST_CHECK: Duration = Duration::from_secs(5);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(600);

struct Backups {
    schedule: BackupSchedule,
    place: Blob,
    installation: Installation,
    clock: Arc<dyn Clock>,
}

/// `None`: no backups are configured.
pub(super) fn start(
    config: &Config,
    clock: Arc<dyn Clock>,
    stop: &CancellationToken,
) -> Result<Option<JoinHandle<()>>> {
    let Some(schedule) = config.backup.clone() else { return Ok(None) };
    let backups = Backups {
        place: super::open_storage(&schedule.url).context("open the place of backups, backup.url")?,
        schedule,
        installation: super::installation_of(config)?,
        clock,
    };
    let stop = stop.clone();
    Ok(Some(tokio::spawn(async move {
        tokio::select! { () = backups.repeat() => {}, () = stop.cancelled() => {} }
    })))
}

impl Backups {
    /// May be cancelled at any await: an interrupted backup is not complete, and the next one deletes it.
    async fn repeat(&self) {
        tokio::time::sleep(FIRST_CHECK).await;
        let mut own = None;
        loop {
            let pause = match self.back_up_if_due(&mut own).await {
                Ok(()) => CHECK_EVERY,
                // Another server makes it.
                Err(backup::Error::Busy(why)) => {
                    tracing::debug!(why, "no backup made");
                    CHECK_EVERY
                }
                Err(error) => {
                    tracing::error!(%error, place = self.schedule.url, "backup failed; retrying in ten minutes");
                    PAUSE_AFTER_FAILURE
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn back_up_if_due(&self, own: &mut Option<Uuid>) -> Result<(), backup::Error> {
        let id = match *own {
            Some(id) => id,
            None => *own.insert(backup::installation_id(&self.installation.store).await?),
        };
        let place = Place::open(self.place.clone()).await?;
        if !self.due(&place, id).await?.is_due {
            return Ok(());
        }
        let (keep, no_progress) = (Keep::Newest(self.schedule.keep), Progress::none());
        let done = backup::back_up(&self.installation, &place, keep, self.clock.clone(), &no_progress);
        let BackedUp { manifest, bytes_copied, deleted, .. } = done.await?;
        self.due(&place, id).await?;
        let copied = ByteSize(bytes_copied).to_string();
        tracing::info!(
            backup = manifest.id,
            place = self.schedule.url,
            copied,
            deleted = deleted.len(),
            "backup made"
        );
        if manifest.problem_count > 0 {
            let (count, first) = (manifest.problem_count, manifest.problems.first());
            tracing::error!(
                count,
                first,
                "objects were missing or damaged when the backup was made; run `recto verify`"
            );
        }
        Ok(())
    }

    async fn due(&self, place: &Place, id: Uuid) -> Result<Due, backup::Error> {
        backup::due(place, id, self.schedule.every, self.clock.now()).await
    }
}
