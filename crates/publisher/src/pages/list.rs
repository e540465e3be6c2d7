//! Lists the pages of a site. The JSON of the response is written directly from the rows, without an object for each
//! page.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use api::PageSummary;
use bytes::Bytes;
use model::{ContentType, PageHash, PageId, SiteId, Timestamp};
use serde_json::value::RawValue;
use store::Tx;
use store::pages::{self, Part, Summary};

use super::hash::OldTexts;
use crate::accounts::access::{find_site, site_of};
use crate::{Caller, Error, Publisher};

#[derive(Debug, Clone, Copy, Default)]
pub struct ListQuery {
    pub site: Option<SiteId>,
    pub content_type: Option<ContentType>,
    pub limit: Option<u32>,
    pub cursor: Option<Cursor>,
    /// Whether each page has its hash.
    pub hashes: bool,
}

/// The page after which a listing continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    updated_at: Timestamp,
    id: PageId,
}

/// The limit of a listing with a cursor but no limit.
const DEFAULT_LIMIT: u32 = 100;

impl Cursor {
    pub fn parse(text: &str) -> Option<Cursor> {
        let (micros, id) = text.split_once('.')?;
        Some(Cursor { updated_at: Timestamp::from_micros(micros.parse().ok()?), id: PageId::parse(id)? })
    }

    pub(super) fn after(self) -> (Timestamp, PageId) {
        (self.updated_at, self.id)
    }

    pub(super) fn of((updated_at, id): (Timestamp, PageId)) -> Cursor {
        Cursor { updated_at, id }
    }

    pub fn text(self) -> String {
        format!("{}.{}", self.updated_at.micros(), self.id)
    }
}

/// The JSON body of `GET /pages`, in pieces that follow each other.
pub type ListBody = Vec<Bytes>;

impl Publisher {
    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<ListBody, Error> {
        if query.limit.is_some() || query.cursor.is_some() {
            return self.list_part(caller, query).await;
        }
        let site = find_site(&self.store, caller.account, query.site).await?;
        let listing = (site.id, query.content_type, query.hashes);
        if let Some(body) = self.listings.get(listing, site.version) {
            return Ok(body);
        }
        let (account, capacity) = (caller.account, self.listings.size(listing));
        let scanned = self.read(move |tx| {
            let site = site_of(tx, account, query.site)?;
            let mut rows = Rows { json: Vec::with_capacity(capacity), ..Rows::new(tx, site.id, query)? };
            pages::scan(tx, site.id, |summary| {
                if query.content_type.is_none_or(|wanted| wanted.as_str() == summary.content_type) {
                    rows.add(&summary);
                }
            })?;
            rows.order.sort_unstable_by_key(|row| (Reverse(row.updated_at), row.id));
            Ok((site, rows.body(b"]}".to_vec())?))
        });
        let (site, body) = scanned.await?;
        self.listings.put(listing, site.version, &body);
        Ok(body)
    }

    async fn list_part(&self, caller: &Caller, query: ListQuery) -> Result<ListBody, Error> {
        let account = caller.account;
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        let part = Part {
            content_type: query.content_type,
            after: query.cursor.map(|cursor| (cursor.updated_at, cursor.id)),
            // One more than requested, to see whether there is a next part.
            limit: limit + 1,
        };
        self.read(move |tx| {
            let site = site_of(tx, account, query.site)?;
            let mut rows = Rows::new(tx, site.id, query)?;
            pages::list(tx, site.id, part, |summary| rows.add(&summary))?;
            let more = rows.order.len() > limit as usize;
            rows.order.truncate(limit as usize);
            let last = rows.order.last().filter(|_| more);
            let next = last.map(|row| Cursor { updated_at: row.updated_at, id: row.id }.text());
            let next = next.map_or("null".to_owned(), |cursor| format!("\"{cursor}\""));
            rows.body(format!("],\"nextCursor\":{next}}}").into_bytes())
        })
        .await
    }
}

/// Caches complete listings until their site changes: clients often request an unchanged listing.
#[derive(Default)]
pub(crate) struct Listings(Mutex<HashMap<Listing, Kept>>);

/// Which pages of which site, and whether with hashes.
type Listing = (SiteId, Option<ContentType>, bool);

struct Kept {
    version: i64,
    body: ListBody,
}

/// The limit for all cached listings together; when it is exceeded, the cache is cleared.
const LISTINGS_BYTES: usize = 32 << 20;

impl Listings {
    fn get(&self, listing: Listing, version: i64) -> Option<ListBody> {
        let listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = listings.get(&listing)?;
        (kept.version == version).then(|| kept.body.clone())
    }

    /// An estimate of the size of the listing: somewhat larger than the last one.
    fn size(&self, listing: Listing) -> usize {
        let listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = listings.get(&listing);
        kept.map_or(0, |kept| size(&kept.body) * 9 / 8)
    }

    fn put(&self, listing: Listing, version: i64, body: &ListBody) {
        let mut listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listings.remove(&listing);
        if listings.values().map(|kept| size(&kept.body)).sum::<usize>() + size(body) > LISTINGS_BYTES {
            listings.clear();
        }
        if size(body) <= LISTINGS_BYTES / 4 {
            listings.insert(listing, Kept { version, body: body.clone() });
        }
    }
}

fn size(body: &ListBody) -> usize {
    body.iter().map(Bytes::len).sum()
}

/// Pages as JSON, each after a comma, and their order in the response.
#[derive(Default)]
struct Rows {
    json: Vec<u8>,
    order: Vec<ListedPage>,
    failure: Option<serde_json::Error>,
    /// If each page has its hash.
    hashes: Option<OldTexts>,
}

struct ListedPage {
    updated_at: Timestamp,
    id: PageId,
    json: Range<usize>,
}

impl Rows {
    fn new(tx: &mut Tx, site: SiteId, query: ListQuery) -> Result<Rows, Error> {
        let hashes = if query.hashes { Some(OldTexts::of_site(tx, site)?) } else { None };
        Ok(Rows { hashes, ..Rows::default() })
    }

    fn add(&mut self, summary: &Summary) {
        let start = self.json.len();
        self.json.push(b',');
        let hash = self.hashes.as_ref().map(|old| old.hash_of(summary)).transpose();
        if let Err(error) = hash.and_then(|hash| write_summary(&mut self.json, summary, hash)) {
            self.failure = Some(error);
        }
        self.order.push(ListedPage {
            updated_at: summary.updated_at,
            id: summary.id,
            json: start..self.json.len(),
        });
    }

    /// The response. Rows are not copied: the body consists of slices of the JSON in the right order, and rows that
    /// stay next to each other are one slice.
    fn body(self, end: Vec<u8>) -> Result<ListBody, Error> {
        if let Some(failure) = self.failure {
            return Err(Error::Internal(format!("write a listing: {failure}")));
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for page in self.order {
            match runs.last_mut() {
                Some(run) if run.end == page.json.start => run.end = page.json.end,
                _ => runs.push(page.json),
            }
        }
        if let Some(first) = runs.first_mut() {
            // The first page has no comma before it.
            first.start += 1;
        }
        let json = Bytes::from(self.json);
        let mut body = vec![Bytes::from_static(b"{\"pages\":[")];
        body.extend(runs.into_iter().map(|run| json.slice(run)));
        body.push(Bytes::from(end));
        Ok(body)
    }
}

fn write_summary(json: &mut Vec<u8>, summary: &Summary, hash: Option<PageHash>) -> serde_json::Result<()> {
    let hash = hash.map(|hash| hash.to_string());
    let mut id = [0; 36];
    let (published_at, updated_at) = (summary.published_at.text(), summary.updated_at.text());
    let page = PageSummary {
        id: summary.id.0.hyphenated().encode_lower(&mut id),
        slug: summary.slug,
        title: summary.title,
        content_type: summary.content_type,
        section: Some(summary.section).filter(|section| !section.is_empty()),
        description: summary.description,
        draft: summary.draft,
        tags: serde_json::from_str::<&RawValue>(summary.tags)?,
        published_at: published_at.as_str(),
        updated_at: updated_at.as_str(),
        hash: hash.as_deref(),
    };
    serde_json::to_writer(json, &page)
}
