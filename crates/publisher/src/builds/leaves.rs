//! Makes the leaves of the search index. Pages are rendered in the order of their leaves, and a leaf is merged as soon as
//! its pages are rendered, so that only a few are in memory. What waits beyond a bound is in a file. In an incremental
//! build, the pages of a leaf that are not rendered come from the leaves of the newest release.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::Arc;
use std::thread;

use generator::{File, SearchFile};
use model::{PageId, SiteId};
use search::{Damaged, Files, Leaf, LeafName};
use store::building::Claim;
use store::{Tx, files, releases};
use tokio::sync::{MutexGuard, oneshot};

use super::before::BaseFiles;
use super::lease::Stop;
use super::pack::PackWriter;
use super::render::{LONG_TEXTS, output};
use super::spill::Spill;
use crate::limits::priority;
use crate::{Error, Found, Publisher};

/// Leaves with more bytes than this are merged one at a time, and not while a long text is rendered.
const LARGE_LEAF: usize = 4 << 20;
/// Rendered pages that wait for their leaves, in bytes. 64 pages of Chinese may have 80 MB.
const MAX_WAITING: usize = 4 << 20;

/// A build of more leaves than this has the lowest priority.
const LONG_BUILD_LEAVES: usize = 4;

/// The leaves that are not made yet.
pub(super) struct Leaves {
    new: BTreeMap<LeafName, NewLeaf>,
    /// The newest release; `None` in a build from scratch.
    base: Option<i64>,
    /// Its leaves that have pages of the new ones.
    old: Vec<LeafName>,
    /// Bytes of all rendered pages in memory.
    waiting: usize,
    is_long: bool,
}

pub(super) struct NewLeaf {
    /// Its pages, in order.
    pub ids: Vec<PageId>,
    /// How many of them this build renders, and has not rendered yet.
    expected: usize,
    rendered: Vec<Files>,
    /// Those that were rendered earlier.
    spilled: Option<Spill>,
}

impl NewLeaf {
    pub(super) fn new(ids: Vec<PageId>) -> NewLeaf {
        NewLeaf { ids, expected: 0, rendered: Vec::new(), spilled: None }
    }

    /// One more of its pages will be rendered.
    pub(super) fn expect_page(&mut self) {
        self.expected += 1;
    }

    fn rendered(&self) -> usize {
        self.rendered.len() + self.spilled.as_ref().map_or(0, Spill::len)
    }
}

impl Leaves {
    pub(super) fn new(new: BTreeMap<LeafName, NewLeaf>, base: Option<i64>) -> Leaves {
        let is_long = new.len() > LONG_BUILD_LEAVES;
        Leaves { new, base, old: Vec::new(), waiting: 0, is_long }
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
    pub(super) async fn add(
        &mut self,
        publisher: &Publisher,
        name: LeafName,
        files: Files,
    ) -> Result<Option<NewLeaf>, Error> {
        let Some(leaf) = self.new.get_mut(&name) else { return Ok(None) };
        self.waiting += size(&files);
        leaf.rendered.push(files);
        leaf.expected -= 1;
        if leaf.expected == 0 {
            self.waiting -= leaf.rendered.iter().map(size).sum::<usize>();
            return Ok(self.new.remove(&name));
        }
        if self.waiting > MAX_WAITING {
            self.waiting -= leaf.rendered.iter().map(size).sum::<usize>();
            let (parts, spill) = (std::mem::take(&mut leaf.rendered), leaf.spilled.take());
            leaf.spilled = Some(publisher.spill(spill, parts).await?);
        }
        Ok(None)
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
        let (_turn, merged) = match self.merged(claim.site, leaves, name, leaf).await? {
            (turn, Ok(files)) => (turn, files),
            (_, Err(Damaged)) => return Err(self.start_over(claim, leaves.base).await),
        };
        let [terms, texts] = SearchFile::of_leaf(name).map(|file| file.to_string());
        writer.add(output(&terms, File::Bytes(merged.terms))).await?;
        writer.add(output(&texts, File::Bytes(merged.texts))).await
    }

    /// A large leaf is merged in its turn, which lasts until the result is written: it is in memory until then.
    async fn merged(
        &self,
        site: SiteId,
        leaves: &Leaves,
        name: LeafName,
        leaf: NewLeaf,
    ) -> Result<(Option<LongTurn>, Result<Files, Damaged>), Error> {
        let is_complete = leaf.rendered() == leaf.ids.len();
        let NewLeaf { ids, rendered, spilled, .. } = leaf;
        let spilled_bytes = spilled.as_ref().map_or(0, Spill::bytes);
        let (ids, mut parts) = (Arc::new(ids), Vec::new());
        if let Some(base) = leaves.base.filter(|_| !is_complete) {
            let old: Vec<LeafName> = leaves.old.iter().copied().filter(|old| old.overlaps(name)).collect();
            for leaf in &old {
                let Some(files) = self.old_leaf(site, base, *leaf).await? else {
                    return Ok((None, Err(Damaged)));
                };
                if let [_] = old[..] {
                    parts.push(files);
                    continue;
                }
                // Of many leaves, few pages are left: the others are not kept in memory.
                let ids = ids.clone();
                match merging(leaves.is_long, size(&files), move || Ok(reduced(&files, &ids))).await? {
                    (_, Ok(part)) => parts.push(part),
                    (_, Err(Damaged)) => return Ok((None, Err(Damaged))),
                }
            }
        }
        let bytes = parts.iter().chain(&rendered).map(size).sum::<usize>();
        let merge = move || {
            // Of a page that is in several parts, the last is taken.
            parts.extend(spilled.map(Spill::read).transpose()?.unwrap_or_default());
            parts.extend(rendered);
            Ok(search::merge(&parts.iter().collect::<Vec<_>>(), &ids))
        };
        merging(leaves.is_long, bytes + spilled_bytes, merge).await
    }

    /// Writes parts of a leaf to its file.
    async fn spill(&self, spill: Option<Spill>, parts: Vec<Files>) -> Result<Spill, Error> {
        let publisher = self.clone();
        let work = move || {
            let mut spill = match spill {
                Some(spill) => spill,
                None => Spill::new(publisher.spool.request_directory()?).map_err(unwritable)?,
            };
            spill.add(&parts).map_err(unwritable)?;
            Ok(spill)
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| Error::Internal(format!("write a part of the search index: {error}")))?
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

/// Held while much memory is in use.
type LongTurn = MutexGuard<'static, ()>;

/// Merges so many bytes, on a thread of its own if they are many: the allocator keeps freed memory for its thread.
async fn merging<T: Send + 'static>(
    is_long: bool,
    bytes: usize,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<(Option<LongTurn>, T), Error> {
    let failed =
        |error: &dyn std::error::Error| Error::Internal(format!("merge a leaf of the search index: {error}"));
    if bytes <= LARGE_LEAF {
        let done = priority::spawn_by_length(is_long, work).await.map_err(|error| failed(&error))?;
        return Ok((None, done.map_err(unwritable)?));
    }
    let turn = LONG_TEXTS.lock().await;
    let (sender, done) = oneshot::channel();
    let work = move || {
        priority::lower();
        drop(sender.send(work()));
    };
    thread::Builder::new().name("recto-merge".into()).spawn(work).map_err(|error| failed(&error))?;
    Ok((Some(turn), done.await.map_err(|error| failed(&error))?.map_err(unwritable)?))
}

fn unwritable(error: io::Error) -> Error {
    Error::Unavailable(format!("a temporary file of the build: {error}"))
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
