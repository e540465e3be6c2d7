//! Searches the live release of a site: its index consists of files of the release.

mod index;
mod memory;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use generator::SearchResult;
use model::{AccountId, SiteId};
use search::{Damaged, Hit, Leaf, Query, Search, Texts};
use store::releases;
use store::sites::Site;

pub(crate) use self::memory::Searches;
use crate::{Error, Publisher};

/// The pages that a query found.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SearchResults {
    pub total: usize,
    pub hits: Vec<SearchResult>,
}

/// Some pages of a release.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ListedPages {
    /// Path and title, in the order of the paths.
    pub pages: BTreeMap<String, String>,
    /// Whether there are more behind these.
    pub has_more: bool,
}

/// A release of a site, and the account whose turn it is.
#[derive(Debug, Clone, Copy)]
pub struct Searched {
    pub account: AccountId,
    pub site: SiteId,
    pub release: i64,
}

impl Publisher {
    /// What a query finds in the live release of a site.
    pub async fn search_live(&self, site: &Site, query: Query, limit: usize) -> Result<SearchResults, Error> {
        let id = site.id;
        let live = self.read(move |tx| Ok(releases::live(tx, id)?)).await?;
        let release = live.ok_or_else(|| Error::refused("the site was never built"))?;
        self.search(Searched { account: site.account, site: id, release }, query, limit).await
    }

    /// What a query finds in a release, best first. Accounts take turns.
    pub async fn search(
        &self,
        searched: Searched,
        query: Query,
        limit: usize,
    ) -> Result<SearchResults, Error> {
        let _turn = self.searches.turn(searched.account).await;
        let (mut search, mut is_new) = (Search::new(query), true);
        while is_new {
            search = self.each_leaf(searched, search, Search::add).await?;
            (search, is_new) = self.widen(searched, search).await?;
        }
        let found = blocking(move || search.best(limit)).await?;
        self.explain(searched, found).await
    }

    /// The pages of a release that a search can find, below a path and behind another one.
    pub async fn search_pages(
        &self,
        searched: Searched,
        below: String,
        after: String,
        limit: usize,
    ) -> Result<ListedPages, Error> {
        let _turn = self.searches.turn(searched.account).await;
        let first = FirstPages { below, after, limit, listed: ListedPages::default() };
        Ok(self.each_leaf(searched, first, FirstPages::add).await?.listed)
    }

    /// Adds what is shown of each hit: the best part of its text.
    async fn explain(&self, searched: Searched, found: search::Found) -> Result<SearchResults, Error> {
        let total = found.total;
        let mut leaves: Vec<usize> = found.hits.iter().map(|hit| hit.leaf).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let found = Arc::new(found);
        let quote = move |texts: &BTreeMap<usize, Bytes>| {
            let hits = found.hits.iter().enumerate();
            let quoted = hits.filter_map(|(rank, hit)| {
                let result = quote(hit, texts.get(&hit.leaf)?, &found.query);
                Some(result.map(|result| (rank, result)))
            });
            quoted.collect()
        };
        let mut hits = self.quote_texts(searched, &leaves, quote).await?;
        hits.sort_unstable_by_key(|(rank, _)| *rank);
        Ok(SearchResults { total, hits: hits.into_iter().map(|(_, result)| result).collect() })
    }
}

fn quote(hit: &Hit, texts: &[u8], query: &Query) -> Result<SearchResult, Damaged> {
    let snippet = search::snippet(&Texts::open(texts)?, hit.page, query)?;
    let url = match snippet.anchor {
        Some(anchor) => format!("{}#{anchor}", hit.url),
        None => hit.url.clone(),
    };
    let (title, section) = (hit.title.clone(), hit.section.clone());
    Ok(SearchResult { url, title, section, excerpt: snippet.excerpt })
}

/// Collects the pages with the first paths.
struct FirstPages {
    below: String,
    after: String,
    limit: usize,
    listed: ListedPages,
}

impl FirstPages {
    fn add(&mut self, leaf: &Leaf<'_>) -> Result<(), Damaged> {
        for listing in leaf.listings() {
            let listing = listing?;
            if !is_below(listing.url, &self.below) || listing.url <= self.after.as_str() {
                continue;
            }
            let pages = &mut self.listed.pages;
            let is_full = pages.len() == self.limit;
            if is_full && pages.last_key_value().is_some_and(|(last, _)| listing.url > last.as_str()) {
                self.listed.has_more = true;
                continue;
            }
            pages.insert(listing.url.to_owned(), listing.title.to_owned());
            if pages.len() > self.limit {
                pages.pop_last();
                self.listed.has_more = true;
            }
        }
        Ok(())
    }
}

/// `/docs/a` is below `/docs`, and below itself; `/docsets` is not.
fn is_below(path: &str, above: &str) -> bool {
    let rest = path.strip_prefix(above.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Runs work that takes CPU time.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Damaged> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::Internal(format!("search: {error}")))?
        .map_err(|damaged| Error::Internal(damaged.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_another_by_whole_segments() {
        for (path, above) in
            [("/docs/a", "/docs"), ("/docs", "/docs/"), ("/docs/a/b", "/docs/a"), ("/a", "/")]
        {
            assert!(is_below(path, above), "{path} {above}");
        }
        for (path, above) in [("/docsets", "/docs"), ("/blog/a", "/docs"), ("/docs", "/docs/a")] {
            assert!(!is_below(path, above), "{path} {above}");
        }
    }
}
