//! The indexes of the sites that were searched last.
//!
//! A query reads the terms of all leaves of a site. They are in memory leaf by leaf, those of all sites together up to a
//! bound. An index that exceeds it is searched in parts, so that a query needs the memory of one part. While all leaves
//! are requested in turn, the cache keeps those that it has, so that each query reads only what does not fit.

use std::collections::{BTreeMap, HashMap, HashSet};
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
/// Memory for the terms of all sites. A site of 10,000 pages has about 13 MB. Its texts, from which results are quoted, have
/// about 26 MB; they may need a fourth of this memory in addition.
const MAX_TERMS: u64 = 128 << 20;
/// Memory for the vocabularies of sites, and for that of one site. 10,000 pages need some megabytes.
const MAX_VOCABULARIES: u64 = 48 << 20;
const MAX_VOCABULARY: u64 = 24 << 20;
/// Memory for the lists of leaves. 10,000 pages need about 80 KB.
const MAX_LISTS: u64 = 8 << 20;
const MISSING: &str = "search: a file of the index is missing";

pub(crate) struct Searches {
    indexes: Cache<SiteId, Arc<SearchIndex>, Size>,
    /// By their hashes: most leaves of a release are those of the release before.
    terms: Cache<Hash, Bytes, Size>,
    texts: Cache<Hash, Bytes, Size>,
    vocabularies: Cache<SiteId, Arc<KnownTerms>, Size>,
    queries: Arc<Turns>,
    /// Bytes that a query reads at a time, or one file that is larger. What is not cached is in memory in addition to the
    /// caches.
    at_a_time: u64,
}

/// The leaves of a release, in the order of their paths.
#[derive(Debug)]
pub(super) struct SearchIndex {
    release: i64,
    leaves: Vec<IndexLeaf>,
}

#[derive(Debug)]
struct IndexLeaf {
    terms: IndexFile,
    texts: IndexFile,
}

#[derive(Debug, Clone)]
struct IndexFile {
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
        let files = |bytes: u64| {
            let options = OptionsBuilder::new()
                .shards(1)
                .estimated_items_capacity(2048)
                .weight_capacity(bytes)
                .build()
                .expect("both capacities are set");
            Cache::with_options(options, Size, DefaultHashBuilder::default(), DefaultLifecycle::default())
        };
        Searches {
            indexes: Cache::with_weighter(256, MAX_LISTS, Size),
            terms: files(max_terms),
            texts: files(max_terms / 4),
            vocabularies: Cache::with_weighter(64, MAX_VOCABULARIES, Size),
            queries: Turns::new(MAX_CONCURRENT),
            at_a_time: max_terms / 8,
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
        64 + 320 * index.leaves.len() as u64
    }
}

impl Weighter<Hash, Bytes> for Size {
    fn weight(&self, _: &Hash, bytes: &Bytes) -> u64 {
        64 + bytes.len() as u64
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
        self.are_too_many || self.leaves.contains(&leaf.terms.hash)
    }

    /// Whether most of it is of former releases.
    fn is_outdated(&self, index: &SearchIndex) -> bool {
        self.leaves.len() > 4 * index.leaves.len() + 64
    }
}

/// Items in pieces that have at most so many bytes, or one item.
fn pieces<T>(items: &[T], max: u64, length: impl Fn(&T) -> i64) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |item: &&T| {
            bytes += length(item).unsigned_abs();
            bytes <= max
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (piece, behind) = rest.split_at_checked(count)?;
        rest = behind;
        Some(piece)
    })
}

impl Publisher {
    /// The same publisher with another bound on the terms in memory, and other bounds in proportion to it.
    pub fn with_search_memory(&self, max_terms: u64) -> Publisher {
        Publisher { searches: Arc::new(Searches::new(max_terms)), ..self.clone() }
    }

    /// Bytes of the terms of search indexes in memory.
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
        for leaves in self.leaves_at_a_time(&index) {
            let terms = self.terms(searched, leaves.iter()).await?;
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
        for leaves in self.leaves_at_a_time(&index) {
            let new: Vec<&IndexLeaf> = leaves.iter().filter(|leaf| !known.has(leaf)).collect();
            let terms = self.terms(searched, new.iter().copied()).await?;
            let hashes: Vec<Hash> = new.iter().map(|leaf| leaf.terms.hash).collect();
            let work = move || {
                for (hash, terms) in hashes.into_iter().zip(terms) {
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
        let mut paths: Vec<String> = names.lines().map(|name| format!("/.search/{name}")).collect();
        paths.sort_unstable();
        let wanted: Vec<String> = paths.iter().flat_map(|path| [path.clone(), texts_path(path)]).collect();
        let stored = self.peek(move |tx| Ok(files::at_each(tx, site, release, &wanted)?)).await?;
        let mut stored: HashMap<String, Stored> = stored.into_iter().collect();
        let mut file = |path: String| {
            let file = stored.remove(&path).and_then(|stored| IndexFile::new(stored, path));
            file.ok_or_else(|| Error::Internal(MISSING.into()))
        };
        let leaf = |path: String| Ok(IndexLeaf { texts: file(texts_path(&path))?, terms: file(path)? });
        paths.into_iter().map(leaf).collect()
    }

    fn leaves_at_a_time<'i>(
        &self,
        index: &'i SearchIndex,
    ) -> impl Iterator<Item = &'i [IndexLeaf]> + use<'i> {
        pieces(&index.leaves, self.searches.at_a_time, |leaf| leaf.terms.length)
    }

    async fn terms<'i>(
        &self,
        searched: Searched,
        leaves: impl Iterator<Item = &'i IndexLeaf> + Clone,
    ) -> Result<Vec<Bytes>, Error> {
        self.index_files(searched, &self.searches.terms, leaves.map(|leaf| &leaf.terms)).await
    }

    /// Quotes the texts of leaves, by their numbers in the index. Few texts are in memory at a time.
    pub(super) async fn quote_texts<T: Send + 'static>(
        &self,
        searched: Searched,
        leaves: &[usize],
        quote: impl Fn(&BTreeMap<usize, Bytes>) -> Result<Vec<T>, Damaged> + Send + Clone + 'static,
    ) -> Result<Vec<T>, Error> {
        let index = self.search_index(searched).await?;
        let mut quoted = Vec::new();
        for leaves in pieces(leaves, self.searches.at_a_time, |leaf| index.leaves[*leaf].texts.length) {
            let files = leaves.iter().map(|leaf| &index.leaves[*leaf].texts);
            let texts = self.index_files(searched, &self.searches.texts, files).await?;
            let texts: BTreeMap<usize, Bytes> = leaves.iter().copied().zip(texts).collect();
            let quote = quote.clone();
            quoted.extend(blocking(move || quote(&texts)).await?);
        }
        Ok(quoted)
    }

    /// From memory, or from storage.
    async fn index_files<'i>(
        &self,
        searched: Searched,
        cache: &Cache<Hash, Bytes, Size>,
        files: impl Iterator<Item = &'i IndexFile> + Clone,
    ) -> Result<Vec<Bytes>, Error> {
        // Usually all of them are in memory, and hundreds of futures would take longer than the search.
        if let Some(all) = files.clone().map(|file| cache.get(&file.hash)).collect() {
            return Ok(all);
        }
        let read = files.map(|file| cache.get_or_insert_async(&file.hash, self.index_file(searched, file)));
        try_join_all(read).await
    }

    async fn index_file(&self, searched: Searched, file: &IndexFile) -> Result<Bytes, Error> {
        let found = match self.fetch(file.stored.clone()).await {
            // Its bytes were moved to another pack since the index was looked up.
            Err(blob::Error::Missing(_)) => {
                let path = std::slice::from_ref(&file.path);
                self.find_each(searched.site, searched.release, path).await?.remove(&file.path)
            }
            found => Some(found?),
        };
        match found {
            Some(Found::Body { bytes, .. }) => Ok(bytes),
            _ => Err(Error::Internal(MISSING.into())),
        }
    }
}

/// Of a leaf with this path.
fn texts_path(leaf: &str) -> String {
    format!("{leaf}.text")
}

impl IndexFile {
    fn new(stored: Stored, path: String) -> Option<IndexFile> {
        match stored {
            Stored::Bytes { hash, length, .. } => Some(IndexFile { path, stored, hash, length }),
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
    fn a_piece_has_at_most_so_many_bytes_or_one_item() {
        let pieces: Vec<&[i64]> = pieces(&[1, 99, 1, 105, 7, 8], 100, |length| *length).collect();
        assert_eq!(pieces, [&[1, 99][..], &[1], &[105], &[7, 8]]);
    }
}
