//! A folder of Markdown as the pages of a site: `recto push` publishes it, and everything else that works on folders sees
//! the same pages. It reads files, and does nothing else.
//!
//! [`read`] returns a [`Folder`]: its [`Page`]s with all fields checked and links resolved, the [`File`]s they show, and
//! warnings; or every [`Problem`] of the folder at once, each with file and line. A page's [`Text`] has places for the
//! addresses of files, which are known once these are uploaded: [`Text::for_upload`] fills them with `file:` references,
//! [`Text::with`] with addresses. [`Config`] is the optional `recto.toml` of the folder.
//!
//! `walk` finds the Markdown files, `place` decides the URL of each, `page` reads one, `links` resolves its links.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod config;
mod links;
mod page;
mod place;
mod problem;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::ContentType;

pub use config::{CONFIG_FILE, Config};
pub use page::Page;
pub use problem::Problem;
pub use text::Text;

use crate::links::Links;

/// How a folder is read.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The content type of all pages; otherwise the first folder decides.
    pub content_type: Option<ContentType>,
    /// Patterns, as in `.gitignore`, of files that are left alone.
    pub ignore: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Folder {
    /// By file.
    pub pages: Vec<Page>,
    /// The files that pages show, by their path in the folder.
    pub files: BTreeMap<String, File>,
    pub warnings: Vec<Problem>,
}

/// A file to upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: PathBuf,
    pub bytes: u64,
}

impl File {
    /// Identifies the file's bytes.
    pub fn hash(&self) -> std::io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(std::fs::File::open(&self.path)?)?;
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// Reads a folder. `progress` is called with the number of files that were read so far.
pub fn read(
    folder: &Path,
    options: &Options,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Folder, Vec<Problem>> {
    let root =
        folder.canonicalize().map_err(|error| vec![Problem::of(".", format!("cannot be read: {error}"))])?;
    let (names, mut problems) = walk::markdown_files(&root, &options.ignore);
    let read = in_parallel(&names, progress, |name| page::read(&root, name, options));
    let mut sources = Vec::with_capacity(read.len());
    let mut warnings = Vec::new();
    for result in read {
        match result {
            Ok((source, warning)) => {
                sources.push(source);
                warnings.extend(warning);
            }
            Err(found) => problems.extend(found),
        }
    }
    problems.extend(place::collisions(&sources));
    let links = Links::new(&root, &sources);
    let linked = in_parallel(&sources, &|_| (), |source| links.resolve(source));
    let mut folder = Folder { warnings, ..Folder::default() };
    for (source, mut linked) in sources.into_iter().zip(linked) {
        problems.append(&mut linked.problems);
        folder.warnings.append(&mut linked.warnings);
        folder.files.append(&mut linked.files);
        folder.pages.push(source.page.with_text(linked.text));
    }
    problems.sort();
    if problems.is_empty() { Ok(folder) } else { Err(problems) }
}

/// Calls `work` for each item on as many threads as there are cores; the results are in order.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    progress: &(dyn Fn(usize) + Sync),
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (done, work) = (AtomicUsize::new(0), &work);
    let run = |item: &T| {
        let result = work(item);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        result
    };
    let run = &run;
    std::thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(threads).max(1));
        let running: Vec<_> =
            chunks.map(|chunk| scope.spawn(move || chunk.iter().map(run).collect::<Vec<R>>())).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("reading a file does not panic")).collect()
    })
}
