//! The hashes of the newest release's files, in little memory: a site may have a million files.

use std::collections::{HashMap, HashSet};

use model::SiteId;
use store::files::{self, Hash};

use crate::sites::serving::short;
use crate::{Error, Publisher};

/// Rows that are read at a time.
const ROWS: i64 = 5000;

/// A path, by its hash.
type PathId = [u8; 16];

fn id(path: &str) -> PathId {
    short(&blake3::hash(path.as_bytes()))
}

/// Hashes of files by path, and which paths the build has generated again.
#[derive(Default)]
pub(super) struct BaseFiles {
    hashes: HashMap<PathId, Hash>,
    /// In a build from scratch: paths of the newest release that were generated again, changed or not.
    remade: HashSet<PathId>,
}

impl BaseFiles {
    pub(super) fn hash(&self, path: &str) -> Option<Hash> {
        self.hashes.get(&id(path)).copied()
    }

    pub(super) fn was_remade(&mut self, path: &str) {
        self.remade.insert(id(path));
    }

    /// Whether a path of the newest release was not generated again.
    pub(super) fn is_left(&self, path: &str) -> bool {
        !self.remade.contains(&id(path))
    }

    pub(super) fn left(&self) -> usize {
        self.hashes.len() - self.remade.len()
    }

    fn add(&mut self, found: Vec<(String, Hash)>) {
        self.hashes.extend(found.into_iter().map(|(path, hash)| (id(&path), hash)));
    }
}

impl Publisher {
    /// The files of the newest release at some paths.
    pub(super) async fn before_at(&self, site: SiteId, paths: Vec<String>) -> Result<BaseFiles, Error> {
        let mut before = BaseFiles::default();
        before.add(self.read(move |tx| Ok(files::hashes(tx, site, &paths)?)).await?);
        Ok(before)
    }

    /// All files of the newest release. Only a build changes them, and this worker has the lease.
    pub(super) async fn before_all(&self, site: SiteId) -> Result<BaseFiles, Error> {
        let (mut before, mut after) = (BaseFiles::default(), String::new());
        loop {
            let from = after.clone();
            let some = self.read(move |tx| Ok(files::open_files(tx, site, &from, ROWS)?)).await?;
            let Some((last, _)) = some.last() else { return Ok(before) };
            after.clone_from(last);
            before.add(some);
        }
    }
}
