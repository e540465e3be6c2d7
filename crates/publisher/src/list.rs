//! Lists the pages of a site. The answer's JSON is written straight from the rows: ten thousand pages cost no
//! ten thousand objects.

use api::PageSummary;
use model::{ContentType, PageId, SiteId, Timestamp};
use serde_json::value::RawValue;
use store::pages::{self, Listing, Summary};

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
                let paged = query.limit.is_some() || query.cursor.is_some();
                let limit = paged.then(|| query.limit.unwrap_or(DEFAULT_LIMIT));
                let listing = Listing {
                    content_type: query.content_type,
                    after: query.cursor.map(|cursor| (cursor.updated_at, cursor.id)),
                    // One more than asked for tells whether there is a next part.
                    limit: limit.map(|limit| limit + 1),
                };
                let mut body = Body::new(limit);
                pages::list(tx, site.id, listing, |summary| body.add(&summary))?;
                body.finish(paged)
            })
            .await
    }
}

struct Body {
    json: Vec<u8>,
    room: Option<u32>,
    count: u32,
    last: Option<Cursor>,
    more: bool,
    failure: Option<String>,
}

impl Body {
    fn new(room: Option<u32>) -> Body {
        Body { json: b"{\"pages\":[".to_vec(), room, count: 0, last: None, more: false, failure: None }
    }

    fn add(&mut self, summary: &Summary) {
        if self.room == Some(self.count) {
            self.more = true;
            return;
        }
        if self.count > 0 {
            self.json.push(b',');
        }
        self.count += 1;
        self.last = Some(Cursor { updated_at: summary.updated_at, id: summary.id });
        if let Err(error) = write_summary(&mut self.json, summary) {
            self.failure = Some(error.to_string());
        }
    }

    fn finish(mut self, paged: bool) -> Result<Vec<u8>, Error> {
        if let Some(failure) = self.failure {
            return Err(Error::Internal(format!("write a listing: {failure}")));
        }
        self.json.push(b']');
        if paged {
            let next = self.last.filter(|_| self.more).map(Cursor::text);
            self.json.extend_from_slice(b",\"nextCursor\":");
            self.json.extend(next.map_or("null".to_owned(), |cursor| format!("\"{cursor}\"")).bytes());
        }
        self.json.push(b'}');
        Ok(self.json)
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
