//! The pages of the sitemap, in shards by hash, so that adding or removing a page changes only one of them.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use model::PageId;

use search::hash;

/// With up to this many pages, the sitemap is one file.
const MAX_UNSHARDED_PAGES: usize = 500;
/// Approximate maximum number of pages in a shard.
const SHARD_PAGES: usize = 256;

#[derive(Default)]
pub(crate) struct Shards(BTreeSet<(u64, PageId)>);

impl Shards {
    pub fn insert(&mut self, id: PageId) {
        self.0.insert((hash(id), id));
    }

    pub fn remove(&mut self, id: PageId) {
        self.0.remove(&(hash(id), id));
    }

    pub fn ids(&self) -> impl Iterator<Item = PageId> {
        self.0.iter().map(|&(_, id)| id)
    }

    /// The number of shards, a power of two; 0 if the sitemap is one file.
    pub fn count(&self) -> usize {
        count(self.0.len())
    }

    pub fn ids_of(&self, shard: usize) -> impl Iterator<Item = PageId> {
        let range = span(shard, self.count());
        self.0
            .range((*range.start(), PageId(uuid::Uuid::nil()))..)
            .map_while(move |&(hash, id)| range.contains(&hash).then_some(id))
    }

    /// The shard of a page; `None` if the sitemap is one file.
    pub fn of(&self, id: PageId) -> Option<usize> {
        let count = self.count();
        (count > 0).then(|| (hash(id) >> (64 - count.trailing_zeros())) as usize)
    }

    /// All shards that exist or existed, if adding or removing one page may have changed their number.
    pub fn at_threshold(&self) -> std::ops::Range<usize> {
        let (fewer, more) = (count(self.0.len().saturating_sub(1)), count(self.0.len() + 1));
        0..if fewer == more { 0 } else { more }
    }
}

fn count(len: usize) -> usize {
    if len > MAX_UNSHARDED_PAGES { len.div_ceil(SHARD_PAGES).next_power_of_two() } else { 0 }
}

/// The range of hashes of a shard: all those that begin with its bits.
fn span(shard: usize, count: usize) -> RangeInclusive<u64> {
    let width = u64::MAX / count.max(1) as u64;
    let bits = count.max(1).trailing_zeros();
    let first = if bits == 0 { 0 } else { (shard as u64) << (64 - bits) };
    first..=first + width
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn each_page_is_in_one_shard() {
        for n in [1_u128, 500, 501, 1001, 5000] {
            let mut shards = Shards::default();
            (0..n).for_each(|n| shards.insert(PageId(Uuid::from_u128(n))));
            let count = shards.count().max(1);
            let mut ids: Vec<_> = (0..count).flat_map(|shard| shards.ids_of(shard)).collect();
            ids.sort();
            assert_eq!(ids, (0..n).map(|n| PageId(Uuid::from_u128(n))).collect::<Vec<_>>());
        }
    }

    #[test]
    fn shards_are_small_and_few() {
        let mut shards = Shards::default();
        (0..5000).for_each(|n| shards.insert(PageId(Uuid::from_u128(n))));
        assert_eq!(shards.count(), 32);
        assert!((0..32).all(|shard| (50..400).contains(&shards.ids_of(shard).count())));
        assert!(
            (0..5000).map(|n| PageId(Uuid::from_u128(n))).all(|id| {
                shards.of(id).is_some_and(|shard| shards.ids_of(shard).any(|other| other == id))
            })
        );
        assert_eq!(shards.at_threshold(), 0..0);
    }

    #[test]
    fn one_page_more_or_less_may_change_the_number_of_shards() {
        let mut shards = Shards::default();
        (0..500).for_each(|n| shards.insert(PageId(Uuid::from_u128(n))));
        assert_eq!((shards.count(), shards.at_threshold()), (0, 0..2));
        shards.insert(PageId(Uuid::from_u128(500)));
        assert_eq!((shards.count(), shards.at_threshold()), (2, 0..2));
        shards.insert(PageId(Uuid::from_u128(501)));
        assert_eq!((shards.count(), shards.at_threshold()), (2, 0..0));
    }
}
