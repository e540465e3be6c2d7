//! Reads a folder, and again after changes: files that did not change are not read again.

use std::collections::HashMap;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::links::{Linked, Links, urls_of};
use crate::page::{self, Page, Source};
use crate::walk::{Found, Stamp, markdown_files};
use crate::{Folder, Options, Problem, from_path, in_parallel};

pub struct Reader {
    folder: PathBuf,
    options: Options,
    /// By name.
    files: HashMap<String, Cached>,
    /// Of the last time.
    urls: HashMap<String, String>,
}

struct Cached {
    stamp: Stamp,
    source: Arc<Source>,
    /// With its links, if these depend on nothing but the URLs of pages.
    page: Option<Arc<Page>>,
}

impl Reader {
    pub fn new(folder: &Path, options: Options) -> Reader {
        Reader { folder: folder.to_owned(), options, files: HashMap::new(), urls: HashMap::new() }
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// `progress` is called with the number of files that were read so far.
    pub fn read(&mut self, progress: &(dyn Fn(usize) + Sync)) -> Result<Folder, Vec<Problem>> {
        let unreadable = |error| vec![Problem::of(".", format!("cannot be read: {error}"))];
        let root = self.folder.canonicalize().map_err(unreadable)?;
        let (found, mut problems) = markdown_files(&root, &self.options.ignore);
        let sources = self.sources(&root, &found, progress, &mut problems);
        problems.extend(from_path::collisions(&sources));
        let urls = urls_of(&sources);
        if urls != self.urls {
            // Links may lead elsewhere now.
            self.files.values_mut().for_each(|cached| cached.page = None);
            self.urls = urls;
        }
        let links = Links::new(&root, &self.urls);
        let linked = in_parallel(&sources, &|_| (), |source| self.linked(&links, source));
        let mut stamps: HashMap<String, Option<Stamp>> =
            found.into_iter().map(|found| (found.name, found.stamp)).collect();
        let (mut folder, mut files) = (Folder::default(), HashMap::with_capacity(stamps.len()));
        for (source, (page, mut linked)) in sources.into_iter().zip(linked) {
            let depends_on_pages = linked.is_empty();
            problems.append(&mut linked.problems);
            folder.warnings.extend(source.warning.clone());
            folder.warnings.append(&mut linked.warnings);
            folder.files.append(&mut linked.files);
            if let Some((name, Some(stamp))) = stamps.remove_entry(&page.file) {
                files.insert(name, Cached { stamp, source, page: depends_on_pages.then(|| page.clone()) });
            }
            folder.pages.push(page);
        }
        self.files = files;
        problems.sort();
        if problems.is_empty() { Ok(folder) } else { Err(problems) }
    }

    /// What is in the files, as far as they can be read.
    fn sources(
        &self,
        root: &Path,
        found: &[Found],
        progress: &(dyn Fn(usize) + Sync),
        problems: &mut Vec<Problem>,
    ) -> Vec<Arc<Source>> {
        let read = in_parallel(found, progress, |found| match self.files.get(&found.name) {
            Some(cached) if Some(cached.stamp) == found.stamp => Ok(cached.source.clone()),
            _ => page::read(root, &found.name, &self.options).map(Arc::new),
        });
        read.into_iter().filter_map(|source| source.map_err(|found| problems.extend(found)).ok()).collect()
    }

    /// A page with its links, and what was found beside it.
    fn linked(&self, links: &Links, source: &Arc<Source>) -> (Arc<Page>, Linked) {
        let cached = self.files.get(&source.page.file).filter(|cached| Arc::ptr_eq(&cached.source, source));
        if let Some(page) = cached.and_then(|cached| cached.page.clone()) {
            return (page, Linked::default());
        }
        let mut linked = links.resolve(source);
        let (text, covers) = (take(&mut linked.text), take(&mut linked.covers));
        (Arc::new(Page { text, covers, ..source.page.clone() }), linked)
    }
}
