//! What a directory of objects does by itself: it takes files that lie on the same disk without copying them.

use std::fs::{DirBuilder, File, rename};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Only its owner may look inside.
pub(crate) fn make_private(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Moves a file to its place; it is on disk there before this answers. Tells its size.
pub(crate) fn take(source: &Path, target: &Path) -> Result<u64> {
    let file = File::open(source)?;
    file.sync_all()?;
    let parent = target.parent().ok_or(ErrorKind::InvalidInput)?;
    make_directory(parent)?;
    rename(source, target)?;
    sync(parent)?;
    Ok(file.metadata()?.len())
}

/// With those above it that are missing. A directory stays only once the one above it is on disk.
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
