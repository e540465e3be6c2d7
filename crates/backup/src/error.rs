//! What can go wrong with a copy.

use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Why nothing was done; the text says what to do.
    #[error("{0}")]
    Refused(String),
    /// Another backup is being made in the same place.
    #[error("{0}")]
    Busy(String),
    /// The backup is not what was written.
    #[error("{0}")]
    Damaged(String),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Objects(#[from] blob::Error),
    #[error("{0}")]
    File(String),
    /// The caller has stopped waiting.
    #[error("stopped")]
    Stopped,
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// For errors of temporary files.
pub(crate) fn of_file(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.display().to_string();
    move |error| Error::File(format!("{path}: {error}"))
}

/// Runs work that blocks, such as reading a database, on a thread for it.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(Error::Stopped),
    }
}
