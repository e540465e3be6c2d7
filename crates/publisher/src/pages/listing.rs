//! A listing as JSON, written directly from the rows, without an object for each page.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use api::PageSummary;
use bytes::Bytes;
use model::{ContentType, PageHash, PageId, SiteId, Timestamp};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use serde_json::value::RawValue;
use store::Tx;
use store::pages::{self, Summary};
use store::sites::Site;

use super::hash::OldTexts;
use super::list::{ListBody, ListQuery};
use crate::Error;

/// After more changes, all pages are read again.
const MAX_CHANGES: i64 = 1000;

pub(crate) struct Listing {
    /// Of the site.
    pub(super) version: i64,
    content_type: Option<ContentType>,
    /// If each page has its hash.
    hashes: Option<OldTexts>,
    /// Pages, each after a comma: those that were read at first, and those of each change since.
    pieces: Vec<Bytes>,
    /// In the order of the response.
    order: Vec<ListedPage>,
}

#[derive(Clone)]
struct ListedPage {
    updated_at: Timestamp,
    id: PageId,
    piece: usize,
    json: Range<usize>,
}

impl Listing {
    pub(super) fn new(tx: &mut Tx, site: &Site, query: ListQuery) -> Result<Listing, Error> {
        let hashes = if query.hashes { Some(OldTexts::of_site(tx, site.id)?) } else { None };
        let ListQuery { content_type, .. } = query;
        Ok(Listing { version: site.version, content_type, hashes, pieces: vec![], order: vec![] })
    }

    /// `last`: an earlier one, which says about how large it is.
    pub(super) fn complete(
        tx: &mut Tx,
        site: &Site,
        query: ListQuery,
        last: Option<&Listing>,
    ) -> Result<Listing, Error> {
        let mut listing = Listing::new(tx, site, query)?;
        let capacity = last.map_or(0, |last| last.json_bytes() * 9 / 8);
        listing.add_sorted(capacity, |add| pages::scan(tx, site.id, add))?;
        Ok(listing)
    }

    /// This one with the changes that the site had since; `None` if it is better read as a whole.
    pub(super) fn newer(&self, tx: &mut Tx, site: &Site) -> Result<Option<Listing>, Error> {
        let is_wasteful =
            self.pieces.iter().map(Bytes::len).sum::<usize>() > self.json_bytes() * 5 / 4 + 65_536;
        // Which of the old texts were replaced is not known.
        if is_wasteful || self.hashes.as_ref().is_some_and(|old| !old.is_empty()) {
            return Ok(None);
        }
        let Some(changed) = pages::changed_ids(tx, site.id, self.version, MAX_CHANGES)? else {
            return Ok(None);
        };
        let changed: HashSet<PageId> = changed.into_iter().collect();
        let mut newer = Listing {
            version: site.version,
            content_type: self.content_type,
            hashes: self.hashes.as_ref().map(|_| OldTexts::default()),
            pieces: self.pieces.clone(),
            order: self.order.iter().filter(|page| !changed.contains(&page.id)).cloned().collect(),
        };
        newer.add_sorted(0, |add| pages::scan_changed(tx, site.id, self.version, add))?;
        Ok(Some(newer))
    }

    fn add_sorted(
        &mut self,
        capacity: usize,
        read: impl FnOnce(&mut dyn FnMut(Summary)) -> store::Result<()>,
    ) -> Result<(), Error> {
        self.add(capacity, read)?;
        self.order.sort_unstable_by_key(|page| (Reverse(page.updated_at), page.id));
        Ok(())
    }

    /// Adds the pages that are read, behind the others. Those of other content types are left out. `capacity`: about how many
    /// bytes of JSON they need.
    pub(super) fn add(
        &mut self,
        capacity: usize,
        read: impl FnOnce(&mut dyn FnMut(Summary)) -> store::Result<()>,
    ) -> Result<(), Error> {
        let (mut json, mut failure) = (Vec::with_capacity(capacity), None);
        let piece = self.pieces.len();
        read(&mut |summary| {
            if self.content_type.is_some_and(|wanted| wanted.as_str() != summary.content_type) {
                return;
            }
            let start = json.len();
            json.push(b',');
            let hash = self.hashes.as_ref().map(|old| old.hash_of(&summary)).transpose();
            if let Err(error) = hash.and_then(|hash| write_summary(&mut json, &summary, hash)) {
                failure = Some(error);
            }
            let Summary { updated_at, id, .. } = summary;
            self.order.push(ListedPage { updated_at, id, piece, json: start..json.len() });
        })?;
        if let Some(failure) = failure {
            return Err(Error::Internal(format!("write a listing: {failure}")));
        }
        // Nearly all changes of a site may be of pages that are not in this listing.
        if !json.is_empty() {
            self.pieces.push(json.into());
        }
        Ok(())
    }

    /// Leaves out what comes behind so many pages. The last page, if anything was left out.
    pub(super) fn truncate(&mut self, pages: usize) -> Option<(Timestamp, PageId)> {
        let has_more = self.order.len() > pages;
        self.order.truncate(pages);
        self.order.last().filter(|_| has_more).map(|last| (last.updated_at, last.id))
    }

    pub(super) fn body(&self) -> ListBody {
        self.body_ending_with(Bytes::from_static(b"]}"))
    }

    /// The response. Pages are not copied: the body consists of slices of the JSON in the right order, and pages that
    /// stay next to each other are one slice.
    pub(super) fn body_ending_with(&self, end: Bytes) -> ListBody {
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        for ListedPage { piece, json, .. } in &self.order {
            match runs.last_mut() {
                Some((of, run)) if of == piece && run.end == json.start => run.end = json.end,
                _ => runs.push((*piece, json.clone())),
            }
        }
        if let Some((_, first)) = runs.first_mut() {
            // The first page has no comma before it.
            first.start += 1;
        }
        let mut body = vec![Bytes::from_static(b"{\"pages\":[")];
        body.extend(runs.into_iter().map(|(piece, run)| self.pieces[piece].slice(run)));
        body.push(end);
        body
    }

    fn json_bytes(&self) -> usize {
        self.order.iter().map(|page| page.json.len()).sum()
    }

    /// About how much memory it takes, with its place among the others.
    fn weight(&self) -> usize {
        let pieces: usize = self.pieces.iter().map(|piece| size_of::<Bytes>() + piece.len()).sum();
        size_of::<(Name, Listing)>() + pieces + self.order.len() * size_of::<ListedPage>()
    }
}

/// Which pages of which site, and whether with hashes.
type Name = (SiteId, Option<ContentType>, bool);

/// Complete listings, in memory: clients often request one again, and little has changed. One that is used again stays while
/// others come and go.
pub(crate) struct Listings(Cache<Name, Arc<Listing>, Size>);

/// For all listings together. One that needs more than a quarter of it is not kept.
const LISTINGS_BYTES: u64 = 32 << 20;

impl Default for Listings {
    fn default() -> Listings {
        // One shard: a listing may be as large as many others.
        let options = OptionsBuilder::new()
            .shards(1)
            .estimated_items_capacity(1024)
            .weight_capacity(LISTINGS_BYTES)
            .build()
            .expect("both capacities are set");
        Listings(Cache::with_options(
            options,
            Size,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        ))
    }
}

impl Listings {
    /// Perhaps of an earlier version of the site.
    pub(super) fn get(&self, name: Name) -> Option<Arc<Listing>> {
        self.0.get(&name)
    }

    pub(super) fn put(&self, name: Name, listing: Arc<Listing>) {
        if listing.weight() as u64 <= LISTINGS_BYTES / 4 {
            self.0.insert(name, listing);
        } else {
            self.0.remove(&name);
        }
    }
}

#[derive(Clone)]
struct Size;

impl Weighter<Name, Arc<Listing>> for Size {
    fn weight(&self, _: &Name, listing: &Arc<Listing>) -> u64 {
        listing.weight() as u64
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn empty(content_type: Option<ContentType>) -> Listing {
        Listing { version: 1, content_type, hashes: None, pieces: vec![], order: vec![] }
    }

    fn post() -> Summary<'static> {
        Summary {
            id: PageId(Uuid::nil()),
            slug: "a",
            title: "A",
            content_type: "blog",
            section: "",
            description: None,
            draft: false,
            tags: "[]",
            published_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
            api_endpoint: None,
            content_hash: None,
            params_hash: None,
        }
    }

    #[test]
    fn pages_that_are_not_in_a_listing_take_no_memory() {
        for (content_type, pieces) in [(Some(ContentType::Docs), 0), (Some(ContentType::Blog), 1)] {
            let mut listing = empty(content_type);
            let before = listing.weight();
            let read = |add: &mut dyn FnMut(Summary)| {
                add(post());
                Ok(())
            };
            listing.add(0, read).unwrap();
            assert_eq!((listing.pieces.len(), listing.weight() > before), (pieces, pieces > 0));
        }
    }

    fn name(number: u64) -> Name {
        (SiteId(Uuid::from_u128(u128::from(number))), None, false)
    }

    fn large(bytes: usize) -> Arc<Listing> {
        Arc::new(Listing { pieces: vec![vec![b' '; bytes].into()], ..empty(None) })
    }

    #[test]
    fn the_memory_of_all_listings_is_bounded_also_if_they_are_empty() {
        let listings = Listings::default();
        let most = LISTINGS_BYTES / empty(None).weight() as u64;
        for number in 0..most + 10 {
            listings.put(name(number), Arc::new(empty(None)));
        }
        assert!(listings.0.len() as u64 <= most, "{} of {most}", listings.0.len());
        assert!(listings.0.weight() <= LISTINGS_BYTES, "{}", listings.0.weight());
    }

    #[test]
    fn a_listing_that_is_used_stays_while_another_account_has_many_listed() {
        let (listings, used) = (Listings::default(), name(0));
        listings.put(used, large(1 << 20));
        for number in 1..=200 {
            assert!(listings.get(used).is_some(), "gone after {number}");
            listings.put(name(number), large(3 << 20));
        }
    }

    #[test]
    fn a_listing_that_has_become_too_large_is_not_kept() {
        let (listings, bytes) = (Listings::default(), LISTINGS_BYTES as usize);
        listings.put(name(0), large(bytes / 8));
        assert!(listings.get(name(0)).is_some());
        listings.put(name(0), large(bytes / 4));
        assert!(listings.get(name(0)).is_none());
    }

    #[test]
    fn a_listing_that_is_replaced_counts_once() {
        let listings = Listings::default();
        for _ in 0..3 {
            listings.put(name(0), Arc::new(empty(None)));
        }
        assert_eq!(listings.0.weight(), empty(None).weight() as u64);
    }
}
