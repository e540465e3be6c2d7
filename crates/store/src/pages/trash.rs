//! Deleted pages: listed, restored, and in the end purged. Every statement names the site.

use model::{PageId, PageKey, SiteId, Timestamp};

use crate::engine::row::{from_row, read, select};
use crate::texts::{Text, release};
use crate::usage::{self, Change};
use crate::{Param, Result, Tx, former, sites};

/// A page in the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    pub id: PageId,
    pub key: PageKey,
    pub title: String,
    pub deleted_at: Timestamp,
}

from_row!(deleted = Deleted { id, key: "content_type, section, slug", title, deleted_at });

const LIST_DELETED: &str = select!(
    deleted,
    "
FROM pages
WHERE site_id = $1 AND deleted_at IS NOT NULL
ORDER BY deleted_at DESC, id"
);

pub fn list_deleted(tx: &mut Tx, site: SiteId) -> Result<Vec<Deleted>> {
    tx.query(LIST_DELETED, &[&site.0], read)
}

const DELETED_KEY: &str = "
SELECT content_type, section, slug
FROM pages
WHERE site_id = $1 AND id = $2 AND deleted_at IS NOT NULL";

pub fn deleted_key(tx: &mut Tx, site: SiteId, id: PageId) -> Result<Option<PageKey>> {
    tx.query_one(DELETED_KEY, &[&site.0, &id.0], read)
}

const RESTORE: &str = "
UPDATE pages
SET deleted_at = NULL, version = $1, updated_at = $2
WHERE site_id = $3 AND id = $4 AND deleted_at IS NOT NULL";

/// Brings a page back. The caller has made sure, under the site's lock, that its key is free.
pub fn restore(tx: &mut Tx, site: SiteId, version: i64, id: PageId, now: Timestamp) -> Result<bool> {
    let restored = tx.execute(RESTORE, &[&version, &now.micros(), &site.0, &id.0])? == 1;
    usage::count(tx, site, Change { pages: i64::from(restored), ..Change::default() })?;
    Ok(restored)
}

/// Which of a site's deleted pages go for good.
#[derive(Debug, Clone, Copy)]
pub enum Purge {
    One(PageId),
    DeletedBefore(Timestamp),
}

const PURGE_ONE: &str = "
DELETE FROM pages
WHERE site_id = $1 AND id = $2 AND deleted_at IS NOT NULL
RETURNING id, content_id, content_bytes, params_id, params_bytes, deleted_at, version";
const PURGE_OLD: &str = "
DELETE FROM pages
WHERE site_id = $1 AND id IN (
  SELECT id FROM pages WHERE site_id = $1 AND deleted_at < $2 ORDER BY deleted_at, id LIMIT $3)
RETURNING id, content_id, content_bytes, params_id, params_bytes, deleted_at, version";

const NOTE: &str = "
UPDATE sites
SET purged_version = $1
WHERE id = $2 AND purged_version < $1";

/// Deletes at most `most` pages of a site for good, and leaves their texts to the sweep; returns how many. A release that
/// was made before a page was deleted is no base for a build any more: nothing would show it that the page is gone.
pub fn purge(tx: &mut Tx, site: SiteId, what: Purge, most: i64, now: Timestamp) -> Result<u64> {
    sites::lock(tx, site)?;
    let gone = match what {
        Purge::One(page) => remove(tx, site, PURGE_ONE, &[&page.0], now)?,
        Purge::DeletedBefore(time) => remove(tx, site, PURGE_OLD, &[&time.micros(), &most], now)?,
    };
    tx.execute(NOTE, &[&gone.newest_version, &site.0])?;
    Ok(gone.pages)
}

const OLDEST: &str = "
SELECT site_id
FROM pages
WHERE deleted_at < $1
ORDER BY deleted_at
LIMIT 1";

/// The site whose page was deleted longest ago, if that was before `time`.
pub fn oldest_before(tx: &mut Tx, time: Timestamp) -> Result<Option<SiteId>> {
    tx.query_one(OLDEST, &[&time.micros()], read)
}

const REMOVE_SOME: &str = "
DELETE FROM pages
WHERE site_id = $1 AND id IN (SELECT id FROM pages WHERE site_id = $1 ORDER BY id LIMIT $2)
RETURNING id, content_id, content_bytes, params_id, params_bytes, deleted_at, version";

/// At most `most` pages of a site that is itself being deleted; `false`: there are none left.
pub(crate) fn remove_some(tx: &mut Tx, site: SiteId, most: i64, now: Timestamp) -> Result<bool> {
    Ok(remove(tx, site, REMOVE_SOME, &[&most], now)?.pages > 0)
}

struct Gone {
    pages: u64,
    /// Of those that changed the pages last.
    newest_version: i64,
}

/// Deletes pages with everything that belongs to them, and counts them off.
fn remove(
    tx: &mut Tx,
    site: SiteId,
    sql: &'static str,
    params: &[&dyn Param],
    now: Timestamp,
) -> Result<Gone> {
    let (mut texts, mut change, mut newest_version): (Vec<Text>, _, _) = (Vec::new(), Change::default(), 0);
    let params: Vec<&dyn Param> = [&[&site.0 as &dyn Param], params].concat();
    let ids = tx.query(sql, &params, |row| {
        let (id, content, params, deleted_at, version): (
            _,
            Option<Text>,
            Option<Text>,
            Option<Timestamp>,
            _,
        ) = row.read()?;
        texts.extend([content, params].into_iter().flatten());
        change.pages -= i64::from(deleted_at.is_none());
        newest_version = newest_version.max(version);
        Ok(id)
    })?;
    change.text = -texts.iter().map(|text| text.bytes).sum::<i64>();
    release(tx, site, newest_version, texts.into_iter(), now)?;
    former::forget(tx, site, &ids)?;
    usage::count(tx, site, change)?;
    Ok(Gone { pages: ids.len() as u64, newest_version })
}
