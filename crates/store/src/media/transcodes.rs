//! Transcodes: an MP4, the twin, is made of each MOV. A row lives as long as its medium has a name that ends in `.mov`.

use std::time::Duration;

use model::{AccountId, MediaHash, ObjectId, SiteId, Timestamp};

use crate::building::Worker;
use crate::engine::row::{converted, from_row, read, select};
use crate::turns::{self, Queue};
use crate::{Bulk, Error, LONGEST_LEASE, Param, Result, Tx, objects};

/// `queued → running → done | failed`; the last two are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Queued,
    Running,
    Done,
    Failed,
}

impl Status {
    pub const ALL: [Status; 4] = [Status::Queued, Status::Running, Status::Done, Status::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Queued => "queued",
            Status::Running => "running",
            Status::Done => "done",
            Status::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Status> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// How far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcode {
    pub status: Status,
    pub percent: u8,
    /// Of the last attempt.
    pub error: Option<String>,
}

from_row!(Transcode { status, percent, error });
converted!(&str => Status: |text| {
    let wrong = || Error::Internal("a stored transcode has a wrong status".into());
    Status::parse(text).ok_or_else(wrong)
});

const QUEUE: Bulk = Bulk {
    sqlite: "
INSERT INTO transcodes (site_id, due_at, status, attempts, percent, hash)
VALUES ($1, $2, 'queued', 0, 0, $3)
ON CONFLICT DO NOTHING",
    postgres: "
INSERT INTO transcodes (site_id, due_at, status, attempts, percent, hash)
SELECT $1, $2, 'queued', 0, 0, * FROM unnest(CAST($3 AS bytea[]))
ON CONFLICT DO NOTHING",
};

/// One for the same bytes, whatever became of it, is enough.
pub(crate) fn queue(tx: &mut Tx, site: SiteId, hashes: &[MediaHash], now: Timestamp) -> Result<()> {
    let hashes: Vec<&[u8]> = hashes.iter().map(|hash| hash.0.as_slice()).collect();
    match tx.execute_many(QUEUE, &[&site.0, &now.micros()], &[&hashes])? {
        0 => Ok(()),
        _ => tx.announce_work(),
    }
}

/// An attempt, the worker's until its lease is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub site: SiteId,
    pub hash: MediaHash,
    /// The MOV.
    pub source: ObjectId,
    pub size: u64,
    pub worker: Worker,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

/// The most attempts: what killed five workers will kill a sixth.
pub const ATTEMPTS: i64 = 5;

impl Claim {
    /// When to try again should this attempt fail: 1, 4, 16 and 64 minutes later. `None`: it was the last.
    pub fn retry_at(&self, now: Timestamp) -> Option<Timestamp> {
        let minutes = 4u64.pow(self.attempt.clamp(1, ATTEMPTS) as u32 - 1);
        (self.attempt < ATTEMPTS).then(|| now.plus(Duration::from_secs(60 * minutes)))
    }
}

const GIVE_UP: &str = "
UPDATE transcodes
SET status = 'failed', due_at = NULL, worker = NULL, error = 'the server stopped during each attempt'
WHERE (due_at <= $1 OR due_at > $2) AND attempts >= $3";
const NEXT_SQLITE: &str = "
SELECT transcodes.site_id, transcodes.hash, sites.account_id
FROM transcodes
JOIN sites ON sites.id = transcodes.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE (due_at <= $1 OR due_at > $2) AND sites.deleted_at IS NULL
ORDER BY CASE WHEN transcode_turn > $2 THEN 0 ELSE transcode_turn END, due_at
LIMIT 1";
const NEXT_POSTGRES: &str = "
SELECT transcodes.site_id, transcodes.hash, sites.account_id
FROM transcodes
JOIN sites ON sites.id = transcodes.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE (due_at <= $1 OR due_at > $2) AND sites.deleted_at IS NULL
ORDER BY CASE WHEN transcode_turn > $2 THEN 0 ELSE transcode_turn END, due_at
LIMIT 1
FOR UPDATE OF transcodes SKIP LOCKED";
const START: &str = "
UPDATE transcodes
SET status = 'running', worker = $1, due_at = $2, attempts = attempts + 1, percent = 0
WHERE site_id = $3 AND hash = $4
RETURNING attempts";

/// How long a worker is believed to live without saying so.
const LEASE: Duration = Duration::from_secs(30);

/// Takes the transcode that is due longest, of the account that was served longest ago: one that waits, or one whose
/// worker died. `None`: none is due.
pub fn claim(tx: &mut Tx, worker: Worker, now: Timestamp) -> Result<Option<Claim>> {
    let now = tx.lease_now(now)?;
    let (due, latest) = (now.micros(), now.plus(LONGEST_LEASE).micros());
    tx.execute(GIVE_UP, &[&due, &latest, &ATTEMPTS])?;
    let sql = if tx.is_sqlite() { NEXT_SQLITE } else { NEXT_POSTGRES };
    let next: Option<(SiteId, MediaHash, AccountId)> = tx.query_one(sql, &[&due, &latest], read)?;
    let Some((site, hash, account)) = next else { return Ok(None) };
    turns::take(tx, Queue::Transcodes, account, now)?;
    let params: [&dyn Param; 4] = [&worker.0, &now.plus(LEASE).micros(), &site.0, &hash.0.as_slice()];
    let attempt = tx.query_one(START, &params, read)?.unwrap_or(1);
    let source = objects::of_hash(tx, site, hash)?;
    Ok(source.map(|(source, size)| Claim { site, hash, source, size, worker, attempt }))
}

const HEARTBEAT: &str = "
UPDATE transcodes
SET due_at = $1, percent = $2
WHERE site_id = $3 AND hash = $4 AND worker = $5";

/// Extends the lease. `false`: the medium was deleted, or another worker has it.
pub fn heartbeat(tx: &mut Tx, claim: &Claim, percent: u8, now: Timestamp) -> Result<bool> {
    let (lease, percent) = (tx.lease_now(now)?.plus(LEASE), i64::from(percent));
    if_ours(tx, HEARTBEAT, &[&lease.micros(), &percent], claim)
}

const FINISH: &str = "
UPDATE transcodes
SET status = 'done', due_at = NULL, worker = NULL, percent = 100, error = NULL, twin = $1
WHERE site_id = $2 AND hash = $3 AND worker = $4";

/// The twin, a pending object until now, is whole. `false`: it comes too late, as `heartbeat` would have returned; it is
/// left to the sweep.
pub fn finish(tx: &mut Tx, claim: &Claim, twin: ObjectId, size: u64, now: Timestamp) -> Result<bool> {
    if !objects::keep_twin(tx, twin, size, now)? {
        return Ok(false);
    }
    let finished = if_ours(tx, FINISH, &[&twin.0], claim)?;
    if !finished {
        objects::doom_twins(tx, &[twin], now)?;
    }
    Ok(finished)
}

const FAIL: &str = "
UPDATE transcodes
SET status = $1, due_at = $2, error = $3, worker = NULL
WHERE site_id = $4 AND hash = $5 AND worker = $6";

/// It is tried again after a while (see `Claim::retry_at`), unless this was the last attempt.
pub fn fail(tx: &mut Tx, claim: &Claim, error: &str, now: Timestamp) -> Result<bool> {
    let retry_at = claim.retry_at(tx.lease_now(now)?);
    let status = if retry_at.is_some() { Status::Queued } else { Status::Failed };
    if_ours(tx, FAIL, &[&status.as_str(), &retry_at.map(Timestamp::micros), &error], claim)
}

const GIVE_BACK: &str = "
UPDATE transcodes
SET status = 'queued', due_at = $1, worker = NULL, attempts = attempts - 1
WHERE site_id = $2 AND hash = $3 AND worker = $4";

/// Not done and not failed either: this worker stops.
pub fn give_back(tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<bool> {
    let now = tx.lease_now(now)?;
    if_ours(tx, GIVE_BACK, &[&now.micros()], claim)
}

/// Runs a statement whose last parameters are the claim: it changes nothing when the claim is no longer the worker's.
fn if_ours(tx: &mut Tx, sql: &'static str, params: &[&dyn Param], claim: &Claim) -> Result<bool> {
    let hash = claim.hash.0.as_slice();
    let claim: [&dyn Param; 3] = [&claim.site.0, &hash, &claim.worker.0];
    Ok(tx.execute(sql, &[params, &claim].concat())? == 1)
}

/// A transcode that is not over, of any account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTranscode {
    pub account: String,
    pub site: SiteId,
    pub site_name: String,
    pub transcode: Transcode,
    pub attempts: i64,
}

from_row!(
    open_transcode = OpenTranscode {
        account: "accounts.name",
        site: "sites.id",
        site_name: "sites.name",
        transcode: "status, percent, error",
        attempts,
    }
);

const OPEN: &str = select!(
    open_transcode,
    "
FROM transcodes
JOIN sites ON sites.id = transcodes.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE due_at IS NOT NULL
ORDER BY due_at
LIMIT $1"
);

/// The transcodes that are queued or running, the next one first.
pub fn open(tx: &mut Tx, most: i64) -> Result<Vec<OpenTranscode>> {
    tx.query(OPEN, &[&most], read)
}

const NEXT_DUE: &str = "
SELECT min(due_at)
FROM transcodes
WHERE due_at IS NOT NULL";

/// When a worker should ask again; `None`: all are done.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>> {
    Ok(tx.query_one(NEXT_DUE, &[], read)?.flatten())
}

const REMOVE: &str = "
DELETE FROM transcodes
WHERE site_id = $1 AND hash = $2
RETURNING twin";

/// The MOV is no more.
pub(crate) fn remove(tx: &mut Tx, site: SiteId, hash: MediaHash, after: Timestamp) -> Result<()> {
    let twins = tx.query(REMOVE, &[&site.0, &hash.0.as_slice()], read)?;
    doom(tx, twins, after)
}

const REMOVE_SOME: &str = "
DELETE FROM transcodes
WHERE site_id = $1 AND hash IN (SELECT hash FROM transcodes WHERE site_id = $1 ORDER BY hash LIMIT $2)
RETURNING twin";

/// At most `most` of a site that is being deleted; `false`: there are none left.
pub(crate) fn remove_some(tx: &mut Tx, site: SiteId, most: i64, after: Timestamp) -> Result<bool> {
    let twins = tx.query(REMOVE_SOME, &[&site.0, &most], read)?;
    let some = !twins.is_empty();
    doom(tx, twins, after)?;
    Ok(some)
}

fn doom(tx: &mut Tx, twins: Vec<Option<ObjectId>>, after: Timestamp) -> Result<()> {
    let twins: Vec<ObjectId> = twins.into_iter().flatten().collect();
    objects::doom_twins(tx, &twins, after)
}
