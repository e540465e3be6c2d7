//! Pages, without their long texts. Every statement names the site.

use model::{ContentType, PageId, PageKey, Section, SiteId, Slug, TextHash, Timestamp};
use uuid::Uuid;

use crate::texts::{Text, TextId};
use crate::{Bulk, Error, Param, Result, Row, Tx};

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

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "
SELECT id, content_type, section, slug, title, description, draft, tags, api_endpoint, content_id, params_id,
  published_at, created_at, updated_at, content_bytes, params_bytes, content_hash, params_hash, section_spelling
FROM pages",
            $rest
        )
    };
}

fn page(row: &Row) -> Result<Page> {
    Ok(Page {
        id: PageId(row.get(0)?),
        key: key(row, 1)?,
        title: row.get(4)?,
        description: row.get(5)?,
        draft: row.get(6)?,
        tags: row.get(7)?,
        api_endpoint: row.get(8)?,
        content: text(row, 9, 14)?,
        params: text(row, 10, 15)?,
        published_at: Timestamp::from_micros(row.get(11)?),
        created_at: Timestamp::from_micros(row.get(12)?),
        updated_at: Timestamp::from_micros(row.get(13)?),
        content_hash: hash(row, 16)?,
        params_hash: hash(row, 17)?,
        section_spelling: row.get(18)?,
    })
}

fn hash(row: &Row, column: usize) -> Result<Option<TextHash>> {
    let bytes: Option<Vec<u8>> = row.get(column)?;
    let wrong = |_| Error::Internal("a stored hash of a text has a wrong length".into());
    bytes.map(|bytes| bytes.try_into().map(TextHash).map_err(wrong)).transpose()
}

pub(crate) fn text(row: &Row, id: usize, bytes: usize) -> Result<Option<Text>> {
    let bytes = row.get(bytes)?;
    Ok(row.get::<Option<i64>>(id)?.map(|id| Text { id: TextId(id), bytes }))
}

/// A key in three columns: content type, section, slug.
pub(crate) fn key(row: &Row, from: usize) -> Result<PageKey> {
    let wrong = |message| Error::Internal(format!("a stored page key is wrong: {message}"));
    Ok(PageKey {
        content_type: ContentType::parse(row.text(from)?).map_err(wrong)?,
        section: Section::parse(row.text(from + 1)?).map_err(wrong)?,
        slug: Slug::parse(row.text(from + 2)?).map_err(wrong)?,
    })
}

const BY_IDS: Bulk = Bulk {
    sqlite: columns!(
        "
WHERE site_id = $1 AND id = $2 AND deleted_at IS NULL"
    ),
    postgres: columns!(
        "
WHERE site_id = $1 AND id = ANY($2) AND deleted_at IS NULL"
    ),
};

pub fn by_ids(tx: &mut Tx, site: SiteId, ids: impl Iterator<Item = PageId>) -> Result<Vec<Page>> {
    let ids: Vec<Uuid> = ids.map(|id| id.0).collect();
    tx.query_many(BY_IDS, &[&site.0], &[&ids], page)
}

const BY_SLUGS: Bulk = Bulk {
    // Without statistics SQLite would rather walk all pages of the site.
    sqlite: columns!(
        " INDEXED BY pages_by_key
WHERE site_id = $1 AND slug = $2 AND deleted_at IS NULL"
    ),
    postgres: columns!(
        "
WHERE site_id = $1 AND slug = ANY($2) AND deleted_at IS NULL"
    ),
};

/// Live pages with one of these slugs, whatever their content type and section. Slugs are given once each.
pub fn by_slugs<'s>(tx: &mut Tx, site: SiteId, slugs: impl Iterator<Item = &'s str>) -> Result<Vec<Page>> {
    let slugs: Vec<&str> = slugs.collect();
    tx.query_many(BY_SLUGS, &[&site.0], &[&slugs], page)
}

const INSERT: Bulk = Bulk {
    sqlite: "
INSERT INTO pages (site_id, version, id, content_type, section, slug, title, description, draft, tags, api_endpoint,
  content_id, params_id, published_at, created_at, updated_at, content_bytes, params_bytes, content_hash, params_hash,
  section_spelling)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)",
    postgres: "
INSERT INTO pages (site_id, version, id, content_type, section, slug, title, description, draft, tags, api_endpoint,
  content_id, params_id, published_at, created_at, updated_at, content_bytes, params_bytes, content_hash, params_hash,
  section_spelling)
SELECT $1, $2, * FROM unnest(CAST($3 AS uuid[]), CAST($4 AS text[]), CAST($5 AS text[]), CAST($6 AS text[]),
  CAST($7 AS text[]), CAST($8 AS text[]), CAST($9 AS boolean[]), CAST($10 AS text[]), CAST($11 AS text[]),
  CAST($12 AS bigint[]), CAST($13 AS bigint[]), CAST($14 AS bigint[]), CAST($15 AS bigint[]), CAST($16 AS bigint[]),
  CAST($17 AS bigint[]), CAST($18 AS bigint[]), CAST($19 AS bytea[]), CAST($20 AS bytea[]), CAST($21 AS text[]))",
};

pub fn insert(tx: &mut Tx, site: SiteId, version: i64, pages: &[&Page]) -> Result<()> {
    write(tx, INSERT, site, version, pages)
}

const UPDATE: Bulk = Bulk {
    // The key is left out: SQLite would rewrite its index also where it stays as it is. `rekey` changes it.
    sqlite: "
UPDATE pages
SET version = ?2, title = ?7, description = ?8, draft = ?9, tags = ?10, api_endpoint = ?11, content_id = ?12,
  params_id = ?13, published_at = ?14, updated_at = ?16, content_bytes = ?17, params_bytes = ?18, content_hash = ?19,
  params_hash = ?20, section_spelling = ?21
WHERE site_id = ?1 AND id = ?3",
    postgres: "
UPDATE pages
SET version = $2, title = changed.title, description = changed.description, draft = changed.draft,
  tags = changed.tags, api_endpoint = changed.api_endpoint, content_id = changed.content_id,
  params_id = changed.params_id, published_at = changed.published_at, updated_at = changed.updated_at,
  content_bytes = changed.content_bytes, params_bytes = changed.params_bytes, content_hash = changed.content_hash,
  params_hash = changed.params_hash, section_spelling = changed.section_spelling
FROM unnest(CAST($3 AS uuid[]), CAST($4 AS text[]), CAST($5 AS text[]), CAST($6 AS text[]),
  CAST($7 AS text[]), CAST($8 AS text[]), CAST($9 AS boolean[]), CAST($10 AS text[]), CAST($11 AS text[]),
  CAST($12 AS bigint[]), CAST($13 AS bigint[]), CAST($14 AS bigint[]), CAST($15 AS bigint[]), CAST($16 AS bigint[]),
  CAST($17 AS bigint[]), CAST($18 AS bigint[]), CAST($19 AS bytea[]), CAST($20 AS bytea[]), CAST($21 AS text[]))
  AS changed (id, content_type, section, slug, title, description, draft, tags, api_endpoint,
  content_id, params_id, published_at, created_at, updated_at, content_bytes, params_bytes, content_hash, params_hash,
  section_spelling)
WHERE pages.site_id = $1 AND pages.id = changed.id",
};

/// Changes everything but the key and the time of creation.
pub fn update(tx: &mut Tx, site: SiteId, version: i64, pages: &[&Page]) -> Result<()> {
    write(tx, UPDATE, site, version, pages)
}

fn write(tx: &mut Tx, bulk: Bulk, site: SiteId, version: i64, pages: &[&Page]) -> Result<()> {
    fn column<'p, T>(pages: &[&'p Page], field: impl Fn(&'p Page) -> T) -> Vec<T> {
        pages.iter().map(|page| field(page)).collect()
    }
    tx.execute_many(
        bulk,
        &[&site.0, &version],
        &[
            &column(pages, |page| page.id.0),
            &column(pages, |page| page.key.content_type.as_str()),
            &column(pages, |page| page.key.section.as_str()),
            &column(pages, |page| page.key.slug.as_str()),
            &column(pages, |page| page.title.as_str()),
            &column(pages, |page| page.description.as_deref()),
            &column(pages, |page| page.draft),
            &column(pages, |page| page.tags.as_str()),
            &column(pages, |page| page.api_endpoint.as_deref()),
            &column(pages, |page| page.content.map(|text| text.id.0)),
            &column(pages, |page| page.params.map(|text| text.id.0)),
            &column(pages, |page| page.published_at.micros()),
            &column(pages, |page| page.created_at.micros()),
            &column(pages, |page| page.updated_at.micros()),
            &column(pages, |page| page.content.map_or(0, |text| text.bytes)),
            &column(pages, |page| page.params.map_or(0, |text| text.bytes)),
            &column(pages, |page| page.content_hash.as_ref().map(|hash| hash.0.as_slice())),
            &column(pages, |page| page.params_hash.as_ref().map(|hash| hash.0.as_slice())),
            &column(pages, |page| page.section_spelling.as_deref()),
        ],
    )?;
    Ok(())
}

const REKEY: Bulk = Bulk {
    sqlite: "
UPDATE pages
SET content_type = ?3, section = ?4, slug = ?5
WHERE site_id = ?1 AND id = ?2",
    postgres: "
UPDATE pages
SET content_type = moved.content_type, section = moved.section, slug = moved.slug
FROM unnest(CAST($2 AS uuid[]), CAST($3 AS text[]), CAST($4 AS text[]), CAST($5 AS text[]))
  AS moved (id, content_type, section, slug)
WHERE pages.site_id = $1 AND pages.id = moved.id",
};

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

const DELETE: Bulk = Bulk {
    sqlite: "
UPDATE pages
SET version = ?2, deleted_at = ?3
WHERE site_id = ?1 AND id = ?4",
    postgres: "
UPDATE pages
SET version = $2, deleted_at = $3
WHERE site_id = $1 AND id = ANY($4)",
};

/// Soft-deletes: the keys are free at once, the rows stay for a restore.
pub fn delete(tx: &mut Tx, site: SiteId, version: i64, ids: &[PageId], now: Timestamp) -> Result<()> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    tx.execute_many(DELETE, &[&site.0, &version, &now.micros()], &[&ids])?;
    Ok(())
}

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
}

const SCAN: &str = "
SELECT id, slug, title, content_type, section, description, draft, tags, published_at, updated_at
FROM pages
WHERE site_id = $1 AND +deleted_at IS NULL";

/// Hands each live page of a site to `each`, in no order, while the database holds it. The `+` keeps SQLite from
/// an index: reading the table in its own order is several times faster than jumping into it from another.
pub fn scan(tx: &mut Tx, site: SiteId, mut each: impl FnMut(Summary)) -> Result<()> {
    tx.query(SCAN, &[&site.0], |row| {
        each(summary(row)?);
        Ok(())
    })?;
    Ok(())
}

/// A part of a listing: newest update first, then by id.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub content_type: Option<ContentType>,
    /// Continue behind this page.
    pub after: Option<(Timestamp, PageId)>,
    pub limit: u32,
}

const LIST: &str = "
SELECT id, slug, title, content_type, section, description, draft, tags, published_at, updated_at
FROM pages
WHERE site_id = $1 AND deleted_at IS NULL AND updated_at <= $2 AND (updated_at < $2 OR id > $3)
ORDER BY updated_at DESC, id
LIMIT $4";
const LIST_TYPE: &str = "
SELECT id, slug, title, content_type, section, description, draft, tags, published_at, updated_at
FROM pages
WHERE site_id = $1 AND deleted_at IS NULL AND updated_at <= $2 AND (updated_at < $2 OR id > $3)
  AND content_type = $4
ORDER BY updated_at DESC, id
LIMIT $5";

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
        each(summary(row)?);
        Ok(())
    })?;
    Ok(())
}

fn summary<'r>(row: &'r Row) -> Result<Summary<'r>> {
    Ok(Summary {
        id: PageId(row.get(0)?),
        slug: row.text(1)?,
        title: row.text(2)?,
        content_type: row.text(3)?,
        section: row.text(4)?,
        description: row.opt_text(5)?,
        draft: row.get(6)?,
        tags: row.text(7)?,
        published_at: Timestamp::from_micros(row.get(8)?),
        updated_at: Timestamp::from_micros(row.get(9)?),
    })
}

const CHANGED: &str = "
SELECT id, content_type, section, slug, title, description, draft, tags, api_endpoint, content_id, params_id,
  published_at, created_at, updated_at, content_bytes, params_bytes, content_hash, params_hash, section_spelling,
  version, deleted_at
FROM pages
WHERE site_id = $1 AND version <= $2 AND (version, id) > ($3, $4)
ORDER BY version, id
LIMIT $5";
const DUE: &str = "
SELECT id, content_type, section, slug, title, description, draft, tags, api_endpoint, content_id, params_id,
  published_at, created_at, updated_at, content_bytes, params_bytes, content_hash, params_hash, section_spelling,
  version, deleted_at
FROM pages
WHERE site_id = $1 AND published_at > $2 AND published_at <= $3 AND version <= $4
  AND published_at > updated_at AND NOT draft AND deleted_at IS NULL";

/// A page that something happened to between two builds: it was written, deleted, or became due.
#[derive(Debug)]
pub struct Changed {
    pub page: Page,
    pub version: i64,
    pub deleted: bool,
}

impl Changed {
    /// Its place in the order of changes.
    pub fn place(&self) -> (i64, PageId) {
        (self.version, self.page.id)
    }
}

fn changed_page(row: &Row) -> Result<Changed> {
    let deleted = row.get::<Option<i64>>(20)?.is_some();
    Ok(Changed { page: page(row)?, version: row.get(19)?, deleted })
}

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
    tx.query(CHANGED, &[&site.0, &until, &version, &id, &most], changed_page)
}

/// Pages whose time came after `since` up to `now`, and that were last changed up to the version `until`.
pub fn due(
    tx: &mut Tx,
    site: SiteId,
    (since, now): (Timestamp, Timestamp),
    until: i64,
) -> Result<Vec<Changed>> {
    tx.query(DUE, &[&site.0, &since.micros(), &now.micros(), &until], changed_page)
}

const COUNT: &str = "
SELECT count(*)
FROM pages
WHERE site_id = $1";

/// A site's pages, live and deleted.
pub fn count(tx: &mut Tx, site: SiteId) -> Result<i64> {
    Ok(tx.query_one(COUNT, &[&site.0], |row| row.get(0))?.unwrap_or_default())
}

const COUNT_DELETED: &str = "
SELECT count(*)
FROM pages
WHERE deleted_at IS NOT NULL AND site_id IN (SELECT id FROM sites WHERE account_id = $1)";

/// How many deleted pages of an account can be restored.
pub fn count_deleted(tx: &mut Tx, account: model::AccountId) -> Result<i64> {
    Ok(tx.query_one(COUNT_DELETED, &[&account.0], |row| row.get(0))?.unwrap_or_default())
}
