//! What people typed on the form of a page and have not saved.

use model::{SiteId, Timestamp, TokenHash, UserId};
use uuid::Uuid;

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Autosave {
    /// The id of the page; for a new page, one that its form has made up.
    pub form: Uuid,
    /// The version of the page that the person has read; 0 for a new page.
    pub version: i64,
    /// Rises with what is typed.
    pub revision: i64,
    /// The fields of the form as JSON.
    pub fields: String,
    /// A hash of the secret in the address of its preview.
    pub preview: TokenHash,
    pub saved_at: Timestamp,
}

from_row!(autosave = Autosave { form: "form_id", version, revision, fields, preview, saved_at });

const PUT: &str = "
INSERT INTO autosaves (site_id, user_id, form_id, version, revision, fields, preview, saved_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (site_id, user_id, form_id) DO UPDATE
SET version = excluded.version, revision = excluded.revision, fields = excluded.fields,
  preview = excluded.preview, saved_at = excluded.saved_at
WHERE autosaves.revision < excluded.revision
  AND (autosaves.preview = excluded.preview OR autosaves.revision <= $9)";
const REMOVE_OLDEST: &str = "
DELETE FROM autosaves
WHERE user_id = $1 AND saved_at <= (
  SELECT saved_at
  FROM autosaves
  WHERE user_id = $1
  ORDER BY saved_at DESC
  LIMIT 1 OFFSET $2)";

/// Keeps what a person has typed, unless something newer is kept already. Of all their forms, the newest `most` are kept.
///
/// `false`: the same person has typed something else in another tab, which has another preview, after the revision `seen`
/// that this tab has shown.
pub fn put(
    tx: &mut Tx,
    site: SiteId,
    user: UserId,
    autosave: &Autosave,
    seen: i64,
    most: i64,
) -> Result<bool> {
    let Autosave { form, version, revision, fields, preview, saved_at } = autosave;
    let (bytes, saved_at) = (preview.0.as_slice(), saved_at.micros());
    let kept =
        tx.execute(PUT, &[&site.0, &user.0, form, version, revision, fields, &bytes, &saved_at, &seen])?;
    if kept == 0 {
        let newer = get(tx, site, user, *form)?;
        return Ok(newer.is_none_or(|newer| newer.preview == *preview || newer.revision <= seen));
    }
    tx.execute(REMOVE_OLDEST, &[&user.0, &most])?;
    Ok(true)
}

const GET: &str = select!(
    autosave,
    "
FROM autosaves
WHERE site_id = $1 AND user_id = $2 AND form_id = $3"
);

pub fn get(tx: &mut Tx, site: SiteId, user: UserId, form: Uuid) -> Result<Option<Autosave>> {
    tx.query_one(GET, &[&site.0, &user.0, &form], read)
}

const NEWEST_OF_NEW: &str = select!(
    autosave,
    "
FROM autosaves
WHERE site_id = $1 AND user_id = $2 AND version = 0
ORDER BY saved_at DESC
LIMIT 1"
);

/// The new page that a person has typed last.
pub fn newest_of_new(tx: &mut Tx, site: SiteId, user: UserId) -> Result<Option<Autosave>> {
    tx.query_one(NEWEST_OF_NEW, &[&site.0, &user.0], read)
}

const BY_PREVIEW: &str = select!(
    autosave,
    "
FROM autosaves
WHERE preview = $1 AND site_id = $2 AND saved_at > $3"
);

/// The form whose preview has this secret, if it was typed on after `since`.
pub fn by_preview(
    tx: &mut Tx,
    site: SiteId,
    preview: &TokenHash,
    since: Timestamp,
) -> Result<Option<Autosave>> {
    tx.query_one(BY_PREVIEW, &[&preview.0.as_slice(), &site.0, &since.micros()], read)
}

const REMOVE: &str = "
DELETE FROM autosaves
WHERE site_id = $1 AND user_id = $2 AND form_id = $3";

/// Forgets what a person has typed on a form, in any tab.
pub fn remove(tx: &mut Tx, site: SiteId, user: UserId, form: Uuid) -> Result<()> {
    tx.execute(REMOVE, &[&site.0, &user.0, &form])?;
    Ok(())
}

const REMOVE_SEEN: &str = "
DELETE FROM autosaves
WHERE site_id = $1 AND user_id = $2 AND form_id = $3 AND (preview = $4 OR revision <= $5)";

/// The same, but not what was typed in another tab after the revision `seen`.
pub fn remove_seen(
    tx: &mut Tx,
    site: SiteId,
    user: UserId,
    form: Uuid,
    preview: &TokenHash,
    seen: i64,
) -> Result<()> {
    tx.execute(REMOVE_SEEN, &[&site.0, &user.0, &form, &preview.0.as_slice(), &seen])?;
    Ok(())
}

const SWEEP: &str = "
DELETE FROM autosaves
WHERE (site_id, user_id, form_id) IN (
  SELECT site_id, user_id, form_id
  FROM autosaves
  WHERE saved_at <= $1
  ORDER BY saved_at
  LIMIT $2)";

/// Forgets up to `most` forms that were last typed up to `until`; how many it were.
pub fn sweep(tx: &mut Tx, until: Timestamp, most: i64) -> Result<u64> {
    tx.execute(SWEEP, &[&until.micros(), &most])
}
