//! Pages in their authors' order: by weight, then title, then slug.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::OnceLock;

use model::PageId;

use crate::Page;
use crate::inline::{Inline, plain};
use crate::url::url;
use search::hash;

/// Up to this many bytes of links, the navigation of a section is one file; larger ones are split into parts of at most
/// this size. A link has 80 to 150 bytes, so a part has about 200 pages.
const PART_BYTES: usize = 24 * 1024;

/// The pages of a section of the docs or of the standalone pages, in order.
#[derive(Default)]
pub(crate) struct OrderedPages {
    /// Each with the approximate size of its link in the navigation.
    keys: BTreeMap<OrderKey, usize>,
    /// The first key of each part; empty if there is only one. Computed on demand.
    parts: OnceLock<Vec<OrderKey>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderKey {
    weight: i64,
    /// In lower case, so that `apple` comes before `Banana`.
    title: Box<str>,
    slug: Box<str>,
    id: PageId,
}

impl OrderKey {
    pub fn of(page: &Page) -> OrderKey {
        OrderKey {
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

/// In the format that [`crate::join()`] compares; the slug makes it unique. A title contains no tabs.
impl fmt::Display for OrderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\t{}", self.weight, self.title, self.slug)
    }
}

impl OrderedPages {
    pub fn insert(&mut self, page: &Page) {
        self.parts.take();
        self.keys.insert(OrderKey::of(page), link_bytes(page));
    }

    pub fn remove(&mut self, page: &Page) {
        self.parts.take();
        self.keys.remove(&OrderKey::of(page));
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = PageId> {
        self.keys.keys().map(|key| key.id)
    }

    /// The pages before the position of `page`, nearest first, whether it is in the list or not.
    pub fn ids_before(&self, page: &Page) -> impl Iterator<Item = PageId> {
        self.keys.range(..OrderKey::of(page)).rev().map(|(key, _)| key.id)
    }

    /// The pages after it, in the same way.
    pub fn ids_after(&self, page: &Page) -> impl Iterator<Item = PageId> {
        self.keys.range((Excluded(OrderKey::of(page)), Unbounded)).map(|(key, _)| key.id)
    }

    /// The first key of each part; empty if there is only one.
    pub fn parts(&self) -> &[OrderKey] {
        self.parts.get_or_init(|| parts(&self.keys))
    }

    /// The part that contains the position of `page`.
    pub fn part_of(&self, page: &Page) -> Option<&OrderKey> {
        let parts = self.parts();
        let after = parts.partition_point(|first| *first <= OrderKey::of(page));
        parts.get(after.saturating_sub(1))
    }

    /// The pages of the part that begins with `page`, if there is one.
    pub fn part(&self, page: &Page) -> Option<impl Iterator<Item = PageId>> {
        let (first, parts) = (OrderKey::of(page), self.parts());
        let at = parts.binary_search(&first).ok()?;
        let end = parts.get(at + 1).map_or(Unbounded, Excluded);
        Some(self.keys.range((Included(&parts[at]), end)).map(|(key, _)| key.id))
    }
}

/// Parts depend on the pages themselves, not on their rank: a part that is too large is split before the page with the
/// smallest hash, recursively. So adding or removing a page changes its part, and sometimes one more.
fn parts(keys: &BTreeMap<OrderKey, usize>) -> Vec<OrderKey> {
    let mut ends: Vec<usize> = Vec::with_capacity(keys.len() + 1);
    ends.push(0);
    ends.extend(keys.values().scan(0, |sum, bytes| {
        *sum += bytes;
        Some(*sum)
    }));
    if ends.last() <= Some(&PART_BYTES) {
        return Vec::new();
    }
    let keys: Vec<(&OrderKey, u64)> = keys.keys().map(|key| (key, hash(key.id))).collect();
    let (mut starts, mut open) = (Vec::new(), Vec::new());
    open.push(0..keys.len());
    while let Some(range) = open.pop() {
        let rest = range.start + 1..range.end;
        let is_small = ends[range.end] - ends[range.start] <= PART_BYTES;
        match rest.min_by_key(|at| keys[*at].1).filter(|_| !is_small) {
            None => starts.push(range.start),
            Some(split) => open.extend([split..range.end, range.start..split]),
        }
    }
    starts.into_iter().map(|at| keys[at].0.clone()).collect()
}

fn link_bytes(page: &Page) -> usize {
    let badge = if page.api_endpoint.is_some() { 45 } else { 0 };
    60 + badge + url(&page.key).len() + Inline::from(page.short_title()).to_string().len()
}
