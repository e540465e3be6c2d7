//! Which leaf a page is in.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;

use model::PageId;

use crate::leaf::MAX_PAGES;

/// The pages of a site, by the hash of their ids, in leaves of at most 64.
///
/// A leaf has the pages whose hashes begin with certain bits: as few bits as possible. So the leaves depend only on
/// the set of pages, and a page that is added or removed changes its own leaf, unless that is split in two, or is
/// merged with its neighbours.
#[derive(Clone, Debug, Default)]
pub struct Partition(BTreeSet<(u64, PageId)>);

/// The name of a leaf: the bits that the hashes of its pages begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafName {
    /// The other bits are 0.
    bits: u64,
    length: u8,
}

impl Partition {
    /// Adds a page. Returns the leaves that change, with those that are no longer there.
    pub fn insert(&mut self, id: PageId) -> BTreeSet<LeafName> {
        let before = self.leaf(id);
        match self.0.insert((hash(id), id)) {
            true => self.leaves_within(before).chain([before]).collect(),
            false => BTreeSet::new(),
        }
    }

    /// Removes a page. Returns the leaves that change, with those that are no longer there.
    pub fn remove(&mut self, id: PageId) -> BTreeSet<LeafName> {
        let (key, before) = ((hash(id), id), self.leaf(id));
        if !self.0.remove(&key) {
            return BTreeSet::new();
        }
        let after = self.leaf(id);
        let mut changed = BTreeSet::from([before, after]);
        if after != before {
            self.0.insert(key);
            changed.extend(self.leaves_within(after));
            self.0.remove(&key);
        }
        changed
    }

    /// The leaf that a page is in, or would be in.
    pub fn leaf(&self, id: PageId) -> LeafName {
        let mut name = LeafName::ROOT;
        while !self.fits(name) {
            name = name.child(hash(id) >> (63 - name.length) & 1);
        }
        name
    }

    /// Whether there is a leaf of this name.
    pub fn has(&self, name: LeafName) -> bool {
        self.within(name).next().is_some_and(|id| self.leaf(id) == name)
    }

    /// All leaves, in order.
    pub fn leaves(&self) -> impl Iterator<Item = LeafName> {
        self.leaves_within(LeafName::ROOT)
    }

    /// The pages of a leaf, in order.
    pub fn ids(&self, leaf: LeafName) -> Vec<PageId> {
        self.within(leaf).take(MAX_PAGES).collect()
    }

    fn leaves_within(&self, name: LeafName) -> impl Iterator<Item = LeafName> {
        let mut names = vec![name];
        std::iter::from_fn(move || {
            loop {
                let name = names.pop()?;
                if self.within(name).next().is_none() {
                    continue;
                }
                if self.fits(name) {
                    return Some(name);
                }
                names.extend([name.child(1), name.child(0)]);
            }
        })
    }

    fn within(&self, name: LeafName) -> impl Iterator<Item = PageId> {
        let hashes = name.hashes();
        let first = (*hashes.start(), PageId(uuid::Uuid::nil()));
        let last = (*hashes.end(), PageId(uuid::Uuid::max()));
        self.0.range(first..=last).map(|(_, id)| *id)
    }

    /// Whether the pages of a name are a leaf. Hashes of 64 bits are different, but a name cannot be longer.
    fn fits(&self, name: LeafName) -> bool {
        name.length == 64 || self.within(name).nth(MAX_PAGES).is_none()
    }
}

impl FromIterator<PageId> for Partition {
    fn from_iter<I: IntoIterator<Item = PageId>>(ids: I) -> Partition {
        Partition(ids.into_iter().map(|id| (hash(id), id)).collect())
    }
}

/// Adds pages without finding out which leaves change, which takes most of the time of an insertion.
impl Extend<PageId> for Partition {
    fn extend<I: IntoIterator<Item = PageId>>(&mut self, ids: I) {
        self.0.extend(ids.into_iter().map(|id| (hash(id), id)));
    }
}

impl LeafName {
    const ROOT: LeafName = LeafName { bits: 0, length: 0 };

    /// Whether a page can be in both leaves: one of them is split into several, the other among them.
    pub fn overlaps(self, other: LeafName) -> bool {
        let (one, other) = (self.hashes(), other.hashes());
        one.start() <= other.end() && other.start() <= one.end()
    }

    fn child(self, bit: u64) -> LeafName {
        LeafName { bits: self.bits | bit << (63 - self.length), length: self.length + 1 }
    }

    fn hashes(self) -> RangeInclusive<u64> {
        let others = u64::MAX.checked_shr(u32::from(self.length)).unwrap_or(0);
        self.bits..=self.bits | others
    }
}

/// `all` for the only leaf of a small site, else its bits: `0110`.
impl fmt::Display for LeafName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.length == 0 {
            return f.write_str(ALL);
        }
        (0..self.length).try_for_each(|bit| write!(f, "{}", self.bits >> (63 - bit) & 1))
    }
}

const ALL: &str = "all";

impl LeafName {
    /// The reverse of its `Display`.
    pub fn parse(text: &str) -> Option<LeafName> {
        if text == ALL {
            return Some(LeafName::ROOT);
        }
        let is_valid = (1..=64).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0' | b'1'));
        is_valid.then(|| text.bytes().fold(LeafName::ROOT, |name, byte| name.child(u64::from(byte - b'0'))))
    }
}

/// A stable order of pages that is independent of their content. Distributes ids evenly, although ids created together
/// begin alike (splitmix64).
pub fn hash(id: PageId) -> u64 {
    let (high, low) = id.0.as_u64_pair();
    let mut z = (high.rotate_left(32) ^ low).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn id(number: u16) -> PageId {
        PageId(Uuid::from_u128(u128::from(number)))
    }

    #[test]
    fn a_small_site_is_one_leaf() {
        let pages: Partition = (0..64).map(id).collect();
        assert_eq!(pages.leaves().map(|name| name.to_string()).collect::<Vec<_>>(), ["all"]);
        assert_eq!(pages.ids(LeafName::ROOT).len(), 64);
    }

    #[test]
    fn leaves_of_a_large_site_are_neither_too_large_nor_too_small() {
        let pages: Partition = (0..10_000).map(id).collect();
        let sizes: Vec<usize> = pages.leaves().map(|leaf| pages.ids(leaf).len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 10_000);
        assert!(sizes.iter().all(|size| (1..=64).contains(size)));
        assert!(sizes.len() < 300, "{}", sizes.len());
    }

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let names: Vec<LeafName> = (0..1000).map(id).collect::<Partition>().leaves().collect();
        assert!(names.iter().all(|name| LeafName::parse(&name.to_string()) == Some(*name)));
        assert!(["", "2", "all0", "0a", &"0".repeat(65)].iter().all(|text| LeafName::parse(text).is_none()));
    }

    #[test]
    fn leaves_overlap_if_one_is_a_part_of_the_other() {
        let overlap = |one: &str, other: &str| {
            let names = [one, other].map(|name| LeafName::parse(name).unwrap());
            (names[0].overlaps(names[1]), names[1].overlaps(names[0]))
        };
        for (one, other) in [("all", "all"), ("all", "01"), ("01", "0110"), ("1", "1")] {
            assert_eq!(overlap(one, other), (true, true), "{one} and {other}");
        }
        for (one, other) in [("0", "1"), ("01", "00"), ("011", "010"), ("10", "0111")] {
            assert_eq!(overlap(one, other), (false, false), "{one} and {other}");
        }
    }

    proptest! {
        /// Pages come and go, and at each step the leaves are those of a new partition; all other leaves stay as they
        /// were.
        #[test]
        fn the_leaves_depend_on_the_pages_alone(steps in prop::collection::vec((any::<bool>(), 0..400_u16), 1..600)) {
            let (mut pages, mut set) = (Partition::default(), BTreeSet::new());
            let state = |pages: &Partition| {
                pages.leaves().map(|leaf| (leaf, pages.ids(leaf))).collect::<BTreeSet<_>>()
            };
            for (index, (add, number)) in steps.into_iter().enumerate() {
                let before = if index % 8 == 0 { Some(state(&pages)) } else { None };
                let changed = match add || index < 200 {
                    true => { set.insert(id(number)); pages.insert(id(number)) }
                    false => { set.remove(&id(number)); pages.remove(id(number)) }
                };
                if let Some(before) = before {
                    let after = state(&pages);
                    prop_assert_eq!(&after, &state(&set.iter().copied().collect()));
                    for (leaf, _) in before.iter().chain(&after) {
                        prop_assert_eq!(pages.has(*leaf), after.iter().any(|(other, _)| other == leaf));
                    }
                    let differ: BTreeSet<LeafName> =
                        before.symmetric_difference(&after).map(|(leaf, _)| *leaf).collect();
                    prop_assert!(differ.is_subset(&changed));
                }
            }
        }
    }
}
