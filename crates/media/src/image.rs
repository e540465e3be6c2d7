//! Converts an image to WebP.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};

use crate::job::Limits;
use crate::{Done, Failure, worker};

/// Maximum size of an image file. An image within the limits of its dimensions is smaller, unless it is wasteful.
const MAX_IMAGE_BYTES: u64 = 256 * 1024 * 1024;

pub(crate) fn process(mut input: File, output: File, limits: &Limits) -> Result<Done, Failure> {
    let length = input.seek(SeekFrom::End(0))?;
    if length > MAX_IMAGE_BYTES {
        return Err(Failure::refused("an image file can have at most 256 MB"));
    }
    input.rewind()?;
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    let mut output = BufWriter::new(output);
    let dimensions = to_webp(&bytes, limits, &mut output)?;
    output.flush()?;
    Ok(Done { dimensions: Some(dimensions) })
}

fn to_webp(bytes: &[u8], limits: &Limits, output: &mut dyn Write) -> Result<(u32, u32), Failure> {
    let defaults = picture::Limits::default();
    // The other half is for the encoder, so that most images that are too large get a specific message.
    let limits = picture::Limits { memory: defaults.memory.min(limits.memory / 2), ..defaults };
    let measured = picture::measure(bytes, &limits);
    if let Ok(effort) = &measured {
        worker::limit_to_expected(effort.cpu_seconds())?;
    }
    match measured.and_then(|_| picture::to_webp(bytes, &limits, output)) {
        Ok(size) => Ok((size.width, size.height)),
        Err(picture::Error::Write(error)) => Err(error.into()),
        Err(error) => Err(Failure::Refused(error.to_string())),
    }
}
