//! Reads the index of a release, from memory or from storage.
//!
//! A query reads the terms of all leaves of a site. They are in memory leaf by leaf, those of all sites together up to a
//! bound. An index that exceeds it is searched in parts, so that a query needs the memory of one part. While all leaves
//! are requested in turn, the cache keeps those that it has, so that each query reads only what does not fit.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::try_join_all;
use model::SiteId;
use quick_cache::sync::{Cache, EntryAction, EntryResult};
use search::{Damaged, Leaf, Search};
use store::files::{self, Hash, Stored};

use super::memory::{IndexFile, IndexLeaf, Known, KnownTerms, SearchIndex, Searches, Size};
use super::{Searched, blocking};
use crate::{Error, Found, Publisher};

/// The names of the leaves of a release.
const LEAVES: &str = "/.search/leaves";
const MISSING: &str = "search: a file of the index is missing";

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
        self.with(|parts| parts.searches = Arc::new(Searches::new(max_terms)))
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

    /// Widens a search that found nothing, if that may find something. `false`: nothing has changed.
    pub(super) async fn widen(
        &self,
        searched: Searched,
        mut search: Search,
    ) -> Result<(Search, bool), Error> {
        let index = self.search_index(searched).await?;
        if !search.may_be_wider(&index.language) {
            return Ok((search, false));
        }
        let known = self.known_terms(searched, &index).await?;
        blocking(move || {
            let is_wider = search.widen(known.vocabulary());
            Ok((search, is_wider))
        })
        .await
    }

    async fn known_terms(&self, searched: Searched, index: &SearchIndex) -> Result<Arc<Known>, Error> {
        let cache = &self.searches.vocabularies;
        if let Some(known) = cache.get(&searched.site).filter(|known| known.is_complete(index)) {
            return Ok(known);
        }
        // Taken out of the cache, so that it need not be copied.
        let known = cache.remove(&searched.site).map(|(_, known)| Arc::unwrap_or_clone(known));
        let mut terms = match known {
            Some(Known::Terms(terms)) if !terms.is_outdated(index) => {
                self.add_terms(searched, index, terms).await?
            }
            _ => None,
        };
        if terms.is_none() {
            // Without those of former releases, they may be few enough.
            terms = self.add_terms(searched, index, KnownTerms::new(&index.language)).await?;
        }
        let known = Arc::new(terms.map_or(Known::TooMany { release: index.release }, Known::Terms));
        cache.insert(searched.site, known.clone());
        Ok(known)
    }

    /// Adds the terms of new leaves to those that are known; `None` if that makes too many.
    async fn add_terms(
        &self,
        searched: Searched,
        index: &SearchIndex,
        mut known: KnownTerms,
    ) -> Result<Option<KnownTerms>, Error> {
        let most = self.searches.max_vocabulary;
        for leaves in self.leaves_at_a_time(index) {
            let new: Vec<&IndexLeaf> = leaves.iter().filter(|leaf| !known.has(leaf)).collect();
            let terms = self.terms(searched, new.iter().copied()).await?;
            let hashes: Vec<Hash> = new.iter().map(|leaf| leaf.terms.hash).collect();
            let work = move || {
                for (hash, terms) in hashes.into_iter().zip(terms) {
                    known.add(hash, &Leaf::open(&terms)?)?;
                    if known.vocabulary.weight() > most {
                        return Ok(None);
                    }
                }
                Ok(Some(known))
            };
            known = match blocking(work).await? {
                Some(known) => known,
                None => return Ok(None),
            };
        }
        Ok(Some(known))
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
        let (leaves, brand) = (self.leaves(site, release).await?, self.brand(site, release).await?);
        let language = brand.and_then(|brand| brand.language).unwrap_or_default();
        let index = Arc::new(SearchIndex { release, language, leaves });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_at_most_so_many_bytes_or_one_item() {
        let pieces: Vec<&[i64]> = pieces(&[1, 99, 1, 105, 7, 8], 100, |length| *length).collect();
        assert_eq!(pieces, [&[1, 99][..], &[1], &[105], &[7, 8]]);
    }
}
