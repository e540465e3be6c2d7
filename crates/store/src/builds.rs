//! Builds: the queue's rows and what `GET /builds/latest` reports.

pub mod building;

use std::time::Duration;

use model::{AccountId, BuildId, BuildStatus, SiteId, Timestamp, Trigger};

use crate::engine::row::{converted, from_row, read, select};
use crate::{Error, Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    pub id: BuildId,
    pub status: BuildStatus,
    pub triggered_by: Trigger,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub error: Option<String>,
    /// What could not be shown as its author meant it, as JSON.
    pub warnings: Option<String>,
}

from_row!(build = Build { id, status, triggered_by, created_at, started_at, completed_at, error, warnings });
converted!(&str => BuildStatus: |text| BuildStatus::parse(text).ok_or_else(|| wrong("status")));
converted!(&str => Trigger: |text| Trigger::parse(text).ok_or_else(|| wrong("trigger")));

fn wrong(what: &str) -> Error {
    Error::Internal(format!("a stored build has a wrong {what}"))
}

/// A site's builds that are kept, in addition to those that are not over.
const KEPT: i64 = 100;

const INSERT: &str = "
INSERT INTO builds (id, account_id, site_id, status, triggered_by, created_at)
VALUES ($1, $2, $3, 'queued', $4, $5)";

pub fn insert(
    tx: &mut Tx,
    id: BuildId,
    account: AccountId,
    site: SiteId,
    triggered_by: Trigger,
    now: Timestamp,
) -> Result<()> {
    tx.execute(INSERT, &[&id.0, &account.0, &site.0, &triggered_by.as_str(), &now.micros()])?;
    tx.execute(FORGET, &[&site.0, &KEPT])?;
    tx.announce_work()
}

const POSTPONED: &str = "
SELECT 1
FROM builds
WHERE site_id = $1 AND status = 'queued' AND completed_at IS NULL AND due_at > $2
LIMIT 1";

/// Whether a build of the site waits for its time.
pub fn is_postponed(tx: &mut Tx, site: SiteId, now: Timestamp) -> Result<bool> {
    let now = tx.lease_now(now)?;
    Ok(tx.query_one(POSTPONED, &[&site.0, &now.micros()], |_| Ok(()))?.is_some())
}

const POSTPONE: &str = "
UPDATE builds
SET due_at = $1
WHERE id = $2";

/// Has a queued build wait for so long, at most [`building::LONGEST_PAUSE`].
pub fn postpone(tx: &mut Tx, id: BuildId, wait: Duration, now: Timestamp) -> Result<()> {
    let due = tx.lease_now(now)?.plus(wait);
    tx.execute(POSTPONE, &[&due.micros(), &id.0])?;
    Ok(())
}

// The newest that was requested is what `latest` reports, however many came after it.
const FORGET: &str = "
DELETE FROM builds
WHERE site_id = $1 AND completed_at IS NOT NULL
  AND id IN (
    SELECT id FROM builds WHERE site_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $2)
  AND id IS DISTINCT FROM (
    SELECT id FROM builds WHERE site_id = $1 AND triggered_by <> 'schedule'
    ORDER BY created_at DESC, id DESC LIMIT 1)";

const FORGET_OLD: &str = "
DELETE FROM builds
WHERE id IN (
  SELECT id
  FROM builds AS old
  WHERE completed_at < $1
    AND (triggered_by = 'schedule'
      OR NOT EXISTS (SELECT 1 FROM sites WHERE sites.id = old.site_id)
      OR EXISTS (
        SELECT 1 FROM builds AS newer
        WHERE newer.site_id = old.site_id AND newer.created_at > old.created_at AND newer.triggered_by <> 'schedule'))
  ORDER BY completed_at
  LIMIT $2)";

/// Deletes at most `most` builds that ended before `time`, except each site's newest that was requested; returns how
/// many.
pub fn forget_before(tx: &mut Tx, time: Timestamp, most: i64) -> Result<u64> {
    tx.execute(FORGET_OLD, &[&time.micros(), &most])
}

const LIST: &str = select!(
    build,
    "
FROM builds
WHERE site_id = $1
ORDER BY created_at DESC, id DESC
LIMIT $2"
);

/// The newest builds, scheduled ones included.
pub fn list(tx: &mut Tx, site: SiteId, most: i64) -> Result<Vec<Build>> {
    tx.query(LIST, &[&site.0, &most], read)
}

/// A build that is not over, of any account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenBuild {
    pub account: String,
    pub site: SiteId,
    pub site_name: String,
    pub status: BuildStatus,
    pub triggered_by: Trigger,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub attempts: i64,
}

from_row!(
    open_build = OpenBuild {
        account: "accounts.name",
        site: "sites.id",
        site_name: "sites.name",
        status,
        triggered_by,
        created_at: "builds.created_at",
        started_at,
        attempts,
    }
);

const OPEN: &str = select!(
    open_build,
    "
FROM builds
JOIN sites ON sites.id = builds.site_id
JOIN accounts ON accounts.id = builds.account_id
WHERE completed_at IS NULL
ORDER BY builds.created_at, builds.id
LIMIT $1"
);

/// The oldest builds that are queued or running.
pub fn open(tx: &mut Tx, most: i64) -> Result<Vec<OpenBuild>> {
    tx.query(OPEN, &[&most], read)
}

const OVERDUE: &str = "
SELECT min(sites.name), count(DISTINCT sites.id)
FROM builds
JOIN sites ON sites.id = builds.site_id
WHERE completed_at IS NULL AND builds.created_at < $1";

/// Sites with a build that was requested before `time` and is not over: one of them, and how many there are.
pub fn overdue(tx: &mut Tx, time: Timestamp) -> Result<(Option<String>, i64)> {
    Ok(tx.query_one(OVERDUE, &[&time.micros()], read)?.unwrap_or_default())
}

const LATEST: &str = select!(
    build,
    "
FROM builds
WHERE site_id = $1 AND triggered_by <> 'schedule'
ORDER BY created_at DESC, id DESC
LIMIT 1"
);

/// The newest build that was requested.
pub fn latest(tx: &mut Tx, site: SiteId) -> Result<Option<Build>> {
    tx.query_one(LATEST, &[&site.0], read)
}
