//! What has been read from a source.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(crate) struct Site {
    pub pages: Vec<Page>,
    /// Files to copy: the path in the folder, and where the file is.
    pub files: BTreeMap<String, PathBuf>,
    pub notes: Vec<Note>,
}

/// A page to write.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The file of the source, for links and notes. Empty for a page that has none.
    pub origin: String,
    /// The line of the origin on which the body begins, from 1.
    pub line: usize,
    /// The path in the folder: see [`crate::address`].
    pub path: String,
    pub title: Option<String>,
    pub slug: Option<String>,
    pub date: Option<String>,
    pub draft: bool,
    pub tags: Vec<String>,
    pub description: Option<String>,
    pub params: Map<String, Value>,
    /// Paths on the old site. The first one is the page's own: relative links start there.
    pub former: Vec<String>,
    /// The former URLs that redirect; set at the end.
    pub aliases: Vec<String>,
    pub body: String,
}

/// Something that was not converted, or that the owner should know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Note {
    pub file: String,
    /// From 1; 0 means the whole file.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

impl Site {
    pub fn note(&mut self, file: &str, line: usize, message: impl Into<String>) {
        self.notes.push(Note { file: file.to_owned(), line, message: message.into() });
    }
}

impl Page {
    /// Sets the weight, unless the source has given one.
    pub fn set_weight(&mut self, weight: usize) {
        self.params.entry("weight").or_insert_with(|| weight.into());
    }

    /// Adds tags that the page does not have.
    pub fn add_tags(&mut self, tags: impl IntoIterator<Item = String>) {
        for tag in tags {
            if !tag.trim().is_empty() && !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
        }
    }

    /// Replaces the body by what `convert` makes of it. It gets a function for notes, by line of the body from 0.
    pub fn convert(
        &mut self,
        notes: &mut Vec<Note>,
        convert: impl FnOnce(&str, &mut dyn FnMut(usize, String)) -> String,
    ) {
        let (file, first) = (self.origin.clone(), self.line);
        let mut note = |line: usize, message: String| {
            notes.push(Note { file: file.clone(), line: first + line, message });
        };
        self.body = convert(&self.body, &mut note);
    }
}
