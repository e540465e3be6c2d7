//! An MP4 is made of each uploaded MOV, one after the other. The queue is in the database: what was begun when the
//! server stopped is begun again.

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
use store::{Tx, objects};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

use crate::uploads::Spooling;
use crate::{Error, Publisher};

const HEARTBEAT: Duration = Duration::from_secs(5);
/// Another server may have queued one.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// What an attempt came to.
enum Outcome {
    Made,
    /// The MOV's fault, or ffmpeg's.
    Failed(String),
    /// The medium was deleted, or another worker has it.
    NotOurs,
}

impl Publisher {
    /// Works until `stop`; what is being made then goes back into the queue. Without ffmpeg, MOVs wait.
    pub async fn run_transcodes(&self, stop: impl Future<Output = ()>) {
        let Some(ffmpeg) = &self.settings.uploads.ffmpeg else {
            return tracing::warn!(
                "there is no ffmpeg: uploaded .mov files are served, but get no .mp4 twin"
            );
        };
        let (worker, mut stop) = (Worker(Uuid::new_v4()), pin!(stop));
        loop {
            let claimed = self.claim_transcode(worker).await;
            let wait = match claimed {
                Ok(Some(claim)) => {
                    let done = tokio::select! {
                        done = self.run_claimed_transcode(ffmpeg, &claim) => done,
                        () = &mut stop => return self.give_transcode_back(claim).await,
                    };
                    let Err(error) = done else { continue };
                    tracing::warn!(%error, "a transcode was broken off and is tried again");
                    self.give_transcode_back(claim).await;
                    HEARTBEAT
                }
                Ok(None) => LOOK_EVERY,
                Err(error) => {
                    tracing::warn!(%error, "transcodes wait for the database");
                    HEARTBEAT
                }
            };
            tokio::select! {
                _ = timeout(wait, self.transcodes_queued.notified()) => {},
                () = &mut stop => return,
            }
        }
    }

    async fn claim_transcode(&self, worker: Worker) -> Result<Option<Claim>, Error> {
        let clock = self.clock.clone();
        self.store.write(move |tx| Ok(transcodes::claim(tx, worker, clock.now())?)).await
    }

    async fn give_transcode_back(&self, claim: Claim) {
        let clock = self.clock.clone();
        let given_back =
            self.store.write(move |tx| Ok::<_, Error>(transcodes::give_back(tx, &claim, clock.now())?));
        if let Err(error) = given_back.await {
            tracing::warn!(%error, "a transcode is taken up again when its lease is over");
        }
    }

    async fn run_claimed_transcode(&self, ffmpeg: &Ffmpeg, claim: &Claim) -> Result<(), Error> {
        match self.transcode(ffmpeg, claim).await? {
            Outcome::Made => {
                tracing::info!(site = %claim.site, hash = %claim.hash, "an .mp4 was made of a .mov")
            }
            Outcome::NotOurs => {}
            Outcome::Failed(message) => {
                let attempt = claim.attempt;
                tracing::warn!(site = %claim.site, hash = %claim.hash, attempt, message, "a .mov could not be transcoded");
                let (claim, clock) = (claim.clone(), self.clock.clone());
                let fail =
                    move |tx: &mut Tx| Ok::<_, Error>(transcodes::fail(tx, &claim, &message, clock.now())?);
                self.store.write(fail).await?;
            }
        }
        Ok(())
    }

    async fn transcode(&self, ffmpeg: &Ffmpeg, claim: &Claim) -> Result<Outcome, Error> {
        let room = Arc::new(self.spool.room()?);
        let source = match self.blob.local_path(&Key::media(claim.source)) {
            Some(path) => path,
            None => self.fetch_to(claim, room.clone()).await?,
        };
        let made = room.path().join("made.mp4");
        let Some(result) = self.run_ffmpeg(ffmpeg, claim, &source, &made).await? else {
            return Ok(Outcome::NotOurs);
        };
        match result {
            Ok(()) => self.keep_twin(claim, &made).await,
            Err(TranscodeError::Cannot(message)) => Ok(Outcome::Failed(message)),
            Err(TranscodeError::Interrupted) => Ok(Outcome::NotOurs),
            Err(TranscodeError::NoSandbox(message) | TranscodeError::Internal(message)) => {
                Err(Error::Internal(message))
            }
        }
    }

    /// Runs ffmpeg, and tells the database how far it is. `None`: the claim is no longer ours.
    async fn run_ffmpeg(
        &self,
        ffmpeg: &Ffmpeg,
        claim: &Claim,
        source: &Path,
        made: &Path,
    ) -> Result<Option<Result<(), TranscodeError>>, Error> {
        let (percent, stop) = (Arc::new(AtomicU8::new(0)), StopOnDrop::default());
        let (ffmpeg, source, made) = (ffmpeg.clone(), source.to_owned(), made.to_owned());
        let (told, stopped) = (percent.clone(), stop.0.clone());
        let mut work = spawn_blocking(move || {
            ffmpeg.to_mp4(&source, &made, &mut |done| {
                told.store((done * 100.0).clamp(0.0, 100.0) as u8, Ordering::Relaxed);
                !stopped.load(Ordering::Relaxed)
            })
        });
        loop {
            if let Ok(done) = timeout(HEARTBEAT, &mut work).await {
                return Ok(Some(done.map_err(|error| Error::Internal(format!("run ffmpeg: {error}")))?));
            }
            let (claim, clock, percent) =
                (claim.clone(), self.clock.clone(), percent.load(Ordering::Relaxed));
            let beat =
                move |tx: &mut Tx| Ok::<_, Error>(transcodes::heartbeat(tx, &claim, percent, clock.now())?);
            if !self.store.write(beat).await? {
                return Ok(None);
            }
        }
    }

    async fn keep_twin(&self, claim: &Claim, made: &Path) -> Result<Outcome, Error> {
        let (site, clock) = (claim.site, self.clock.clone());
        let begun = self.store.write(move |tx| {
            let id = ObjectId::new(clock.now());
            let lease = tx.lease_now(clock.now())?.plus(crate::uploads::OBJECT_LEASE);
            objects::begin(tx, id, site, lease)?;
            Ok::<_, Error>(id)
        });
        let twin = begun.await?;
        let size = self.blob.put_file(&Key::media(twin), made).await?;
        let (claim, clock) = (claim.clone(), self.clock.clone());
        let finish =
            move |tx: &mut Tx| Ok::<_, Error>(transcodes::finish(tx, &claim, twin, size, clock.now())?);
        Ok(if self.store.write(finish).await? { Outcome::Made } else { Outcome::NotOurs })
    }

    /// ffmpeg reads files only.
    async fn fetch_to(&self, claim: &Claim, room: Arc<TempDir>) -> Result<PathBuf, Error> {
        let mut spooling = Spooling::new(room, "source.mov", None);
        let mut bytes = pin!(self.blob.read_stream(&Key::media(claim.source), 0..claim.size).await?);
        while let Some(piece) = bytes.next().await {
            spooling.write(piece?).await?;
        }
        Ok(spooling.finish().await?.path)
    }
}

/// Ends ffmpeg when nobody waits for it any more.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
