//! The files of a source.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Fault};
use crate::site::Note;

/// More than any site that was seen; a wrong folder is found early.
const MAX_FILES: usize = 200_000;
const MAX_DEPTH: usize = 64;
/// Of a text. Push accepts pages of 100,000 characters.
const MAX_TEXT: u64 = 4 << 20;

/// A folder, with the paths of its files relative to it.
pub(crate) struct Source {
    root: PathBuf,
    files: BTreeMap<String, PathBuf>,
    /// What was left out.
    pub notes: Vec<Note>,
}

impl Source {
    pub fn open(path: &Path) -> Result<Source, Error> {
        let root = path.canonicalize().map_err(Error::io("open", path))?;
        if !root.is_dir() {
            return Err(Error::source(path, "is not a folder; name the folder of the site"));
        }
        let mut source = Source { root: root.clone(), files: BTreeMap::new(), notes: vec![] };
        source.walk(&root, "", 0)?;
        Ok(source)
    }

    /// Links are followed to files inside the source only.
    fn walk(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), Error> {
        let mut entries = vec![];
        for entry in fs::read_dir(folder).map_err(Error::io("read", folder))? {
            entries.push(entry.map_err(Error::io("read", folder))?);
        }
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else {
                self.note(&entry.path().to_string_lossy(), "is left out: its name is not UTF-8");
                continue;
            };
            let path = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(Error::io("read", &entry.path()))?;
            if kind.is_symlink() {
                self.link(&path, &entry.path());
            } else if kind.is_file() {
                self.files.insert(path, entry.path());
            } else if kind.is_dir() && !matches!(name.as_str(), ".git" | "node_modules") {
                if depth == MAX_DEPTH {
                    return Err(Error::source(&entry.path(), format!("is nested over {MAX_DEPTH} deep")));
                }
                self.walk(&entry.path(), &format!("{path}/"), depth + 1)?;
            }
            if self.files.len() > MAX_FILES {
                return Err(Error::source(&self.root, format!("has more than {MAX_FILES} files")));
            }
        }
        Ok(())
    }

    fn link(&mut self, path: &str, link: &Path) {
        match link.canonicalize() {
            Ok(target) if target.starts_with(&self.root) && target.is_file() => {
                self.files.insert(path.to_owned(), target);
            }
            _ => self.note(path, "is left out: a symbolic link to a folder, or out of the source"),
        }
    }

    fn note(&mut self, file: &str, message: &str) {
        self.notes.push(Note { file: file.to_owned(), line: 0, message: message.to_owned() });
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub fn path(&self, path: &str) -> Option<&Path> {
        self.files.get(path).map(PathBuf::as_path)
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The files below a folder, with their paths below it.
    pub fn below<'s>(&'s self, folder: &str) -> impl Iterator<Item = (&'s str, &'s str)> + use<'s> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.files().filter_map(move |path| Some((path, path.strip_prefix(&prefix)?)))
    }

    /// The first of these files that exists.
    pub fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.has(name))
    }

    pub fn text(&self, path: &str) -> Result<String, Error> {
        let file = self.path(path).unwrap_or(&self.root);
        let size = fs::metadata(file).map_err(Error::io("read", file))?.len();
        let fault = |line, message: String| Error::from(Fault { file: path.to_owned(), line, message });
        if size > MAX_TEXT {
            return Err(fault(1, format!("has more than {} MB", MAX_TEXT >> 20)));
        }
        let bytes = fs::read(file).map_err(Error::io("read", file))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            fault(line, "is not UTF-8; convert the file first, for example with iconv".to_owned())
        })?;
        Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
    }
}

/// All values, or all faults.
pub(crate) fn collect<T>(results: impl Iterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
    let (mut values, mut faults) = (vec![], vec![]);
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(Error::Invalid(more)) => faults.extend(more),
            Err(error) => return Err(error),
        }
    }
    if faults.is_empty() { Ok(values) } else { Err(Error::Invalid(faults)) }
}
