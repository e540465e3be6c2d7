//! Lists the pages of a site. A complete listing is kept: after a change, only the changed pages are read again.

use std::sync::Arc;

use bytes::Bytes;
use model::{ContentType, PageId, SiteId, Timestamp};
use store::pages::{self, Part};

use super::listing::Listing;
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
        let name = (site.id, query.content_type, query.hashes);
        let known = self.listings.get(name);
        if let Some(known) = &known
            && known.version == site.version
        {
            return Ok(known.body());
        }
        let account = caller.account;
        let listing = self.read(move |tx| {
            let site = site_of(tx, account, query.site)?;
            let newer = match &known {
                Some(known) => known.newer(tx, &site)?,
                None => None,
            };
            match newer {
                Some(newer) => Ok(newer),
                None => Listing::complete(tx, &site, query, known.as_deref()),
            }
        });
        let listing = Arc::new(listing.await?);
        self.listings.put(name, listing.clone());
        Ok(listing.body())
    }

    async fn list_part(&self, caller: &Caller, query: ListQuery) -> Result<ListBody, Error> {
        let account = caller.account;
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        let part = Part {
            content_type: query.content_type,
            after: query.cursor.map(Cursor::after),
            // One more than requested, to see whether there is a next part.
            limit: limit + 1,
        };
        self.read(move |tx| {
            let site = site_of(tx, account, query.site)?;
            let mut listing = Listing::new(tx, &site, query)?;
            listing.add(0, |add| pages::list(tx, site.id, part, add))?;
            let next = listing.truncate(limit as usize).map(|last| Cursor::of(last).text());
            let next = next.map_or("null".to_owned(), |cursor| format!("\"{cursor}\""));
            Ok(listing.body_ending_with(format!("],\"nextCursor\":{next}}}").into()))
        })
        .await
    }
}
