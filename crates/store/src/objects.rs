//! Objects: the bytes of media. As with packs, an object has a row before its first byte is written, and loses it after
//! its bytes are gone, so that nothing is ever forgotten. Bytes lie under the object's id, never under their hash: what
//! is being deleted is never what somebody is uploading again.

use std::collections::HashSet;

use model::{Dimensions, MediaHash, ObjectId, SiteId, Timestamp};
use uuid::Uuid;

use crate::{Bulk, LONGEST_LEASE, Result, Tx};

const BEGIN: &str = "
INSERT INTO objects (id, site_id, state, after)
VALUES ($1, $2, 'pending', $3)";

/// Before the first byte. Until it is kept it costs nothing, and goes when its lease is over.
pub fn begin(tx: &mut Tx, id: ObjectId, site: SiteId, lease: Timestamp) -> Result<()> {
    tx.execute(BEGIN, &[&id.0, &site.0, &lease.micros()])?;
    Ok(())
}

const EXTEND: Bulk = Bulk {
    sqlite: "
UPDATE objects
SET after = $1
WHERE id = $2 AND state = 'pending'",
    postgres: "
UPDATE objects
SET after = $1
WHERE id = ANY($2) AND state = 'pending'",
};

/// `false`: a lease was over, and that object is being swept.
pub fn extend(tx: &mut Tx, ids: &[ObjectId], lease: Timestamp) -> Result<bool> {
    Ok(tx.execute_many(EXTEND, &[&lease.micros()], &[&uuids(ids)])? == ids.len() as u64)
}

const ABANDON: Bulk = Bulk {
    sqlite: "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id = $2 AND state = 'pending'",
    postgres: "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id = ANY($2) AND state = 'pending'",
};

/// Nothing refers to them, and nothing will. What was kept in the meantime stays.
pub fn abandon(tx: &mut Tx, ids: &[ObjectId], now: Timestamp) -> Result<()> {
    tx.execute_many(ABANDON, &[&now.micros()], &[&uuids(ids)])?;
    Ok(())
}

const PENDING: Bulk = Bulk {
    sqlite: "
SELECT id
FROM objects
WHERE site_id = $1 AND id = $2 AND state = 'pending'",
    postgres: "
SELECT id
FROM objects
WHERE site_id = $1 AND id = ANY($2) AND state = 'pending'
FOR UPDATE",
};

/// Which of them may still be kept. They stay so until the transaction ends, whatever the sweep is about to do.
pub(crate) fn pending(tx: &mut Tx, site: SiteId, ids: &[ObjectId]) -> Result<HashSet<ObjectId>> {
    let found = tx.query_many(PENDING, &[&site.0], &[&uuids(ids)], |row| Ok(ObjectId(row.get(0)?)))?;
    Ok(found.into_iter().collect())
}

/// What becomes of a pending object.
pub(crate) struct Whole {
    pub(crate) id: ObjectId,
    pub(crate) hash: MediaHash,
    pub(crate) size: u64,
    pub(crate) dimensions: Option<Dimensions>,
}

const KEEP: Bulk = Bulk {
    sqlite: "
UPDATE objects
SET state = 'kept', created_at = $1, hash = $2, size = $3, width = $4, height = $5
WHERE id = $6",
    postgres: "
UPDATE objects
SET state = 'kept', created_at = $1, hash = whole.hash, size = whole.size, width = whole.width, height = whole.height
FROM unnest(CAST($2 AS bytea[]), CAST($3 AS bigint[]), CAST($4 AS bigint[]), CAST($5 AS bigint[]), CAST($6 AS uuid[]))
  AS whole (hash, size, width, height, id)
WHERE objects.id = whole.id",
};

/// The caller holds the site's lock, and has found them pending and their hashes not kept.
pub(crate) fn keep(tx: &mut Tx, objects: &[Whole], now: Timestamp) -> Result<()> {
    let hashes: Vec<&[u8]> = objects.iter().map(|object| object.hash.0.as_slice()).collect();
    let sizes: Vec<i64> = objects.iter().map(|object| object.size as i64).collect();
    let side = |of: fn(Dimensions) -> u16| -> Vec<Option<i64>> {
        objects.iter().map(|object| object.dimensions.map(of).map(i64::from)).collect()
    };
    let (widths, heights) = (side(|size| size.width), side(|size| size.height));
    let ids: Vec<Uuid> = objects.iter().map(|object| object.id.0).collect();
    tx.execute_many(KEEP, &[&now.micros()], &[&hashes, &sizes, &widths, &heights, &ids])?;
    Ok(())
}

const KEEP_TWIN: &str = "
UPDATE objects
SET state = 'twin', size = $1, created_at = $2
WHERE id = $3 AND state = 'pending'";

/// `false`: the lease was over, and it is being swept.
pub(crate) fn keep_twin(tx: &mut Tx, id: ObjectId, size: u64, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(KEEP_TWIN, &[&(size as i64), &now.micros(), &id.0])? == 1)
}

const DOOM_TWIN: Bulk = Bulk {
    sqlite: "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id = $2 AND state = 'twin'",
    postgres: "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id = ANY($2) AND state = 'twin'",
};

pub(crate) fn doom_twins(tx: &mut Tx, ids: &[ObjectId], after: Timestamp) -> Result<()> {
    tx.execute_many(DOOM_TWIN, &[&after.micros()], &[&uuids(ids)])?;
    Ok(())
}

const ABANDONED: &str = "
UPDATE objects
SET state = 'doomed'
WHERE state = 'pending' AND (after < $1 OR after > $2)";
const DOOMED: &str = "
SELECT id
FROM objects
WHERE state = 'doomed' AND (after < $1 OR after > $2)
ORDER BY after
LIMIT $3";

/// Objects whose time has come. One whose lease is over is doomed first: its writer can no longer keep it.
pub fn doomed(tx: &mut Tx, now: Timestamp, most: i64) -> Result<Vec<ObjectId>> {
    let now = tx.lease_now(now)?;
    let (now, latest) = (now.micros(), now.plus(LONGEST_LEASE).micros());
    tx.execute(ABANDONED, &[&now, &latest])?;
    tx.query(DOOMED, &[&now, &latest, &most], |row| Ok(ObjectId(row.get(0)?)))
}

const FORGET: &str = "
DELETE FROM objects
WHERE id = $1 AND state = 'doomed'";

/// The object's bytes are gone.
pub fn forget(tx: &mut Tx, id: ObjectId) -> Result<()> {
    tx.execute(FORGET, &[&id.0])?;
    Ok(())
}

const KNOWN: Bulk = Bulk {
    sqlite: "
SELECT id
FROM objects
WHERE id = $1",
    postgres: "
SELECT id
FROM objects
WHERE id = ANY($1)",
};

/// Which of them have a row, in whatever state. Bytes that have none belong to nobody.
pub fn known(tx: &mut Tx, ids: &[ObjectId]) -> Result<HashSet<ObjectId>> {
    let found = tx.query_many(KNOWN, &[], &[&uuids(ids)], |row| Ok(ObjectId(row.get(0)?)))?;
    Ok(found.into_iter().collect())
}

const OF_HASH: &str = "
SELECT id, size
FROM objects
WHERE site_id = $1 AND hash = $2 AND state = 'kept'";

/// Where the bytes with a hash are that a site keeps, and how many.
pub fn of_hash(tx: &mut Tx, site: SiteId, hash: MediaHash) -> Result<Option<(ObjectId, u64)>> {
    tx.query_one(OF_HASH, &[&site.0, &hash.0.as_slice()], |row| {
        Ok((ObjectId(row.get(0)?), row.get::<i64>(1)? as u64))
    })
}

fn uuids(ids: &[ObjectId]) -> Vec<Uuid> {
    ids.iter().map(|id| id.0).collect()
}
