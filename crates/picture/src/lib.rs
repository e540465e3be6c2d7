//! Converts an uploaded image to the WebP that is stored: upright, in sRGB, without metadata. A pure function of bytes.
//!
//! Every format works in the same order: [`measure`] reads the headers and checks them against [`Limits`] and against
//! how much a file of that size can plausibly contain ([`Effort`]); only then are pixels decoded. To add a format: a
//! file in `formats`, its lines in [`measure`] and [`to_webp`], and its bound in `effort`.

mod animation;
mod colour;
mod container;
mod effort;
mod error;
mod formats;
mod icon;
mod limits;
mod still;
mod view;

use std::io::Write;
use std::num::NonZeroU32;

use image::ImageFormat;

pub use effort::{Effort, Format};
pub use error::Error;
pub use limits::Limits;

use formats::{gif, jpeg, png, webp};

/// The dimensions of the written image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimensions {
    pub width: u32,
    pub height: u32,
}

/// The effort that [`to_webp`] will need. Fails if the image is too large for it.
pub fn measure(input: &[u8], limits: &Limits) -> Result<Effort, Error> {
    let effort = match image::guess_format(input) {
        Ok(ImageFormat::Jpeg) => jpeg::measure(input, limits)?,
        Ok(ImageFormat::Png) => png::measure(input, limits)?,
        Ok(ImageFormat::Gif) => gif::measure(input, limits)?,
        Ok(ImageFormat::WebP) => webp::measure(input, limits)?,
        _ => return Err(Error::NotAnImage),
    };
    effort.check()?;
    Ok(effort)
}

/// The content determines the format, regardless of the file's name.
pub fn to_webp(input: &[u8], limits: &Limits, output: &mut dyn Write) -> Result<Dimensions, Error> {
    let file = match measure(input, limits)?.format {
        Format::Jpeg => jpeg::convert(input)?,
        Format::Png => png::convert(input, limits)?,
        Format::Gif => gif::convert(input, limits)?,
        Format::PlainWebp | Format::ChangedWebp => webp::convert(input, limits)?,
    };
    output.write_all(&file.bytes).map_err(Error::Write)?;
    Ok(file.dimensions)
}

/// One of the files that [`to_smaller`] has written, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallerFile {
    pub dimensions: Dimensions,
    pub bytes: usize,
}

/// Makes a copy of a WebP for each of these widths. There are no copies of an animation, none that would be wider than
/// the image, and none that would have more bytes.
pub fn to_smaller(
    input: &[u8],
    widths: &[NonZeroU32],
    limits: &Limits,
    output: &mut dyn Write,
) -> Result<Vec<SmallerFile>, Error> {
    measure(input, limits)?;
    let mut written = Vec::new();
    for File { bytes, dimensions } in webp::smaller(input, widths, limits)? {
        output.write_all(&bytes).map_err(Error::Write)?;
        written.push(SmallerFile { dimensions, bytes: bytes.len() });
    }
    Ok(written)
}

/// Makes a square PNG of a WebP: the whole image, in the middle. What it does not cover is transparent, or has the
/// background's colour.
pub fn to_icon(
    input: &[u8],
    side: NonZeroU32,
    background: Option<[u8; 3]>,
    limits: &Limits,
    output: &mut dyn Write,
) -> Result<(), Error> {
    measure(input, limits)?;
    icon::write(webp::first_image(input)?, side.get(), background, output)
}

/// A complete WebP file.
struct File {
    bytes: Vec<u8>,
    dimensions: Dimensions,
}
