//! Makes a backup while servers run: the rows of one moment, then the objects that they name, then the manifest.
//!
//! A server deletes an object an hour after the last row that named it. If one is gone before it was copied, the rows are
//! read again: the new ones do not name it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt, TryStreamExt, stream};
use model::{ByteSize, Clock, Timestamp};
use serde::Serialize;
use store::Location;
use store::transfer::{Snapshot, tables};
use uuid::Uuid;

use crate::copy::{Outcome, PARALLEL, Problems, copy_once};
use crate::error::{Error, Result, blocking};
use crate::lease::Lease;
use crate::lines::{Sum, write_line};
use crate::losses::Losses;
use crate::manifest::{FORMAT, FileSum, Manifest, TableSum};
use crate::object_list::{Object, ObjectList};
use crate::place::{BEGUN, MANIFEST, OBJECTS, PLAN, Place, ROWS};
use crate::rows_file::LinesWriter;
use crate::scratch::Scratch;
use crate::tidy::{Keep, tidy};
use crate::{Installation, Progress};

/// How often rows are read again because objects were deleted meanwhile.
const ATTEMPTS: usize = 5;
/// Rows between two lines of progress.
const SHOW_EVERY: u64 = 1000;

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
        let mut done = attempts(from, to, &id, &clock, progress).await?;
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

/// `20261117T140512Z-3f2a9c`: ids in the order of time, and never the same twice.
fn new_id(now: Timestamp) -> String {
    let seconds = now.to_string();
    let seconds: String = seconds.chars().take(19).filter(|char| char.is_ascii_alphanumeric()).collect();
    let random = Uuid::new_v4().simple().to_string();
    format!("{seconds}Z-{}", &random[..6])
}

async fn attempts(
    from: &Installation,
    to: &Place,
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
        std::fs::copy(&dump.plan, &upload).map_err(crate::error::of_file(&upload))?;
        to.put_file(id, &plan, &upload).await?;
        let copied = copy_objects(from, to, id, &dump, &scratch, progress).await?;
        objects_copied += copied.objects_copied;
        bytes_copied += copied.bytes_copied;
        if copied.is_stale {
            tracing::info!(attempt, "objects were deleted while they were backed up; reading the rows again");
            continue;
        }
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

/// The rows of one moment, as files.
struct Dump {
    rows: PathBuf,
    /// The objects that the rows name.
    plan: PathBuf,
    tables: Vec<TableSum>,
    installation: Uuid,
    schema: i64,
}

/// Writes to local files, so that a slow object store does not prolong the transaction.
async fn dump(store: Location, scratch: &Scratch, progress: Progress) -> Result<Dump> {
    let (rows, plan) = (scratch.file("rows"), scratch.file("plan"));
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(is_stopped.clone());
    blocking(move || read_rows(&store, rows, plan, &is_stopped, &progress)).await
}

/// A thread cannot be cancelled: it looks now and then whether its caller still waits.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn read_rows(
    store: &Location,
    rows: PathBuf,
    plan: PathBuf,
    is_stopped: &AtomicBool,
    progress: &Progress,
) -> Result<Dump> {
    let mut snapshot = Snapshot::open(store)?;
    let (mut row_lines, mut object_lines) = (LinesWriter::create(&rows)?, LinesWriter::create(&plan)?);
    let (mut sums, mut line) = (Vec::new(), Vec::new());
    for table in tables() {
        row_lines.write_table(&table)?;
        let mut sum = Sum::default();
        snapshot.each_row(&table, |row| {
            if is_stopped.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            write_line(row, &mut line);
            sum.add(&line);
            row_lines.write(&line)?;
            if let Some(object) = Object::of_row(&table, row) {
                object_lines.write_json(&object)?;
            }
            if sum.rows() % SHOW_EVERY == 0 {
                progress.show(&format!("rows: {} of {}", sum.rows(), table.name));
            }
            Ok(())
        })?;
        sums.push(sum.of(&table));
    }
    row_lines.finish()?;
    object_lines.finish()?;
    let (installation, schema) = (snapshot.installation(), snapshot.schema());
    Ok(Dump { rows, plan, tables: sums, installation, schema })
}

/// The objects of a backup.
struct Copied {
    list: FileSum,
    objects: u64,
    bytes: u64,
    objects_copied: u64,
    bytes_copied: u64,
    problems: Problems,
    /// A server has deleted objects that the rows name.
    is_stale: bool,
}

async fn copy_objects(
    from: &Installation,
    to: &Place,
    id: &str,
    dump: &Dump,
    scratch: &Scratch,
    progress: &Progress,
) -> Result<Copied> {
    let path = scratch.file("objects");
    let mut list = LinesWriter::create(&path)?;
    let mut previous = previous_list(to, scratch).await?;
    let with_known = |object: Result<Object>| {
        let object = object?;
        let known = match &mut previous {
            Some(previous) => previous.find(&object)?,
            None => None,
        };
        Ok((object, known.map(|known| known.hash)))
    };
    let work = stream::iter(ObjectList::open(&dump.plan)?.map(with_known));
    let work = work.map_ok(async |(object, known)| {
        let outcome = copy_once(&from.objects, &to.blob, &object, known).await?;
        Ok::<_, Error>((object, outcome))
    });
    let mut work = Box::pin(work.try_buffered(PARALLEL));
    let (mut objects, mut bytes, mut objects_copied, mut bytes_copied) = (0, 0, 0, 0);
    let mut losses = Losses::new(&from.store);
    while let Some((mut object, outcome)) = work.try_next().await? {
        match outcome {
            Outcome::Present(hash) => object.hash = hash,
            Outcome::Copied(hash) => {
                object.hash = hash;
                objects_copied += 1;
                bytes_copied += object.size;
            }
            Outcome::Missing => {
                losses.add_missing(object).await?;
                continue;
            }
            Outcome::Damaged(problem) => {
                losses.problems.add(problem);
                continue;
            }
        }
        list.write_json(&object)?;
        objects += 1;
        bytes += object.size;
        progress.show(&format!("objects: {objects}, {} copied", ByteSize(bytes_copied)));
    }
    list.finish()?;
    losses.look_up().await?;
    let Losses { problems, is_stale, .. } = losses;
    let list = to.put_file(id, OBJECTS, &path).await?;
    Ok(Copied { list, objects, bytes, objects_copied, bytes_copied, problems, is_stale })
}

/// The list of the newest complete backup, which has the hashes of most objects.
async fn previous_list(to: &Place, scratch: &Scratch) -> Result<Option<ObjectList>> {
    let Some(id) = to.complete().await?.pop() else { return Ok(None) };
    let path = scratch.file("previous");
    let downloaded = async {
        let manifest = to.manifest(&id).await?;
        to.download_checked(&id, &manifest.object_list, &path).await
    };
    match downloaded.await {
        Ok(()) => Ok(Some(ObjectList::open(&path)?)),
        Err(Error::Damaged(problem)) => {
            tracing::warn!(
                problem,
                "the previous backup is damaged; its objects are read to get their hashes"
            );
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
