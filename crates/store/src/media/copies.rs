//! Smaller copies of images, made by workers after the upload, or when a visitor needs them for the first time. A copy
//! lives as long as the bytes of its image, and costs nothing.

use std::time::Duration;

use model::{AccountId, Dimensions, MediaHash, MediaUrl, ObjectId, SMALLER_WIDTHS, SiteId, Timestamp};

use super::{Stored, find};
use crate::engine::bulk::for_each;
use crate::engine::row::{from_row, read, select};
use crate::turns::{self, Queue};
use crate::{Bulk, LONGEST_LEASE, Result, Tx, objects};

/// What is sent for the URL of a smaller copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Smaller {
    Copy(Copy),
    /// There is no such copy, or not yet. It was never queued if `is_new`.
    Original {
        stored: Stored,
        is_new: bool,
    },
}

from_row!(copy = Copy { object: "id", size: "size", hash: "hash", dimensions: "width, height" });

const FIND: &str = select!(
    copy,
    "
FROM objects
WHERE site_id = $1 AND original = $2 AND width = $3 AND state = 'twin'"
);
const IS_NEW: &str = "
SELECT copies_attempts
FROM objects
WHERE site_id = $1 AND hash = $2 AND state = 'kept' AND copies_due IS NULL AND copies_attempts = 0";

/// The copy of this width. `None`: there is no such image.
pub fn find_smaller(tx: &mut Tx, site: SiteId, url: &MediaUrl, width: u16) -> Result<Option<Smaller>> {
    let Some(original) = find(tx, site, url)? else { return Ok(None) };
    let hash = url.hash.0.as_slice();
    if let Some(copy) = tx.query_one(FIND, &[&site.0, &hash, &i64::from(width)], read)? {
        return Ok(Some(Smaller::Copy(copy)));
    }
    let is_new = tx.query_one(IS_NEW, &[&site.0, &hash], read::<i64>)?.is_some();
    Ok(Some(Smaller::Original { stored: original, is_new }))
}

/// Whether an image is large enough for smaller copies.
pub(crate) fn are_useful(dimensions: Option<Dimensions>) -> bool {
    dimensions.is_some_and(|size| size.width > SMALLER_WIDTHS[0])
}

const QUEUE: Bulk = for_each!(
    "
UPDATE objects
SET copies_due = $1
WHERE site_id = $2 AND state = 'kept' AND copies_due IS NULL AND copies_attempts = 0 AND hash",
    3
);

/// Once for the same bytes, whatever became of it.
pub fn queue(tx: &mut Tx, site: SiteId, images: &[MediaHash], now: Timestamp) -> Result<()> {
    let hashes: Vec<&[u8]> = images.iter().map(|hash| hash.0.as_slice()).collect();
    match tx.execute_many(QUEUE, &[&now.micros(), &site.0], &[&hashes])? {
        0 => Ok(()),
        _ => tx.announce_work(),
    }
}

/// An attempt, the worker's until its lease is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub site: SiteId,
    /// Of the image.
    pub hash: MediaHash,
    pub source: ObjectId,
    pub size: u64,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

/// The most attempts. After these, visitors get the image itself.
pub const ATTEMPTS: i64 = 3;
/// Longer than an attempt may take. One that failed is repeated when its lease is over.
const LEASE: Duration = Duration::from_secs(600);

const GIVE_UP: &str = "
UPDATE objects
SET copies_due = NULL
WHERE (copies_due <= $1 OR copies_due > $2) AND copies_attempts >= $3";
const NEXT_SQLITE: &str = "
SELECT objects.id, objects.site_id, objects.hash, objects.size, sites.account_id
FROM objects
JOIN sites ON sites.id = objects.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE (copies_due <= $1 OR copies_due > $2) AND objects.state = 'kept' AND sites.deleted_at IS NULL
ORDER BY CASE WHEN copies_turn > $2 THEN 0 ELSE copies_turn END, copies_due
LIMIT 1";
const NEXT_POSTGRES: &str = "
SELECT objects.id, objects.site_id, objects.hash, objects.size, sites.account_id
FROM objects
JOIN sites ON sites.id = objects.site_id
JOIN accounts ON accounts.id = sites.account_id
WHERE (copies_due <= $1 OR copies_due > $2) AND objects.state = 'kept' AND sites.deleted_at IS NULL
ORDER BY CASE WHEN copies_turn > $2 THEN 0 ELSE copies_turn END, copies_due
LIMIT 1
FOR UPDATE OF objects SKIP LOCKED";
const START: &str = "
UPDATE objects
SET copies_due = $1, copies_attempts = copies_attempts + 1
WHERE id = $2
RETURNING copies_attempts";

/// Takes the image that is due longest, of the account that was served longest ago. `None`: none is due.
pub fn claim(tx: &mut Tx, now: Timestamp) -> Result<Option<Claim>> {
    let now = tx.lease_now(now)?;
    let (due, latest) = (now.micros(), now.plus(LONGEST_LEASE).micros());
    tx.execute(GIVE_UP, &[&due, &latest, &ATTEMPTS])?;
    let sql = if tx.is_sqlite() { NEXT_SQLITE } else { NEXT_POSTGRES };
    let next: Option<(ObjectId, SiteId, MediaHash, u64, AccountId)> =
        tx.query_one(sql, &[&due, &latest], read)?;
    let Some((source, site, hash, size, account)) = next else { return Ok(None) };
    turns::take(tx, Queue::Copies, account, now)?;
    let attempt = tx.query_one(START, &[&now.plus(LEASE).micros(), &source.0], read)?.unwrap_or(1);
    Ok(Some(Claim { site, hash, source, size, attempt }))
}

/// A copy that was written, a pending object until now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    pub object: ObjectId,
    pub size: u64,
    pub hash: MediaHash,
    pub dimensions: Dimensions,
}

const FINISH: &str = "
UPDATE objects
SET copies_due = NULL
WHERE id = $1 AND state = 'kept' AND copies_attempts = $2 AND copies_due IS NOT NULL";
const KEEP: &str = "
UPDATE objects
SET state = 'twin', original = $1, size = $2, hash = $3, width = $4, height = $5, created_at = $6
WHERE id = $7 AND state = 'pending'";

/// All copies that there will be. `false`: the image was deleted, or another worker has it; the copies are doomed.
pub fn finish(tx: &mut Tx, claim: &Claim, copies: &[Copy], now: Timestamp) -> Result<bool> {
    if tx.execute(FINISH, &[&claim.source.0, &claim.attempt])? == 0 {
        objects::abandon(tx, &copies.iter().map(|copy| copy.object).collect::<Vec<_>>(), now)?;
        return Ok(false);
    }
    // Those of an image that was deleted by a program of an older version.
    remove(tx, claim.site, claim.hash, now)?;
    let original = claim.hash.0.as_slice();
    for copy in copies {
        let Dimensions { width, height } = copy.dimensions;
        let (size, hash) = (copy.size as i64, copy.hash.0.as_slice());
        let (width, height) = (i64::from(width), i64::from(height));
        tx.execute(KEEP, &[&original, &size, &hash, &width, &height, &now.micros(), &copy.object.0])?;
    }
    Ok(true)
}

const GIVE_BACK: &str = "
UPDATE objects
SET copies_due = $1, copies_attempts = copies_attempts - 1
WHERE id = $2 AND state = 'kept' AND copies_attempts = $3 AND copies_due IS NOT NULL";

/// Neither done nor failed: this worker stops.
pub fn give_back(tx: &mut Tx, claim: &Claim, now: Timestamp) -> Result<()> {
    let now = tx.lease_now(now)?;
    tx.execute(GIVE_BACK, &[&now.micros(), &claim.source.0, &claim.attempt])?;
    Ok(())
}

const OF_IMAGE: &str = select!(
    copy,
    "
FROM objects
WHERE site_id = $1 AND original = $2 AND state = 'twin'
ORDER BY width"
);

/// The copies of an image.
pub fn of_image(tx: &mut Tx, site: SiteId, image: MediaHash) -> Result<Vec<Copy>> {
    tx.query(OF_IMAGE, &[&site.0, &image.0.as_slice()], read)
}

const REMOVE: &str = "
UPDATE objects
SET state = 'doomed', after = $1
WHERE site_id = $2 AND original = $3 AND state = 'twin'";

/// The image is no more.
pub(crate) fn remove(tx: &mut Tx, site: SiteId, image: MediaHash, after: Timestamp) -> Result<()> {
    tx.execute(REMOVE, &[&after.micros(), &site.0, &image.0.as_slice()])?;
    Ok(())
}

const REMOVE_SOME: &str = "
UPDATE objects
SET state = 'doomed', after = $1
WHERE id IN (
  SELECT id FROM objects WHERE site_id = $2 AND original IS NOT NULL AND state = 'twin' ORDER BY original, width LIMIT $3)";

/// At most `most` of a site that is being deleted and has no images any more; `false`: there are none left.
pub(crate) fn remove_some(tx: &mut Tx, site: SiteId, most: i64, after: Timestamp) -> Result<bool> {
    Ok(tx.execute(REMOVE_SOME, &[&after.micros(), &site.0, &most])? > 0)
}
