//! Appends what is new to one pack, and writes down which file of the release is where. A large build writes its rows
//! in several transactions, for a release that nobody sees before the last one.

use std::collections::{HashMap, HashSet};

use blob::{Key, Writer};
use model::{PackId, PageId, SiteId};
use store::Store;
use store::files::{self, File, Hash, Stored};

use super::Stop;
use super::plan::Plan;
use super::render::{Body, Output};
use crate::{Error, Publisher};

/// Rows of one transaction: some tens of milliseconds during which nobody else can save.
const ROWS: usize = 4000;

pub(super) struct PackWriter {
    store: Store,
    site: SiteId,
    release: i64,
    pack: PackId,
    /// Made with the first byte.
    writer: Option<Writer>,
    blob: blob::Blob,
    before: HashMap<String, Hash>,
    from_nothing: bool,
    /// Paths that were made, whether or not they came out as they were.
    made: HashSet<String>,
    gone: Vec<String>,
    files: Vec<File>,
    closed: Vec<String>,
    written: usize,
    removed: usize,
    staged: bool,
}

/// What is left for the transaction that goes live.
pub(super) struct Rest {
    pub release: i64,
    pub pack: PackId,
    /// `None`: nothing was written.
    pub pack_size: Option<i64>,
    pub files: Vec<File>,
    pub closed: Vec<String>,
    pub pages: Vec<(PageId, Option<String>)>,
    pub files_written: usize,
    pub files_removed: usize,
    /// Whether there is a new release at all.
    pub changed: bool,
}

impl PackWriter {
    pub fn new(publisher: &Publisher, site: SiteId, release: i64, pack: PackId) -> PackWriter {
        PackWriter {
            store: publisher.store.clone(),
            blob: publisher.blob.clone(),
            site,
            release,
            pack,
            writer: None,
            before: HashMap::new(),
            from_nothing: false,
            made: HashSet::new(),
            gone: Vec::new(),
            files: Vec::new(),
            closed: Vec::new(),
            written: 0,
            removed: 0,
            staged: false,
        }
    }

    /// What the newest release has, and the paths at which nothing is any more.
    pub fn expect(&mut self, before: HashMap<String, Hash>, from_nothing: bool, gone: Vec<String>) {
        (self.before, self.from_nothing, self.gone) = (before, from_nothing, gone);
    }

    pub async fn add(&mut self, output: Output) -> Result<(), Stop> {
        let Output { path, body, hash } = output;
        let before = self.before.get(&path);
        let (same, replaced) = (before == Some(&hash), before.is_some());
        if self.from_nothing {
            self.made.insert(path.clone());
        }
        if same {
            return Ok(());
        }
        let stored = match body {
            Body::Redirect(target) => Stored::Redirect(target),
            Body::Bytes(bytes) => {
                let (blob, pack) = (&self.blob, self.pack);
                let writer = self.writer.get_or_insert_with(|| blob.writer(&Key::pack(pack)));
                let (offset, length) = (writer.position() as i64, bytes.len() as i64);
                writer.write(bytes).await?;
                Stored::Bytes { pack, offset, length, hash }
            }
        };
        if replaced {
            self.closed.push(path.clone());
        }
        self.files.push(File { path, stored, hash });
        self.written += 1;
        if self.files.len() >= ROWS {
            let (closed, files) = (std::mem::take(&mut self.closed), std::mem::take(&mut self.files));
            self.stage(closed, files, Vec::new()).await?;
        }
        Ok(())
    }

    /// Writes rows down ahead of the release.
    async fn stage(
        &mut self,
        closed: Vec<String>,
        files: Vec<File>,
        pages: Vec<(PageId, Option<String>)>,
    ) -> Result<(), Error> {
        let (site, release, first) = (self.site, self.release, !self.staged);
        let forget = first && self.from_nothing;
        self.staged = true;
        self.store
            .write(move |tx| {
                if first {
                    files::stage(tx, site, Some(release))?;
                }
                if forget {
                    files::forget_pages(tx, site, release)?;
                }
                files::close(tx, site, release, &closed)?;
                files::insert(tx, site, release, &files)?;
                Ok(files::remember(tx, site, release, &pages)?)
            })
            .await
    }

    /// The pack is whole and on disk.
    pub async fn finish(mut self, plan: &Plan) -> Result<Rest, Stop> {
        let gone = match self.from_nothing {
            true => self.before.keys().filter(|path| !self.made.contains(*path)).cloned().collect(),
            false => std::mem::take(&mut self.gone)
                .into_iter()
                .filter(|path| self.before.contains_key(path))
                .collect::<Vec<_>>(),
        };
        self.removed = gone.len();
        self.closed.extend(gone);
        let mut pages = plan.metas()?;
        // A page that was hidden and still is needs no release.
        let changed = self.written + self.removed > 0 || pages.iter().any(|(_, meta)| meta.is_some());
        while self.from_nothing && changed && (pages.len() > ROWS || self.closed.len() > ROWS || !self.staged)
        {
            let rows = |len: usize| len.saturating_sub(ROWS);
            let closed = self.closed.split_off(rows(self.closed.len()));
            let files = std::mem::take(&mut self.files);
            let some = pages.split_off(rows(pages.len()));
            self.stage(closed, files, some).await?;
        }
        let pack_size = match self.writer.take() {
            Some(writer) => Some(writer.finish().await? as i64),
            None => None,
        };
        Ok(Rest {
            release: self.release,
            pack: self.pack,
            pack_size,
            files: self.files,
            closed: self.closed,
            pages,
            files_written: self.written,
            files_removed: self.removed,
            changed,
        })
    }
}

impl Plan {
    /// What is to be remembered of the pages that changed.
    fn metas(&self) -> Result<Vec<(PageId, Option<String>)>, Error> {
        let meta = |id: &PageId| match self.site.page(*id) {
            Some(page) => Ok((*id, Some(serde_json::to_string(page)?))),
            None => Ok((*id, None)),
        };
        let metas: Result<_, serde_json::Error> = self.changed.iter().map(meta).collect();
        metas.map_err(|error| Error::Internal(format!("remember a page: {error}")))
    }
}
