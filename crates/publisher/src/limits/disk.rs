//! Checks the free space of the disks that the server writes to. Below a watermark writes are refused, so that stored
//! data can still be read and deleted. If other programs fill the disk completely, a reserve file is deleted.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::ByteSize;
use rustix::fs::{FallocateFlags, fallocate, statvfs};

use crate::Error;

/// The default of the space that must remain free: the larger of 1 GB and 2 %.
const MIN_FREE: u64 = 1 << 30;
const MIN_FREE_SHARE: u64 = 50;
/// A measurement is valid for this long.
const FRESH: Duration = Duration::from_millis(500);
/// Enough for the log of some thousand deletions.
const RESERVE: u64 = 64 << 20;

/// A disk and its free space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskState {
    pub path: PathBuf,
    pub free: ByteSize,
    /// The watermark.
    pub min_free: ByteSize,
}

impl DiskState {
    pub fn is_low(&self) -> bool {
        self.free < self.min_free
    }
}

pub(crate) struct Disks {
    directories: Vec<PathBuf>,
    min_free: Option<u64>,
    lowest: Mutex<Option<(Instant, Option<DiskState>)>>,
}

impl Disks {
    pub(crate) fn new(directories: Vec<PathBuf>, min_free: Option<ByteSize>) -> Disks {
        Disks { directories, min_free: min_free.map(|size| size.0), lowest: Mutex::default() }
    }

    /// Refuses to write when a disk is nearly full.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.lowest() {
            Some(_) => Err(Error::DiskFull),
            None => Ok(()),
        }
    }

    /// A disk that is nearly full, if there is one.
    pub(crate) fn lowest(&self) -> Option<DiskState> {
        let mut known = self.lowest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((at, lowest)) if at.elapsed() < FRESH => lowest.clone(),
            _ => {
                let lowest = self.states().into_iter().find(DiskState::is_low);
                log_change(known.as_ref().and_then(|(_, before)| before.as_ref()), lowest.as_ref());
                *known = Some((Instant::now(), lowest.clone()));
                lowest
            }
        }
    }

    pub(crate) fn states(&self) -> Vec<DiskState> {
        self.directories.iter().filter_map(|path| self.state(path)).collect()
    }

    /// `None`: it is unknown, and no write is refused because of that.
    fn state(&self, path: &Path) -> Option<DiskState> {
        // Before the first upload its directory does not exist yet.
        let found = path.ancestors().find_map(|path| statvfs(path).ok())?;
        let (free, all) = (found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize);
        let min_free = self.min_free.unwrap_or_else(|| MIN_FREE.max(all / MIN_FREE_SHARE));
        Some(DiskState { path: path.to_owned(), free: ByteSize(free), min_free: ByteSize(min_free) })
    }

    /// Creates the reserve file when there is plenty of space, and deletes it when there is almost none. It is in the
    /// first directory, that of the database.
    pub(crate) fn keep_reserve(&self) -> io::Result<()> {
        let Some(directory) = self.directories.first() else { return Ok(()) };
        let reserve = directory.join("reserve");
        let Some(state) = self.state(directory) else { return Ok(()) };
        if state.free.0 < RESERVE {
            match fs::remove_file(&reserve) {
                Ok(()) => {
                    tracing::error!(free = %state.free, "disk full, reserve file deleted so that deletions still work")
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        } else if state.free.0 > state.min_free.0.saturating_add(2 * RESERVE) && !reserve.exists() {
            let file = File::create(&reserve)?;
            let made = fallocate(&file, FallocateFlags::empty(), 0, RESERVE);
            // On a file system that cannot reserve space there is no reserve file.
            if made.is_err() {
                fs::remove_file(&reserve)?;
            }
        }
        Ok(())
    }
}

fn log_change(before: Option<&DiskState>, now: Option<&DiskState>) {
    match (before, now) {
        (None, Some(disk)) => {
            let DiskState { path, free, min_free } = disk;
            tracing::error!(path = %path.display(), %free, %min_free, "disk nearly full, writes refused");
        }
        (Some(disk), None) => {
            tracing::info!(path = %disk.path.display(), "disk has enough free space again, writes accepted")
        }
        _ => {}
    }
}

/// The error for a failed write of a file; a full disk is not an internal error.
pub(crate) fn write_error(what: &str, path: &Path, error: &io::Error) -> Error {
    let text = format!("{what} {}: {error}", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            tracing::error!(text, "disk full, upload refused");
            Error::DiskFull
        }
        _ => Error::Internal(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_refused_below_the_watermark() {
        let directory = tempfile::tempdir().unwrap();
        let disks =
            |min_free| Disks::new(vec![directory.path().join("not/yet/there")], Some(ByteSize(min_free)));
        assert!(disks(1).check().is_ok());
        assert!(matches!(disks(u64::MAX).check(), Err(Error::DiskFull)));
        assert!(Disks::new(vec![], None).check().is_ok());
    }

    #[test]
    fn the_reserve_is_created_when_there_is_enough_space() {
        let directory = tempfile::tempdir().unwrap();
        let reserve = directory.path().join("reserve");
        let disks = |min_free| Disks::new(vec![directory.path().to_owned()], Some(ByteSize(min_free)));
        disks(u64::MAX / 2).keep_reserve().unwrap();
        assert!(!reserve.exists(), "there is too little space");
        disks(0).keep_reserve().unwrap();
        assert_eq!(fs::metadata(&reserve).unwrap().len(), RESERVE);
    }
}
