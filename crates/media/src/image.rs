//! Converts an image to WebP, and makes smaller copies of it.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU32;

use crate::job::Limits;
use crate::{Done, Failure, Icon, SmallerCopy, worker};

/// Maximum size of an image file. An image within the limits of its dimensions is smaller, unless it is wasteful.
const MAX_IMAGE_BYTES: u64 = 256 * 1024 * 1024;

pub(crate) fn process(input: File, output: File, limits: &Limits) -> Result<Done, Failure> {
    let (bytes, mut output) = (read(input)?, BufWriter::new(output));
    let limits = pictures(limits);
    let size = within_limits(&bytes, &limits, || picture::to_webp(&bytes, &limits, &mut output))?;
    output.flush()?;
    Ok(Done { dimensions: Some((size.width, size.height)) })
}

pub(crate) fn shrink(
    input: File,
    output: File,
    limits: &Limits,
    widths: &[NonZeroU32],
) -> Result<Vec<SmallerCopy>, Failure> {
    worker::lower_priority()?;
    let (bytes, mut output) = (read(input)?, BufWriter::new(output));
    let limits = pictures(limits);
    let written =
        within_limits(&bytes, &limits, || picture::to_smaller(&bytes, widths, &limits, &mut output))?;
    output.flush()?;
    let copy = |file: picture::SmallerFile| SmallerCopy {
        width: file.dimensions.width,
        height: file.dimensions.height,
        bytes: file.bytes as u64,
    };
    Ok(written.into_iter().map(copy).collect())
}

pub(crate) fn icon(input: File, output: File, limits: &Limits, icon: Icon) -> Result<(), Failure> {
    let (bytes, mut output) = (read(input)?, BufWriter::new(output));
    let limits = pictures(limits);
    let side = NonZeroU32::new(icon.side().into()).expect("an icon has pixels");
    let background = match icon {
        Icon::Favicon => None,
        Icon::Touch => Some([255; 3]),
    };
    within_limits(&bytes, &limits, || picture::to_icon(&bytes, side, background, &limits, &mut output))?;
    Ok(output.flush()?)
}

fn read(mut input: File) -> Result<Vec<u8>, Failure> {
    let length = input.seek(SeekFrom::End(0))?;
    if length > MAX_IMAGE_BYTES {
        return Err(Failure::refused("an image file can have at most 256 MB"));
    }
    input.rewind()?;
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn pictures(limits: &Limits) -> picture::Limits {
    let defaults = picture::Limits::default();
    // The other half is for the encoder, so that most images that are too large get a specific message.
    picture::Limits { memory: defaults.memory.min(limits.memory / 2), ..defaults }
}

fn within_limits<T>(
    bytes: &[u8],
    limits: &picture::Limits,
    work: impl FnOnce() -> Result<T, picture::Error>,
) -> Result<T, Failure> {
    let measured = picture::measure(bytes, limits);
    if let Ok(effort) = &measured {
        worker::limit_to_expected(effort.cpu_seconds())?;
    }
    match measured.and_then(|_| work()) {
        Ok(done) => Ok(done),
        Err(picture::Error::Write(error)) => Err(error.into()),
        Err(error) => Err(Failure::Refused(error.to_string())),
    }
}
