//! Operations on a local object directory: files on the same disk are moved into it without copying.

use std::fs::{DirBuilder, File, rename};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Only accessible by its owner.
pub(crate) fn make_private(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Moves a file into the store and returns its size. The file is on disk when this returns.
pub(crate) fn move_in(source: &Path, target: &Path) -> Result<u64> {
    let file = File::open(source)?;
    file.sync_all()?;
    let parent = target.parent().ok_or(ErrorKind::InvalidInput)?;
    make_directory(parent)?;
    rename(source, target)?;
    sync(parent)?;
    Ok(file.metadata()?.len())
}

/// Creates a directory and its missing parents, and syncs each parent: otherwise the directory could be lost.
fn make_directory(path: &Path) -> Result<()> {
    let above = path.parent().ok_or(ErrorKind::InvalidInput)?;
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => sync(above),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_directory(above)?;
            make_directory(path)
        }
        Err(error) => Err(error),
    }
}

fn sync(directory: &Path) -> Result<()> {
    File::open(directory)?.sync_all()
}
