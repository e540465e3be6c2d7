//! Who builds which site. A worker takes a site's queued builds together; its lease says that it lives, and every write
//! on behalf of the build checks the lease in the same transaction.

use std::time::Duration;

use model::{AccountId, BuildId, BuildStatus, SiteId, Timestamp, Trigger};
use uuid::Uuid;

use crate::engine::row::read;
use crate::turns::{self, Queue};
use crate::{Result, Tx};

/// Names one claim. Each claim has a name of its own, so that a worker which was stopped for a while does not take
/// a later claim on the same site for its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worker(pub Uuid);

/// The builds of one site that one run will end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub site: SiteId,
    pub worker: Worker,
    /// The newest of them.
    pub build: BuildId,
    /// By schedule: pages became due.
    pub scheduled: bool,
    /// Which attempt this is, from 1, of the one that was tried most often.
    pub attempt: i64,
}

/// How long a worker is believed to live without saying so.
pub const LEASE: Duration = Duration::from_secs(10);
/// The most attempts: an error that outlives all of them is reported.
pub const ATTEMPTS: i64 = 6;
/// The longest pause before an attempt.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(625);

/// 1, 5, 25, 125 and 625 seconds.
fn pause_after(attempt: i64) -> Duration {
    Duration::from_secs(5u64.pow(attempt.clamp(1, 5) as u32 - 1)).min(LONGEST_PAUSE)
}

/// What a moment means to leases and pauses. Times that lie further ahead than one can be were stored by a clock that
/// went wrong, and count as over.
struct Moment {
    now: i64,
    latest_lease: i64,
    latest_due: i64,
}

impl Moment {
    fn of(tx: &mut Tx, now: Timestamp) -> Result<Moment> {
        let now = tx.lease_now(now)?;
        let (latest_lease, latest_due) = (now.plus(2 * LEASE).micros(), now.plus(2 * LONGEST_PAUSE).micros());
        Ok(Moment { now: now.micros(), latest_lease, latest_due })
    }
}

const IDLE: &str = "
SELECT 1
FROM builds
WHERE status = 'queued' AND completed_at IS NULL AND (due_at <= $1 OR due_at > $2)
UNION ALL
SELECT 1
FROM building
WHERE lease_until < $1 OR lease_until > $3
LIMIT 1";

/// Nothing is due, and no worker died.
pub fn is_idle(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    let Moment { now, latest_lease, latest_due } = Moment::of(tx, now)?;
    Ok(tx.query_one(IDLE, &[&now, &latest_due, &latest_lease], |_| Ok(()))?.is_none())
}

const OPEN: &str = "
SELECT 1
FROM builds
WHERE site_id = $1 AND completed_at IS NULL
LIMIT 1";

/// Whether a build of the site is queued or running; it may have to be repeated, after a worker died.
pub fn is_open(tx: &mut Tx, site: SiteId) -> Result<bool> {
    Ok(tx.query_one(OPEN, &[&site.0], |_| Ok(()))?.is_some())
}

const WAITING: &str = "
SELECT builds.site_id, builds.account_id
FROM builds
JOIN accounts ON accounts.id = builds.account_id
WHERE status = 'queued' AND completed_at IS NULL AND (due_at <= $1 OR due_at > $2)
  AND NOT EXISTS (SELECT 1 FROM building WHERE building.site_id = builds.site_id)
GROUP BY builds.site_id, builds.account_id, build_turn
ORDER BY CASE WHEN build_turn > $2 THEN 0 ELSE build_turn END,
  min(CASE WHEN due_at > builds.created_at THEN due_at ELSE builds.created_at END),
  builds.site_id
LIMIT 8";

/// Sites with builds that are due and not being built: the account first that was served longest ago, and of its sites
/// the one that has waited longest. An attempt that is repeated waits behind what came before it was due again.
pub fn waiting(tx: &mut Tx, now: Timestamp) -> Result<Vec<(SiteId, AccountId)>> {
    let Moment { now, latest_due, .. } = Moment::of(tx, now)?;
    tx.query(WAITING, &[&now, &latest_due], read)
}

const TAKE: &str = "
INSERT INTO building (site_id, worker, lease_until)
VALUES ($1, $2, $3)
ON CONFLICT (site_id) DO NOTHING";
const START: &str = "
UPDATE builds
SET status = 'running', started_at = $1, attempts = attempts + 1
WHERE site_id = $2 AND completed_at IS NULL
RETURNING created_at, id, triggered_by, attempts";

/// Takes all queued builds of a site; it is its account's turn then. `None`: another worker has the site, or nothing is
/// queued any more.
pub fn claim(
    tx: &mut Tx,
    (site, account): (SiteId, AccountId),
    worker: Worker,
    now: Timestamp,
) -> Result<Option<Claim>> {
    let lease_now = tx.lease_now(now)?;
    if tx.execute(TAKE, &[&site.0, &worker.0, &lease_now.plus(LEASE).micros()])? == 0 {
        return Ok(None);
    }
    let mut builds: Vec<(i64, BuildId, Trigger, i64)> = tx.query(START, &[&now.micros(), &site.0], read)?;
    builds.sort_unstable();
    let scheduled = builds.iter().all(|(_, _, trigger, _)| *trigger == Trigger::Schedule);
    let attempt = builds.iter().map(|(_, _, _, attempts)| *attempts).max().unwrap_or(1);
    let Some((_, build, _, _)) = builds.pop() else {
        release(tx, site, worker)?;
        return Ok(None);
    };
    turns::take(tx, Queue::Builds, account, lease_now)?;
    Ok(Some(Claim { site, worker, build, scheduled, attempt }))
}

const HOLD_SQLITE: &str = "
SELECT 1
FROM building
WHERE site_id = $1 AND worker = $2";
const HOLD_POSTGRES: &str = "
SELECT 1
FROM building
WHERE site_id = $1 AND worker = $2
FOR UPDATE";

/// Whether the claim still holds, and if so until the transaction ends: no other worker takes the site meanwhile. Every
/// write of a build begins with it.
pub fn hold(tx: &mut Tx, claim: &Claim) -> Result<bool> {
    let sql = if tx.is_sqlite() { HOLD_SQLITE } else { HOLD_POSTGRES };
    Ok(tx.query_one(sql, &[&claim.site.0, &claim.worker.0], |_| Ok(()))?.is_some())
}

/// What a build has seen of the site: pages up to a version, and texts below an id. All that was replaced later is
/// kept for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub version: i64,
    pub texts_below: i64,
}

const EXTEND: &str = "
UPDATE building
SET lease_until = $1, seen_version = $2, texts_below = $3
WHERE site_id = $4 AND worker = $5";

/// Says that the worker lives. `seen` is `None` until the snapshot is taken: every text is kept then. `false`: the lease
/// was over, and another worker has the site.
pub fn extend(tx: &mut Tx, claim: &Claim, seen: Option<Seen>, now: Timestamp) -> Result<bool> {
    let lease = tx.lease_now(now)?.plus(LEASE).micros();
    let Seen { version, texts_below } = seen.unwrap_or(Seen { version: -1, texts_below: i64::MAX });
    Ok(tx.execute(EXTEND, &[&lease, &version, &texts_below, &claim.site.0, &claim.worker.0])? == 1)
}

const NOTE_PROGRESS: &str = "
UPDATE building
SET pages_done = $1, pages_total = $2
WHERE site_id = $3 AND worker = $4";

/// How many of the pages that a build renders are rendered.
pub fn note_progress(tx: &mut Tx, claim: &Claim, (done, total): (i64, i64)) -> Result<()> {
    tx.execute(NOTE_PROGRESS, &[&done, &total, &claim.site.0, &claim.worker.0])?;
    Ok(())
}

const PROGRESS: &str = "
SELECT pages_done, pages_total
FROM building
WHERE site_id = $1";

/// Of the running build of a site, as far as its worker has noted it: 0 of 0 at first.
pub fn progress(tx: &mut Tx, site: SiteId) -> Result<Option<(i64, i64)>> {
    tx.query_one(PROGRESS, &[&site.0], read)
}

const RELEASE: &str = "
DELETE FROM building
WHERE site_id = $1 AND worker = $2";

fn release(tx: &mut Tx, site: SiteId, worker: Worker) -> Result<bool> {
    Ok(tx.execute(RELEASE, &[&site.0, &worker.0])? == 1)
}

/// How a build came to its end.
#[derive(Debug, Clone, Copy)]
pub enum End<'e> {
    /// With warnings, as JSON, if there are any.
    Success { warnings: Option<&'e str> },
    /// A message for the person who asked for it.
    Failed(&'e str),
}

const END: &str = "
UPDATE builds
SET status = $1, completed_at = $2, error = $3, warnings = $4
WHERE site_id = $5 AND status = 'running' AND completed_at IS NULL";

/// Ends the site's running builds and gives the site free. `false`: the site is another worker's by now.
pub fn end(tx: &mut Tx, claim: &Claim, end: End, now: Timestamp) -> Result<bool> {
    if !release(tx, claim.site, claim.worker)? {
        return Ok(false);
    }
    let (status, error, warnings) = match end {
        End::Success { warnings } => (BuildStatus::Success, None, warnings),
        End::Failed(error) => (BuildStatus::Failed, Some(error), None),
    };
    tx.execute(END, &[&status.as_str(), &now.micros(), &error, &warnings, &claim.site.0])?;
    Ok(true)
}

const GIVE_UP: &str = "
UPDATE builds
SET status = 'failed', completed_at = $1, error = $2
WHERE site_id = $3 AND status = 'running' AND completed_at IS NULL AND attempts >= $4";
const REQUEUE: &str = "
UPDATE builds
SET status = 'queued', started_at = NULL, due_at = $1
WHERE site_id = $2 AND status = 'running' AND completed_at IS NULL";

/// An attempt failed for a reason that may pass: the builds wait for the next one, behind others. Those whose attempts
/// are used up have failed, with `error`. `false`: the site is another worker's by now.
pub fn retry(tx: &mut Tx, claim: &Claim, error: &str, now: Timestamp) -> Result<bool> {
    let ours = release(tx, claim.site, claim.worker)?;
    if ours {
        requeue(tx, claim.site, claim.attempt, error, now)?;
    }
    Ok(ours)
}

fn requeue(tx: &mut Tx, site: SiteId, attempt: i64, error: &str, now: Timestamp) -> Result<()> {
    tx.execute(GIVE_UP, &[&now.micros(), &error, &site.0, &ATTEMPTS])?;
    let due = tx.lease_now(now)?.plus(pause_after(attempt));
    tx.execute(REQUEUE, &[&due.micros(), &site.0])?;
    Ok(())
}

const UNTRY: &str = "
UPDATE builds
SET status = 'queued', started_at = NULL, due_at = 0, attempts = attempts - 1
WHERE site_id = $1 AND status = 'running' AND completed_at IS NULL";

/// Gives a site back unbuilt, because the worker stops: that was no attempt.
pub fn give_back(tx: &mut Tx, claim: &Claim) -> Result<()> {
    if release(tx, claim.site, claim.worker)? {
        tx.execute(UNTRY, &[&claim.site.0])?;
    }
    Ok(())
}

const DEAD_SQLITE: &str = "
DELETE FROM building
WHERE lease_until < $1 OR lease_until > $2
RETURNING site_id";
// A worker that holds its claim at this moment is not dead. Nor does anybody wait for it: should its process be stopped
// in the middle of a transaction, the builds of all other sites go on.
const DEAD_POSTGRES: &str = "
DELETE FROM building
WHERE site_id IN (
  SELECT site_id FROM building WHERE lease_until < $1 OR lease_until > $2 FOR UPDATE SKIP LOCKED)
RETURNING site_id";
const ATTEMPT: &str = "
SELECT max(attempts)
FROM builds
WHERE site_id = $1 AND status = 'running' AND completed_at IS NULL";

/// Puts the builds of workers that died back into the queue; returns how many sites that were.
pub fn recover(tx: &mut Tx, now: Timestamp) -> Result<usize> {
    let Moment { now: lease_now, latest_lease, .. } = Moment::of(tx, now)?;
    let sql = if tx.is_sqlite() { DEAD_SQLITE } else { DEAD_POSTGRES };
    let sites: Vec<SiteId> = tx.query(sql, &[&lease_now, &latest_lease], read)?;
    for site in &sites {
        let attempt = tx.query_one(ATTEMPT, &[&site.0], read::<Option<i64>>)?.flatten();
        requeue(tx, *site, attempt.unwrap_or(1), "the server stopped during each attempt", now)?;
    }
    Ok(sites.len())
}

const DUE: &str = "
SELECT DISTINCT pages.site_id, sites.account_id
FROM pages
JOIN sites ON sites.id = pages.site_id
WHERE pages.published_at > pages.updated_at AND NOT pages.draft AND pages.deleted_at IS NULL
  AND pages.published_at > $1 AND pages.published_at <= $2 AND sites.deleted_at IS NULL
  AND pages.published_at > coalesce(
    (SELECT as_of FROM releases WHERE releases.site_id = pages.site_id ORDER BY number DESC LIMIT 1), 0)
  AND NOT EXISTS (SELECT 1 FROM builds WHERE builds.site_id = pages.site_id AND status = 'queued' AND completed_at IS NULL)
  AND NOT EXISTS (
    SELECT 1 FROM builds
    WHERE builds.site_id = pages.site_id AND builds.created_at > $3 AND builds.created_at < $4
      AND triggered_by = 'schedule')
LIMIT 100";

/// Sites with pages that became due after `since`, and after the moment of the newest release, unless a build is queued
/// anyway, or one was scheduled after `last`.
pub fn due(
    tx: &mut Tx,
    since: Timestamp,
    now: Timestamp,
    last: Timestamp,
) -> Result<Vec<(SiteId, AccountId)>> {
    // One that lies further ahead than another clock can be was created by a clock that went wrong.
    let latest = now.plus(now.since(last));
    tx.query(DUE, &[&since.micros(), &now.micros(), &last.micros(), &latest.micros()], read)
}
