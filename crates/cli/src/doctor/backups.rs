//! Whether the scheduled backups are made.

use anyhow::Result;
use backup::{Due, Place};
use model::{Clock, SystemClock};
use publisher::{Finding, Verdict};

use crate::config::{BackupSchedule, Config};
use crate::serve;

/// `None`: no backups are configured.
pub(super) fn backups(config: &Config) -> Option<Finding> {
    let schedule = config.backup.as_ref()?;
    let checked = serve::block_on(last_backup(config, schedule));
    Some(match checked {
        Ok(Due { last: Some(last), is_due }) => {
            let hours = SystemClock.now().since(last).as_secs() / 3600;
            let message = format!("the last backup in {} is {hours} hours old ({last})", schedule.url);
            match is_due {
                false => Finding::new("backup", Verdict::Ok, message),
                true => Finding::new("backup", Verdict::Warning, format!("{message}; is a server running?")),
            }
        }
        Ok(Due { last: None, .. }) => Finding::new(
            "backup",
            Verdict::Warning,
            format!("there is no backup in {} yet; a server makes one, or `recto backup`", schedule.url),
        ),
        Err(error) => Finding::new(
            "backup",
            Verdict::Failure,
            format!("{} cannot be read: {error:#}; check backup.url", schedule.url),
        ),
    })
}

async fn last_backup(config: &Config, schedule: &BackupSchedule) -> Result<Due> {
    let place = Place::open(serve::open_storage(&schedule.url)?).await?;
    let own = backup::installation_id(&config.store).await?;
    // A backup takes time, so the next one is late by that much.
    Ok(backup::due(&place, own, schedule.every.mul_f32(1.5), SystemClock.now()).await?)
}
