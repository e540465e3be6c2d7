//! A folder of Markdown as the pages of a site: `recto push` publishes it, and everything else that works on folders sees
//! the same pages. It reads files, and writes none.
//!
//! [`read`] returns a [`Folder`] (a [`Reader`] does so again and again, and reads only the files that changed): its
//! [`Page`]s with all fields checked and links resolved, the [`File`]s they show, and warnings; or every [`Problem`] of the
//! folder at once, each with file and line. A page's [`Text`] has places for the addresses of files, which are known once
//! these are uploaded: [`Text::for_upload`] fills them with `file:` references, [`Text::with`] with addresses. [`Config`] is
//! the optional `recto.toml` of the folder.
//!
//! `walk` finds the Markdown files, `reader` reads those that changed, `from_path` derives the URL of each, `page` reads one,
//! `links` resolves its links.
//!
//! [`Exporter`] is the reverse: it names and writes the file of a page, so that reading it gives the same page.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod config;
mod export;
mod from_path;
mod links;
mod page;
mod problem;
mod reader;
#[cfg(test)]
mod tests;
mod text;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::ContentType;

pub use config::{CONFIG_FILE, Config, Setting};
pub use export::{Exporter, StoredPage};
pub use page::Page;
pub use problem::Problem;
pub use reader::Reader;
pub use text::Text;

/// How a folder is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The content type of all pages; otherwise the first folder decides.
    pub content_type: Option<ContentType>,
    /// Patterns, as in `.gitignore`, of files that are left alone.
    pub ignore: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Folder {
    /// By file. Shared with the [`Reader`].
    pub pages: Vec<Arc<Page>>,
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

/// Reads a folder once. `progress` is called with the number of files that were read so far.
pub fn read(
    folder: &Path,
    options: &Options,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Folder, Vec<Problem>> {
    Reader::new(folder, options.clone()).read(progress)
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
