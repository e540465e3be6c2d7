//! The spool: where files wait until they are stored. Each process has a directory, with a subdirectory for each
//! request. The next process to start deletes what a dead process has left behind.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::limits::disk::write_error;

pub(crate) struct Spool {
    /// It contains a directory for each process.
    parent: PathBuf,
    /// Created with the first file; after an error the next file tries again.
    own: Mutex<Option<Own>>,
}

/// Kept locked for as long as the process lives.
struct Own {
    directory: tempfile::TempDir,
    _lock: File,
}

impl Spool {
    /// Creates nothing before the first file comes: a command that spools nothing leaves no directory.
    pub(crate) fn below(parent: &Path) -> Spool {
        Spool { parent: parent.to_owned(), own: Mutex::default() }
    }

    /// A directory for the files of one request; deleted when dropped.
    pub(crate) fn request_directory(&self) -> Result<tempfile::TempDir, Error> {
        self.try_request_directory()
            .map_err(|error| write_error("create a directory in", &self.parent, &error))
    }

    fn try_request_directory(&self) -> io::Result<tempfile::TempDir> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let own = match own.take() {
            Some(open) => own.insert(open),
            None => own.insert(self.open()?),
        };
        tempfile::tempdir_in(own.directory.path())
    }

    fn open(&self) -> io::Result<Own> {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.parent)?;
        self.sweep()?;
        let directory = tempfile::tempdir_in(&self.parent)?;
        let lock = File::create(lock_of(directory.path()))?;
        lock.lock()?;
        Ok(Own { directory, _lock: lock })
    }

    /// Deletes the directories of dead processes. A directory without a lock file is just being created.
    pub(crate) fn sweep(&self) -> io::Result<()> {
        let entries = match fs::read_dir(&self.parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let Ok(lock) = File::open(lock_of(&path)) else { continue };
            match lock.try_lock() {
                Ok(()) => fs::remove_dir_all(&path)?,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

fn lock_of(directory: &Path) -> PathBuf {
    directory.join("lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(directory: &Path) -> usize {
        fs::read_dir(directory).unwrap().count()
    }

    #[test]
    fn a_directory_is_deleted_with_its_request() {
        let parent = tempfile::tempdir().unwrap();
        let spool = Spool::below(&parent.path().join("uploads"));
        let directory = spool.request_directory().unwrap();
        fs::write(directory.path().join("0"), "bytes").unwrap();
        let path = directory.path().to_owned();
        drop(directory);
        assert!(!path.exists());
        drop(spool);
        assert_eq!(count(&parent.path().join("uploads")), 0);
    }

    #[test]
    fn creating_the_directory_is_tried_again_after_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let in_the_way = directory.path().join("uploads");
        fs::write(&in_the_way, "no directory").unwrap();
        let spool = Spool::below(&in_the_way);
        assert!(spool.request_directory().is_err());
        fs::remove_file(&in_the_way).unwrap();
        assert!(spool.request_directory().is_ok());
    }

    #[test]
    fn files_of_a_dead_process_are_swept_and_those_of_a_living_one_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let (dead, living) = (Spool::below(directory.path()), Spool::below(directory.path()));
        let left = dead.request_directory().unwrap().keep();
        fs::write(left.join("0"), "bytes").unwrap();
        // As when a process is killed: nothing is cleaned up, but the lock is released.
        let Some(Own { directory: own, _lock }) = dead.own.into_inner().unwrap() else {
            panic!("it is open")
        };
        let own = own.keep();
        drop(_lock);

        let _directory = living.request_directory().unwrap();
        assert!(!own.exists());
        assert_eq!(count(directory.path()), 1);
        Spool::below(directory.path()).sweep().unwrap();
        assert_eq!(count(directory.path()), 1);
    }
}
