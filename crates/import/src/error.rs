//! Why a source cannot be imported.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is not empty; an import never overwrites files: name a new folder", .0.display())]
    NotEmpty(PathBuf),
    #[error("{}: {reason}", .path.display())]
    Source { path: PathBuf, reason: String },
    #[error("the source cannot be read, so nothing was written:{}", lines(.0))]
    Invalid(Vec<Fault>),
    #[error("{action} {}: {error}", .path.display())]
    Io { action: &'static str, path: PathBuf, error: io::Error },
}

/// Something invalid in a file of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl Error {
    pub(crate) fn source(path: &Path, reason: impl Into<String>) -> Error {
        Error::Source { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |error| Error::Io { action, path: path.to_owned(), error }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::Invalid(vec![fault])
    }
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("\n  {fault}")).collect()
}
