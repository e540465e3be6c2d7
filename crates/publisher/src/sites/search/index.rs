//! The indexes of the sites that were searched last.
//!
//! A query reads the terms of all leaves of a site. They are in memory leaf by leaf, those of all sites together up to a
//! bound. An index that exceeds it is searched in parts, so that a query needs the memory of one part. While all leaves
//! are requested in turn, the cache keeps those that it has, so that each query reads only what does not fit.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::try_join_all;
use model::{AccountId, SiteId};
use quick_cache::sync::{Cache, DefaultLifecycle, EntryAction, EntryResult};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use search::{Damaged, Leaf, Search, Vocabulary};
use store::files::{self, Hash, Stored};

use super::{Searched, blocking};
use crate::limits::turns::{Turn, Turns};
use crate::{Error, Found, Publisher};

/// The names of the leaves of a release.
const LEAVES: &str = "/.search/leaves";
/// Queries that are answered at a time: each takes CPU time, and the texts of its results.
const MAX_CONCURRENT: usize = 4;
/// Terms in memory. A site of 10,000 pages has about 13 MB.
const MAX_TERMS: u64 = 128 << 20;
/// Terms that a query searches at a time, about. Those that are not cached are in memory in addition to the cache.
const PART: i64 = 16 << 20;
/// Memory for the vocabularies of sites, and for that of one site. 10,000 pages need some megabytes.
const MAX_VOCABULARIES: u64 = 48 << 20;
const MAX_VOCABULARY: u64 = 24 << 20;
/// Memory for the lists of leaves. 10,000 pages need about 25 KB.
const MAX_LISTS: u64 = 8 << 20;

pub(crate) struct Searches {
    indexes: Cache<SiteId, Arc<SearchIndex>, Size>,
    /// By their hashes: most leaves of a release are those of the release before.
    terms: Cache<Hash, Bytes, Size>,
    vocabularies: Cache<SiteId, Arc<KnownTerms>, Size>,
    queries: Arc<Turns>,
}

/// The leaves of a release, in the order of their paths.
#[derive(Debug)]
pub(super) struct SearchIndex {
    release: i64,
    leaves: Vec<IndexLeaf>,
}

#[derive(Debug)]
struct IndexLeaf {
    path: String,
    stored: Stored,
    hash: Hash,
    length: i64,
}

/// The terms of a site, in the leaves of this release and of former ones, whose terms do no harm.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownTerms {
    vocabulary: Vocabulary,
    leaves: HashSet<Hash>,
    /// They are not kept: typos are compared with the terms of each leaf.
    are_too_many: bool,
}

impl Default for Searches {
    fn default() -> Searches {
        Searches::new(MAX_TERMS)
    }
}

impl Searches {
    pub(crate) fn new(max_terms: u64) -> Searches {
        // One shard: a leaf may be as large as many others, and few queries run at a time.
        let options = OptionsBuilder::new()
            .shards(1)
            .estimated_items_capacity(2048)
            .weight_capacity(max_terms)
            .build()
            .expect("both capacities are set");
        let hasher = DefaultHashBuilder::default();
        Searches {
            indexes: Cache::with_weighter(256, MAX_LISTS, Size),
            terms: Cache::with_options(options, Size, hasher, DefaultLifecycle::default()),
            vocabularies: Cache::with_weighter(64, MAX_VOCABULARIES, Size),
            queries: Turns::new(MAX_CONCURRENT),
        }
    }

    pub(super) async fn turn(&self, account: AccountId) -> Turn {
        self.queries.take(account).await
    }
}

#[derive(Clone)]
struct Size;

impl Weighter<SiteId, Arc<SearchIndex>> for Size {
    fn weight(&self, _: &SiteId, index: &Arc<SearchIndex>) -> u64 {
        64 + 160 * index.leaves.len() as u64
    }
}

impl Weighter<Hash, Bytes> for Size {
    fn weight(&self, _: &Hash, terms: &Bytes) -> u64 {
        64 + terms.len() as u64
    }
}

impl Weighter<SiteId, Arc<KnownTerms>> for Size {
    fn weight(&self, _: &SiteId, known: &Arc<KnownTerms>) -> u64 {
        64 + 32 * known.leaves.len() as u64 + known.vocabulary.weight()
    }
}

impl KnownTerms {
    fn add(&mut self, hash: Hash, leaf: &Leaf<'_>) -> Result<(), Damaged> {
        self.vocabulary.add(leaf)?;
        self.leaves.insert(hash);
        if self.vocabulary.weight() > MAX_VOCABULARY {
            *self = KnownTerms { are_too_many: true, ..KnownTerms::default() };
        }
        Ok(())
    }

    fn has(&self, leaf: &IndexLeaf) -> bool {
        self.are_too_many || self.leaves.contains(&leaf.hash)
    }

    /// Whether most of it is of former releases.
    fn is_outdated(&self, index: &SearchIndex) -> bool {
        self.leaves.len() > 4 * index.leaves.len() + 64
    }
}

impl SearchIndex {
    /// The path of the texts of a leaf.
    pub(super) fn texts_path(&self, leaf: usize) -> String {
        format!("{}.text", self.leaves[leaf].path)
    }

    /// The leaves in pieces that are in memory at a time.
    fn parts(&self) -> impl Iterator<Item = &[IndexLeaf]> {
        let mut rest = self.leaves.as_slice();
        std::iter::from_fn(move || {
            let mut bytes = 0;
            let fits = |leaf: &&IndexLeaf| {
                bytes += leaf.length;
                bytes <= PART
            };
            let count = rest.iter().take_while(fits).count().max(1);
            let (part, behind) = rest.split_at_checked(count)?;
            rest = behind;
            Some(part)
        })
    }
}

impl Publisher {
    /// The same publisher with another bound on the terms in memory.
    pub fn with_search_memory(&self, max_terms: u64) -> Publisher {
        Publisher { searches: Arc::new(Searches::new(max_terms)), ..self.clone() }
    }

    /// Bytes of search indexes in memory.
    pub fn search_memory(&self) -> u64 {
        self.searches.terms.weight()
    }

    /// Adds each leaf of a release to a state, in order.
    pub(super) async fn each_leaf<T: Send + 'static>(
        &self,
        searched: Searched,
        mut state: T,
        add: fn(&mut T, &Leaf<'_>) -> Result<(), Damaged>,
    ) -> Result<T, Error> {
        let index = self.search_index(searched).await?;
        for part in index.parts() {
            let terms = try_join_all(part.iter().map(|leaf| self.terms(searched, leaf))).await?;
            let work = move || {
                terms.iter().try_for_each(|terms| add(&mut state, &Leaf::open(terms)?))?;
                Ok(state)
            };
            state = blocking(work).await?;
        }
        Ok(state)
    }

    /// The search for the same words with typos, if that may find something. The terms of new leaves are added to those
    /// that are known.
    pub(super) async fn forgiving(
        &self,
        searched: Searched,
        search: &Search,
    ) -> Result<Option<Search>, Error> {
        if search.forgiving().is_none() {
            return Ok(None);
        }
        let known = self.known_terms(searched).await?;
        Ok(match known.are_too_many {
            true => search.forgiving(),
            false => search.forgiving_with(&known.vocabulary),
        })
    }

    async fn known_terms(&self, searched: Searched) -> Result<Arc<KnownTerms>, Error> {
        let (index, cache) = (self.search_index(searched).await?, &self.searches.vocabularies);
        if let Some(known) = cache.get(&searched.site)
            && index.leaves.iter().all(|leaf| known.has(leaf))
        {
            return Ok(known);
        }
        // Taken out of the cache, so that it need not be copied.
        let known = cache.remove(&searched.site).map(|(_, known)| Arc::unwrap_or_clone(known));
        let mut known = known.filter(|known| !known.is_outdated(&index)).unwrap_or_default();
        for part in index.parts() {
            let new = part.iter().filter(|leaf| !known.has(leaf));
            let new = new.map(async |leaf| Ok::<_, Error>((leaf.hash, self.terms(searched, leaf).await?)));
            let new: Vec<(Hash, Bytes)> = try_join_all(new).await?;
            let work = move || {
                for (hash, terms) in new {
                    if !known.are_too_many {
                        known.add(hash, &Leaf::open(&terms)?)?;
                    }
                }
                Ok(known)
            };
            known = blocking(work).await?;
        }
        let known = Arc::new(known);
        cache.insert(searched.site, known.clone());
        Ok(known)
    }

    /// The index of a release. Concurrent queries share one lookup.
    pub(super) async fn search_index(&self, searched: Searched) -> Result<Arc<SearchIndex>, Error> {
        let Searched { site, release, .. } = searched;
        let keep_if_right = |_: &SiteId, index: &mut Arc<SearchIndex>| match index.release == release {
            true => EntryAction::Retain(index.clone()),
            false => EntryAction::ReplaceWithGuard,
        };
        let guard = match self.searches.indexes.entry_async(&site, keep_if_right).await {
            EntryResult::Retained(index) => return Ok(index),
            EntryResult::Replaced(guard, _) | EntryResult::Vacant(guard) => guard,
            EntryResult::Removed(..) | EntryResult::Timeout => unreachable!("neither is requested"),
        };
        let index = Arc::new(SearchIndex { release, leaves: self.leaves(site, release).await? });
        // Waiting queries get it even if it is too large for the cache.
        let _ = guard.insert(index.clone());
        Ok(index)
    }

    async fn leaves(&self, site: SiteId, release: i64) -> Result<Vec<IndexLeaf>, Error> {
        let names = match self.find(site, release, LEAVES).await? {
            Some(Found::Body { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            // A release of an earlier version.
            _ => return Ok(vec![]),
        };
        let paths: Vec<String> = names.lines().map(|name| format!("/.search/{name}")).collect();
        let stored = self.peek(move |tx| Ok(files::at_each(tx, site, release, &paths)?)).await?;
        let mut leaves: Vec<IndexLeaf> = stored.into_iter().filter_map(IndexLeaf::new).collect();
        leaves.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(leaves)
    }

    /// The terms of a leaf. Concurrent queries share one read.
    async fn terms(&self, searched: Searched, leaf: &IndexLeaf) -> Result<Bytes, Error> {
        let read = async {
            let found = match self.fetch(leaf.stored.clone()).await {
                // Its bytes were moved to another pack since the index was looked up.
                Err(blob::Error::Missing(_)) => {
                    let path = leaf.path.clone();
                    let mut found =
                        self.find_each(searched.site, searched.release, std::slice::from_ref(&path)).await?;
                    found.remove(&path)
                }
                found => Some(found?),
            };
            match found {
                Some(Found::Body { bytes, .. }) => Ok(bytes),
                _ => Err(Error::Internal("search: a leaf of the index is missing".into())),
            }
        };
        self.searches.terms.get_or_insert_async(&leaf.hash, read).await
    }
}

impl IndexLeaf {
    fn new((path, stored): (String, Stored)) -> Option<IndexLeaf> {
        match stored {
            Stored::Bytes { hash, length, .. } => Some(IndexLeaf { path, stored, hash, length }),
            Stored::Redirect(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use model::Timestamp;

    use super::*;

    fn leaf(number: u8) -> (Hash, Bytes) {
        ([number; 16], Bytes::from(vec![number; 1000]))
    }

    #[tokio::test]
    async fn leaves_that_do_not_fit_leave_the_others_in_memory() {
        let searches = Searches::new(80 * 1064);
        let mut reads = Vec::new();
        for _ in 0..10 {
            let mut count = 0;
            for number in 0..100 {
                let (hash, terms) = leaf(number);
                let read = async {
                    count += 1;
                    Ok::<_, Error>(terms)
                };
                searches.terms.get_or_insert_async(&hash, read).await.unwrap();
            }
            reads.push(count);
            assert!(searches.terms.weight() <= 80 * 1064);
        }
        assert_eq!(reads[0], 100);
        let later: usize = reads[5..].iter().sum();
        assert!(later < 5 * 60, "{reads:?}");
    }

    #[tokio::test]
    async fn the_queries_of_one_account_leave_a_place_for_others() {
        let searches = Searches::default();
        let [noisy, other] = [0, 1].map(|time| AccountId::new(Timestamp::from_micros(time)));
        let mut turns = Vec::new();
        for _ in 1..MAX_CONCURRENT {
            turns.push(searches.turn(noisy).await);
        }
        assert!(searches.turn(noisy).now_or_never().is_none(), "the last place is for others");
        assert!(searches.turn(other).now_or_never().is_some());
        turns.pop();
        assert!(searches.turn(noisy).now_or_never().is_some());
    }

    #[test]
    fn a_large_index_is_searched_in_parts() {
        let leaf = |length| {
            let stored = Stored::Redirect(String::new());
            IndexLeaf { path: String::new(), stored, hash: Hash::default(), length }
        };
        let lengths = [1, PART - 1, 1, PART + 5, 7, 8];
        let index = SearchIndex { release: 1, leaves: lengths.map(leaf).into() };
        let parts: Vec<usize> = index.parts().map(<[IndexLeaf]>::len).collect();
        assert_eq!(parts, [2, 1, 1, 2]);
    }
}
