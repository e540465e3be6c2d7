//! The files of one request: spooled to disk while they arrive, processed by a child process, and stored together with
//! the pages that refer to them, or not at all.
//!
//! A file goes through these types:
//!
//! | type             | state                                                       | bytes                    |
//! | ---------------- | ----------------------------------------------------------- | ------------------------ |
//! | [`IncomingFile`] | arriving; its size is checked                               | spool, growing           |
//! | `ReceivedFile`   | complete, as the client sent it                             | spool                    |
//! | `ProcessingFile` | a task processes it: images to WebP, metadata removed       | spool                    |
//! | `ProcessedFile`  | as it will be stored; its address is known                  | spool, or already stored |
//! | `StoredFiles`    | all files of the request, doomed until a publish keeps them | object store             |
//!
//! [`Uploads`] collects the files while the request arrives, and [`ProcessedFiles`] holds all of them afterwards. Below
//! that, [`SpoolWriter`] writes bytes to the spool, [`SpooledFile`] is the complete result, and [`SpoolReader`] reads
//! it again; the JSON payload of a request and the source of a transcode use these, too.

mod incoming;
mod processed;
mod spool;
mod spooled;
mod stored;

use std::sync::{Arc, Mutex};

use api::MediaItem;
use limits::UploadSlot;
use media::MediaKind;
use model::limits::FILES_PER_REQUEST;
use tempfile::TempDir;
use tokio::task::JoinHandle;

pub use self::incoming::IncomingFile;
pub(crate) use self::processed::{FileProcessor, ProcessedFile};
pub(crate) use self::spool::Spool;
pub use self::spooled::{SpoolReader, SpoolWriter, SpooledFile};
pub(crate) use self::stored::{OBJECT_LEASE, StoredFiles};
use crate::limits::open_bytes::{self, HeldBytes};
use crate::{Caller, Error, Publisher};

/// A file with more bytes than this is a large one.
pub(crate) const LARGE_FILE_BYTES: u64 = 10 << 20;

pub struct Uploads {
    publisher: Publisher,
    caller: Caller,
    /// Deleted with everything in it once the request is answered and no task writes there any more.
    directory: Arc<TempDir>,
    /// The bytes in it, counted against the account's limit.
    held: Arc<Mutex<HeldBytes>>,
    files: Vec<ProcessingFile>,
}

/// A file that has arrived and is being processed.
struct ProcessingFile {
    name: String,
    work: JoinHandle<Result<ProcessedFile, Error>>,
    /// Held until the file is stored.
    slot: Option<UploadSlot>,
}

impl Uploads {
    pub fn new(publisher: &Publisher, caller: &Caller) -> Result<Uploads, Error> {
        publisher.disks.check()?;
        let directory = Arc::new(publisher.spool.request_directory()?);
        let most = open_bytes::limit(publisher.settings.file_size(&caller.plan).0);
        let held = Arc::new(Mutex::new(HeldBytes::new(&publisher.open_bytes, caller.account, most)));
        let (publisher, caller) = (publisher.clone(), caller.clone());
        Ok(Uploads { publisher, caller, directory, held, files: Vec::new() })
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// A file begins to arrive. According to the request's headers it has `at_least` this many bytes.
    pub async fn begin(&self, name: String, at_least: u64) -> Result<IncomingFile, Error> {
        if self.files.len() == FILES_PER_REQUEST {
            return Err(malformed(format!("a request may carry at most {FILES_PER_REQUEST} files")));
        }
        if self.files.iter().any(|file| file.name == name) {
            return Err(malformed(format!("two files are called {name:?}; give each its own name")));
        }
        let Some(kind) = MediaKind::of(&name) else {
            return Err(malformed(format!("{name:?} is of no supported type; /docs lists them")));
        };
        let limit = self.publisher.settings.file_size(&self.caller.plan);
        let spooling =
            SpoolWriter::new(self.directory.clone(), &self.files.len().to_string(), Some(self.held.clone()));
        IncomingFile::new(&self.publisher, self.caller.account, limit, (name, kind), spooling, at_least).await
    }

    /// Spools the JSON payload, which has to wait for the files.
    pub fn begin_payload(&self) -> SpoolWriter {
        SpoolWriter::new(self.directory.clone(), "payload", Some(self.held.clone()))
    }

    /// The file is complete; it is processed while others arrive.
    pub async fn add(&mut self, incoming: IncomingFile) -> Result<(), Error> {
        let (received, slot) = incoming.finish().await?;
        let name = received.name.clone();
        let work = tokio::spawn(processed::process(self.publisher.clone(), received, self.directory.clone()));
        self.files.push(ProcessingFile { name, work, slot });
        Ok(())
    }

    /// Waits until all files are processed. A refused file does not end the request yet: errors of its pages are
    /// reported first.
    pub async fn finish(self) -> Result<ProcessedFiles, Error> {
        let mut files = ProcessedFiles {
            processed: Vec::new(),
            refused: Vec::new(),
            _directory: self.directory,
            _held: self.held,
            _slots: Vec::new(),
        };
        for ProcessingFile { name, work, slot } in self.files {
            let processed =
                work.await.map_err(|error| Error::Internal(format!("process an upload: {error}")))?;
            match processed {
                Ok(file) => files.processed.push((name, file)),
                Err(Error::Malformed(message)) => files.refused.push((name, message)),
                Err(error) => return Err(error),
            }
            files._slots.extend(slot);
        }
        Ok(files)
    }
}

/// The files of a request as they will be stored; in the spool until this is dropped.
pub struct ProcessedFiles {
    pub(crate) processed: Vec<(String, ProcessedFile)>,
    /// Names of the files that cannot be stored, and why.
    refused: Vec<(String, String)>,
    _directory: Arc<TempDir>,
    _held: Arc<Mutex<HeldBytes>>,
    _slots: Vec<UploadSlot>,
}

impl ProcessedFiles {
    /// The address that a file will have. For a refused file it is empty: a reference to it is not an error.
    pub(crate) fn url(&self, name: &str) -> Option<String> {
        let processed = self.processed.iter().find(|(processed, _)| processed == name);
        let url = processed.map(|(_, file)| file.url.to_string());
        url.or_else(|| self.refused.iter().any(|(refused, _)| refused == name).then(String::new))
    }

    /// The files as the response lists them.
    pub(crate) fn items(&self) -> Vec<MediaItem> {
        let item = |(name, file): &(String, ProcessedFile)| MediaItem {
            filename: name.clone(),
            url: file.url.to_string(),
        };
        self.processed.iter().map(item).collect()
    }

    pub(crate) fn refusal(&self) -> Option<Error> {
        self.refused.first().map(|(name, message)| malformed(format!("{name:?}: {message}")))
    }
}

fn malformed(message: impl Into<String>) -> Error {
    Error::Malformed(message.into())
}
