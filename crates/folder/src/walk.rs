//! Finds the Markdown files of a folder.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

use ignore::overrides::OverrideBuilder;
use ignore::{DirEntry, WalkBuilder};

use crate::Problem;

/// A Markdown file.
pub(crate) struct Found {
    /// Its path in the folder, with slashes.
    pub name: String,
    /// `None` if it was changed a moment ago, or cannot be read.
    pub stamp: Option<Stamp>,
}

/// Differs after a change of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: SystemTime,
    bytes: u64,
}

/// The coarsest clock of a file system: a file that was changed a shorter time ago may change again and keep its time.
const CLOCK_RESOLUTION: Duration = Duration::from_secs(2);

impl Stamp {
    fn of(metadata: &Metadata) -> Option<Stamp> {
        let modified = metadata.modified().ok()?;
        let is_old = modified.elapsed().is_ok_and(|age| age > CLOCK_RESOLUTION);
        is_old.then_some(Stamp { modified, bytes: metadata.len() })
    }
}

/// The Markdown files, sorted by name.
pub(crate) fn markdown_files(root: &Path, ignored: &[String]) -> (Vec<Found>, Vec<Problem>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let mut overrides = OverrideBuilder::new(root);
    for pattern in ignored {
        if let Err(error) = overrides.add(&format!("!{pattern}")) {
            problems.push(Problem::of(crate::CONFIG_FILE, format!("ignore: {error}")));
        }
    }
    let mut walk = WalkBuilder::new(root);
    // `.gitignore` counts, in a repository or not; nothing outside the folder and its parents does.
    walk.hidden(false).ignore(false).git_global(false).git_exclude(false).require_git(false);
    walk.overrides(overrides.build().unwrap_or_else(|_| ignore::overrides::Override::empty()));
    walk.filter_entry(is_seen);
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(Problem::of(".", error.to_string()));
                continue;
            }
        };
        match name_of(root, &entry) {
            Ok(Some(name)) => {
                let metadata = std::fs::metadata(entry.path()).ok();
                found.push(Found { name, stamp: metadata.as_ref().and_then(Stamp::of) });
            }
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    (found, problems)
}

/// Files and folders whose names begin with `.` or `_` are left alone, and so is `node_modules`.
fn is_seen(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_left_alone =
        name.starts_with('.') || name.starts_with('_') && name != "_index.md" || name == "node_modules";
    entry.depth() == 0 || !is_left_alone
}

/// `None`: not a Markdown file.
fn name_of(root: &Path, entry: &DirEntry) -> Result<Option<String>, Problem> {
    let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
    let shown = path.to_string_lossy().replace('\\', "/");
    let is_markdown = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let kind = entry.file_type();
    if entry.depth() > 0 && kind.is_some_and(|kind| kind.is_symlink()) {
        return match entry.path().canonicalize() {
            Err(error) if is_markdown => {
                Err(Problem::of(&shown, format!("the symbolic link cannot be followed: {error}")))
            }
            Ok(target) if target.is_dir() || is_markdown => {
                match target.starts_with(root) && target.is_file() {
                    true => Ok(Some(shown)),
                    false if target.starts_with(root) => Err(Problem::of(
                        &shown,
                        "symbolic links to folders are not followed; remove the link or ignore it",
                    )),
                    false => Err(Problem::of(
                        &shown,
                        "the symbolic link leads out of the folder; copy the file into the folder, or ignore the link",
                    )),
                }
            }
            _ => Ok(None),
        };
    }
    if !is_markdown || !kind.is_some_and(|kind| kind.is_file()) {
        return Ok(None);
    }
    match path.to_str() {
        Some(_) => Ok(Some(shown)),
        None => Err(Problem::of(&shown, "the name is not UTF-8; rename the file")),
    }
}
