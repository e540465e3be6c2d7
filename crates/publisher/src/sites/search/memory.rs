//! The indexes of the sites that were searched last, in memory, and the turns of queries.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use model::{AccountId, SiteId};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use search::{Damaged, Leaf, Vocabulary};
use store::files::{Hash, Stored};

use crate::limits::turns::{Turn, Turns};

/// Queries that are answered at a time: each takes CPU time, and the texts of its results.
const MAX_CONCURRENT: usize = 4;
/// Memory for the terms of all sites. A site of 10,000 pages has about 13 MB. Its texts, from which results are quoted, have
/// about 26 MB; they may need a fourth of this memory in addition.
const MAX_TERMS: u64 = 128 << 20;
/// Memory for the vocabularies of sites. 10,000 pages need some megabytes; that of one site may need half of this.
const MAX_VOCABULARIES: u64 = 48 << 20;
/// Memory for the lists of leaves. 10,000 pages need about 80 KB.
const MAX_LISTS: u64 = 8 << 20;

/// The leaves of a release, in the order of their paths.
#[derive(Debug)]
pub(super) struct SearchIndex {
    pub(super) release: i64,
    /// A BCP 47 tag; empty for a release of an earlier version.
    pub(super) language: String,
    pub(super) leaves: Vec<IndexLeaf>,
}

#[derive(Debug)]
pub(super) struct IndexLeaf {
    pub(super) terms: IndexFile,
    pub(super) texts: IndexFile,
}

#[derive(Debug, Clone)]
pub(super) struct IndexFile {
    pub(super) path: String,
    pub(super) stored: Stored,
    pub(super) hash: Hash,
    pub(super) length: i64,
}

pub(crate) struct Searches {
    pub(super) indexes: Cache<SiteId, Arc<SearchIndex>, Size>,
    /// By their hashes: most leaves of a release are those of the release before.
    pub(super) terms: Cache<Hash, Bytes, Size>,
    pub(super) texts: Cache<Hash, Bytes, Size>,
    pub(super) vocabularies: Cache<SiteId, Arc<Known>, Size>,
    /// Bytes of one vocabulary.
    pub(super) max_vocabulary: u64,
    pub(super) queries: Arc<Turns>,
    /// Bytes that a query reads at a time, or one file that is larger. What is not cached is in memory in addition to the
    /// caches.
    pub(super) at_a_time: u64,
}

/// What is known of a site's terms.
#[derive(Clone)]
pub(super) enum Known {
    Terms(KnownTerms),
    /// This release has too many. Typos are compared with the terms of each leaf, and other forms of words are not found.
    TooMany {
        release: i64,
    },
}

/// The terms of leaves: those of this release, and perhaps of former ones, whose terms do no harm.
#[derive(Clone)]
pub(super) struct KnownTerms {
    pub(super) vocabulary: Vocabulary,
    /// Of the vocabulary.
    language: String,
    leaves: HashSet<Hash>,
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
            max_vocabulary: MAX_VOCABULARIES.min(3 * max_terms / 8) / 2,
            queries: Turns::new(MAX_CONCURRENT),
            at_a_time: max_terms / 8,
        }
    }

    pub(super) async fn turn(&self, account: AccountId) -> Turn {
        self.queries.take(account).await
    }
}

#[derive(Clone)]
pub(super) struct Size;

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

impl Weighter<SiteId, Arc<Known>> for Size {
    fn weight(&self, _: &SiteId, known: &Arc<Known>) -> u64 {
        match known.as_ref() {
            Known::Terms(terms) => 64 + 32 * terms.leaves.len() as u64 + terms.vocabulary.weight(),
            Known::TooMany { .. } => 64,
        }
    }
}

impl IndexFile {
    pub(super) fn new(stored: Stored, path: String) -> Option<IndexFile> {
        match stored {
            Stored::Bytes { hash, length, .. } => Some(IndexFile { path, stored, hash, length }),
            Stored::Redirect(_) => None,
        }
    }
}

impl Known {
    pub(super) fn vocabulary(&self) -> Option<&Vocabulary> {
        match self {
            Known::Terms(terms) => Some(&terms.vocabulary),
            Known::TooMany { .. } => None,
        }
    }

    /// Whether nothing of this release is missing.
    pub(super) fn is_complete(&self, index: &SearchIndex) -> bool {
        match self {
            Known::Terms(terms) => {
                terms.language == index.language && index.leaves.iter().all(|leaf| terms.has(leaf))
            }
            Known::TooMany { release } => *release == index.release,
        }
    }
}

impl KnownTerms {
    pub(super) fn new(language: &str) -> KnownTerms {
        KnownTerms {
            vocabulary: Vocabulary::new(language),
            language: language.to_owned(),
            leaves: HashSet::new(),
        }
    }

    pub(super) fn add(&mut self, hash: Hash, leaf: &Leaf<'_>) -> Result<(), Damaged> {
        self.leaves.insert(hash);
        self.vocabulary.add(leaf)
    }

    pub(super) fn has(&self, leaf: &IndexLeaf) -> bool {
        self.leaves.contains(&leaf.terms.hash)
    }

    /// Whether most of it is of former releases, or the site has another language since.
    pub(super) fn is_outdated(&self, index: &SearchIndex) -> bool {
        self.language != index.language || self.leaves.len() > 4 * index.leaves.len() + 64
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use model::Timestamp;

    use super::*;
    use crate::Error;

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
}
