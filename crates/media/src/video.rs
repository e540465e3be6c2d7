//! Removes metadata from a video in place: it is replaced by padding of the same size, so that no media data moves, and
//! a file of 10 GB costs no more than one of 10 MB.
//!
//! Kept, because they are content: chapter titles that are separate tracks or elements, subtitles, timecode. Kept,
//! because removing it would require reading all media data: an encoder's notes about itself between the frames.

mod edits;
mod matroska;
mod mp4;
mod source;

use std::fs::File;

use crate::{Container, Done, Failure};

/// The file is open for reading and writing. A rejected file stays unchanged.
pub fn clean(file: &File, container: Container) -> Result<Done, Failure> {
    let source = source::Source::new(file)?;
    let (edits, dimensions) = match container {
        Container::Mp4 | Container::Mov => mp4::plan(&source)?,
        Container::WebM => matroska::plan(&source)?,
    };
    edits.apply(file)?;
    Ok(Done { dimensions })
}
