//! Sites whose feeds changed, to be announced to their hubs by workers.

use std::time::Duration;

use model::{AccountId, SiteId, SiteName, Timestamp};

use crate::engine::row::read;
use crate::turns::{self, Queue};
use crate::{LONGEST_LEASE, Result, Tx};

/// An attempt, the worker's until its lease is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ping {
    pub site: SiteId,
    pub name: SiteName,
    pub hub: String,
    /// The release whose feeds are new.
    pub release: i64,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

/// The most attempts. After these, subscribers have to poll.
pub const ATTEMPTS: i64 = 6;
/// Longer than an attempt may take.
const LEASE: Duration = Duration::from_secs(60);
/// The pause after each failed attempt, in minutes.
const PAUSES: [u64; ATTEMPTS as usize - 1] = [1, 5, 30, 120, 480];

const QUEUE: &str = "
INSERT INTO pings (site_id, hub, release, due, attempts)
VALUES ($1, $2, $3, $4, 0)
ON CONFLICT (site_id) DO UPDATE
SET hub = excluded.hub, release = excluded.release, due = excluded.due, attempts = 0";

/// At most one for each site: a newer release replaces an older one.
pub fn queue(tx: &mut Tx, site: SiteId, hub: &str, release: i64, now: Timestamp) -> Result<()> {
    let now = tx.lease_now(now)?;
    tx.execute(QUEUE, &[&site.0, &hub, &release, &now.micros()])?;
    tx.announce_work()
}

const GIVE_UP: &str = "
DELETE FROM pings
WHERE (due <= $1 OR due > $2) AND attempts >= $3";
const NEXT_SQLITE: &str = "
SELECT pings.site_id, sites.account_id, sites.name, hub, release
FROM pings
JOIN sites ON sites.id = pings.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE (due <= $1 OR due > $2) AND sites.deleted_at IS NULL
ORDER BY CASE WHEN ping_turn > $2 THEN 0 ELSE ping_turn END, due
LIMIT 1";
const NEXT_POSTGRES: &str = "
SELECT pings.site_id, sites.account_id, sites.name, hub, release
FROM pings
JOIN sites ON sites.id = pings.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE (due <= $1 OR due > $2) AND sites.deleted_at IS NULL
ORDER BY CASE WHEN ping_turn > $2 THEN 0 ELSE ping_turn END, due
LIMIT 1
FOR UPDATE OF pings SKIP LOCKED";
const START: &str = "
UPDATE pings
SET due = $1, attempts = attempts + 1
WHERE site_id = $2
RETURNING attempts";

/// Takes the ping that is due longest, of the account that was served longest ago. `None`: none is due.
pub fn claim(tx: &mut Tx, now: Timestamp) -> Result<Option<Ping>> {
    let now = tx.lease_now(now)?;
    let (due, latest) = (now.micros(), now.plus(LONGEST_LEASE).micros());
    tx.execute(GIVE_UP, &[&due, &latest, &ATTEMPTS])?;
    let sql = if tx.is_sqlite() { NEXT_SQLITE } else { NEXT_POSTGRES };
    let next: Option<(SiteId, AccountId, SiteName, String, i64)> =
        tx.query_one(sql, &[&due, &latest], read)?;
    let Some((site, account, name, hub, release)) = next else { return Ok(None) };
    turns::take(tx, Queue::Pings, account, now)?;
    let attempt = tx.query_one(START, &[&now.plus(LEASE).micros(), &site.0], read)?.unwrap_or(1);
    Ok(Some(Ping { site, name, hub, release, attempt }))
}

const FINISH: &str = "
DELETE FROM pings
WHERE site_id = $1 AND release = $2 AND attempts = $3";

/// The hub knows. A ping that was queued since then stays.
pub fn finish(tx: &mut Tx, ping: &Ping) -> Result<()> {
    tx.execute(FINISH, &[&ping.site.0, &ping.release, &ping.attempt])?;
    Ok(())
}

const RETRY: &str = "
UPDATE pings
SET due = $1
WHERE site_id = $2 AND release = $3 AND attempts = $4";

/// The attempt failed. `false`: it was the last one.
pub fn retry(tx: &mut Tx, ping: &Ping, now: Timestamp) -> Result<bool> {
    let pause = usize::try_from(ping.attempt - 1).ok().and_then(|failed| PAUSES.get(failed));
    let Some(minutes) = pause else { return finish(tx, ping).map(|()| false) };
    let due = tx.lease_now(now)?.plus(Duration::from_secs(60 * minutes));
    tx.execute(RETRY, &[&due.micros(), &ping.site.0, &ping.release, &ping.attempt])?;
    Ok(true)
}
