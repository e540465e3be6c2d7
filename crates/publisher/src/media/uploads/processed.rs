//! Processes a received file: a child process opens it if its kind requires that, and the hash of the result becomes
//! its address.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use media::{Failure, Job, MediaKind, Program, WorkerPool, WorkerPoolSettings};
use model::{Dimensions, MediaHash, MediaUrl};
use store::media::Known;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use super::incoming::ReceivedFile;
use super::spooled::SpooledFile;
use crate::limits::turns::Turns;
use crate::{Error, Publisher, UploadSettings};

/// Limits for one file: enough to encode 100 megapixels.
const MEMORY: u64 = 3 << 30;
const CPU_SECONDS: u64 = 120;
const WALL_SECONDS: u64 = 300;

/// Processes files, a few at a time and by turns of their accounts; the others wait without holding a thread.
pub(crate) struct FileProcessor {
    program: Program,
    settings: WorkerPoolSettings,
    turns: Arc<Turns>,
    pool: OnceLock<Arc<WorkerPool>>,
}

impl FileProcessor {
    pub(crate) fn new(settings: &UploadSettings) -> FileProcessor {
        let pool = WorkerPoolSettings {
            children: settings.workers,
            memory: MEMORY,
            cpu_seconds: CPU_SECONDS,
            wall_seconds: WALL_SECONDS,
        };
        FileProcessor {
            program: settings.worker.clone(),
            settings: pool,
            turns: Turns::new(settings.workers),
            pool: OnceLock::new(),
        }
    }

    /// Starts the child processes at the first call.
    pub(crate) fn pool(&self) -> Arc<WorkerPool> {
        let open = || Arc::new(WorkerPool::new(self.program.clone(), self.settings));
        self.pool.get_or_init(open).clone()
    }
}

impl Publisher {
    /// Starts the child processes that open files, so that the first upload need not wait for them.
    pub fn start_upload_workers(&self) {
        self.file_processor.pool();
    }
}

/// To be raised when processing changes: files that were processed the old way are then processed again.
const RECIPE: u8 = 1;

/// A file as it will be stored.
pub(crate) struct ProcessedFile {
    pub(crate) size: u64,
    pub(crate) url: MediaUrl,
    pub(crate) bytes: ProcessedBytes,
}

/// Where the processed bytes are.
pub(crate) enum ProcessedBytes {
    /// In the spool; `source` identifies what they were made of, for files that are processed at all.
    New { path: PathBuf, source: Option<MediaHash> },
    /// One of the account's sites has them. If the request's site does not, the file has to be processed after all.
    Known(ReceivedFile),
}

/// A refused file is [`Error::Malformed`] with a message that says what is wrong with it. The directory is kept until
/// the end of this work, even if the request is interrupted.
pub(super) async fn process(
    publisher: Publisher,
    received: ReceivedFile,
    _directory: Arc<TempDir>,
) -> Result<ProcessedFile, Error> {
    if received.kind == MediaKind::Kept {
        let SpooledFile { path, size, hash } = received.spooled;
        let name = media::stored_name(&received.name, received.kind);
        let bytes = ProcessedBytes::New { path, source: None };
        return Ok(ProcessedFile { size, url: MediaUrl { hash, dimensions: None, name }, bytes });
    }
    let (account, source) = (received.account, received.source());
    let known = publisher.read(move |tx| Ok(store::media::made_of(tx, account, source)?)).await?;
    match known {
        Some(Known { hash, size, dimensions }) => {
            let name = media::stored_name(&received.name, received.kind);
            Ok(ProcessedFile {
                size,
                url: MediaUrl { hash, dimensions, name },
                bytes: ProcessedBytes::Known(received),
            })
        }
        None => received.process_in_worker(&publisher).await,
    }
}

impl ReceivedFile {
    /// Identifies the received bytes and how they are processed.
    pub(super) fn source(&self) -> MediaHash {
        let recipe = format!("{RECIPE} {:?} {}", self.kind, self.spooled.hash);
        MediaHash::of_digest(blake3::hash(recipe.as_bytes()).as_bytes())
    }

    /// Has a child process open the file, when it is the account's turn.
    pub(super) async fn process_in_worker(&self, publisher: &Publisher) -> Result<ProcessedFile, Error> {
        let turn = publisher.file_processor.turns.take(self.account).await;
        let pool = publisher.file_processor.pool();
        let (kind, name, source) = (self.kind, media::stored_name(&self.name, self.kind), self.source());
        let input = self.spooled.path.clone();
        let work = spawn_blocking(move || {
            let _turn = turn;
            // A video is cleaned in place: it may have ten gigabytes.
            let output = if let MediaKind::Video(_) = kind {
                input.clone()
            } else {
                input.with_extension("processed")
            };
            let job = Job { kind, input, output: output.clone() };
            let done = pool.process(&job).map_err(|failure| match failure {
                Failure::Refused(message) => Error::Malformed(message),
                failure @ (Failure::NoSandbox(_) | Failure::Internal(_)) => {
                    Error::Internal(failure.to_string())
                }
            })?;
            let (hash, size) = hash_of(&output)
                .map_err(|error| Error::Internal(format!("read the result of a media worker: {error}")))?;
            // Only the addresses of images contain a size.
            let shown = done.dimensions.filter(|_| kind == MediaKind::Image);
            let dimensions = shown.and_then(|(width, height)| {
                Some(Dimensions { width: width.try_into().ok()?, height: height.try_into().ok()? })
            });
            let bytes = ProcessedBytes::New { path: output, source: Some(source) };
            Ok(ProcessedFile { size, url: MediaUrl { hash, dimensions, name }, bytes })
        });
        work.await.map_err(|error| Error::Internal(format!("process an upload: {error}")))?
    }
}

fn hash_of(path: &std::path::Path) -> std::io::Result<(MediaHash, u64)> {
    let file = std::fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok((MediaHash::of_digest(hasher.finalize().as_bytes()), size))
}
