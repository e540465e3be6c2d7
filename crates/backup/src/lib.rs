//! Copies of a whole installation: backups, their restoration, and the move to another database or object store.
//!
//! The rows of one moment go first, then the objects that they name. A backup is complete once its manifest exists,
//! which is written last. Objects are shared by all backups of a place: a backup copies only what is new.
//!
//! To find your way: `lines` (a row as text), `rows_file`, `object_list`, `manifest` and `place` are what a backup consists
//! of; `take` (by `dump` and `gather`), `tidy`, `restore`, `verify`, `migrate` and `schedule` are what is done with it.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod copy;
mod dump;
mod error;
mod gather;
mod lease;
mod lines;
mod losses;
mod manifest;
mod migrate;
mod object_list;
mod place;
mod restore;
mod rows_file;
mod schedule;
mod scratch;
mod take;
mod tidy;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;

use blob::Blob;
use store::Location;

pub use crate::error::Error;
pub use crate::manifest::{Manifest, TableSum};
pub use crate::migrate::{Migrated, migrate};
pub use crate::place::Place;
pub use crate::restore::{Restored, restore};
pub use crate::schedule::{Due, due, installation_id};
pub use crate::take::{BackedUp, back_up};
pub use crate::tidy::Keep;
pub use crate::verify::{Verified, verify};

/// The two parts of an installation, and a directory for temporary files.
#[derive(Clone)]
pub struct Installation {
    pub store: Location,
    pub objects: Blob,
    pub scratch: PathBuf,
}

/// Receives a line about what is being done, many times.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(&str) + Send + Sync>);

impl Progress {
    pub fn new(show: impl Fn(&str) + Send + Sync + 'static) -> Progress {
        Progress(Arc::new(show))
    }

    pub fn none() -> Progress {
        Progress::new(|_| {})
    }

    fn show(&self, text: &str) {
        (self.0)(text);
    }
}
