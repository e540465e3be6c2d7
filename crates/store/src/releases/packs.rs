//! Packs: the objects that hold what builds rendered. How they begin and end is in `leased`.

use std::collections::BTreeMap;

use model::{PackId, SiteId, Timestamp};
use uuid::Uuid;

use crate::engine::row::{from_row, read, select};
use crate::leased::leased;
use crate::{Bulk, Result, Tx};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    pub id: PackId,
    pub site: SiteId,
    pub size: i64,
    /// Bytes of files that no kept release has any more.
    pub dead: i64,
}

from_row!(pack = Pack { id, site: "site_id", size, dead });

leased!(packs(size = 0, dead = 0), PackId, Pack = pack!());

/// `false`: its lease was over, and it is being swept.
pub fn extend(tx: &mut Tx, id: PackId, lease: Timestamp) -> Result<bool> {
    extend_all(tx, &[id], lease)
}

/// Nothing refers to it, and nothing will.
pub fn abandon(tx: &mut Tx, id: PackId, now: Timestamp) -> Result<()> {
    abandon_all(tx, &[id], now)
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
pub fn add_dead(tx: &mut Tx, site: SiteId, lost: &BTreeMap<PackId, i64>, after: Timestamp) -> Result<()> {
    let ids: Vec<Uuid> = lost.keys().map(|id| id.0).collect();
    let bytes: Vec<i64> = lost.values().copied().collect();
    tx.execute_many(ADD_DEAD, &[], &[&ids, &bytes])?;
    tx.execute(DOOM, &[&after.micros(), &site.0])?;
    Ok(())
}

const DOOM_SOME: &str = "
UPDATE packs
SET state = 'doomed', after = CASE WHEN state = 'pending' AND after > $1 THEN after ELSE $1 END
WHERE id IN (SELECT id FROM packs WHERE site_id = $2 AND state <> 'doomed' ORDER BY id LIMIT $3)";

/// At most `most` packs of a site that is being deleted; `false`: there are none left. A pending one can no longer be
/// kept, but may still be written: it goes when its lease is over.
pub(crate) fn doom_some(tx: &mut Tx, site: SiteId, most: i64, after: Timestamp) -> Result<bool> {
    Ok(tx.execute(DOOM_SOME, &[&after.micros(), &site.0, &most])? > 0)
}

const LIVE: &str = select!(
    pack,
    "
FROM packs
WHERE site_id = $1 AND state = 'live'
ORDER BY id"
);

pub fn live(tx: &mut Tx, site: SiteId) -> Result<Vec<Pack>> {
    tx.query(LIVE, &[&site.0], read)
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
    tx.query(SCATTERED, &[&many], read)
}
