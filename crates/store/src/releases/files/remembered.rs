//! What is remembered of the pages that a release shows: the base of the next build.

use model::{PageId, SiteId};
use uuid::Uuid;

use crate::engine::bulk::{for_each, insert_each};
use crate::engine::row::{from_row, read};
use crate::releases::OPEN;
use crate::{Bulk, Result, Tx};

const PAGES: &str = "
SELECT page_id, meta
FROM release_pages
WHERE site_id = $1 AND to_release = $2 AND page_id > $3
ORDER BY page_id
LIMIT $4";

/// Pages that are read at a time: PostgreSQL's client holds the rows of a whole answer.
const PART: i64 = 5000;

/// What is remembered of each page that the newest release shows.
pub fn pages<T>(tx: &mut Tx, site: SiteId, mut each: impl FnMut(&str) -> Result<T>) -> Result<Vec<T>> {
    let (mut pages, mut last) = (Vec::new(), Uuid::nil());
    loop {
        let before = pages.len();
        let part = tx.query(PAGES, &[&site.0, &OPEN, &last, &PART], |row| {
            let (id, meta): (Uuid, &str) = row.read()?;
            Ok((id, each(meta)?))
        })?;
        for (id, page) in part {
            last = id;
            pages.push(page);
        }
        if pages.len() == before {
            return Ok(pages);
        }
    }
}

const CLOSE_PAGES: Bulk = for_each!(
    "
UPDATE release_pages
SET to_release = $1
WHERE site_id = $2 AND to_release = $3 AND page_id",
    4
);
const INSERT_PAGES: Bulk = insert_each!(
    release_pages (site_id = 1, from_release = 2, to_release = 3) (page_id = 4 uuid, meta = 5 text)
);

/// Remembers pages from `release` on; `None` forgets one.
pub fn remember(tx: &mut Tx, site: SiteId, release: i64, pages: &[(PageId, Option<String>)]) -> Result<()> {
    let all: Vec<Uuid> = pages.iter().map(|(id, _)| id.0).collect();
    tx.execute_many(CLOSE_PAGES, &[&release, &site.0, &OPEN], &[&all])?;
    let kept = || pages.iter().filter_map(|(id, meta)| Some((id.0, meta.as_deref()?)));
    let ids: Vec<Uuid> = kept().map(|(id, _)| id).collect();
    let metas: Vec<&str> = kept().map(|(_, meta)| meta).collect();
    tx.execute_many(INSERT_PAGES, &[&site.0, &release, &OPEN], &[&ids, &metas])?;
    Ok(())
}

/// A page that two releases show differently, with what is remembered of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChange {
    pub page: PageId,
    /// `None`: the older release does not show it.
    pub before: Option<String>,
    /// `None`: the newer one does not show it.
    pub after: Option<String>,
}

from_row!(PageChange { page, before, after });

/// How many pages two releases show differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeCounts {
    pub pages: i64,
    /// Those that the older release shows.
    pub before: i64,
    /// Those that the newer one shows.
    pub after: i64,
}

from_row!(ChangeCounts { pages, before, after });

// A build from scratch remembers every page again: what stayed the same is no change.
macro_rules! changes {
    ($columns:literal, $behind:literal, $end:literal) => {
        concat!(
            "
SELECT ",
            $columns,
            "
FROM (
  SELECT page_id, max(CASE WHEN from_release <= $1 THEN meta END) AS older,
    max(CASE WHEN from_release > $1 THEN meta END) AS newer
  FROM release_pages
  WHERE site_id = $2
    AND (from_release <= $1 AND to_release > $1 AND to_release <= $3
      OR from_release > $1 AND from_release <= $3 AND to_release > $3)",
            $behind,
            "
  GROUP BY page_id
) AS changes
WHERE older IS DISTINCT FROM newer",
            $end
        )
    };
}

const CHANGES: &str = changes!(
    "page_id, older, newer",
    " AND page_id > $4",
    "
ORDER BY page_id
LIMIT $5"
);

/// At most `most` pages that the release `newer` shows differently from `older`, behind `after`.
pub fn page_changes(
    tx: &mut Tx,
    site: SiteId,
    (older, newer): (i64, i64),
    after: PageId,
    most: i64,
) -> Result<Vec<PageChange>> {
    tx.query(CHANGES, &[&older, &site.0, &newer, &after.0, &most], read)
}

const COUNT_CHANGES: &str = changes!("count(*), count(older), count(newer)", "", "");

pub fn count_changes(tx: &mut Tx, site: SiteId, (older, newer): (i64, i64)) -> Result<ChangeCounts> {
    let counts = tx.query_one(COUNT_CHANGES, &[&older, &site.0, &newer], read)?;
    Ok(counts.unwrap_or(ChangeCounts { pages: 0, before: 0, after: 0 }))
}
