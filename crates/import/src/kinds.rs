//! The programs whose sites can be imported: one file for each.

mod docusaurus;
mod ghost;
mod hugo;
mod jekyll;
mod mdbook;
mod mkdocs;
mod obsidian;
mod wordpress;

use std::path::Path;

use crate::error::Error;
use crate::site::Site;
use crate::source::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Hugo,
    Jekyll,
    Docusaurus,
    Mkdocs,
    Mdbook,
    Obsidian,
    /// A JSON export.
    Ghost,
    /// An XML export (WXR).
    Wordpress,
}

impl Kind {
    pub(crate) fn read(self, source: &Path) -> Result<Site, Error> {
        match self {
            Kind::Hugo => in_folder(source, hugo::read),
            Kind::Jekyll => in_folder(source, jekyll::read),
            Kind::Docusaurus => in_folder(source, docusaurus::read),
            Kind::Mkdocs => in_folder(source, mkdocs::read),
            Kind::Mdbook => in_folder(source, mdbook::read),
            Kind::Obsidian => in_folder(source, obsidian::read),
            Kind::Ghost => ghost::read(source),
            Kind::Wordpress => wordpress::read(source),
        }
    }
}

fn in_folder(path: &Path, read: fn(&Source) -> Result<Site, Error>) -> Result<Site, Error> {
    let source = Source::open(path)?;
    let mut site = read(&source)?;
    site.notes.extend(source.notes);
    Ok(site)
}
