//! URLs that pages once had: they lead to where the page is now.

use std::collections::BTreeMap;

use model::{PageId, SiteId};
use uuid::Uuid;

use crate::{Bulk, Result, Tx};

const ADD: Bulk = Bulk {
    sqlite: "
INSERT INTO former_urls (site_id, version, url, page_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (site_id, url) DO UPDATE
SET version = excluded.version, page_id = excluded.page_id",
    postgres: "
INSERT INTO former_urls (site_id, version, url, page_id)
SELECT $1, $2, * FROM unnest(CAST($3 AS text[]), CAST($4 AS uuid[]))
ON CONFLICT (site_id, url) DO UPDATE
SET version = excluded.version, page_id = excluded.page_id",
};

/// Pages left these URLs; of two that left the same one, the last.
pub fn add(tx: &mut Tx, site: SiteId, version: i64, left: &[(String, PageId)]) -> Result<()> {
    // PostgreSQL refuses to write a row twice.
    let left: BTreeMap<&str, Uuid> = left.iter().map(|(url, page)| (url.as_str(), page.0)).collect();
    let urls: Vec<&str> = left.keys().copied().collect();
    let pages: Vec<Uuid> = left.into_values().collect();
    tx.execute_many(ADD, &[&site.0, &version], &[&urls, &pages])?;
    Ok(())
}

const SINCE: &str = "
SELECT url, page_id
FROM former_urls
WHERE site_id = $1 AND version > $2 AND version <= $3
ORDER BY url";

/// What was left after the version `after`, up to `until`.
pub fn between(tx: &mut Tx, site: SiteId, after: i64, until: i64) -> Result<Vec<(String, PageId)>> {
    tx.query(SINCE, &[&site.0, &after, &until], |row| Ok((row.get(0)?, PageId(row.get(1)?))))
}

const REMOVE_SITE: &str = "
DELETE FROM former_urls
WHERE site_id = $1";

pub fn remove_site(tx: &mut Tx, site: SiteId) -> Result<()> {
    tx.execute(REMOVE_SITE, &[&site.0])?;
    Ok(())
}
