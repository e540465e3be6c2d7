//! The files of one request: spooled to disk while they arrive, made ready by a process of their own, and stored with
//! the pages that refer to them, or not at all.

mod incoming;
mod large;
mod ready;
mod spool;
mod spooled;
mod stored;

use std::sync::{Arc, Mutex};

use api::MediaItem;
use media::Kind;
use model::limits::FILES_PER_REQUEST;
use tempfile::TempDir;
use tokio::task::JoinHandle;

pub use self::incoming::Incoming;
pub(crate) use self::large::{LargeUploads, Slot};
pub(crate) use self::ready::{Ready, Workplaces};
pub(crate) use self::spool::Spool;
pub use self::spooled::{Reading, Spooled, Spooling};
pub(crate) use self::stored::{OBJECT_LEASE, Stored};
use crate::open_bytes::{self, Held};
use crate::{Caller, Error, Publisher};

/// Over this a file is a large one.
pub(crate) const LARGE: u64 = 10 << 20;

pub struct Uploads {
    publisher: Publisher,
    caller: Caller,
    /// Goes with everything in it when the request is answered, and nobody writes there any more.
    room: Arc<TempDir>,
    /// What lies there.
    held: Arc<Mutex<Held>>,
    files: Vec<Arrived>,
}

/// A file that has arrived and is being made ready.
struct Arrived {
    name: String,
    work: JoinHandle<Result<Ready, Error>>,
    /// A large file is one until it is stored.
    slot: Option<Slot>,
}

impl Uploads {
    pub fn new(publisher: &Publisher, caller: &Caller) -> Result<Uploads, Error> {
        publisher.disks.check()?;
        let room = Arc::new(publisher.spool.room()?);
        let most = open_bytes::most(publisher.settings.file_size(&caller.plan).0);
        let held = Arc::new(Mutex::new(Held::none(&publisher.open_bytes, caller.account, most)));
        let (publisher, caller) = (publisher.clone(), caller.clone());
        Ok(Uploads { publisher, caller, room, held, files: Vec::new() })
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// A file begins to arrive. It has `at_least` so many bytes, as far as the request's headers tell.
    pub fn begin(&self, name: String, at_least: u64) -> Result<Incoming, Error> {
        if self.files.len() == FILES_PER_REQUEST {
            return Err(malformed(format!("a request may carry at most {FILES_PER_REQUEST} files")));
        }
        if self.files.iter().any(|file| file.name == name) {
            return Err(malformed(format!("two files are called {name:?}; give each its own name")));
        }
        let Some(kind) = Kind::of(&name) else {
            return Err(malformed(format!("{name:?} is of no supported type; /docs lists them")));
        };
        let limit = self.publisher.settings.file_size(&self.caller.plan);
        let spooling =
            Spooling::new(self.room.clone(), &self.files.len().to_string(), Some(self.held.clone()));
        Incoming::new(&self.publisher, self.caller.account, limit, (name, kind), spooling, at_least)
    }

    /// What is no file, but has to wait for the files all the same.
    pub fn begin_payload(&self) -> Spooling {
        Spooling::new(self.room.clone(), "payload", Some(self.held.clone()))
    }

    /// The file is complete; it is made ready while others arrive.
    pub async fn add(&mut self, incoming: Incoming) -> Result<(), Error> {
        let (sent, slot) = incoming.finish().await?;
        let name = sent.name.clone();
        let work = tokio::spawn(ready::make_ready(self.publisher.clone(), sent, self.room.clone()));
        self.files.push(Arrived { name, work, slot });
        Ok(())
    }

    /// Waits until all files are ready. One that is refused does not end the request yet: what is wrong with its pages
    /// is told first.
    pub async fn finish(self) -> Result<Files, Error> {
        let mut files = Files {
            ready: Vec::new(),
            refused: Vec::new(),
            _room: self.room,
            _held: self.held,
            _slots: Vec::new(),
        };
        for Arrived { name, work, slot } in self.files {
            let ready = work.await.map_err(|error| Error::Internal(format!("make a file ready: {error}")))?;
            match ready {
                Ok(ready) => files.ready.push((name, ready)),
                Err(Error::Malformed(message)) => files.refused.push((name, message)),
                Err(error) => return Err(error),
            }
            files._slots.extend(slot);
        }
        Ok(files)
    }
}

/// The files of a request as they will be stored; on disk until this is dropped.
pub struct Files {
    pub(crate) ready: Vec<(String, Ready)>,
    /// Those that cannot be stored, and why.
    refused: Vec<(String, String)>,
    _room: Arc<TempDir>,
    _held: Arc<Mutex<Held>>,
    _slots: Vec<Slot>,
}

impl Files {
    /// The address that a file will have. A refused one has none that matters, but a reference to it is not at fault.
    pub(crate) fn url(&self, name: &str) -> Option<String> {
        let ready = self.ready.iter().find(|(ready, _)| ready == name).map(|(_, file)| file.url.to_string());
        ready.or_else(|| self.refused.iter().any(|(refused, _)| refused == name).then(String::new))
    }

    /// What the request is told of them.
    pub(crate) fn items(&self) -> Vec<MediaItem> {
        let item =
            |(name, file): &(String, Ready)| MediaItem { filename: name.clone(), url: file.url.to_string() };
        self.ready.iter().map(item).collect()
    }

    pub(crate) fn refusal(&self) -> Option<Error> {
        self.refused.first().map(|(name, message)| malformed(format!("{name:?}: {message}")))
    }
}

fn malformed(message: impl Into<String>) -> Error {
    Error::Malformed(message.into())
}
