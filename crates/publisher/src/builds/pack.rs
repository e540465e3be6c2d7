//! Appends changed files to one pack, and writes the rows that say where each file of the release is. A large build
//! writes its rows in several transactions, for a release that is not visible before the last one.

use blob::{Key, Writer};
use model::{PackId, PageId};
use store::Tx;
use store::building::Claim;
use store::files::{self, Cursor, File, Stored};
use tokio::time::Instant;

use super::before::BaseFiles;
use super::lease::{Stop, hold};
use super::render::{Body, Output, Rendered};
use crate::limits::pace::Large;
use crate::steps::in_steps;
use crate::{Error, Publisher};

/// Rows of one transaction: some milliseconds during which no other write can run. Fewer while other accounts write.
const ROWS: usize = 500;
const SHARED_ROWS: usize = 64;
/// While other accounts write, a pack is synced after this many bytes: their commits wait for the same disk.
const SHARED_SYNC_BYTES: usize = 1 << 19;

pub(super) struct PackWriter {
    publisher: Publisher,
    pub claim: Claim,
    release: i64,
    pack: PackId,
    /// Created with the first byte.
    writer: Option<Writer>,
    unsynced: usize,
    before: BaseFiles,
    from_scratch: bool,
    gone: Vec<String>,
    files: Vec<File>,
    closed: Vec<String>,
    written: usize,
    removed: usize,
    staged: bool,
}

/// The rows that are left for the transaction that goes live.
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
    pub fn new(publisher: &Publisher, claim: Claim, release: i64, pack: PackId) -> PackWriter {
        PackWriter {
            publisher: publisher.clone(),
            claim,
            release,
            pack,
            writer: None,
            unsynced: 0,
            before: BaseFiles::default(),
            from_scratch: false,
            gone: Vec::new(),
            files: Vec::new(),
            closed: Vec::new(),
            written: 0,
            removed: 0,
            staged: false,
        }
    }

    /// Sets the files of the newest release, and the paths that no longer have a file.
    pub fn set_base(&mut self, before: BaseFiles, from_scratch: bool, gone: Vec<String>) {
        (self.before, self.from_scratch, self.gone) = (before, from_scratch, gone);
    }

    pub async fn add(&mut self, output: Output) -> Result<(), Stop> {
        let Output { path, body, hash } = output;
        let before = self.before.hash(&path);
        if self.from_scratch && before.is_some() {
            self.before.was_remade(&path);
        }
        if before == Some(hash) {
            return Ok(());
        }
        let stored = match body {
            Body::Redirect(target) => Stored::Redirect(target),
            Body::Bytes(bytes) => {
                let (blob, pack) = (&self.publisher.blob, self.pack);
                let writer = self.writer.get_or_insert_with(|| blob.writer(&Key::pack(pack)));
                let (offset, length) = (writer.position() as i64, bytes.len() as i64);
                writer.write(bytes).await?;
                self.unsynced += length as usize;
                let (pace, site) = (&self.publisher.pace, self.claim.site.0);
                if self.unsynced >= SHARED_SYNC_BYTES && pace.others_write(site) {
                    pace.pause(site).await;
                    let started = Instant::now();
                    writer.sync().await;
                    pace.wrote(site, Large::Step, started.elapsed());
                    self.unsynced = 0;
                }
                Stored::Bytes { pack, offset, length, hash }
            }
        };
        if before.is_some() {
            self.closed.push(path.clone());
        }
        self.files.push(File { path, stored, hash });
        self.written += 1;
        if self.files.len() >= self.rows() {
            self.stage(Vec::new()).await?;
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        if self.publisher.pace.others_write(self.claim.site.0) { SHARED_ROWS } else { ROWS }
    }

    async fn close(&mut self, path: String) -> Result<(), Stop> {
        self.closed.push(path);
        self.removed += 1;
        if self.closed.len() >= self.rows() {
            self.stage(Vec::new()).await?;
        }
        Ok(())
    }

    /// Writes the collected rows and these pages ahead of the release.
    async fn stage(&mut self, pages: Vec<(PageId, Option<String>)>) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.staged, true) {
            self.begin_staging().await?;
        }
        let (claim, release) = (self.claim, self.release);
        let (closed, files) = (std::mem::take(&mut self.closed), std::mem::take(&mut self.files));
        self.publisher.pace.pause(claim.site.0).await;
        let staged = self.publisher.write_large(claim.site.0, Large::Step, move |tx| {
            hold(tx, &claim)?;
            files::close(tx, claim.site, release, &closed)?;
            files::insert(tx, claim.site, release, &files)?;
            Ok(files::remember(tx, claim.site, release, &pages)?)
        });
        staged.await
    }

    /// From here on the release is undone if it never goes live. In a build from scratch, the remembered pages are
    /// deleted.
    async fn begin_staging(&mut self) -> Result<(), Stop> {
        let (claim, release) = (self.claim, self.release);
        let begun = move |tx: &mut Tx, _| Ok(files::stage(tx, claim.site, Some(release))?);
        self.publisher.write_held(&claim, begun).await?;
        if !self.from_scratch {
            return Ok(());
        }
        let forget = move |tx: &mut Tx, from: &Cursor| {
            hold(tx, &claim)?;
            Ok(files::forget_pages(tx, claim.site, release, from, ROWS as i64)?)
        };
        in_steps(&self.publisher.store, Cursor::default(), forget).await
    }

    /// Completes the pack and syncs it to disk.
    pub async fn finish(mut self, rendered: &mut Rendered) -> Result<Rest, Stop> {
        self.close_gone().await?;
        let changed_pages = std::mem::take(&mut rendered.changed);
        // A page that was hidden and still is needs no release.
        let changed = self.written + self.removed > 0
            || changed_pages.iter().any(|page| rendered.site.page(*page).is_some());
        let mut pages = Vec::new();
        if changed {
            let mut parts = changed_pages.chunks(self.rows()).peekable();
            while let Some(part) = parts.next() {
                let metas = rendered.metas(part)?;
                // The last part is written when the release goes live; a build from scratch first deletes the old
                // pages.
                match parts.peek().is_some() || self.from_scratch && !self.staged {
                    true => self.stage(metas).await?,
                    false => pages = metas,
                }
            }
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

    /// Closes the files of the newest release that this one does not have.
    async fn close_gone(&mut self) -> Result<(), Stop> {
        for path in std::mem::take(&mut self.gone) {
            if self.before.hash(&path).is_some() {
                self.close(path).await?;
            }
        }
        if !self.from_scratch || self.before.left() == 0 {
            return Ok(());
        }
        let (site, mut after) = (self.claim.site, String::new());
        loop {
            let from = after.clone();
            let read = self.publisher.read(move |tx| Ok(files::open_files(tx, site, &from, ROWS as i64)?));
            let some = read.await?;
            let Some((last, _)) = some.last() else { return Ok(()) };
            after.clone_from(last);
            for (path, _) in some {
                // Paths that the newest release does not have are new.
                if self.before.hash(&path).is_some() && self.before.is_left(&path) {
                    self.close(path).await?;
                }
            }
        }
    }
}

impl Rendered {
    /// The rows of `release_pages` for pages that changed.
    fn metas(&self, pages: &[PageId]) -> Result<Vec<(PageId, Option<String>)>, Error> {
        let meta = |id: &PageId| match self.site.page(*id) {
            Some(page) => Ok((*id, Some(serde_json::to_string(page)?))),
            None => Ok((*id, None)),
        };
        let metas: Result<_, serde_json::Error> = pages.iter().map(meta).collect();
        metas.map_err(|error| Error::Internal(format!("remember a page: {error}")))
    }
}
