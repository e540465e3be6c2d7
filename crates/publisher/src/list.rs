//! Lists the pages of a site. The answer's JSON is written straight from the rows: ten thousand pages cost no
//! ten thousand objects.

use std::cmp::Reverse;
use std::ops::Range;

use api::PageSummary;
use model::{ContentType, PageId, SiteId, Timestamp};
use serde_json::value::RawValue;
use store::pages::{self, Part, Summary};

use crate::access::site_of;
use crate::{Caller, Error, Publisher};

#[derive(Debug, Clone, Copy, Default)]
pub struct ListQuery {
    pub site: Option<SiteId>,
    pub content_type: Option<ContentType>,
    pub limit: Option<u32>,
    pub cursor: Option<Cursor>,
}

/// Behind which page a listing continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    updated_at: Timestamp,
    id: PageId,
}

/// How many pages a listing with a cursor but no limit holds.
const DEFAULT_LIMIT: u32 = 100;

impl Cursor {
    pub fn parse(text: &str) -> Option<Cursor> {
        let (micros, id) = text.split_once('.')?;
        Some(Cursor { updated_at: Timestamp::from_micros(micros.parse().ok()?), id: PageId::parse(id)? })
    }

    fn text(self) -> String {
        format!("{}.{}", self.updated_at.micros(), self.id)
    }
}

impl Publisher {
    /// The JSON body of `GET /pages`.
    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Vec<u8>, Error> {
        let account = caller.account;
        self.store
            .read(move |tx| {
                let site = site_of(tx, account, query.site)?;
                let mut rows = Rows::default();
                if query.limit.is_none() && query.cursor.is_none() {
                    pages::scan(tx, site.id, |summary| {
                        if query.content_type.is_none_or(|wanted| wanted.as_str() == summary.content_type) {
                            rows.add(&summary);
                        }
                    })?;
                    rows.order.sort_unstable_by_key(|row| (Reverse(row.updated_at), row.id));
                    return rows.body(None);
                }
                let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
                let part = Part {
                    content_type: query.content_type,
                    after: query.cursor.map(|cursor| (cursor.updated_at, cursor.id)),
                    // One more than asked for tells whether there is a next part.
                    limit: limit + 1,
                };
                pages::list(tx, site.id, part, |summary| rows.add(&summary))?;
                let more = rows.order.len() > limit as usize;
                rows.order.truncate(limit as usize);
                let last = rows.order.last().map(|row| Cursor { updated_at: row.updated_at, id: row.id });
                rows.body(Some(last.filter(|_| more)))
            })
            .await
    }
}

/// Pages as JSON, one after the other, and the order they are to be shown in.
#[derive(Default)]
struct Rows {
    json: Vec<u8>,
    order: Vec<Place>,
    failure: Option<serde_json::Error>,
}

struct Place {
    updated_at: Timestamp,
    id: PageId,
    json: Range<usize>,
}

impl Rows {
    fn add(&mut self, summary: &Summary) {
        let start = self.json.len();
        if let Err(error) = write_summary(&mut self.json, summary) {
            self.failure = Some(error);
        }
        self.order.push(Place {
            updated_at: summary.updated_at,
            id: summary.id,
            json: start..self.json.len(),
        });
    }

    /// The answer; `next` when it is only a part.
    fn body(self, next: Option<Option<Cursor>>) -> Result<Vec<u8>, Error> {
        if let Some(failure) = self.failure {
            return Err(Error::Internal(format!("write a listing: {failure}")));
        }
        let mut body = Vec::with_capacity(self.json.len() + self.order.len() + 100);
        body.extend_from_slice(b"{\"pages\":[");
        for (index, place) in self.order.iter().enumerate() {
            if index > 0 {
                body.push(b',');
            }
            body.extend_from_slice(&self.json[place.json.clone()]);
        }
        body.push(b']');
        if let Some(cursor) = next {
            let cursor = cursor.map_or("null".to_owned(), |cursor| format!("\"{}\"", cursor.text()));
            body.extend_from_slice(format!(",\"nextCursor\":{cursor}").as_bytes());
        }
        body.push(b'}');
        Ok(body)
    }
}

fn write_summary(json: &mut Vec<u8>, summary: &Summary) -> serde_json::Result<()> {
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
    };
    serde_json::to_writer(json, &page)
}
