//! Makes smaller copies of each large image, one image after the other, at a low priority. The queue is in the
//! database: what was being made when the server stopped is repeated.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use blob::Key;
use bytes::Bytes;
use media::{Job, MediaKind, SmallerCopy};
use model::{Dimensions, MediaHash, MediaUrl, SMALLER_WIDTHS, SiteId};
use store::copies::{self, Claim, Copy, Smaller};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Medium;
use crate::{Error, Publisher};

/// How often the queue is checked without a notification, which may be lost.
const CHECK_EVERY: Duration = Duration::from_secs(30);
/// The pause when the database is unavailable.
const PAUSE: Duration = Duration::from_secs(5);

/// The file at the address of a smaller copy.
#[derive(Debug, Clone, Copy)]
pub struct SmallerMedium {
    pub medium: Medium,
    /// Not the image itself, which is there while a copy is missing.
    pub is_copy: bool,
}

impl Publisher {
    /// Until a copy is made, and if it cannot be made, the image itself. An image that was stored by an earlier version
    /// is queued.
    pub async fn find_smaller(
        &self,
        site: SiteId,
        url: &MediaUrl,
        width: u16,
    ) -> Result<Option<SmallerMedium>, Error> {
        let asked = url.clone();
        let found = self.peek(move |tx| Ok(copies::find_smaller(tx, site, &asked, width)?)).await?;
        Ok(match found {
            None => None,
            Some(Smaller::Copy(Copy { object, size, .. })) => {
                Some(SmallerMedium { medium: Medium { object, size }, is_copy: true })
            }
            Some(Smaller::Original { stored, is_new }) => {
                if is_new {
                    self.queue_copies(site, url.hash);
                }
                let medium = Medium { object: stored.object, size: stored.size };
                Some(SmallerMedium { medium, is_copy: false })
            }
        })
    }

    /// In the background: the visitor gets the image meanwhile.
    fn queue_copies(&self, site: SiteId, image: MediaHash) {
        let publisher = self.clone();
        tokio::spawn(async move {
            let queued = publisher.write(move |tx, now| Ok(copies::queue(tx, site, &[image], now)?));
            if let Err(error) = queued.await {
                tracing::debug!(%error, "image not queued for smaller copies, queued at the next request");
            }
        });
    }

    /// Runs until `stop`; an image that is being processed then returns to the queue.
    pub async fn run_smaller_copies(&self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        loop {
            let woken = self.store.work_queued();
            let wait = match self.write(|tx, now| Ok(copies::claim(tx, now)?)).await {
                Ok(Some(claim)) => {
                    tokio::select! {
                        made = self.make_copies(&claim) => report(&claim, made),
                        () = &mut stop => return self.give_copies_back(claim).await,
                    }
                    continue;
                }
                Ok(None) => CHECK_EVERY,
                Err(error) => {
                    tracing::warn!(%error, "database unavailable, smaller copies of images paused");
                    PAUSE
                }
            };
            tokio::select! {
                _ = timeout(wait, woken) => {},
                () = &mut stop => return,
            }
        }
    }

    async fn give_copies_back(&self, claim: Claim) {
        let given_back = self.write(move |tx, now| Ok(copies::give_back(tx, &claim, now)?));
        if let Err(error) = given_back.await {
            tracing::warn!(%error, "image not returned to the queue, repeated when its lease expires");
        }
    }

    /// Returns how many copies were made; `None`: the image was deleted meanwhile.
    async fn make_copies(&self, claim: &Claim) -> Result<Option<usize>, Error> {
        let directory = Arc::new(self.spool.request_directory()?);
        let source = match self.blob.local_path(&Key::media(claim.source)) {
            Some(path) => path,
            None => self.fetch_to(claim.source, claim.size, "source.webp", directory.clone()).await?,
        };
        let (made, output) = self.shrink(source, directory.path().join("copies")).await?;
        let mut copies = Vec::with_capacity(made.len());
        let mut bytes = Bytes::from(read(output).await?);
        for copy in made {
            let own = bytes.split_to(bytes.len().min(copy.bytes as usize));
            copies.extend(self.store_copy(claim.site, &copy, own).await?);
        }
        let (claim, count) = (claim.clone(), copies.len());
        let finished = self.write(move |tx, now| Ok(copies::finish(tx, &claim, &copies, now)?)).await?;
        Ok(finished.then_some(count))
    }

    /// Runs a child process beside those of the uploads, so that these do not wait for it.
    async fn shrink(&self, input: PathBuf, output: PathBuf) -> Result<(Vec<SmallerCopy>, PathBuf), Error> {
        let pool = self.file_processor.pool();
        let work = spawn_blocking(move || {
            let widths = SMALLER_WIDTHS.map(|width| NonZeroU32::new(width.into()));
            let widths: Vec<NonZeroU32> = widths.into_iter().flatten().collect();
            let job = Job { kind: MediaKind::Image, input, output };
            let made = pool.shrink(&job, &widths).map_err(|failure| Error::Internal(failure.to_string()))?;
            Ok((made, job.output))
        });
        work.await.map_err(|error| Error::Internal(format!("make smaller copies: {error}")))?
    }

    async fn store_copy(
        &self,
        site: SiteId,
        copy: &SmallerCopy,
        bytes: Bytes,
    ) -> Result<Option<Copy>, Error> {
        let (Ok(width), Ok(height)) = (copy.width.try_into(), copy.height.try_into()) else {
            return Ok(None);
        };
        let object = self.begin_object(site).await?;
        let hash = MediaHash::of_digest(blake3::hash(&bytes).as_bytes());
        let size = bytes.len() as u64;
        self.blob.put(&Key::media(object), bytes).await?;
        Ok(Some(Copy { object, size, hash, dimensions: Dimensions { width, height } }))
    }
}

async fn read(path: PathBuf) -> Result<Vec<u8>, Error> {
    let failed = |error: std::io::Error| Error::Internal(format!("read smaller copies: {error}"));
    let read = spawn_blocking(move || std::fs::read(Path::new(&path))).await;
    read.map_err(std::io::Error::other).flatten().map_err(failed)
}

fn report(claim: &Claim, made: Result<Option<usize>, Error>) {
    let Claim { site, hash, attempt, .. } = claim;
    match made {
        Ok(Some(copies)) => tracing::debug!(%site, %hash, copies, "smaller copies of an image made"),
        Ok(None) => {}
        Err(error) => {
            tracing::warn!(%site, %hash, attempt, %error, "smaller copies of an image failed")
        }
    }
}
