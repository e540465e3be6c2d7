//! Dirty paths: those whose files may have changed.

use std::collections::HashSet;
use std::fmt::Display;

pub(crate) struct DirtyPaths(Option<HashSet<String>>);

impl DirtyPaths {
    pub fn new() -> DirtyPaths {
        DirtyPaths(Some(HashSet::new()))
    }

    /// For loading a site in a known state: nothing is recorded.
    pub fn not_recorded() -> DirtyPaths {
        DirtyPaths(None)
    }

    pub fn add(&mut self, path: impl Display) {
        if let Some(paths) = &mut self.0 {
            paths.insert(path.to_string());
        }
    }

    pub fn add_all(&mut self, paths: impl IntoIterator<Item = impl Display>) {
        paths.into_iter().for_each(|path| self.add(path));
    }

    /// Whether paths are recorded at all; otherwise the work of finding them can be skipped.
    pub fn is_recording(&self) -> bool {
        self.0.is_some()
    }

    pub fn sorted(self) -> Vec<String> {
        let mut paths: Vec<_> = self.0.unwrap_or_default().into_iter().collect();
        paths.sort_unstable();
        paths
    }
}
