//! Makes the leaves of the search index. Pages are rendered in the order of their leaves, and a leaf is merged as soon as
//! its pages are rendered, so that only a few are in memory. In an incremental build, the pages of a leaf that are not
//! rendered come from the leaves of the newest release.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use generator::{File, SearchFile};
use model::{PageId, SiteId};
use search::{Damaged, Files, Leaf, LeafName};
use store::building::Claim;
use store::{Tx, files, releases};

use super::before::BaseFiles;
use super::lease::Stop;
use super::pack::PackWriter;
use super::render::{LONG_TEXTS, output};
use crate::{Error, Found, Publisher};

/// Leaves with more bytes than this are merged one at a time, and not while a long text is rendered.
const LARGE_LEAF: usize = 4 << 20;

/// The leaves that are not made yet.
pub(super) struct Leaves {
    new: BTreeMap<LeafName, NewLeaf>,
    /// The newest release; `None` in a build from scratch.
    base: Option<i64>,
    /// Its leaves that have pages of the new ones.
    old: Vec<LeafName>,
}

pub(super) struct NewLeaf {
    /// Its pages, in order.
    pub ids: Vec<PageId>,
    /// How many of them this build renders, and has not rendered yet.
    expected: usize,
    rendered: Vec<Files>,
}

impl NewLeaf {
    pub(super) fn new(ids: Vec<PageId>) -> NewLeaf {
        NewLeaf { ids, expected: 0, rendered: Vec::new() }
    }

    /// One more of its pages will be rendered.
    pub(super) fn expect_page(&mut self) {
        self.expected += 1;
    }
}

impl Leaves {
    pub(super) fn new(new: BTreeMap<LeafName, NewLeaf>, base: Option<i64>) -> Leaves {
        Leaves { new, base, old: Vec::new() }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        self.new.keys().copied().flat_map(SearchFile::of_leaf).map(|file| file.to_string())
    }

    /// Finds the leaves that change among the files of the newest release.
    pub(super) fn find_old(&mut self, before: &BaseFiles, gone: &[String]) {
        let leaf = |path: &String| match SearchFile::parse(path) {
            Some(SearchFile::Terms(leaf)) if before.hash(path).is_some() => Some(leaf),
            _ => None,
        };
        self.old = gone.iter().cloned().chain(self.paths()).filter_map(|path| leaf(&path)).collect();
    }

    /// Adds a rendered page. Returns the leaf if that is complete.
    pub(super) fn add(&mut self, name: LeafName, files: Files) -> Option<NewLeaf> {
        let leaf = self.new.get_mut(&name)?;
        leaf.rendered.push(files);
        leaf.expected -= 1;
        if leaf.expected == 0 { self.new.remove(&name) } else { None }
    }

    /// A leaf of which no page was rendered.
    pub(super) fn next(&mut self) -> Option<(LeafName, NewLeaf)> {
        self.new.pop_first()
    }
}

impl Publisher {
    /// Makes the two files of a leaf.
    pub(super) async fn merge_leaf(
        &self,
        leaves: &Leaves,
        name: LeafName,
        leaf: NewLeaf,
        writer: &mut PackWriter,
    ) -> Result<(), Stop> {
        let claim = writer.claim;
        let merged = match self.merged(claim.site, leaves, name, leaf).await? {
            Ok(files) => files,
            Err(Damaged) => return Err(self.start_over(claim, leaves.base).await),
        };
        let [terms, texts] = SearchFile::of_leaf(name).map(|file| file.to_string());
        writer.add(output(&terms, File::Bytes(merged.terms))).await?;
        writer.add(output(&texts, File::Bytes(merged.texts))).await
    }

    async fn merged(
        &self,
        site: SiteId,
        leaves: &Leaves,
        name: LeafName,
        leaf: NewLeaf,
    ) -> Result<Result<Files, Damaged>, Error> {
        let NewLeaf { ids, rendered, .. } = leaf;
        let (ids, mut parts) = (Arc::new(ids), Vec::new());
        if let Some(base) = leaves.base.filter(|_| rendered.len() < ids.len()) {
            let old: Vec<LeafName> = leaves.old.iter().copied().filter(|old| old.overlaps(name)).collect();
            for leaf in &old {
                let Some(files) = self.old_leaf(site, base, *leaf).await? else { return Ok(Err(Damaged)) };
                if let [_] = old[..] {
                    parts.push(files);
                    continue;
                }
                // Of many leaves, few pages are left: the others are not kept in memory.
                let ids = ids.clone();
                match merging(size(&files), move || reduced(&files, &ids)).await? {
                    Ok(part) => parts.push(part),
                    Err(Damaged) => return Ok(Err(Damaged)),
                }
            }
        }
        // Of a page that is in several parts, the last is taken.
        parts.extend(rendered);
        let bytes = parts.iter().map(size).sum();
        merging(bytes, move || search::merge(&parts.iter().collect::<Vec<_>>(), &ids)).await
    }

    /// The files of a leaf of the newest release; `None` if they are damaged or missing.
    async fn old_leaf(&self, site: SiteId, base: i64, name: LeafName) -> Result<Option<Files>, Error> {
        let mut found = Vec::new();
        for file in SearchFile::of_leaf(name) {
            let path = file.to_string();
            let stored = self.read(move |tx| Ok(files::at(tx, site, base, &path)?)).await?;
            let Some(stored) = stored else { return Ok(None) };
            match self.fetch(stored).await {
                Ok(Found::Body { bytes, .. }) => found.push(bytes.into()),
                Ok(Found::Redirect(_)) | Err(blob::Error::Damaged(_) | blob::Error::Missing(_)) => {
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let files = <[Vec<u8>; 2]>::try_from(found).ok();
        Ok(files.map(|[terms, texts]| Files { terms, texts }))
    }

    /// The search index of the newest release is damaged. The next attempt builds the site from scratch.
    async fn start_over(&self, claim: Claim, base: Option<i64>) -> Stop {
        let Some(base) = base else {
            return Error::Internal("the pages of a leaf of the search index cannot be merged".into()).into();
        };
        let distrust = move |tx: &mut Tx, _| Ok(releases::distrust(tx, claim.site, base)?);
        match self.write_held(&claim, distrust).await {
            Ok(()) => Error::Unavailable("the search index of the newest release is damaged".into()).into(),
            Err(stop) => stop,
        }
    }
}

/// Merges so many bytes, on a thread for blocking work.
async fn merging<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let _turn = if bytes > LARGE_LEAF { Some(LONG_TEXTS.lock().await) } else { None };
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::Internal(format!("merge a leaf of the search index: {error}")))
}

fn size(files: &Files) -> usize {
    files.terms.len() + files.texts.len()
}

/// The leaf with only those of its pages that are among these.
fn reduced(files: &Files, ids: &[PageId]) -> Result<Files, Damaged> {
    let own = Leaf::open(&files.terms)?.ids().collect::<Result<HashSet<PageId>, Damaged>>()?;
    let kept: Vec<PageId> = ids.iter().copied().filter(|id| own.contains(id)).collect();
    search::merge(&[files], &kept)
}
