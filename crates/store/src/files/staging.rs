//! A build too large for one transaction: its rows are written ahead of the release, which nobody sees, and taken back
//! should the release never come to be.

use model::SiteId;

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
    Ok(tx.query_one(STAGED, &[&site.0], |row| row.get::<Option<i64>>(0))?.flatten())
}

/// From here on files of a release to come are written down; `None`: it is there.
pub fn stage(tx: &mut Tx, site: SiteId, release: Option<i64>) -> Result<()> {
    tx.execute(STAGE, &[&release, &site.0])?;
    Ok(())
}

const UNDO_INSERT: &str = "
DELETE FROM release_files
WHERE site_id = $1 AND from_release > $2";
// `OPEN` stands in full: SQLite takes the index of closed files only where it reads the index's own condition.
const UNDO_CLOSE: &str = "
UPDATE release_files
SET to_release = $1
WHERE site_id = $2 AND to_release > $3 AND to_release < 9223372036854775807";
const UNDO_PAGES: &str = "
DELETE FROM release_pages
WHERE site_id = $1 AND from_release > $2";
const UNDO_CLOSE_PAGES: &str = "
UPDATE release_pages
SET to_release = $1
WHERE site_id = $2 AND to_release > $3 AND to_release < 9223372036854775807";

/// Takes back what a build wrote down for a release that never came to be. `newest` is the newest that did.
pub fn undo(tx: &mut Tx, site: SiteId, newest: i64) -> Result<()> {
    tx.execute(UNDO_CLOSE, &[&OPEN, &site.0, &newest])?;
    tx.execute(UNDO_CLOSE_PAGES, &[&OPEN, &site.0, &newest])?;
    tx.execute(UNDO_INSERT, &[&site.0, &newest])?;
    tx.execute(UNDO_PAGES, &[&site.0, &newest])?;
    stage(tx, site, None)
}
