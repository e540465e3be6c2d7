//! Packs: the objects that hold what builds rendered. A pack has a row before its first byte is written, and loses
//! it after its object is gone, so that nothing is ever forgotten.

use std::collections::HashSet;

use model::{PackId, SiteId, Timestamp};

use crate::{Bulk, LONGEST_LEASE, Result, Row, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    pub id: PackId,
    pub site: SiteId,
    pub size: i64,
    /// Bytes of files that no kept release has any more.
    pub dead: i64,
}

fn pack(row: &Row) -> Result<Pack> {
    Ok(Pack { id: PackId(row.get(0)?), site: SiteId(row.get(1)?), size: row.get(2)?, dead: row.get(3)? })
}

const BEGIN: &str = "
INSERT INTO packs (id, site_id, state, size, dead, after)
VALUES ($1, $2, 'pending', 0, 0, $3)";

pub fn begin(tx: &mut Tx, id: PackId, site: SiteId, lease: Timestamp) -> Result<()> {
    tx.execute(BEGIN, &[&id.0, &site.0, &lease.micros()])?;
    Ok(())
}

const EXTEND: &str = "
UPDATE packs
SET after = $1
WHERE id = $2 AND state = 'pending'";

pub fn extend(tx: &mut Tx, id: PackId, lease: Timestamp) -> Result<bool> {
    Ok(tx.execute(EXTEND, &[&lease.micros(), &id.0])? == 1)
}

const KEEP: &str = "
UPDATE packs
SET state = 'live', size = $1
WHERE id = $2 AND state = 'pending'";

/// The pack is whole and referred to. `false`: its lease was over, and it is being swept.
pub fn keep(tx: &mut Tx, id: PackId, size: i64) -> Result<bool> {
    Ok(tx.execute(KEEP, &[&size, &id.0])? == 1)
}

const KEEP_UNUSED: &str = "
UPDATE packs
SET state = 'live', size = $1, dead = $1
WHERE id = $2 AND state = 'pending'";

/// The same of a pack that files are only moved to from now on: until then its bytes are dead.
pub fn keep_unused(tx: &mut Tx, id: PackId, size: i64) -> Result<bool> {
    Ok(tx.execute(KEEP_UNUSED, &[&size, &id.0])? == 1)
}

const ABANDON: &str = "
UPDATE packs
SET state = 'doomed', after = $1
WHERE id = $2 AND state = 'pending'";

/// Nothing refers to it, and nothing will.
pub fn abandon(tx: &mut Tx, id: PackId, now: Timestamp) -> Result<()> {
    tx.execute(ABANDON, &[&now.micros(), &id.0])?;
    Ok(())
}

const ADD_DEAD: Bulk = Bulk {
    sqlite: "
UPDATE packs
SET dead = dead + ?2
WHERE id = ?1",
    postgres: "
UPDATE packs
SET dead = dead + lost.bytes
FROM unnest(CAST($1 AS uuid[]), CAST($2 AS bigint[])) AS lost (id, bytes)
WHERE packs.id = lost.id",
};
const DOOM: &str = "
UPDATE packs
SET state = 'doomed', after = $1
WHERE site_id = $2 AND state = 'live' AND dead >= size";

/// Notes bytes that died, or live again; packs that are dead altogether are deleted after `after`.
pub fn add_dead(
    tx: &mut Tx,
    site: SiteId,
    lost: &std::collections::BTreeMap<PackId, i64>,
    after: Timestamp,
) -> Result<()> {
    let ids: Vec<uuid::Uuid> = lost.keys().map(|id| id.0).collect();
    let bytes: Vec<i64> = lost.values().copied().collect();
    tx.execute_many(ADD_DEAD, &[], &[&ids, &bytes])?;
    tx.execute(DOOM, &[&after.micros(), &site.0])?;
    Ok(())
}

const DOOM_SOME: &str = "
UPDATE packs
SET state = 'doomed', after = CASE WHEN state = 'pending' AND after > $1 THEN after ELSE $1 END
WHERE id IN (SELECT id FROM packs WHERE site_id = $2 AND state <> 'doomed' ORDER BY id LIMIT $3)";

/// At most `most` packs of a site that is being deleted; `false`: there are none left. Nobody can keep one that is
/// pending, but somebody may be writing it: it goes when its lease is over.
pub(crate) fn doom_some(tx: &mut Tx, site: SiteId, most: i64, after: Timestamp) -> Result<bool> {
    Ok(tx.execute(DOOM_SOME, &[&after.micros(), &site.0, &most])? > 0)
}

const ABANDONED: &str = "
UPDATE packs
SET state = 'doomed'
WHERE state = 'pending' AND (after < $1 OR after > $2)";
const DOOMED: &str = "
SELECT id, site_id, size, dead
FROM packs
WHERE state = 'doomed' AND (after < $1 OR after > $2)
ORDER BY after
LIMIT $3";

/// Packs whose time has come. One whose lease is over is doomed first: its writer can no longer keep it.
pub fn doomed(tx: &mut Tx, now: Timestamp, most: i64) -> Result<Vec<Pack>> {
    let now = tx.lease_now(now)?;
    let (now, latest) = (now.micros(), now.plus(LONGEST_LEASE).micros());
    tx.execute(ABANDONED, &[&now, &latest])?;
    tx.query(DOOMED, &[&now, &latest, &most], pack)
}

const FORGET: &str = "
DELETE FROM packs
WHERE id = $1 AND state = 'doomed'";

/// The pack's object is gone.
pub fn forget(tx: &mut Tx, id: PackId) -> Result<()> {
    tx.execute(FORGET, &[&id.0])?;
    Ok(())
}

const KNOWN: Bulk = Bulk {
    sqlite: "
SELECT id
FROM packs
WHERE id = $1",
    postgres: "
SELECT id
FROM packs
WHERE id = ANY($1)",
};

/// Which of them have a row, in whatever state. An object that has none belongs to nobody.
pub fn known(tx: &mut Tx, ids: &[PackId]) -> Result<HashSet<PackId>> {
    let ids: Vec<uuid::Uuid> = ids.iter().map(|id| id.0).collect();
    let found = tx.query_many(KNOWN, &[], &[&ids], |row| Ok(PackId(row.get(0)?)))?;
    Ok(found.into_iter().collect())
}

const LIVE: &str = "
SELECT id, site_id, size, dead
FROM packs
WHERE site_id = $1 AND state = 'live'
ORDER BY id";

pub fn live(tx: &mut Tx, site: SiteId) -> Result<Vec<Pack>> {
    tx.query(LIVE, &[&site.0], pack)
}

const IS_LIVE_SQLITE: &str = "
SELECT 1
FROM packs
WHERE id = $1 AND state = 'live'";
const IS_LIVE_POSTGRES: &str = "
SELECT 1
FROM packs
WHERE id = $1 AND state = 'live'
FOR UPDATE";

/// Whether files may refer to it; if so, it stays like that until the transaction ends.
pub(crate) fn is_live(tx: &mut Tx, id: PackId) -> Result<bool> {
    let sql = if tx.is_sqlite() { IS_LIVE_SQLITE } else { IS_LIVE_POSTGRES };
    Ok(tx.query_one(sql, &[&id.0], |_| Ok(()))?.is_some())
}

const ANY_LIVE: &str = "
SELECT 1
FROM packs
WHERE state = 'live'
LIMIT 1";

pub fn any_live(tx: &mut Tx) -> Result<bool> {
    Ok(tx.query_one(ANY_LIVE, &[], |_| Ok(()))?.is_some())
}

const SCATTERED: &str = "
SELECT site_id
FROM packs
WHERE state = 'live'
GROUP BY site_id
HAVING count(*) > $1 OR CAST(sum(dead) AS bigint) * 2 > CAST(sum(size) AS bigint)
LIMIT 32";

/// Sites with many packs, or with mostly dead ones.
pub fn scattered(tx: &mut Tx, many: i64) -> Result<Vec<SiteId>> {
    tx.query(SCATTERED, &[&many], |row| Ok(SiteId(row.get(0)?)))
}
