//! Searches the live release of a site: its index consists of files of the release.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use generator::SearchResult;
use model::SiteId;
use search::{Leaf, Query, Texts};
use store::files::{self, Hash, Stored};
use store::releases;
use store::sites::Site;

use crate::{Error, Found, Publisher};

/// The names of the leaves of a release.
const LEAVES: &str = "/.search/leaves";

/// The terms of a release, in memory.
#[derive(Debug)]
pub struct SearchIndex {
    pub release: i64,
    leaves: Vec<IndexLeaf>,
}

#[derive(Debug, Clone)]
struct IndexLeaf {
    path: String,
    hash: Hash,
    terms: Bytes,
}

/// The pages that a query found.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SearchResults {
    pub total: usize,
    pub hits: Vec<SearchResult>,
}

impl SearchIndex {
    pub fn bytes(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.terms.len() + leaf.path.len()).sum()
    }

    /// The best pages, and the leaves that hold their texts. It takes CPU time.
    fn search(&self, query: &Query, limit: usize) -> Result<search::Found, Error> {
        let leaves = self.leaves.iter().map(|leaf| Leaf::open(&leaf.terms)).collect::<Result<Vec<_>, _>>();
        leaves.and_then(|leaves| search::search(&leaves, query, limit)).map_err(damaged)
    }
}

impl Publisher {
    /// The index of a release. Leaves that `former` has are not read again.
    pub async fn search_index(
        &self,
        site: SiteId,
        release: i64,
        former: Option<&SearchIndex>,
    ) -> Result<SearchIndex, Error> {
        let names = match self.find(site, release, LEAVES).await? {
            Some(Found::Body { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            // A release of an earlier version.
            _ => return Ok(SearchIndex { release, leaves: vec![] }),
        };
        let paths: Vec<String> = names.lines().map(|name| format!("/.search/{name}")).collect();
        let stored = self.peek(move |tx| Ok(files::at_each(tx, site, release, &paths)?)).await?;
        let known: HashMap<&Hash, &Bytes> = former
            .into_iter()
            .flat_map(|former| &former.leaves)
            .map(|leaf| (&leaf.hash, &leaf.terms))
            .collect();
        let (mut leaves, mut unknown) = (Vec::with_capacity(stored.len()), Vec::new());
        for (path, stored) in stored {
            let Stored::Bytes { hash, .. } = stored else { continue };
            match known.get(&hash) {
                Some(terms) => leaves.push(IndexLeaf { path, hash, terms: (*terms).clone() }),
                None => unknown.push(path),
            }
        }
        for (path, found) in self.find_each(site, release, &unknown).await? {
            if let Found::Body { bytes: terms, hash } = found {
                leaves.push(IndexLeaf { path, hash, terms });
            }
        }
        leaves.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(SearchIndex { release, leaves })
    }

    /// What a query finds in the live release of a site.
    pub async fn search_live(&self, site: &Site, query: Query, limit: usize) -> Result<SearchResults, Error> {
        let id = site.id;
        let live = self.read(move |tx| Ok(releases::live(tx, id)?)).await?;
        let release = live.ok_or_else(|| Error::refused("the site was never built"))?;
        let index = self.search_index(id, release, None).await?;
        self.search(id, Arc::new(index), query, limit).await
    }

    /// What a query finds, best first.
    pub async fn search(
        &self,
        site: SiteId,
        index: Arc<SearchIndex>,
        query: Query,
        limit: usize,
    ) -> Result<SearchResults, Error> {
        let release = index.release;
        let searched = index.clone();
        let found = tokio::task::spawn_blocking(move || searched.search(&query, limit)).await;
        let found = found.map_err(|error| Error::Internal(format!("search: {error}")))??;
        let paths: BTreeMap<usize, String> = found
            .hits
            .iter()
            .map(|hit| (hit.leaf, format!("{}.text", index.leaves[hit.leaf].path)))
            .collect();
        let paths_to_read: Vec<String> = paths.values().cloned().collect();
        let texts = self.find_each(site, release, &paths_to_read).await?;
        let explain = move || {
            let mut hits = Vec::with_capacity(found.hits.len());
            for hit in found.hits {
                let Some(Found::Body { bytes, .. }) = texts.get(&paths[&hit.leaf]) else {
                    return Err(Error::Internal("search: the text of a page is missing".into()));
                };
                let snippet =
                    Texts::open(bytes).and_then(|texts| search::snippet(&texts, hit.page, &found.query));
                let snippet = snippet.map_err(damaged)?;
                let url = match snippet.anchor {
                    Some(anchor) => format!("{}#{anchor}", hit.url),
                    None => hit.url,
                };
                hits.push(SearchResult {
                    url,
                    title: hit.title,
                    section: hit.section,
                    excerpt: snippet.excerpt,
                });
            }
            Ok(SearchResults { total: found.total, hits })
        };
        let explained = tokio::task::spawn_blocking(explain).await;
        explained.map_err(|error| Error::Internal(format!("search: {error}")))?
    }
}

fn damaged(error: search::Damaged) -> Error {
    Error::Internal(error.to_string())
}
