//! Transcodes each uploaded MOV to an MP4, one after the other. The queue is in the database: a transcode that was
//! running when the server stopped is repeated.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use blob::Key;
use futures_util::StreamExt;
use media::{Ffmpeg, TranscodeError};
use model::ObjectId;
use store::building::Worker;
use store::transcodes::{self, Claim};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

use crate::media::uploads::SpoolWriter;
use crate::{Error, Publisher};

const HEARTBEAT: Duration = Duration::from_secs(5);
/// How often the queue is checked without a notification, which may be lost.
const CHECK_EVERY: Duration = Duration::from_secs(30);

/// The result of an attempt.
enum Outcome {
    Made,
    /// The MOV cannot be transcoded, or ffmpeg failed.
    Failed(String),
    /// The medium was deleted, or another worker has the claim.
    ClaimLost,
}

impl Publisher {
    /// Runs until `stop`; a running transcode then returns to the queue. Without ffmpeg, MOVs wait.
    pub async fn run_transcodes(&self, stop: impl Future<Output = ()>) {
        let Some(ffmpeg) = &self.settings.uploads.ffmpeg else {
            return tracing::warn!(
                "ffmpeg not found, transcodes off: uploaded .mov files are served without an .mp4 twin"
            );
        };
        let (worker, mut stop) = (Worker(Uuid::new_v4()), pin!(stop));
        loop {
            let woken = self.store.work_queued();
            let claimed = self.claim_transcode(worker).await;
            let wait = match claimed {
                Ok(Some(claim)) => {
                    let done = tokio::select! {
                        done = self.run_claimed_transcode(ffmpeg, &claim) => done,
                        () = &mut stop => return self.give_transcode_back(claim).await,
                    };
                    let Err(error) = done else { continue };
                    tracing::warn!(%error, "transcode interrupted, repeated after a pause");
                    self.give_transcode_back(claim).await;
                    HEARTBEAT
                }
                Ok(None) => CHECK_EVERY,
                Err(error) => {
                    tracing::warn!(%error, "database unavailable, transcodes paused");
                    HEARTBEAT
                }
            };
            tokio::select! {
                _ = timeout(wait, woken) => {},
                () = &mut stop => return,
            }
        }
    }

    async fn claim_transcode(&self, worker: Worker) -> Result<Option<Claim>, Error> {
        self.write(move |tx, now| Ok(transcodes::claim(tx, worker, now)?)).await
    }

    async fn give_transcode_back(&self, claim: Claim) {
        let given_back = self.write(move |tx, now| Ok(transcodes::give_back(tx, &claim, now)?));
        if let Err(error) = given_back.await {
            tracing::warn!(%error, "transcode not returned to the queue, repeated when its lease expires");
        }
    }

    async fn run_claimed_transcode(&self, ffmpeg: &Ffmpeg, claim: &Claim) -> Result<(), Error> {
        match self.transcode(ffmpeg, claim).await? {
            Outcome::Made => {
                tracing::info!(site = %claim.site, hash = %claim.hash, "transcoded .mov to .mp4")
            }
            Outcome::ClaimLost => {}
            Outcome::Failed(message) => {
                let attempt = claim.attempt;
                tracing::warn!(site = %claim.site, hash = %claim.hash, attempt, message, "transcode of .mov failed");
                let claim = claim.clone();
                self.write(move |tx, now| Ok(transcodes::fail(tx, &claim, &message, now)?)).await?;
            }
        }
        Ok(())
    }

    async fn transcode(&self, ffmpeg: &Ffmpeg, claim: &Claim) -> Result<Outcome, Error> {
        let directory = Arc::new(self.spool.request_directory()?);
        let source = match self.blob.local_path(&Key::media(claim.source)) {
            Some(path) => path,
            None => self.fetch_to(claim.source, claim.size, "source.mov", directory.clone()).await?,
        };
        let made = directory.path().join("made.mp4");
        let Some(result) = self.run_ffmpeg(ffmpeg, claim, &source, &made).await? else {
            return Ok(Outcome::ClaimLost);
        };
        match result {
            Ok(()) => self.keep_twin(claim, &made).await,
            Err(TranscodeError::Unconvertible(message)) => Ok(Outcome::Failed(message)),
            Err(TranscodeError::Interrupted) => Ok(Outcome::ClaimLost),
            Err(TranscodeError::NoSandbox(message) | TranscodeError::Internal(message)) => {
                Err(Error::Internal(message))
            }
        }
    }

    /// Runs ffmpeg, and stores its progress in the database. `None`: the claim is lost.
    async fn run_ffmpeg(
        &self,
        ffmpeg: &Ffmpeg,
        claim: &Claim,
        source: &Path,
        made: &Path,
    ) -> Result<Option<Result<(), TranscodeError>>, Error> {
        let (percent, stop) = (Arc::new(AtomicU8::new(0)), StopOnDrop::default());
        let (ffmpeg, source, made) = (ffmpeg.clone(), source.to_owned(), made.to_owned());
        let (progress, stopped) = (percent.clone(), stop.0.clone());
        let mut work = spawn_blocking(move || {
            ffmpeg.to_mp4(&source, &made, &mut |done| {
                progress.store((done * 100.0).clamp(0.0, 100.0) as u8, Ordering::Relaxed);
                !stopped.load(Ordering::Relaxed)
            })
        });
        loop {
            if let Ok(done) = timeout(HEARTBEAT, &mut work).await {
                return Ok(Some(done.map_err(|error| Error::Internal(format!("run ffmpeg: {error}")))?));
            }
            let (claim, percent) = (claim.clone(), percent.load(Ordering::Relaxed));
            let beat = self.write(move |tx, now| Ok(transcodes::heartbeat(tx, &claim, percent, now)?));
            if !beat.await? {
                return Ok(None);
            }
        }
    }

    async fn keep_twin(&self, claim: &Claim, made: &Path) -> Result<Outcome, Error> {
        let twin = self.begin_object(claim.site).await?;
        let size = self.blob.put_file(&Key::media(twin), made).await?;
        let claim = claim.clone();
        let finish = self.write(move |tx, now| Ok(transcodes::finish(tx, &claim, twin, size, now)?));
        Ok(if finish.await? { Outcome::Made } else { Outcome::ClaimLost })
    }

    /// Copies an object to a file, for a program that needs one.
    pub(crate) async fn fetch_to(
        &self,
        object: ObjectId,
        size: u64,
        name: &str,
        directory: Arc<TempDir>,
    ) -> Result<PathBuf, Error> {
        let mut spooling = SpoolWriter::new(directory, name, None);
        let mut bytes = pin!(self.blob.read_stream(&Key::media(object), 0..size).await?);
        while let Some(piece) = bytes.next().await {
            spooling.write(piece?).await?;
        }
        Ok(spooling.finish().await?.path)
    }
}

/// Ends ffmpeg when its result is not needed any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
