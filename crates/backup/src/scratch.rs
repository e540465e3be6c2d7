//! A directory for temporary files. It is deleted at the end; what a killed process has left, by the next one.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::error::{Result, of_file};

const PREFIX: &str = "backup-";

pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Only its owner has access: the rows of all accounts pass through it.
    pub(crate) fn below(directory: &Path) -> Result<Scratch> {
        delete_abandoned(directory);
        let name = format!("{PREFIX}{}-{}", std::process::id(), Uuid::new_v4().simple());
        let path = directory.join(name);
        DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(of_file(&path))?;
        Ok(Scratch { path })
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A name begins with the id of its process.
fn delete_abandoned(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        let process: Option<u32> = process.and_then(|(process, _)| process.parse().ok());
        if process.is_some_and(|process| !is_alive(process)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

pub(crate) fn is_alive(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}
