//! Who builds which site. A worker takes a site's queued builds together; its lease says that it lives.

use model::{BuildId, BuildStatus, SiteId, Timestamp, Trigger};
use uuid::Uuid;

use crate::{Error, Result, Tx};

/// A process that builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worker(pub Uuid);

/// The builds of one site that one run will end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub site: SiteId,
    /// The newest of them.
    pub build: BuildId,
    /// Nobody asked for it: pages became due.
    pub scheduled: bool,
}

const IDLE: &str = "
SELECT 1
FROM builds
WHERE status = 'queued' AND completed_at IS NULL
UNION ALL
SELECT 1
FROM building
WHERE lease_until < $1
LIMIT 1";

/// Nothing is queued, and no worker died.
pub fn is_idle(tx: &mut Tx, now: Timestamp) -> Result<bool> {
    Ok(tx.query_one(IDLE, &[&now.micros()], |_| Ok(()))?.is_none())
}

const WAITING: &str = "
SELECT site_id
FROM builds
WHERE status = 'queued' AND completed_at IS NULL
GROUP BY site_id
ORDER BY min(created_at), site_id
LIMIT 32";

/// Sites with queued builds, who waited longest first.
pub fn waiting(tx: &mut Tx) -> Result<Vec<SiteId>> {
    tx.query(WAITING, &[], |row| Ok(SiteId(row.get(0)?)))
}

const LEASE: &str = "
INSERT INTO building (site_id, worker, lease_until)
VALUES ($1, $2, $3)
ON CONFLICT (site_id) DO UPDATE
SET worker = excluded.worker, lease_until = excluded.lease_until
WHERE building.lease_until < $4";
const START: &str = "
UPDATE builds
SET status = 'running', started_at = $1
WHERE site_id = $2 AND completed_at IS NULL
RETURNING id, triggered_by, created_at";

/// Takes all queued builds of a site, and those that a dead worker had begun. `None`: another worker has the site, or
/// nothing is queued any more.
pub fn claim(
    tx: &mut Tx,
    site: SiteId,
    worker: Worker,
    now: Timestamp,
    lease: Timestamp,
) -> Result<Option<Claim>> {
    if tx.execute(LEASE, &[&site.0, &worker.0, &lease.micros(), &now.micros()])? == 0 {
        return Ok(None);
    }
    let mut builds = tx.query(START, &[&now.micros(), &site.0], |row| {
        let trigger = Trigger::parse(row.text(1)?)
            .ok_or_else(|| Error::Internal("a stored build has a wrong trigger".into()))?;
        Ok((row.get::<i64>(2)?, BuildId(row.get(0)?), trigger))
    })?;
    builds.sort_unstable();
    let scheduled = builds.iter().all(|(_, _, trigger)| *trigger == Trigger::Schedule);
    let Some((_, build, _)) = builds.pop() else {
        release(tx, site, worker)?;
        return Ok(None);
    };
    Ok(Some(Claim { site, build, scheduled }))
}

const EXTEND: &str = "
UPDATE building
SET lease_until = $1
WHERE site_id = $2 AND worker = $3";

/// `false`: the lease was over and another worker has the site.
pub fn extend(tx: &mut Tx, site: SiteId, worker: Worker, lease: Timestamp) -> Result<bool> {
    Ok(tx.execute(EXTEND, &[&lease.micros(), &site.0, &worker.0])? == 1)
}

const RELEASE: &str = "
DELETE FROM building
WHERE site_id = $1 AND worker = $2";

fn release(tx: &mut Tx, site: SiteId, worker: Worker) -> Result<bool> {
    Ok(tx.execute(RELEASE, &[&site.0, &worker.0])? == 1)
}

const END: &str = "
UPDATE builds
SET status = $1, completed_at = $2, error = $3
WHERE site_id = $4 AND status = 'running' AND completed_at IS NULL";

/// Ends the site's running builds and gives the site free. `false`: the site is another worker's by now.
pub fn end(
    tx: &mut Tx,
    site: SiteId,
    worker: Worker,
    outcome: Result<(), &str>,
    now: Timestamp,
) -> Result<bool> {
    if !release(tx, site, worker)? {
        return Ok(false);
    }
    let status = if outcome.is_ok() { BuildStatus::Success } else { BuildStatus::Failed };
    tx.execute(END, &[&status.as_str(), &now.micros(), &outcome.err(), &site.0])?;
    Ok(true)
}

const REQUEUE: &str = "
UPDATE builds
SET status = 'queued', started_at = NULL
WHERE site_id = $1 AND status = 'running' AND completed_at IS NULL";

/// Gives a site back unbuilt: its builds wait again.
pub fn give_back(tx: &mut Tx, site: SiteId, worker: Worker) -> Result<()> {
    if release(tx, site, worker)? {
        tx.execute(REQUEUE, &[&site.0])?;
    }
    Ok(())
}

const DEAD: &str = "
DELETE FROM building
WHERE lease_until < $1
RETURNING site_id";

/// Puts the builds of workers that died back into the queue; tells how many sites that were.
pub fn recover(tx: &mut Tx, now: Timestamp) -> Result<usize> {
    let sites: Vec<Uuid> = tx.query(DEAD, &[&now.micros()], |row| row.get(0))?;
    for site in &sites {
        tx.execute(REQUEUE, &[site])?;
    }
    Ok(sites.len())
}

const DUE: &str = "
SELECT DISTINCT pages.site_id, sites.account_id
FROM pages
JOIN sites ON sites.id = pages.site_id
WHERE pages.published_at > pages.updated_at AND NOT pages.draft AND pages.deleted_at IS NULL
  AND pages.published_at > $1 AND pages.published_at <= $2
  AND pages.published_at > coalesce(
    (SELECT as_of FROM releases WHERE releases.site_id = pages.site_id ORDER BY number DESC LIMIT 1), 0)
  AND NOT EXISTS (SELECT 1 FROM builds WHERE builds.site_id = pages.site_id AND status = 'queued' AND completed_at IS NULL)";

/// Sites with pages that became due after `since`, and after the moment of the newest release, unless a build is queued
/// anyway.
pub fn due(tx: &mut Tx, since: Timestamp, now: Timestamp) -> Result<Vec<(SiteId, model::AccountId)>> {
    tx.query(DUE, &[&since.micros(), &now.micros()], |row| {
        Ok((SiteId(row.get(0)?), model::AccountId(row.get(1)?)))
    })
}
