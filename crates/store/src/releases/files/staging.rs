//! A build too large for one transaction: its rows are written ahead of the release, which is not live yet, and undone
//! should the release never come to be.

use model::{PageId, SiteId};
use uuid::Uuid;

use crate::engine::row::read;
use crate::releases::OPEN;
use crate::{Result, Tx};

const STAGED: &str = "
SELECT staged_release
FROM sites
WHERE id = $1";
const STAGE: &str = "
UPDATE sites
SET staged_release = $1
WHERE id = $2";

/// A release whose files are being written down, or were when the worker died.
pub fn staged(tx: &mut Tx, site: SiteId) -> Result<Option<i64>> {
    Ok(tx.query_one(STAGED, &[&site.0], read::<Option<i64>>)?.flatten())
}

/// From here on files of a release to come are written down; `None`: it is there.
pub fn stage(tx: &mut Tx, site: SiteId, release: Option<i64>) -> Result<()> {
    tx.execute(STAGE, &[&release, &site.0])?;
    Ok(())
}

/// How far an undo, or another walk over all rows of a release, has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursor {
    path: String,
    page: Option<PageId>,
}

// `OPEN` stands in full: SQLite takes the index of closed files only where it reads the index's own condition.
const REOPEN_FILES: &str = "
UPDATE release_files
SET to_release = $1
WHERE site_id = $2 AND (path, from_release) IN (
  SELECT path, from_release
  FROM release_files
  WHERE site_id = $2 AND to_release > $3 AND to_release < 9223372036854775807
  ORDER BY to_release
  LIMIT $4)";
const REOPEN_PAGES: &str = "
UPDATE release_pages
SET to_release = $1
WHERE site_id = $2 AND (page_id, from_release) IN (
  SELECT page_id, from_release
  FROM release_pages
  WHERE site_id = $2 AND to_release > $3 AND to_release < 9223372036854775807
  ORDER BY to_release
  LIMIT $4)";
const NEXT_PATHS: &str = "
SELECT max(path)
FROM (SELECT path FROM release_files WHERE site_id = $1 AND path > $2 ORDER BY path LIMIT $3) AS step";
const DELETE_FILES: &str = "
DELETE FROM release_files
WHERE site_id = $1 AND path > $2 AND path <= $3 AND from_release > $4";
const NEXT_PAGES: &str = "
SELECT page_id
FROM release_pages
WHERE site_id = $1 AND page_id > $2
ORDER BY page_id
LIMIT $3";
const DELETE_PAGES: &str = "
DELETE FROM release_pages
WHERE site_id = $1 AND page_id > $2 AND page_id <= $3 AND from_release > $4";

/// One step of undoing what a build wrote down for a release that never came to be; `newest` is the newest that did.
/// `None`: nothing of it is left.
pub fn undo(tx: &mut Tx, site: SiteId, newest: i64, from: &Cursor, most: i64) -> Result<Option<Cursor>> {
    let reopened = tx.execute(REOPEN_FILES, &[&OPEN, &site.0, &newest, &most])?
        + tx.execute(REOPEN_PAGES, &[&OPEN, &site.0, &newest, &most])?;
    if reopened > 0 {
        return Ok(Some(from.clone()));
    }
    let end = tx.query_one(NEXT_PATHS, &[&site.0, &from.path, &most], read::<Option<String>>)?;
    if let Some(end) = end.flatten() {
        tx.execute(DELETE_FILES, &[&site.0, &from.path, &end, &newest])?;
        return Ok(Some(Cursor { path: end, ..from.clone() }));
    }
    if let Some((after, end)) = next_pages(tx, site, from, most)? {
        tx.execute(DELETE_PAGES, &[&site.0, &after, &end.0, &newest])?;
        return Ok(Some(Cursor { page: Some(end), ..from.clone() }));
    }
    stage(tx, site, None)?;
    Ok(None)
}

/// The pages of the next step: behind the first one returned, up to the second.
fn next_pages(tx: &mut Tx, site: SiteId, from: &Cursor, most: i64) -> Result<Option<(Uuid, PageId)>> {
    let after = from.page.map_or(Uuid::nil(), |page| page.0);
    let ids: Vec<Uuid> = tx.query(NEXT_PAGES, &[&site.0, &after, &most], read)?;
    Ok(ids.last().map(|end| (after, PageId(*end))))
}

const FORGET_PAGES: &str = "
UPDATE release_pages
SET to_release = $1
WHERE site_id = $2 AND page_id > $3 AND page_id <= $4 AND to_release = $5 AND from_release < $1";

/// One step of forgetting every page from `release` on: a build from nothing. `None`: all are forgotten.
pub fn forget_pages(
    tx: &mut Tx,
    site: SiteId,
    release: i64,
    from: &Cursor,
    most: i64,
) -> Result<Option<Cursor>> {
    let Some((after, end)) = next_pages(tx, site, from, most)? else { return Ok(None) };
    tx.execute(FORGET_PAGES, &[&release, &site.0, &after, &end.0, &OPEN])?;
    Ok(Some(Cursor { page: Some(end), ..from.clone() }))
}
