//! Where files wait until they are stored: a directory for each process, with a room for each request. What a process
//! that died left behind goes when the next one starts.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Error;
use crate::disk::write_error;

pub(crate) struct Spool {
    /// Below it each process has a directory of its own.
    parent: PathBuf,
    /// Made with the first file; what fails once is tried again with the next.
    own: Mutex<Option<Own>>,
}

/// Held locked for as long as the process lives.
struct Own {
    directory: tempfile::TempDir,
    _lock: File,
}

impl Spool {
    /// Nothing is made before the first file comes: a command that needs no room leaves none.
    pub(crate) fn below(parent: &Path) -> Spool {
        Spool { parent: parent.to_owned(), own: Mutex::default() }
    }

    /// A directory for the files of one request; gone when dropped.
    pub(crate) fn room(&self) -> Result<tempfile::TempDir, Error> {
        self.try_room().map_err(|error| write_error("make a directory in", &self.parent, &error))
    }

    fn try_room(&self) -> io::Result<tempfile::TempDir> {
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

    /// Deletes the directories of processes that are no more. One without a lock is being made this moment.
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
    fn a_room_goes_with_its_request() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::below(&directory.path().join("uploads"));
        let room = spool.room().unwrap();
        fs::write(room.path().join("0"), "bytes").unwrap();
        let path = room.path().to_owned();
        drop(room);
        assert!(!path.exists());
        drop(spool);
        assert_eq!(count(&directory.path().join("uploads")), 0);
    }

    #[test]
    fn what_failed_once_is_tried_again() {
        let directory = tempfile::tempdir().unwrap();
        let in_the_way = directory.path().join("uploads");
        fs::write(&in_the_way, "no directory").unwrap();
        let spool = Spool::below(&in_the_way);
        assert!(spool.room().is_err());
        fs::remove_file(&in_the_way).unwrap();
        assert!(spool.room().is_ok());
    }

    #[test]
    fn what_a_dead_process_left_is_swept_and_what_a_living_one_has_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let (dead, living) = (Spool::below(directory.path()), Spool::below(directory.path()));
        let left = dead.room().unwrap().keep();
        fs::write(left.join("0"), "bytes").unwrap();
        // As when a process is killed: nothing is tidied up, but the lock is gone.
        let Some(Own { directory: own, _lock }) = dead.own.into_inner().unwrap() else {
            panic!("it is open")
        };
        let own = own.keep();
        drop(_lock);

        let _room = living.room().unwrap();
        assert!(!own.exists());
        assert_eq!(count(directory.path()), 1);
        Spool::below(directory.path()).sweep().unwrap();
        assert_eq!(count(directory.path()), 1);
    }
}
