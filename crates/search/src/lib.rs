//! The search index of a site.

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
mod texts;
mod tokens;
mod typo;

pub use excerpt::{Snippet, snippet};
pub use leaf::{Leaf, MAX_PAGES, merge};
pub use page::{Indexer, Page, Section};
pub use partition::{LeafName, Partition};
pub use query::{MAX_QUERY, Query, TooLong};
pub use search::{Found, Hit, search};
pub use texts::Texts;

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
