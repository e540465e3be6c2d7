//! Where files wait until they are stored: a directory for each process, with a room for each request. What a process
//! that died left behind goes when the next one starts.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;

pub(crate) struct Spool {
    /// Below it each process has a directory of its own.
    parent: PathBuf,
    own: std::sync::OnceLock<Result<Own, String>>,
}

/// Held locked for as long as the process lives.
struct Own {
    directory: tempfile::TempDir,
    _lock: File,
}

impl Spool {
    /// Nothing is made before the first file comes: a command that needs no room leaves none.
    pub(crate) fn below(parent: &Path) -> Spool {
        Spool { parent: parent.to_owned(), own: std::sync::OnceLock::new() }
    }

    /// A directory for the files of one request; gone when dropped.
    pub(crate) fn room(&self) -> Result<tempfile::TempDir, Error> {
        let failed = |error: &dyn std::fmt::Display| {
            Error::Internal(format!("make room for uploads in {}: {error}", self.parent.display()))
        };
        let own = self.own.get_or_init(|| self.open().map_err(|error| error.to_string()));
        let own = own.as_ref().map_err(|error| failed(error))?;
        tempfile::tempdir_in(own.directory.path()).map_err(|error| failed(&error))
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
    fn what_a_dead_process_left_is_swept_and_what_a_living_one_has_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let (dead, living) = (Spool::below(directory.path()), Spool::below(directory.path()));
        let left = dead.room().unwrap().keep();
        fs::write(left.join("0"), "bytes").unwrap();
        // As when a process is killed: nothing is tidied up, but the lock is gone.
        let Some(Ok(Own { directory: own, _lock })) = dead.own.into_inner() else { panic!("it is open") };
        let own = own.keep();
        drop(_lock);

        let _room = living.room().unwrap();
        assert!(!own.exists());
        assert_eq!(count(directory.path()), 1);
        Spool::below(directory.path()).sweep().unwrap();
        assert_eq!(count(directory.path()), 1);
    }
}
