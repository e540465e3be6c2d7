//! Where the bytes of files are, and which of them nobody needs any more.

use std::collections::BTreeMap;

use model::{PackId, SiteId};
use uuid::Uuid;

use crate::{Bulk, Result, Tx};

// `OPEN` stands in full: SQLite takes the index of closed files only where it reads the index's own condition.
const SWEEP: &str = "
DELETE FROM release_files
WHERE site_id = $1 AND (path, from_release) IN (
  SELECT path, from_release
  FROM release_files
  WHERE site_id = $1 AND to_release <= $2 AND to_release < 9223372036854775807
  LIMIT $3)
RETURNING pack_id, length";
const SWEEP_PAGES: &str = "
DELETE FROM release_pages
WHERE site_id = $1 AND to_release <= $2 AND to_release < 9223372036854775807";

/// What a sweep took away.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub files: u64,
    pub dead: BTreeMap<PackId, i64>,
}

/// Deletes at most `most` files that ended at or before the release `oldest`, and tells whose bytes they were.
pub fn sweep(tx: &mut Tx, site: SiteId, oldest: i64, most: i64) -> Result<Swept> {
    let mut swept = Swept::default();
    let rows = tx.query(SWEEP, &[&site.0, &oldest, &most], |row| {
        Ok((row.get::<Option<Uuid>>(0)?, row.get::<i64>(1)?))
    })?;
    for (pack, length) in rows {
        swept.files += 1;
        if let Some(pack) = pack {
            *swept.dead.entry(PackId(pack)).or_default() += length;
        }
    }
    tx.execute(SWEEP_PAGES, &[&site.0, &oldest])?;
    Ok(swept)
}

const IN_PACKS: &str = "
SELECT path, from_release, pack_id, pack_offset, length
FROM release_files
WHERE site_id = $1 AND pack_id IS NOT NULL";

/// Where the bytes of one file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    pub from_release: i64,
    pub pack: PackId,
    pub offset: i64,
    pub length: i64,
}

/// Every kept file of a site that has bytes.
pub fn places(tx: &mut Tx, site: SiteId) -> Result<Vec<Place>> {
    tx.query(IN_PACKS, &[&site.0], |row| {
        Ok(Place {
            path: row.get(0)?,
            from_release: row.get(1)?,
            pack: PackId(row.get(2)?),
            offset: row.get(3)?,
            length: row.get(4)?,
        })
    })
}

const MOVE: Bulk = Bulk {
    sqlite: "
UPDATE release_files
SET pack_id = ?2, pack_offset = ?6
WHERE site_id = ?1 AND path = ?3 AND from_release = ?4 AND pack_id = ?5",
    postgres: "
UPDATE release_files
SET pack_id = $2, pack_offset = moved.pack_offset
FROM unnest(CAST($3 AS text[]), CAST($4 AS bigint[]), CAST($5 AS uuid[]), CAST($6 AS bigint[]))
  AS moved (path, from_release, pack_id, pack_offset)
WHERE release_files.site_id = $1 AND release_files.path = moved.path
  AND release_files.from_release = moved.from_release AND release_files.pack_id = moved.pack_id",
};

/// Files whose bytes were copied: `places` says where they were, `offsets` where they are in the pack `to`.
pub fn relocate(tx: &mut Tx, site: SiteId, to: PackId, places: &[Place], offsets: &[i64]) -> Result<u64> {
    let paths: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
    let releases: Vec<i64> = places.iter().map(|place| place.from_release).collect();
    let packs: Vec<Uuid> = places.iter().map(|place| place.pack.0).collect();
    let offsets = offsets.to_vec();
    tx.execute_many(MOVE, &[&site.0, &to.0], &[&paths, &releases, &packs, &offsets])
}
