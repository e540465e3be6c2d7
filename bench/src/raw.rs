//! The peers: the bare databases doing the same upsert, with prepared statements, durably, in one transaction.

use std::path::Path;

use anyhow::Result;
use postgres::NoTls;
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::corpus::Page;

/// Durable like Recto, and also without a checkpoint inside the commit.
const SQLITE_SCHEMA: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
PRAGMA cache_size = -16384;
CREATE TABLE pages (
  id BLOB PRIMARY KEY, site INTEGER NOT NULL, content_type TEXT NOT NULL, section TEXT NOT NULL, slug TEXT NOT NULL,
  title TEXT NOT NULL, content TEXT NOT NULL, description TEXT, draft INTEGER NOT NULL, tags TEXT NOT NULL,
  published_at INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE UNIQUE INDEX pages_key ON pages (site, content_type, section, slug);";

const SQLITE_UPSERT: &str = "
INSERT INTO pages (id, site, content_type, section, slug, title, content, description, draft, tags, published_at,
  created_at, updated_at)
VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, 1, ?9, ?9)
ON CONFLICT (site, content_type, section, slug) DO UPDATE SET title = excluded.title, content = excluded.content,
  description = excluded.description, tags = excluded.tags, updated_at = excluded.updated_at
RETURNING id, created_at";

pub fn sqlite(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch(SQLITE_SCHEMA)?;
    Ok(connection)
}

pub fn sqlite_upsert(connection: &mut Connection, pages: &[Page], now: i64) -> Result<()> {
    let tx = connection.transaction()?;
    {
        let mut statement = tx.prepare_cached(SQLITE_UPSERT)?;
        for page in pages {
            let id = Uuid::now_v7();
            let tags = serde_json::to_string(&page.tags)?;
            let row = params![
                id.as_bytes().as_slice(),
                page.content_type,
                page.section,
                page.slug,
                page.title,
                page.content,
                page.description,
                tags,
                now
            ];
            statement.query_row(row, |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?)))?;
        }
    }
    Ok(tx.commit()?)
}

const POSTGRES_SCHEMA: &str = "
DROP TABLE IF EXISTS raw_pages;
CREATE TABLE raw_pages (
  id uuid PRIMARY KEY, site int NOT NULL, content_type text NOT NULL, section text NOT NULL, slug text NOT NULL,
  title text NOT NULL, content text COMPRESSION lz4 NOT NULL, description text, draft bool NOT NULL, tags text NOT NULL,
  published_at bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL);
CREATE UNIQUE INDEX raw_pages_key ON raw_pages (site, content_type, section, slug);";

const POSTGRES_UPSERT: &str = "
INSERT INTO raw_pages (id, site, content_type, section, slug, title, content, description, draft, tags, published_at,
  created_at, updated_at)
SELECT id, 1, content_type, section, slug, title, content, description, false, tags, 1, $9, $9
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
  AS new (id, content_type, section, slug, title, content, description, tags)
ON CONFLICT (site, content_type, section, slug) DO UPDATE SET title = excluded.title, content = excluded.content,
  description = excluded.description, tags = excluded.tags, updated_at = excluded.updated_at
RETURNING id, created_at";

pub fn postgres(url: &str) -> Result<postgres::Client> {
    let mut client = postgres::Client::connect(url, NoTls)?;
    client.batch_execute(POSTGRES_SCHEMA)?;
    Ok(client)
}

pub fn postgres_upsert(client: &mut postgres::Client, pages: &[Page], now: i64) -> Result<()> {
    fn column<'p>(pages: &'p [Page], field: impl Fn(&'p Page) -> &'p str) -> Vec<&'p str> {
        pages.iter().map(field).collect()
    }
    let ids: Vec<Uuid> = pages.iter().map(|_| Uuid::now_v7()).collect();
    let tags: Vec<String> =
        pages.iter().map(|page| serde_json::to_string(&page.tags)).collect::<Result<_, _>>()?;
    let mut tx = client.transaction()?;
    let rows = tx.query(
        POSTGRES_UPSERT,
        &[
            &ids,
            &column(pages, |page| page.content_type),
            &column(pages, |page| &page.section),
            &column(pages, |page| &page.slug),
            &column(pages, |page| &page.title),
            &column(pages, |page| &page.content),
            &column(pages, |page| &page.description),
            &tags,
            &now,
        ],
    )?;
    anyhow::ensure!(rows.len() == pages.len());
    Ok(tx.commit()?)
}
