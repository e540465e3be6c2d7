//! What the newest release has at its paths, in little memory: a site may have a million of them.

use std::collections::{HashMap, HashSet};

use model::SiteId;
use store::files::{self, Hash};

use crate::serving::short;
use crate::{Error, Publisher};

/// Rows that are read at a time.
const ROWS: i64 = 5000;

/// A path, by its hash.
type PathId = [u8; 16];

fn id(path: &str) -> PathId {
    short(&blake3::hash(path.as_bytes()))
}

/// Files by their paths, and which of them the build has made again.
#[derive(Default)]
pub(super) struct Before {
    hashes: HashMap<PathId, Hash>,
    /// In a build from nothing: paths of the newest release that were made again, however they came out.
    remade: HashSet<PathId>,
}

impl Before {
    pub(super) fn hash(&self, path: &str) -> Option<Hash> {
        self.hashes.get(&id(path)).copied()
    }

    pub(super) fn was_remade(&mut self, path: &str) {
        self.remade.insert(id(path));
    }

    /// Whether a path of the newest release is left over.
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
    /// What the newest release has at some paths.
    pub(super) async fn before_at(&self, site: SiteId, paths: Vec<String>) -> Result<Before, Error> {
        let mut before = Before::default();
        before.add(self.store.read(move |tx| Ok::<_, Error>(files::hashes(tx, site, &paths)?)).await?);
        Ok(before)
    }

    /// All that the newest release has. Only a build changes that, and it is ours to build.
    pub(super) async fn before_all(&self, site: SiteId) -> Result<Before, Error> {
        let (mut before, mut after) = (Before::default(), String::new());
        loop {
            let from = after.clone();
            let some =
                self.store.read(move |tx| Ok::<_, Error>(files::open_files(tx, site, &from, ROWS)?)).await?;
            let Some((last, _)) = some.last() else { return Ok(before) };
            after.clone_from(last);
            before.add(some);
        }
    }
}
