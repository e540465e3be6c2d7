//! From what was sent to what is stored: a process of its own opens what has to be opened, and the result gets its
//! address.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use media::{Failure, Job, Kind, Program, Workshop, WorkshopSettings};
use model::{Dimensions, MediaHash, MediaUrl};
use store::media::Known;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::incoming::Sent;
use super::spooled::Spooled;
use crate::turns::Turns;
use crate::{Error, Publisher, UploadSettings};

/// For one file: 100 megapixels, and what it takes to encode them.
const MEMORY: u64 = 3 << 30;
const CPU_SECONDS: u64 = 120;
const WALL_SECONDS: u64 = 300;

/// Where files are made ready, a few at a time and by turns of their accounts; the others wait without holding a
/// thread.
pub(crate) struct Workplaces {
    program: Program,
    settings: WorkshopSettings,
    turns: Arc<Turns>,
    workshop: OnceLock<Arc<Workshop>>,
}

impl Workplaces {
    pub(crate) fn new(settings: &UploadSettings) -> Workplaces {
        let workshop = WorkshopSettings {
            children: settings.workers,
            memory: MEMORY,
            cpu_seconds: CPU_SECONDS,
            wall_seconds: WALL_SECONDS,
        };
        Workplaces {
            program: settings.worker.clone(),
            settings: workshop,
            turns: Turns::new(settings.workers),
            workshop: OnceLock::new(),
        }
    }

    /// Its processes are started when it is first asked for.
    fn workshop(&self) -> Arc<Workshop> {
        let open = || Arc::new(Workshop::new(self.program.clone(), self.settings));
        self.workshop.get_or_init(open).clone()
    }
}

impl Publisher {
    /// Starts the processes that open files, so that the first upload need not wait for them.
    pub fn expect_uploads(&self) {
        self.workplaces.workshop();
    }
}

/// Raise it when the same file becomes other bytes than before: what was made the old way is then made once more.
const RECIPE: u8 = 1;

/// A file as it will be stored.
pub(crate) struct Ready {
    pub(crate) size: u64,
    pub(crate) url: MediaUrl,
    pub(crate) bytes: Bytes,
}

/// Where the bytes of a file are.
pub(crate) enum Bytes {
    /// As they will be stored, and what they were made of.
    Made { path: PathBuf, source: Option<MediaHash> },
    /// One of the account's sites has them. Should the site of the request not, they have to be made after all.
    Known(Sent),
}

/// What is refused is [`Error::Malformed`]: the message says what is wrong with the file. The room stays as long as
/// somebody works in it, though its request may have been broken off.
pub(super) async fn make_ready(
    publisher: Publisher,
    sent: Sent,
    _room: Arc<TempDir>,
) -> Result<Ready, Error> {
    if sent.kind == Kind::Kept {
        let Spooled { path, size, hash } = sent.spooled;
        let name = media::stored_name(&sent.name, sent.kind);
        let bytes = Bytes::Made { path, source: None };
        return Ok(Ready { size, url: MediaUrl { hash, dimensions: None, name }, bytes });
    }
    let (account, source) = (sent.account, sent.source());
    let known =
        publisher.store.read(move |tx| Ok::<_, Error>(store::media::made_of(tx, account, source)?)).await?;
    match known {
        Some(Known { hash, size, dimensions }) => {
            let name = media::stored_name(&sent.name, sent.kind);
            Ok(Ready { size, url: MediaUrl { hash, dimensions, name }, bytes: Bytes::Known(sent) })
        }
        None => sent.make(&publisher).await,
    }
}

impl Sent {
    /// Stands for the bytes as they were sent and for how they are processed.
    pub(super) fn source(&self) -> MediaHash {
        let recipe = format!("{RECIPE} {:?} {}", self.kind, self.spooled.hash);
        MediaHash::of_digest(blake3::hash(recipe.as_bytes()).as_bytes())
    }

    /// Has a process of its own open the file, when it is the account's turn.
    pub(super) async fn make(&self, publisher: &Publisher) -> Result<Ready, Error> {
        let turn = publisher.workplaces.turns.take(self.account).await;
        let workshop = publisher.workplaces.workshop();
        let (kind, name, source) = (self.kind, media::stored_name(&self.name, self.kind), self.source());
        let input = self.spooled.path.clone();
        let work = spawn_blocking(move || {
            let _turn = turn;
            // A video is cleaned where it lies: it may have ten gigabytes.
            let output =
                if let Kind::Video(_) = kind { input.clone() } else { input.with_extension("ready") };
            let job = Job { kind, input, output: output.clone() };
            let done = workshop.process(&job).map_err(|failure| match failure {
                Failure::Refused(message) => Error::Malformed(message),
                failure @ (Failure::NoSandbox(_) | Failure::Internal(_)) => {
                    Error::Internal(failure.to_string())
                }
            })?;
            let (hash, size) = hash_of(&output)
                .map_err(|error| Error::Internal(format!("read what a worker made: {error}")))?;
            // Only images are shown at a size that their address tells.
            let shown = done.dimensions.filter(|_| kind == Kind::Image);
            let dimensions = shown.and_then(|(width, height)| {
                Some(Dimensions { width: width.try_into().ok()?, height: height.try_into().ok()? })
            });
            let bytes = Bytes::Made { path: output, source: Some(source) };
            Ok(Ready { size, url: MediaUrl { hash, dimensions, name }, bytes })
        });
        work.await.map_err(|error| Error::Internal(format!("make a file ready: {error}")))?
    }
}

fn hash_of(path: &std::path::Path) -> std::io::Result<(MediaHash, u64)> {
    let file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok((MediaHash::of_digest(hasher.finalize().as_bytes()), size))
}
