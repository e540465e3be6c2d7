//! Pages, without their long texts. Every statement names the site.

pub mod autosaves;
pub mod former;
mod listing;
pub mod texts;
pub mod trash;

use model::{ContentType, PageId, PageKey, Section, SiteId, Slug, TextHash, Timestamp};
use uuid::Uuid;

pub use self::listing::{Part, Summary, changed_ids, list, scan, scan_changed};
use crate::engine::bulk::{for_each, insert_each, update_each};
use crate::engine::row::{Columns, FromRow, from_row, read, select};
use crate::texts::{Text, TextId};
use crate::{Bulk, Column, Error, Result, Tx};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub id: PageId,
    pub key: PageKey,
    /// Its section as it was typed, if that has capitals.
    pub section_spelling: Option<String>,
    pub title: String,
    pub description: Option<String>,
    pub draft: bool,
    /// A JSON array of strings.
    pub tags: String,
    pub api_endpoint: Option<String>,
    pub content: Option<Text>,
    pub params: Option<Text>,
    /// None without a text, or if that was stored before there were hashes.
    pub content_hash: Option<TextHash>,
    pub params_hash: Option<TextHash>,
    pub published_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row!(
    page = Page {
        id,
        key: "content_type, section, slug",
        section_spelling,
        title,
        description,
        draft,
        tags,
        api_endpoint,
        content: "content_id, content_bytes",
        params: "params_id, params_bytes",
        content_hash,
        params_hash,
        published_at,
        created_at,
        updated_at,
    }
);

impl<'r> FromRow<'r> for PageKey {
    const COLUMNS: usize = 3;

    fn from_row(columns: &mut Columns<'r>) -> Result<PageKey> {
        let wrong = |message| Error::Internal(format!("a stored page key is wrong: {message}"));
        Ok(PageKey {
            content_type: ContentType::parse(columns.next()?).map_err(wrong)?,
            section: Section::parse(columns.next()?).map_err(wrong)?,
            slug: Slug::parse(columns.next()?).map_err(wrong)?,
        })
    }
}

const BY_IDS: Bulk = Bulk {
    sqlite: select!(
        page,
        "
FROM pages
WHERE site_id = $1 AND id = $2 AND deleted_at IS NULL"
    ),
    postgres: select!(
        page,
        "
FROM pages
WHERE site_id = $1 AND id = ANY($2) AND deleted_at IS NULL"
    ),
};

pub fn by_ids(tx: &mut Tx, site: SiteId, ids: impl Iterator<Item = PageId>) -> Result<Vec<Page>> {
    let ids: Vec<Uuid> = ids.map(|id| id.0).collect();
    tx.query_many(BY_IDS, &[&site.0], &[&ids], read)
}

const BY_SLUGS: Bulk = Bulk {
    // Without statistics SQLite would rather walk all pages of the site.
    sqlite: select!(
        page,
        "
FROM pages INDEXED BY pages_by_key
WHERE site_id = $1 AND slug = $2 AND deleted_at IS NULL"
    ),
    postgres: select!(
        page,
        "
FROM pages
WHERE site_id = $1 AND slug = ANY($2) AND deleted_at IS NULL"
    ),
};

/// Live pages with one of these slugs, whatever their content type and section. Slugs are given once each.
pub fn by_slugs<'s>(tx: &mut Tx, site: SiteId, slugs: impl Iterator<Item = &'s str>) -> Result<Vec<Page>> {
    let slugs: Vec<&str> = slugs.collect();
    tx.query_many(BY_SLUGS, &[&site.0], &[&slugs], read)
}

const INSERT: Bulk = insert_each!(
    pages (site_id = 1, version = 2)
    (id = 3 uuid, content_type = 4 text, section = 5 text, slug = 6 text, created_at = 7 bigint,
     title = 8 text, description = 9 text, draft = 10 boolean, tags = 11 text, api_endpoint = 12 text,
     content_id = 13 bigint, params_id = 14 bigint, published_at = 15 bigint, updated_at = 16 bigint,
     content_bytes = 17 bigint, params_bytes = 18 bigint, content_hash = 19 bytea, params_hash = 20 bytea,
     section_spelling = 21 text)
);
const UPDATE: Bulk = update_each!(
    pages set (version = 2)
    (title = 4 text, description = 5 text, draft = 6 boolean, tags = 7 text, api_endpoint = 8 text,
     content_id = 9 bigint, params_id = 10 bigint, published_at = 11 bigint, updated_at = 12 bigint,
     content_bytes = 13 bigint, params_bytes = 14 bigint, content_hash = 15 bytea, params_hash = 16 bytea,
     section_spelling = 17 text)
    where site_id = 1, id = 3 uuid
);

pub fn insert(tx: &mut Tx, site: SiteId, version: i64, pages: &[&Page]) -> Result<()> {
    let (ids, created): (Vec<Uuid>, Vec<i64>) =
        pages.iter().map(|page| (page.id.0, page.created_at.micros())).unzip();
    let types: Vec<&str> = pages.iter().map(|page| page.key.content_type.as_str()).collect();
    let sections: Vec<&str> = pages.iter().map(|page| page.key.section.as_str()).collect();
    let slugs: Vec<&str> = pages.iter().map(|page| page.key.slug.as_str()).collect();
    write(tx, INSERT, site, version, &[&ids, &types, &sections, &slugs, &created], pages)
}

/// Changes everything but the key and the time of creation. (SQLite would rewrite the index of keys also where a key stays
/// as it is: `rekey` changes it.)
pub fn update(tx: &mut Tx, site: SiteId, version: i64, pages: &[&Page]) -> Result<()> {
    let ids: Vec<Uuid> = pages.iter().map(|page| page.id.0).collect();
    write(tx, UPDATE, site, version, &[&ids], pages)
}

/// `first` are the columns before those that both statements have.
fn write(
    tx: &mut Tx,
    bulk: Bulk,
    site: SiteId,
    version: i64,
    first: &[&dyn Column],
    pages: &[&Page],
) -> Result<()> {
    fn column<'p, T>(pages: &[&'p Page], field: impl Fn(&'p Page) -> T) -> Vec<T> {
        pages.iter().map(|page| field(page)).collect()
    }
    let both: [&dyn Column; 14] = [
        &column(pages, |page| page.title.as_str()),
        &column(pages, |page| page.description.as_deref()),
        &column(pages, |page| page.draft),
        &column(pages, |page| page.tags.as_str()),
        &column(pages, |page| page.api_endpoint.as_deref()),
        &column(pages, |page| page.content.map(|text| text.id.0)),
        &column(pages, |page| page.params.map(|text| text.id.0)),
        &column(pages, |page| page.published_at.micros()),
        &column(pages, |page| page.updated_at.micros()),
        &column(pages, |page| page.content.map_or(0, |text| text.bytes)),
        &column(pages, |page| page.params.map_or(0, |text| text.bytes)),
        &column(pages, |page| page.content_hash.as_ref().map(|hash| hash.0.as_slice())),
        &column(pages, |page| page.params_hash.as_ref().map(|hash| hash.0.as_slice())),
        &column(pages, |page| page.section_spelling.as_deref()),
    ];
    tx.execute_many(bulk, &[&site.0, &version], &[first, &both].concat())?;
    Ok(())
}

const REKEY: Bulk = update_each!(
    pages set () (content_type = 3 text, section = 4 text, slug = 5 text)
    where site_id = 1, id = 2 uuid
);

/// Moves pages to other keys. Two of them may swap, although both engines check uniqueness row by row: first all
/// are parked on slugs that no page can have.
pub fn rekey(tx: &mut Tx, site: SiteId, moved: &[(PageId, &PageKey)]) -> Result<()> {
    let ids: Vec<Uuid> = moved.iter().map(|(id, _)| id.0).collect();
    let types: Vec<&str> = moved.iter().map(|(_, key)| key.content_type.as_str()).collect();
    let sections: Vec<&str> = moved.iter().map(|(_, key)| key.section.as_str()).collect();
    let slugs: Vec<&str> = moved.iter().map(|(_, key)| key.slug.as_str()).collect();
    let parked: Vec<String> = ids.iter().map(|id| format!("~{id}")).collect();
    tx.execute_many(REKEY, &[&site.0], &[&ids, &types, &sections, &parked])?;
    tx.execute_many(REKEY, &[&site.0], &[&ids, &types, &sections, &slugs])?;
    Ok(())
}

const DELETE: Bulk = for_each!(
    "
UPDATE pages
SET version = $1, deleted_at = $2
WHERE site_id = $3 AND id",
    4
);

/// Soft-deletes: the keys are free at once, the rows stay for a restore.
pub fn delete(tx: &mut Tx, site: SiteId, version: i64, ids: &[PageId], now: Timestamp) -> Result<()> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    tx.execute_many(DELETE, &[&version, &now.micros(), &site.0], &[&ids])?;
    Ok(())
}

/// The texts of a page, one of which was stored before there were hashes.
#[derive(Debug)]
pub struct Unhashed {
    pub page: PageId,
    pub content: Option<TextId>,
    pub params: Option<TextId>,
}

from_row!(unhashed = Unhashed { page: "id", content: "content_id", params: "params_id" });

const UNHASHED: &str = select!(
    unhashed,
    "
FROM pages
WHERE site_id = $1 AND +deleted_at IS NULL
  AND (content_id IS NOT NULL AND content_hash IS NULL OR params_id IS NOT NULL AND params_hash IS NULL)"
);

/// The live pages of a site with such texts.
pub fn unhashed(tx: &mut Tx, site: SiteId) -> Result<Vec<Unhashed>> {
    tx.query(UNHASHED, &[&site.0], read)
}

/// A page that something happened to between two builds: it was written, deleted, or became due.
#[derive(Debug)]
pub struct Changed {
    pub page: Page,
    pub version: i64,
    pub deleted: bool,
}

from_row!(changed = Changed { page: page!(), version, deleted: "deleted_at IS NOT NULL" });

impl Changed {
    /// Its place in the order of changes.
    pub fn place(&self) -> (i64, PageId) {
        (self.version, self.page.id)
    }
}

const CHANGED: &str = select!(
    changed,
    "
FROM pages
WHERE site_id = $1 AND version <= $2 AND (version, id) > ($3, $4)
ORDER BY version, id
LIMIT $5"
);
const DUE: &str = select!(
    changed,
    "
FROM pages
WHERE site_id = $1 AND published_at > $2 AND published_at <= $3 AND version <= $4
  AND published_at > updated_at AND NOT draft AND deleted_at IS NULL"
);

/// At most `most` pages changed after the version `after` up to `until`, in the order of their changes, behind the last
/// one of the list before.
pub fn changed(
    tx: &mut Tx,
    site: SiteId,
    (after, until): (i64, i64),
    behind: Option<(i64, PageId)>,
    most: i64,
) -> Result<Vec<Changed>> {
    // No page has the highest id.
    let (version, id) = behind.map_or((after, Uuid::max()), |(version, id)| (version, id.0));
    tx.query(CHANGED, &[&site.0, &until, &version, &id, &most], read)
}

/// Pages whose time came after `since` up to `now`, and that were last changed up to the version `until`.
pub fn due(
    tx: &mut Tx,
    site: SiteId,
    (since, now): (Timestamp, Timestamp),
    until: i64,
) -> Result<Vec<Changed>> {
    tx.query(DUE, &[&site.0, &since.micros(), &now.micros(), &until], read)
}

const VERSION: &str = "
SELECT version
FROM pages
WHERE site_id = $1 AND id = $2 AND deleted_at IS NULL";

/// The site version that last changed a live page.
pub fn version(tx: &mut Tx, site: SiteId, id: PageId) -> Result<Option<i64>> {
    tx.query_one(VERSION, &[&site.0, &id.0], read)
}

const COUNT: &str = "
SELECT count(*)
FROM pages
WHERE site_id = $1";

/// A site's pages, live and deleted.
pub fn count(tx: &mut Tx, site: SiteId) -> Result<i64> {
    Ok(tx.query_one(COUNT, &[&site.0], read)?.unwrap_or_default())
}

const COUNT_DELETED: &str = "
SELECT count(*)
FROM pages
WHERE deleted_at IS NOT NULL AND site_id IN (SELECT id FROM sites WHERE account_id = $1)";

/// How many deleted pages of an account can be restored.
pub fn count_deleted(tx: &mut Tx, account: model::AccountId) -> Result<i64> {
    Ok(tx.query_one(COUNT_DELETED, &[&account.0], read)?.unwrap_or_default())
}
