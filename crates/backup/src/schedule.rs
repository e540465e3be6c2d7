//! Whether the next backup of an installation is due. The place itself has the answer, so that all servers of an
//! installation give the same, and a backup that was made by hand counts.

use std::sync::LazyLock;
use std::time::Duration;

use model::Timestamp;
use prometheus::{IntGauge, register_int_gauge};
use store::Location;
use store::transfer::Snapshot;
use uuid::Uuid;

use crate::error::{Error, Result, blocking};
use crate::place::Place;

static LAST: LazyLock<IntGauge> = LazyLock::new(|| {
    let help = "When the newest complete backup was made, in seconds since 1970; 0: there is none.";
    register_int_gauge!("recto_backup_last_success_seconds", help).expect("registered once")
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// The newest complete backup of the installation.
    pub last: Option<Timestamp>,
    pub is_due: bool,
}

pub async fn due(place: &Place, installation: Uuid, every: Duration, now: Timestamp) -> Result<Due> {
    let mut last = None;
    // From the newest on: most of the time the first one is ours.
    for id in place.complete().await?.iter().rev() {
        // One that cannot be read does not count.
        let manifest = match place.manifest(id).await {
            Err(Error::Damaged(_)) => continue,
            manifest => manifest?,
        };
        // A backup from the future was made by a clock that went wrong.
        let time = manifest.time()?;
        if manifest.installation_id == installation && time <= now.plus(every) {
            last = Some(time);
            break;
        }
    }
    LAST.set(last.map_or(0, |last| last.micros() / 1_000_000));
    let is_recent = |last: Timestamp| last > now.minus(every);
    Ok(Due { last, is_due: !last.is_some_and(is_recent) })
}

/// Which installation a database belongs to.
pub async fn installation_id(store: &Location) -> Result<Uuid> {
    let store = store.clone();
    blocking(move || Ok(Snapshot::open(&store)?.installation())).await
}
