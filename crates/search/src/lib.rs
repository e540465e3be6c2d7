//! The search index of a site: files of a release, like its pages. Pure functions of bytes; no I/O.
//!
//! A build makes of each page a leaf of one page ([`Indexer`]), and of these the leaves of the site ([`merge`]). A server
//! opens all leaves ([`Leaf`]), finds pages ([`Search`]), and of those it shows, the best part ([`snippet`]).
//!
//! # Leaves
//!
//! - A page is in the leaf that the hash of its id says ([`Partition`]): all pages whose hashes begin with certain bits,
//!   as few bits as possible, so that a leaf has at most 64 pages. So the leaves depend on the set of pages alone, and a
//!   page's leaf does not change when the page moves to another URL.
//! - One changed page replaces one leaf. The other pages of the leaf are taken from its old bytes, without their texts.
//!   A leaf that became too large is split, and leaves that became small are merged, in the same way. [`merge`] is the
//!   only way to make a leaf, and equal pages give equal bytes: an incremental build equals a clean one.
//! - A leaf has two files ([`Files`]). Every query reads the terms of all leaves, so a server keeps these in memory; the
//!   compressed texts, twice as large, are read for the few results that are shown. Reading the Markdown instead would
//!   save them, but parsing 20 pages for each query takes longer than the query, and a long text much memory.
//! - The dictionary of a leaf is front-coded, in blocks of 16 terms; opening it reads nothing. A finite state transducer
//!   (the crate `fst`) was measured with the READMEs of 64 packages, some 5,000 terms: it is a tenth larger and takes 20
//!   times as long to make, several milliseconds for one changed page. Its only gain would be typos, which are found in
//!   20 µs for each leaf here, because blocks that begin wrongly are skipped. A server also keeps the terms of the whole
//!   site, each once with the hash of its stem ([`Vocabulary`]), and looks up only those that a typo may stand for, and
//!   other forms.
//!
//! # Results
//!
//! - A leaf knows how often each term is on each page, and the length of each page. The rest of BM25 (the number of
//!   pages, their mean length, on how many pages a term is) is a sum over all leaves, which each query computes in a
//!   first pass. All of them are integers, so the results and scores are those of one large index.
//! - A word in the title or in a heading counts more than any number of occurrences in the text. The length of a page
//!   does not diminish that.
//! - All words must occur, without case and accents. The last word may be the beginning of another one. Equal scores are
//!   in the order of the URLs.
//! - If no page matches, other forms of the words are sought, which have the same stem in the language of the site; and if
//!   that finds nothing either, one typo in each word of at least five letters is forgiven. So pages that match a query
//!   exactly are never mixed with others. Stems are not in the index: a vocabulary computes them.
//! - Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer are found by substring. Each two characters that follow each
//!   other are a term, with their positions on the page, by which longer sequences are verified.
//!
//! # Bounds
//!
//! A page: 200,000 words, 262,144 characters of scripts without spaces, 64 bytes a word, 128 KB of text for excerpts. A
//! query: 200 characters, 32 words, 500 matches in a section. Damaged bytes are an error ([`Damaged`]), or give other
//! results; a release compares its files with their hashes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bytes;
mod excerpt;
mod fold;
mod leaf;
mod page;
mod partition;
mod query;
mod rank;
mod search;
mod stems;
mod texts;
mod tokens;
mod typo;
mod vocabulary;

pub use excerpt::{Snippet, snippet};
pub use leaf::{Leaf, Listing, MAX_PAGES, merge};
pub use page::{Indexer, Page, Section};
pub use partition::{LeafName, Partition, hash};
pub use query::{MAX_QUERY, Query, TooLong};
pub use search::{Found, Hit, Search, search};
pub use texts::Texts;
pub use vocabulary::Vocabulary;

/// The two files of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Opened by [`Leaf`]; every query reads it.
    pub terms: Vec<u8>,
    /// Opened by [`Texts`]; read for the results that are shown.
    pub texts: Vec<u8>,
}

/// The bytes are not those of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a file of the search index is damaged")]
pub struct Damaged;
