//! Converts the sites of other programs to a folder of Markdown that `recto push` publishes.
//!
//! Each kind of source has a file in `kinds/` that reads it into a `Site`: pages with their former URLs, and files
//! to copy. What all kinds share follows: links lead to the new files (`relink`), former URLs become aliases
//! (`finish`), and the folder is written. What cannot be converted stays in the text and becomes a [`Note`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod address;
mod alerts;
mod dates;
mod error;
mod fences;
mod finish;
mod front_matter;
mod html;
mod kinds;
mod links;
mod listings;
mod meta;
mod paths;
mod permalink;
mod relink;
mod site;
mod source;
mod templates;
mod uploads;
mod write;

use std::path::Path;

pub use error::{Error, Fault};
pub use kinds::Kind;
pub use site::Note;

/// What was written, and what needs a look.
#[derive(Debug)]
pub struct Report {
    pub pages: usize,
    pub files: usize,
    /// How many former URLs redirect.
    pub aliases: usize,
    pub notes: Vec<Note>,
}

/// Reads a source and writes the folder, which must be empty or not exist. An invalid source writes nothing.
pub fn import(kind: Kind, source: &Path, folder: &Path) -> Result<Report, Error> {
    write::check_empty(folder)?;
    let mut site = kind.read(source)?;
    let aliases = finish::finish(&mut site)?;
    write::write(&site, folder)?;
    site.notes.sort();
    site.notes.dedup();
    Ok(Report { pages: site.pages.len(), files: site.files.len(), aliases, notes: site.notes })
}
