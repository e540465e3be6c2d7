//! Pages in the order their author gave them: by weight, then title, then slug.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::OnceLock;

use model::PageId;

use super::hash::hash;
use crate::Page;
use crate::inline::{Inline, plain};
use crate::url::url;

/// Up to so many bytes of links the navigation of a section is one file; more are cut into parts of at most so many.
/// A link has 80 to 150, so about 200 pages.
const PART_BYTES: usize = 24 * 1024;

/// The pages of a section of the docs, or of the standalone pages.
#[derive(Default)]
pub(crate) struct Shelf {
    /// Each with about as many bytes as its link in the navigation has.
    spots: BTreeMap<Spot, usize>,
    /// Where each part begins; nothing while the shelf is whole. Found when asked for.
    parts: OnceLock<Vec<Spot>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    weight: i64,
    /// In small letters, so that `apple` comes before `Banana`.
    title: Box<str>,
    slug: Box<str>,
    id: PageId,
}

impl Spot {
    pub fn of(page: &Page) -> Spot {
        Spot {
            weight: page.params.weight,
            title: plain(&page.title).to_lowercase().into(),
            slug: page.key.slug.as_str().into(),
            id: page.id,
        }
    }

    pub fn slug(&self) -> &str {
        &self.slug
    }
}

/// As [`crate::join`] compares them; the slug says which page it is. A title has no tabs.
impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\t{}", self.weight, self.title, self.slug)
    }
}

impl Shelf {
    pub fn insert(&mut self, page: &Page) {
        self.parts.take();
        self.spots.insert(Spot::of(page), link_bytes(page));
    }

    pub fn remove(&mut self, page: &Page) {
        self.parts.take();
        self.spots.remove(&Spot::of(page));
    }

    pub fn len(&self) -> usize {
        self.spots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = PageId> {
        self.spots.keys().map(|spot| spot.id)
    }

    /// The pages before the place of `page`, whether it stands there or not; the nearest first.
    pub fn ids_before(&self, page: &Page) -> impl Iterator<Item = PageId> {
        self.spots.range(..Spot::of(page)).rev().map(|(spot, _)| spot.id)
    }

    /// Likewise those after it.
    pub fn ids_after(&self, page: &Page) -> impl Iterator<Item = PageId> {
        self.spots.range((Excluded(Spot::of(page)), Unbounded)).map(|(spot, _)| spot.id)
    }

    /// Where each part begins; nothing if the shelf is whole.
    pub fn parts(&self) -> &[Spot] {
        self.parts.get_or_init(|| parts(&self.spots))
    }

    /// The part in which `page` has its place.
    pub fn part_of(&self, page: &Page) -> Option<&Spot> {
        let parts = self.parts();
        let behind = parts.partition_point(|first| *first <= Spot::of(page));
        parts.get(behind.saturating_sub(1))
    }

    /// The pages of the part that begins with `page`, if one does.
    pub fn part(&self, page: &Page) -> Option<impl Iterator<Item = PageId>> {
        let (first, parts) = (Spot::of(page), self.parts());
        let at = parts.binary_search(&first).ok()?;
        let end = parts.get(at + 1).map_or(Unbounded, Excluded);
        Some(self.spots.range((Included(&parts[at]), end)).map(|(spot, _)| spot.id))
    }
}

/// Parts go by what pages are, not by their rank: what is too large is cut before the page with the smallest hash, again
/// and again. So a page that comes or goes changes the part it is in, and at times one more.
fn parts(spots: &BTreeMap<Spot, usize>) -> Vec<Spot> {
    let mut ends: Vec<usize> = Vec::with_capacity(spots.len() + 1);
    ends.push(0);
    ends.extend(spots.values().scan(0, |sum, bytes| {
        *sum += bytes;
        Some(*sum)
    }));
    if ends.last() <= Some(&PART_BYTES) {
        return Vec::new();
    }
    let spots: Vec<(&Spot, u64)> = spots.keys().map(|spot| (spot, hash(spot.id))).collect();
    let (mut starts, mut open) = (Vec::new(), Vec::new());
    open.push(0..spots.len());
    while let Some(range) = open.pop() {
        let rest = range.start + 1..range.end;
        let is_small = ends[range.end] - ends[range.start] <= PART_BYTES;
        match rest.min_by_key(|at| spots[*at].1).filter(|_| !is_small) {
            None => starts.push(range.start),
            Some(cut) => open.extend([cut..range.end, range.start..cut]),
        }
    }
    starts.into_iter().map(|at| spots[at].0.clone()).collect()
}

fn link_bytes(page: &Page) -> usize {
    let badge = if page.api_endpoint.is_some() { 45 } else { 0 };
    60 + badge + url(&page.key).len() + Inline::from(page.short_title()).to_string().len()
}
