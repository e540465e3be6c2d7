//! URLs that pages once had: they lead to where the page is now.

use std::collections::BTreeMap;

use model::{PageId, SiteId};
use uuid::Uuid;

use crate::engine::bulk::{for_each, insert_each};
use crate::engine::row::read;
use crate::{Bulk, Result, Tx};

const ADD: Bulk = insert_each!(
    former_urls (site_id = 1, version = 2) (url = 3 text, page_id = 4 uuid)
    "ON CONFLICT (site_id, url) DO UPDATE SET version = excluded.version, page_id = excluded.page_id"
);

/// The most URLs that a page may have left. With one more, the older half of them is forgotten.
pub const MOST: i64 = 100;

const CROWDED: Bulk = Bulk {
    sqlite: "
SELECT page_id
FROM former_urls
WHERE site_id = ?1 AND page_id = ?3
GROUP BY page_id
HAVING count(*) > ?2",
    postgres: "
SELECT page_id
FROM former_urls
WHERE site_id = $1 AND page_id = ANY($3)
GROUP BY page_id
HAVING count(*) > $2",
};
const FORGET_OLDEST: &str = "
DELETE FROM former_urls
WHERE site_id = $1 AND url IN (
  SELECT url FROM former_urls WHERE site_id = $1 AND page_id = $2 ORDER BY version, url LIMIT $3)";
const REBUILD: &str = "
UPDATE sites
SET purged_version = $1
WHERE id = $2";

/// Pages left these URLs; of two that left the same one, the last.
pub fn add(tx: &mut Tx, site: SiteId, version: i64, left: &[(String, PageId)]) -> Result<()> {
    // PostgreSQL refuses to write a row twice.
    let left: BTreeMap<&str, Uuid> = left.iter().map(|(url, page)| (url.as_str(), page.0)).collect();
    let urls: Vec<&str> = left.keys().copied().collect();
    let mut pages: Vec<Uuid> = left.into_values().collect();
    tx.execute_many(ADD, &[&site.0, &version], &[&urls, &pages])?;
    pages.sort_unstable();
    pages.dedup();
    let crowded: Vec<Uuid> = tx.query_many(CROWDED, &[&site.0, &MOST], &[&pages], read)?;
    for page in &crowded {
        tx.execute(FORGET_OLDEST, &[&site.0, page, &(MOST / 2)])?;
    }
    if !crowded.is_empty() {
        // Releases redirect from what was forgotten, and nothing else would show that to the next build.
        tx.execute(REBUILD, &[&version, &site.0])?;
    }
    Ok(())
}

const FORGET: Bulk = for_each!(
    "
DELETE FROM former_urls
WHERE site_id = $1 AND page_id",
    2
);

/// Pages are gone for good.
pub(crate) fn forget(tx: &mut Tx, site: SiteId, pages: &[PageId]) -> Result<()> {
    let pages: Vec<Uuid> = pages.iter().map(|page| page.0).collect();
    tx.execute_many(FORGET, &[&site.0], &[&pages])?;
    Ok(())
}

const SINCE: &str = "
SELECT url, page_id
FROM former_urls
WHERE site_id = $1 AND version > $2 AND version <= $3
ORDER BY url";

/// What was left after the version `after`, up to `until`.
pub fn between(tx: &mut Tx, site: SiteId, after: i64, until: i64) -> Result<Vec<(String, PageId)>> {
    tx.query(SINCE, &[&site.0, &after, &until], read)
}
