//! Objects: the bytes of media. How they begin and end is in `leased`. Bytes lie under the object's id, never under their
//! hash: what is being deleted is never one that is being uploaded again.

use std::collections::HashSet;

use model::{Dimensions, MediaHash, ObjectId, SiteId, Timestamp};
use uuid::Uuid;

use crate::engine::bulk::for_each;
use crate::engine::row::read;
use crate::leased::leased;
use crate::{Bulk, Result, Tx};

leased!(objects(), ObjectId, ObjectId = "id");

/// `false`: a lease was over, and that object is being swept.
pub fn extend(tx: &mut Tx, ids: &[ObjectId], lease: Timestamp) -> Result<bool> {
    extend_all(tx, ids, lease)
}

/// Nothing refers to them, and nothing will. What was kept in the meantime stays.
pub fn abandon(tx: &mut Tx, ids: &[ObjectId], now: Timestamp) -> Result<()> {
    abandon_all(tx, ids, now)
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
    let found = tx.query_many(PENDING, &[&site.0], &[&uuids(ids)], read)?;
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

const DOOM_TWIN: Bulk = for_each!(
    "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id",
    2,
    " AND state = 'twin'"
);

pub(crate) fn doom_twins(tx: &mut Tx, ids: &[ObjectId], after: Timestamp) -> Result<()> {
    tx.execute_many(DOOM_TWIN, &[&after.micros()], &[&uuids(ids)])?;
    Ok(())
}

const OF_HASH: &str = "
SELECT id, size
FROM objects
WHERE site_id = $1 AND hash = $2 AND state = 'kept'";

/// Where the bytes with a hash are that a site keeps, and how many.
pub fn of_hash(tx: &mut Tx, site: SiteId, hash: MediaHash) -> Result<Option<(ObjectId, u64)>> {
    tx.query_one(OF_HASH, &[&site.0, &hash.0.as_slice()], read)
}
