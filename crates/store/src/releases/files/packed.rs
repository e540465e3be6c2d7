//! Where the bytes of files are, and which of them are no longer needed.

use std::collections::{BTreeMap, HashSet};

use model::{PackId, SiteId};
use uuid::Uuid;

use super::Hash;
use crate::engine::row::{from_row, read, select};
use crate::{Bulk, Error, Result, Tx, packs};

// `OPEN` stands in full: SQLite takes the index of closed files only where it reads the index's own condition.
const SWEEP: &str = "
DELETE FROM release_files
WHERE site_id = $1 AND (path, from_release) IN (
  SELECT path, from_release
  FROM release_files
  WHERE site_id = $1 AND to_release <= $2 AND to_release < 9223372036854775807
  ORDER BY to_release
  LIMIT $3)
RETURNING pack_id, length";
const SWEEP_PAGES: &str = "
DELETE FROM release_pages
WHERE site_id = $1 AND (page_id, from_release) IN (
  SELECT page_id, from_release
  FROM release_pages
  WHERE site_id = $1 AND to_release <= $2 AND to_release < 9223372036854775807
  ORDER BY to_release
  LIMIT $3)";

/// What a sweep deleted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Swept {
    pub files: u64,
    pub pages: u64,
    pub dead: BTreeMap<PackId, i64>,
}

/// Deletes at most `most` files, and as many pages, that ended at or before the release `oldest`; returns whose bytes the
/// files were.
pub fn sweep(tx: &mut Tx, site: SiteId, oldest: i64, most: i64) -> Result<Swept> {
    let mut swept = Swept::default();
    let rows: Vec<(Option<PackId>, i64)> = tx.query(SWEEP, &[&site.0, &oldest, &most], read)?;
    for (pack, length) in rows {
        swept.files += 1;
        if let Some(pack) = pack {
            *swept.dead.entry(pack).or_default() += length;
        }
    }
    swept.pages = tx.execute(SWEEP_PAGES, &[&site.0, &oldest, &most])?;
    Ok(swept)
}

/// Where the bytes of one file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFile {
    pub site: SiteId,
    pub path: String,
    pub from_release: i64,
    pub pack: PackId,
    pub offset: i64,
    pub length: i64,
    pub hash: Hash,
}

from_row!(
    packed_file = PackedFile {
        site: "site_id",
        path,
        from_release,
        pack: "pack_id",
        offset: "pack_offset",
        length,
        hash,
    }
);

const IN_PACKS: &str = select!(
    packed_file,
    "
FROM release_files
WHERE site_id = $1 AND (path, from_release) > ($2, $3) AND pack_id IS NOT NULL
ORDER BY path, from_release
LIMIT $4"
);

/// At most `most` of a site's files that have bytes, of whatever release, in order, behind the last one of the list
/// before.
pub fn packed_files(
    tx: &mut Tx,
    site: SiteId,
    behind: Option<&PackedFile>,
    most: i64,
) -> Result<Vec<PackedFile>> {
    let (path, release) = behind.map_or(("", -1), |place| (place.path.as_str(), place.from_release));
    tx.query(IN_PACKS, &[&site.0, &path, &release, &most], read)
}

const MOVE: Bulk = Bulk {
    sqlite: "
UPDATE release_files
SET pack_id = ?2, pack_offset = ?6
WHERE site_id = ?1 AND path = ?3 AND from_release = ?4 AND pack_id = ?5
RETURNING path, from_release",
    postgres: "
UPDATE release_files
SET pack_id = $2, pack_offset = moved.pack_offset
FROM unnest(CAST($3 AS text[]), CAST($4 AS bigint[]), CAST($5 AS uuid[]), CAST($6 AS bigint[]))
  AS moved (path, from_release, pack_id, pack_offset)
WHERE release_files.site_id = $1 AND release_files.path = moved.path
  AND release_files.from_release = moved.from_release AND release_files.pack_id = moved.pack_id
RETURNING release_files.path, release_files.from_release",
};

/// Files whose bytes were copied: `places` says where they were, `offsets` where they are in the pack `to`. Returns what
/// the packs have lost by it, and that `to` has gained as much: for `packs::add_dead`. An error when `to` is doomed.
pub fn relocate(
    tx: &mut Tx,
    site: SiteId,
    to: PackId,
    places: &[PackedFile],
    offsets: &[i64],
) -> Result<BTreeMap<PackId, i64>> {
    let paths: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
    let releases: Vec<i64> = places.iter().map(|place| place.from_release).collect();
    let packs: Vec<Uuid> = places.iter().map(|place| place.pack.0).collect();
    let offsets = offsets.to_vec();
    let moved: Vec<(String, i64)> =
        tx.query_many(MOVE, &[&site.0, &to.0], &[&paths, &releases, &packs, &offsets], read)?;
    // What was moved before may be dead altogether by now. Files first, then packs: as a sweep locks them.
    if !packs::is_live(tx, to)? {
        return Err(Error::Unavailable("the pack to which files should move is being deleted".into()));
    }
    // Some may have been swept since they were read.
    let moved: HashSet<(&str, i64)> = moved.iter().map(|(path, release)| (path.as_str(), *release)).collect();
    let mut dead: BTreeMap<PackId, i64> = BTreeMap::from([(to, 0)]);
    for place in places.iter().filter(|place| moved.contains(&(place.path.as_str(), place.from_release))) {
        *dead.entry(place.pack).or_default() += place.length;
        *dead.entry(to).or_default() -= place.length;
    }
    Ok(dead)
}
