//! Metadata removed from a video in place: what holds it becomes padding of the same size, so that no byte of media
//! moves, and a file of 10 GB costs what one of 10 MB costs.
//!
//! Kept, because they are content: chapter titles that are tracks or elements of their own, subtitles, timecode.
//! Kept, because it would mean to read all of the media: what an encoder wrote about itself between the frames.

mod edits;
mod matroska;
mod mp4;
mod source;

use std::fs::File;

use crate::{Container, Done, Failure};

/// The file is open for reading and writing. A file that is refused is as it was.
pub fn clean(file: &File, container: Container) -> Result<Done, Failure> {
    let source = source::Source::new(file)?;
    let (edits, dimensions) = match container {
        Container::Mp4 | Container::Mov => mp4::plan(&source)?,
        Container::WebM => matroska::plan(&source)?,
    };
    edits.apply(file)?;
    Ok(Done { dimensions })
}
