//! Deleted pages: listed, restored, and in the end purged. Every statement names the site; only the purge of what was
//! deleted long ago is about all of them.

use std::collections::BTreeMap;

use model::{PageId, PageKey, SiteId, Timestamp};

use crate::pages::key;
use crate::texts::{TextId, release};
use crate::{Param, Result, Tx};

/// A page in the bin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    pub id: PageId,
    pub key: PageKey,
    pub title: String,
    pub deleted_at: Timestamp,
}

const LIST_DELETED: &str = "
SELECT id, content_type, section, slug, title, deleted_at
FROM pages
WHERE site_id = $1 AND deleted_at IS NOT NULL
ORDER BY deleted_at DESC, id";

pub fn list_deleted(tx: &mut Tx, site: SiteId) -> Result<Vec<Deleted>> {
    tx.query(LIST_DELETED, &[&site.0], |row| {
        Ok(Deleted {
            id: PageId(row.get(0)?),
            key: key(row, 1)?,
            title: row.get(4)?,
            deleted_at: Timestamp::from_micros(row.get(5)?),
        })
    })
}

const DELETED_KEY: &str = "
SELECT content_type, section, slug
FROM pages
WHERE site_id = $1 AND id = $2 AND deleted_at IS NOT NULL";

pub fn deleted_key(tx: &mut Tx, site: SiteId, id: PageId) -> Result<Option<PageKey>> {
    tx.query_one(DELETED_KEY, &[&site.0, &id.0], |row| key(row, 0))
}

const RESTORE: &str = "
UPDATE pages
SET deleted_at = NULL, version = $1, updated_at = $2
WHERE site_id = $3 AND id = $4 AND deleted_at IS NOT NULL";

/// Brings a page back. The caller has made sure, under the site's lock, that its key is free.
pub fn restore(tx: &mut Tx, site: SiteId, version: i64, id: PageId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(RESTORE, &[&version, &now.micros(), &site.0, &id.0])? == 1)
}

/// Which deleted pages go for good.
#[derive(Debug, Clone, Copy)]
pub enum Purge {
    One(SiteId, PageId),
    Site(SiteId),
    DeletedBefore(Timestamp),
}

const PURGE_ONE: &str = "
DELETE FROM pages
WHERE site_id = $1 AND id = $2 AND deleted_at IS NOT NULL
RETURNING content_id, params_id, site_id, version";
const PURGE_SITE: &str = "
DELETE FROM pages
WHERE site_id = $1 AND id IN (SELECT id FROM pages WHERE site_id = $1 AND deleted_at IS NOT NULL LIMIT $2)
RETURNING content_id, params_id, site_id, version";
const PURGE_OLD: &str = "
DELETE FROM pages
WHERE (site_id, id) IN (SELECT site_id, id FROM pages WHERE deleted_at < $1 LIMIT $2)
RETURNING content_id, params_id, site_id, version";

const NOTE: &str = "
UPDATE sites
SET purged_version = $1
WHERE id = $2 AND purged_version < $1";

/// Deletes at most `most` rows for good and leaves their texts to the sweep; tells how many pages went. A release that
/// was made before a page was deleted is no base for a build any more: nothing would tell it that the page is gone.
pub fn purge(tx: &mut Tx, what: Purge, most: i64, now: Timestamp) -> Result<u64> {
    let gone = match what {
        Purge::One(site, page) => remove(tx, PURGE_ONE, &[&site.0, &page.0], now)?,
        Purge::Site(site) => remove(tx, PURGE_SITE, &[&site.0, &most], now)?,
        Purge::DeletedBefore(time) => remove(tx, PURGE_OLD, &[&time.micros(), &most], now)?,
    };
    let mut newest: BTreeMap<SiteId, i64> = BTreeMap::new();
    for (site, version) in &gone {
        let known = newest.entry(*site).or_default();
        *known = (*known).max(*version);
    }
    for (site, version) in newest {
        tx.execute(NOTE, &[&version, &site.0])?;
    }
    Ok(gone.len() as u64)
}

const REMOVE_SITE: &str = "
DELETE FROM pages
WHERE site_id = $1 AND id IN (SELECT id FROM pages WHERE site_id = $1 LIMIT $2)
RETURNING content_id, params_id, site_id, version";

/// At most `most` pages of a site that is itself being deleted.
pub fn remove_site(tx: &mut Tx, site: SiteId, most: i64, now: Timestamp) -> Result<u64> {
    Ok(remove(tx, REMOVE_SITE, &[&site.0, &most], now)?.len() as u64)
}

/// Tells each page's site, and the version that deleted it.
fn remove(
    tx: &mut Tx,
    sql: &'static str,
    params: &[&dyn Param],
    now: Timestamp,
) -> Result<Vec<(SiteId, i64)>> {
    let mut texts: Vec<TextId> = Vec::new();
    let gone = tx.query(sql, params, |row| {
        texts.extend([row.get::<Option<i64>>(0)?, row.get(1)?].into_iter().flatten().map(TextId));
        Ok((SiteId(row.get(2)?), row.get(3)?))
    })?;
    release(tx, texts.into_iter(), now)?;
    Ok(gone)
}
