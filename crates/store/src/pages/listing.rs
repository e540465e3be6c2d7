//! The rows of listings.

use model::{ContentType, PageId, SiteId, TextHash, Timestamp};
use uuid::Uuid;

use crate::engine::row::{from_row, read, select};
use crate::{Param, Result, Tx};

/// One row of a listing, borrowed from the database's own buffers.
#[derive(Debug)]
pub struct Summary<'r> {
    pub id: PageId,
    pub slug: &'r str,
    pub title: &'r str,
    pub content_type: &'r str,
    pub section: &'r str,
    pub description: Option<&'r str>,
    pub draft: bool,
    /// A JSON array of strings.
    pub tags: &'r str,
    pub published_at: Timestamp,
    pub updated_at: Timestamp,
    pub api_endpoint: Option<&'r str>,
    pub content_hash: Option<TextHash>,
    pub params_hash: Option<TextHash>,
}

from_row!(summary = Summary<'r> {
    id, slug, title, content_type, section, description, draft, tags, published_at, updated_at, api_endpoint,
    content_hash, params_hash,
});

const SCAN: &str = select!(
    summary,
    "
FROM pages
WHERE site_id = $1 AND +deleted_at IS NULL"
);

/// Hands each live page of a site to `each`, in no order, while the database holds it. The `+` keeps SQLite from
/// an index: reading the table in its own order is several times faster than jumping into it from another.
pub fn scan(tx: &mut Tx, site: SiteId, mut each: impl FnMut(Summary)) -> Result<()> {
    tx.query(SCAN, &[&site.0], |row| {
        each(row.read()?);
        Ok(())
    })?;
    Ok(())
}

const SCAN_CHANGED: &str = select!(
    summary,
    "
FROM pages
WHERE site_id = $1 AND version > $2 AND +deleted_at IS NULL"
);

/// The same for those that were changed after a version of the site.
pub fn scan_changed(tx: &mut Tx, site: SiteId, after: i64, mut each: impl FnMut(Summary)) -> Result<()> {
    tx.query(SCAN_CHANGED, &[&site.0, &after], |row| {
        each(row.read()?);
        Ok(())
    })?;
    Ok(())
}

const CHANGED_IDS: &str = "
SELECT id
FROM pages
WHERE site_id = $1 AND version > $2
LIMIT $3";
const PURGED: &str = "
SELECT purged_version
FROM sites
WHERE id = $1";

/// The pages that were changed or deleted after a version of the site; `None` if there are more than `most`, or some of them
/// are purged.
pub fn changed_ids(tx: &mut Tx, site: SiteId, after: i64, most: i64) -> Result<Option<Vec<PageId>>> {
    if tx.query_one(PURGED, &[&site.0], read)?.is_some_and(|purged: i64| purged > after) {
        return Ok(None);
    }
    let ids: Vec<PageId> = tx.query(CHANGED_IDS, &[&site.0, &after, &(most + 1)], read)?;
    Ok((ids.len() as i64 <= most).then_some(ids))
}

/// A part of a listing: newest update first, then by id.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub content_type: Option<ContentType>,
    /// Continue behind this page.
    pub after: Option<(Timestamp, PageId)>,
    pub limit: u32,
}

const LIST: &str = select!(
    summary,
    "
FROM pages
WHERE site_id = $1 AND deleted_at IS NULL AND updated_at <= $2 AND (updated_at < $2 OR id > $3)
ORDER BY updated_at DESC, id
LIMIT $4"
);
const LIST_TYPE: &str = select!(
    summary,
    "
FROM pages
WHERE site_id = $1 AND deleted_at IS NULL AND updated_at <= $2 AND (updated_at < $2 OR id > $3)
  AND content_type = $4
ORDER BY updated_at DESC, id
LIMIT $5"
);

/// Hands each page of the part to `each`, in order, while the database holds it.
pub fn list(tx: &mut Tx, site: SiteId, part: Part, mut each: impl FnMut(Summary)) -> Result<()> {
    let (time, id) = part.after.map_or((i64::MAX, Uuid::nil()), |(time, id)| (time.micros(), id.0));
    let limit = i64::from(part.limit);
    let content_type = part.content_type.map(ContentType::as_str);
    let mut params: Vec<&dyn Param> = vec![&site.0, &time, &id];
    params.extend(content_type.iter().map(|name| name as &dyn Param));
    params.push(&limit);
    let sql = if content_type.is_some() { LIST_TYPE } else { LIST };
    tx.query(sql, &params, |row| {
        each(row.read()?);
        Ok(())
    })?;
    Ok(())
}
