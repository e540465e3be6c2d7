//! The mark of a database that is being filled by a copy. It is an entry in the ledger of migrations that needs a schema
//! far ahead of any other: every recto refuses it, also those that do not know of copies.

use super::migrate::{DETAILED_LEDGER, NEWEST, applied, upgrade};
use super::tx::Tx;
use crate::error::{Error, Result};

/// The entry's number, where others have the version of a migration.
pub(super) const UNFINISHED: i64 = 1_000_000_000;

const MARK: &str = "
INSERT INTO migrations (version, checksum, compatible)
VALUES ($1, $2, $1)";
/// A copy brings its own row.
const NO_SERVER: &str = "
DELETE FROM server";

/// Creates the tables of a schema and marks the database, unless the same copy has done so before.
pub(crate) fn begin(tx: &mut Tx, purpose: &str, version: i64) -> Result<()> {
    if !(DETAILED_LEDGER..=NEWEST).contains(&version) {
        return Err(Error::Schema(format!(
            "the rows have schema {version}, this recto knows {DETAILED_LEDGER} to {NEWEST}: use a newer recto"
        )));
    }
    if was_begun(tx, purpose)? {
        return Ok(());
    }
    upgrade(tx, 0, version)?;
    tx.execute(NO_SERVER, &[])?;
    tx.execute(MARK, &[&UNFINISHED, &purpose])?;
    Ok(())
}

/// Whether the same copy has marked the database; `false`: it is empty. Any other is an error.
pub(crate) fn was_begun(tx: &mut Tx, purpose: &str) -> Result<bool> {
    let applied = applied(tx)?;
    if applied.is_empty() {
        return Ok(false);
    }
    let mark = applied.iter().find(|applied| applied.version == UNFINISHED);
    match mark.and_then(|mark| mark.checksum.as_deref()) {
        Some(found) if found == purpose => Ok(true),
        Some(other) => Err(unfinished(other)),
        None => Err(Error::Schema("the target database is not empty: choose an empty one".into())),
    }
}

const UNMARK: &str = "
DELETE FROM migrations
WHERE version = $1";

/// Removes the mark, and upgrades the schema to the newest.
pub(crate) fn finish(tx: &mut Tx) -> Result<()> {
    tx.execute(UNMARK, &[&UNFINISHED])?;
    let version = applied(tx)?.last().map_or(0, |last| last.version);
    upgrade(tx, version, NEWEST)
}

/// For a database with the mark.
pub(super) fn unfinished(purpose: &str) -> Error {
    Error::Schema(format!(
        "the database is not complete: `{purpose}` was interrupted. Run the same command again to complete it, or delete \
         the database"
    ))
}
