//! One backup at a time in a place. Not every object store can create a file only if it is missing, so each process writes a
//! file of its own and then looks for others: of two that begin at once, at least one sees the other.

use std::sync::Arc;
use std::time::Duration;

use blob::Key;
use model::{Clock, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use crate::error::{Error, Result};
use crate::place::{Place, RUNNING};
use crate::scratch::is_alive;

const LEASE: Duration = Duration::from_secs(120);
const EXTEND_EVERY: Duration = Duration::from_secs(20);

#[derive(Serialize, Deserialize)]
struct Running {
    until: i64,
    /// The machine and the process, so that one that was killed is noticed on the same machine. `None`: the system hides it.
    host: Option<String>,
    process: u32,
}

pub(crate) struct Lease {
    place: Place,
    id: String,
    extending: JoinHandle<()>,
}

impl Lease {
    pub(crate) async fn take(place: &Place, id: &str, clock: &Arc<dyn Clock>) -> Result<Lease> {
        refuse_second(place, id, clock.now()).await?;
        extend(place, id, clock.now()).await?;
        let extending = tokio::spawn(keep_extending(place.clone(), id.to_owned(), clock.clone()));
        let lease = Lease { place: place.clone(), id: id.to_owned(), extending };
        match refuse_second(place, id, clock.now()).await {
            Ok(()) => Ok(lease),
            Err(error) => {
                lease.end().await?;
                Err(error)
            }
        }
    }

    /// Refuses if another process has taken this one for dead, and has begun a backup of its own.
    pub(crate) async fn confirm(&self, now: Timestamp) -> Result<()> {
        refuse_second(&self.place, &self.id, now).await
    }

    pub(crate) async fn end(self) -> Result<()> {
        self.extending.abort();
        self.place.delete(&self.id, RUNNING).await
    }
}

/// A process that is cancelled may be alive for long.
impl Drop for Lease {
    fn drop(&mut self) {
        self.extending.abort();
    }
}

/// Refuses if another backup is running.
async fn refuse_second(place: &Place, own: &str, now: Timestamp) -> Result<()> {
    for (id, names) in place.backups().await? {
        if id == own || !names.iter().any(|name| name == RUNNING) {
            continue;
        }
        if let Some(until) = runs_until(place, &id, now).await? {
            return Err(Error::Busy(format!(
                "another backup is being made in this place ({id}). Try again when it has ended, or after {until} if its \
                 process was killed"
            )));
        }
    }
    Ok(())
}

/// Until when a backup may still be running.
pub(crate) async fn runs_until(place: &Place, id: &str, now: Timestamp) -> Result<Option<Timestamp>> {
    let bytes = match place.blob.get(&Key::backup_file(id, RUNNING)).await {
        Err(blob::Error::Missing(_)) => return Ok(None),
        bytes => bytes?,
    };
    // A file that cannot be read is not one of ours.
    let Ok(Running { until, host, process }) = serde_json::from_slice(&bytes) else { return Ok(None) };
    let until = Timestamp::from_micros(until);
    let was_killed = host.is_some() && host == this_host() && !is_alive(process);
    // A time further ahead was written by a wrong clock.
    let is_over = until <= now || until > now.plus(2 * LEASE);
    Ok((!was_killed && !is_over).then_some(until))
}

async fn extend(place: &Place, id: &str, now: Timestamp) -> Result<()> {
    let until = now.plus(LEASE).micros();
    let running = Running { until, host: this_host(), process: std::process::id() };
    let text = serde_json::to_vec(&running).map_err(|error| Error::File(error.to_string()))?;
    place.put(id, RUNNING, text).await
}

async fn keep_extending(place: Place, id: String, clock: Arc<dyn Clock>) {
    loop {
        tokio::time::sleep(EXTEND_EVERY).await;
        if let Err(error) = extend(&place, &id, clock.now()).await {
            tracing::warn!(%error, "the lease of the running backup was not extended; retrying in seconds");
        }
    }
}

/// The name and the boot of this machine: process ids mean something only there.
fn this_host() -> Option<String> {
    let read = |path| {
        let text = std::fs::read_to_string(path).ok()?.trim().to_owned();
        Some(text).filter(|text| !text.is_empty())
    };
    let (name, boot) = (read("/proc/sys/kernel/hostname")?, read("/proc/sys/kernel/random/boot_id")?);
    Some(format!("{name} {boot}"))
}

/// Whether a backup that is not complete is not running either: its process has ended, or it is being deleted.
pub(crate) async fn is_abandoned(place: &Place, id: &str, now: Timestamp) -> Result<bool> {
    Ok(runs_until(place, id, now).await?.is_none())
}
