//! Finds the Markdown files of a folder.

use std::path::Path;

use ignore::overrides::OverrideBuilder;
use ignore::{DirEntry, WalkBuilder};

use crate::Problem;

/// Paths in the folder, sorted, with slashes.
pub(crate) fn markdown_files(root: &Path, ignored: &[String]) -> (Vec<String>, Vec<Problem>) {
    let (mut names, mut problems) = (Vec::new(), Vec::new());
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
    walk.filter_entry(is_seen).sort_by_file_name(Ord::cmp);
    for entry in walk.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(Problem::of(".", error.to_string()));
                continue;
            }
        };
        match name_of(root, &entry) {
            Ok(Some(name)) => names.push(name),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    names.sort();
    (names, problems)
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
