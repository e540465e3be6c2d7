//! Makes a backup while servers run: the rows of one moment, then the objects that they name, then the manifest.
//!
//! A server deletes an object an hour after the last row that named it. If one is gone before it was copied, the rows are
//! read again: the new ones do not name it.

use std::sync::Arc;

use model::{Clock, Timestamp};
use serde::Serialize;
use uuid::Uuid;

use crate::dump::{Dump, dump};
use crate::error::{Error, Result, of_file};
use crate::gather::{Copied, copy_objects};
use crate::lease::Lease;
use crate::manifest::{FORMAT, Manifest};
use crate::place::{BEGUN, MANIFEST, PLAN, Place, ROWS};
use crate::scratch::Scratch;
use crate::tidy::{Keep, tidy};
use crate::{Installation, Progress};

/// How often rows are read again because objects were deleted meanwhile.
const ATTEMPTS: usize = 5;

/// What a backup did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackedUp {
    #[serde(flatten)]
    pub manifest: Manifest,
    pub objects_copied: u64,
    pub bytes_copied: u64,
    /// Older backups.
    pub deleted: Vec<String>,
}

pub async fn back_up(
    from: &Installation,
    to: &Place,
    keep: Keep,
    clock: Arc<dyn Clock>,
    progress: &Progress,
) -> Result<BackedUp> {
    let id = new_id(clock.now());
    let lease = Lease::take(to, &id, &clock).await?;
    let done = async {
        let mut done = attempts(from, to, &lease, &id, &clock, progress).await?;
        progress.show("deleting old backups");
        let tidied = tidy(to, keep, &done.manifest, &from.scratch, clock.now()).await;
        done.deleted = tidied.map_err(|error| {
            Error::Refused(format!("backup {id} was made, but old ones were not deleted: {error}"))
        })?;
        Ok(done)
    };
    let done = done.await;
    let ended = lease.end().await;
    done.and_then(|done| ended.map(|()| done))
}

/// `20261117T140512123Z-3f2a9c`: ids in the order of time, to the millisecond, and never the same twice.
fn new_id(now: Timestamp) -> String {
    let time: String = now.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    let random = Uuid::new_v4().simple().to_string();
    format!("{time}-{}", &random[..6])
}

async fn attempts(
    from: &Installation,
    to: &Place,
    lease: &Lease,
    id: &str,
    clock: &Arc<dyn Clock>,
    progress: &Progress,
) -> Result<BackedUp> {
    let (mut objects_copied, mut bytes_copied) = (0, 0);
    to.put(id, BEGUN, "").await?;
    for attempt in 1..=ATTEMPTS {
        let scratch = Scratch::below(&from.scratch)?;
        let now = clock.now();
        let dump = dump(from.store.clone(), &scratch, progress.clone()).await?;
        refuse_other(from, dump.installation).await?;
        let plan = format!("{PLAN}{attempt}.ndjson.zst");
        // Before the first object: whatever happens from here on, the next backup knows what this one may have left.
        let upload = scratch.file("plan-upload");
        std::fs::copy(&dump.plan, &upload).map_err(of_file(&upload))?;
        to.put_file(id, &plan, &upload).await?;
        let copied = copy_objects(from, to, id, &dump, &scratch, progress).await?;
        objects_copied += copied.objects_copied;
        bytes_copied += copied.bytes_copied;
        if copied.is_stale {
            tracing::info!(attempt, "objects were deleted while they were backed up; reading the rows again");
            continue;
        }
        lease.confirm(clock.now()).await?;
        let manifest = store_manifest(to, id, now, &dump, copied).await?;
        return Ok(BackedUp { manifest, objects_copied, bytes_copied, deleted: Vec::new() });
    }
    Err(Error::Refused(format!(
        "objects were deleted during each of {ATTEMPTS} attempts; try again when fewer pages change"
    )))
}

/// Refuses objects that belong to another database: nearly all would be missing.
async fn refuse_other(from: &Installation, own: Uuid) -> Result<()> {
    match from.objects.installation().await? {
        Some(other) if other != own => Err(Error::Refused(format!(
            "objects.url belongs to another installation: its id is {other}, that of the database is {own}"
        ))),
        _ => Ok(()),
    }
}

async fn store_manifest(
    to: &Place,
    id: &str,
    now: Timestamp,
    dump: &Dump,
    copied: Copied,
) -> Result<Manifest> {
    let rows = to.put_file(id, ROWS, &dump.rows).await?;
    let manifest = Manifest {
        format: FORMAT,
        id: id.to_owned(),
        created_at: now.to_string(),
        recto: env!("CARGO_PKG_VERSION").to_owned(),
        schema: dump.schema,
        installation_id: dump.installation,
        rows,
        object_list: copied.list,
        objects: copied.objects,
        object_bytes: copied.bytes,
        tables: dump.tables.clone(),
        problems: copied.problems.named,
        problem_count: copied.problems.count,
    };
    let text = serde_json::to_vec_pretty(&manifest).map_err(|error| Error::File(error.to_string()))?;
    to.put(id, MANIFEST, text).await?;
    if to.has(id, BEGUN).await? {
        return Ok(manifest);
    }
    // Another process thought that this one had ended, and has begun to delete its objects.
    to.delete(id, MANIFEST).await?;
    Err(Error::Refused(
        "another backup was made at the same time: do the clocks of the servers differ?".into(),
    ))
}
