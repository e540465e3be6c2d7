//! The paths whose files may differ from what they were.

use std::collections::HashSet;
use std::fmt::Display;

pub(crate) struct Marks(Option<HashSet<String>>);

impl Marks {
    pub fn new() -> Marks {
        Marks(Some(HashSet::new()))
    }

    /// For a site that is loaded as it was left: nothing has changed.
    pub fn none() -> Marks {
        Marks(None)
    }

    pub fn add(&mut self, path: impl Display) {
        if let Some(paths) = &mut self.0 {
            paths.insert(path.to_string());
        }
    }

    pub fn add_all(&mut self, paths: impl IntoIterator<Item = impl Display>) {
        paths.into_iter().for_each(|path| self.add(path));
    }

    /// Whether anybody wants to know; spares the work of finding out.
    pub fn wanted(&self) -> bool {
        self.0.is_some()
    }

    pub fn sorted(self) -> Vec<String> {
        let mut paths: Vec<_> = self.0.unwrap_or_default().into_iter().collect();
        paths.sort_unstable();
        paths
    }
}
