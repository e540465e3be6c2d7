//! The files of releases: what stands at their paths.

mod packed;
mod remembered;
mod staging;

use model::{PackId, SiteId};
use uuid::Uuid;

pub use self::packed::{PackedFile, Swept, packed_files, relocate, sweep};
pub use self::remembered::{ChangeCounts, PageChange, count_changes, page_changes, pages, remember};
pub use self::staging::{Cursor, forget_pages, stage, staged, undo};

use crate::engine::bulk::{for_each, insert_each};
use crate::engine::row::{Columns, FromRow, from_row, read, select};
use crate::releases::OPEN;
use crate::{Bulk, Error, Result, Tx};

/// What stands at a path of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    Bytes { pack: PackId, offset: i64, length: i64, hash: Hash },
    Redirect(String),
}

/// Of a file's bytes, or of a redirect's target.
pub type Hash = [u8; 16];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub stored: Stored,
    pub hash: Hash,
}

impl<'r> FromRow<'r> for Stored {
    const COLUMNS: usize = 5;

    /// Columns: target, pack, offset, length, hash.
    fn from_row(columns: &mut Columns<'r>) -> Result<Stored> {
        let (target, pack, offset, length, hash): (_, Option<PackId>, _, _, _) = columns.next()?;
        if let Some(target) = target {
            return Ok(Stored::Redirect(target));
        }
        let pack = pack.ok_or_else(|| Error::Internal("a stored file has no pack".into()))?;
        Ok(Stored::Bytes { pack, offset, length, hash })
    }
}

from_row!(stored_file = File { path, stored: "target, pack_id, pack_offset, length, hash", hash });

const AT: &str = "
SELECT target, pack_id, pack_offset, length, hash
FROM release_files
WHERE site_id = $1 AND path = $2 AND from_release <= $3 AND to_release > $3";

/// What a release has at a path.
pub fn at(tx: &mut Tx, site: SiteId, release: i64, path: &str) -> Result<Option<Stored>> {
    tx.query_one(AT, &[&site.0, &path, &release], read)
}

const AT_EACH: Bulk = for_each!(
    "
SELECT path, target, pack_id, pack_offset, length, hash
FROM release_files
WHERE site_id = $1 AND from_release <= $2 AND to_release > $2 AND path",
    3
);

/// What a release has at these paths.
pub fn at_each(tx: &mut Tx, site: SiteId, release: i64, paths: &[String]) -> Result<Vec<(String, Stored)>> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    tx.query_many(AT_EACH, &[&site.0, &release], &[&paths], read)
}

const ANY: &str = "
SELECT target, pack_id, pack_offset, length, hash
FROM release_files
WHERE site_id = $1 AND path = $2
  AND from_release <= (SELECT max(number) FROM releases WHERE site_id = $1)
ORDER BY from_release DESC
LIMIT 1";

/// What any kept release has at a path whose name says what is in it. One that is still being made does not count: its
/// pack may not be there yet.
pub fn in_any_release(tx: &mut Tx, site: SiteId, path: &str) -> Result<Option<Stored>> {
    tx.query_one(ANY, &[&site.0, &path], read)
}

const LIST: &str = select!(
    stored_file,
    "
FROM release_files
WHERE site_id = $1 AND from_release <= $2 AND to_release > $2 AND path > $3
ORDER BY path
LIMIT $4"
);

/// A part of a release's files, in the order of their paths, behind `after`.
pub fn list(tx: &mut Tx, site: SiteId, release: i64, after: &str, most: i64) -> Result<Vec<File>> {
    tx.query(LIST, &[&site.0, &release, &after, &most], read)
}

// Each page has one at its long address, too.
const REDIRECTS: &str = "
SELECT path, target
FROM release_files
WHERE site_id = $1 AND from_release <= $2 AND to_release > $2 AND path > $3 AND target IS NOT NULL
  AND path NOT LIKE '/standalone/%' AND path NOT LIKE '/homepage/%'
ORDER BY path
LIMIT $4";

/// A part of a release's redirects from former addresses, in the order of their paths, behind `after`.
pub fn redirects(
    tx: &mut Tx,
    site: SiteId,
    release: i64,
    after: &str,
    most: i64,
) -> Result<Vec<(String, String)>> {
    tx.query(REDIRECTS, &[&site.0, &release, &after, &most], read)
}

const HASHES: Bulk = for_each!(
    "
SELECT path, hash
FROM release_files
WHERE site_id = $1 AND to_release = $2 AND path",
    3
);

/// The hashes of what the newest release has at these paths.
pub fn hashes(tx: &mut Tx, site: SiteId, paths: &[String]) -> Result<Vec<(String, Hash)>> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    tx.query_many(HASHES, &[&site.0, &OPEN], &[&paths], read)
}

const OPEN_FILES: &str = "
SELECT path, hash
FROM release_files
WHERE site_id = $1 AND to_release = $2 AND path > $3
ORDER BY path
LIMIT $4";

/// The hashes of at most `most` files of the newest release, and of the one that is being made, in the order of their
/// paths, behind `after`.
pub fn open_files(tx: &mut Tx, site: SiteId, after: &str, most: i64) -> Result<Vec<(String, Hash)>> {
    tx.query(OPEN_FILES, &[&site.0, &OPEN, &after, &most], read)
}

const INSERT: Bulk = insert_each!(
    release_files (site_id = 1, from_release = 2, to_release = 3)
    (path = 4 text, target = 5 text, pack_id = 6 uuid, pack_offset = 7 bigint, length = 8 bigint, hash = 9 bytea)
);

/// New files, valid from `release` on. Paths that had another file were closed before.
pub fn insert(tx: &mut Tx, site: SiteId, release: i64, files: &[File]) -> Result<()> {
    let place = |file: &File| match &file.stored {
        Stored::Bytes { pack, offset, length, .. } => (Some(pack.0), *offset, *length),
        Stored::Redirect(_) => (None, 0, 0),
    };
    let target = |file: &File| match &file.stored {
        Stored::Redirect(target) => Some(target.clone()),
        Stored::Bytes { .. } => None,
    };
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let targets: Vec<Option<String>> = files.iter().map(target).collect();
    let packs: Vec<Option<Uuid>> = files.iter().map(|file| place(file).0).collect();
    let offsets: Vec<i64> = files.iter().map(|file| place(file).1).collect();
    let lengths: Vec<i64> = files.iter().map(|file| place(file).2).collect();
    let hashes: Vec<&[u8]> = files.iter().map(|file| file.hash.as_slice()).collect();
    tx.execute_many(
        INSERT,
        &[&site.0, &release, &OPEN],
        &[&paths, &targets, &packs, &offsets, &lengths, &hashes],
    )?;
    Ok(())
}

const CLOSE: Bulk = for_each!(
    "
UPDATE release_files
SET to_release = $1
WHERE site_id = $2 AND to_release = $3 AND path",
    4
);

/// What stands at these paths ends before `release`.
pub fn close(tx: &mut Tx, site: SiteId, release: i64, paths: &[String]) -> Result<()> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    tx.execute_many(CLOSE, &[&release, &site.0, &OPEN], &[&paths])?;
    Ok(())
}

const REMOVE_FILES: &str = "
DELETE FROM release_files
WHERE site_id = $1 AND (path, from_release) IN (
  SELECT path, from_release FROM release_files WHERE site_id = $1 ORDER BY path, from_release LIMIT $2)";
const REMOVE_PAGES: &str = "
DELETE FROM release_pages
WHERE site_id = $1 AND (page_id, from_release) IN (
  SELECT page_id, from_release FROM release_pages WHERE site_id = $1 ORDER BY page_id, from_release LIMIT $2)";
const REMOVE_FORMER: &str = "
DELETE FROM former_urls
WHERE site_id = $1 AND url IN (SELECT url FROM former_urls WHERE site_id = $1 ORDER BY url LIMIT $2)";
const REMOVE_RELEASES: &str = "
DELETE FROM releases
WHERE site_id = $1 AND number IN (SELECT number FROM releases WHERE site_id = $1 ORDER BY number LIMIT $2)";

/// At most `most` rows of a site that is being deleted; `false`: there are none left.
pub(crate) fn remove_some(tx: &mut Tx, site: SiteId, most: i64) -> Result<bool> {
    for sql in [REMOVE_FILES, REMOVE_PAGES, REMOVE_FORMER, REMOVE_RELEASES] {
        if tx.execute(sql, &[&site.0, &most])? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}
