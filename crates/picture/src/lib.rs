//! An uploaded image to the WebP we keep: upright, in sRGB, without metadata. A pure function of bytes.
//!
//! Every format works in the same order: [`measure`] reads the headers and judges them by [`Limits`] and by what a file of
//! that many bytes can honestly hold ([`Effort`]); only then pixels are made.
//! To add one: a file in `formats`, its lines in [`measure`] and [`to_webp`], and its bound in `effort`.

mod animation;
mod colour;
mod container;
mod effort;
mod error;
mod formats;
mod limits;
mod still;
mod view;

use std::io::Write;

use image::ImageFormat;

pub use effort::{Effort, Format};
pub use error::Error;
pub use limits::Limits;

use formats::{gif, jpeg, png, webp};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
}

/// What [`to_webp`] will have to do. What it would refuse for its size is refused.
pub fn measure(input: &[u8], limits: &Limits) -> Result<Effort, Error> {
    let effort = match image::guess_format(input) {
        Ok(ImageFormat::Jpeg) => jpeg::measure(input, limits)?,
        Ok(ImageFormat::Png) => png::measure(input, limits)?,
        Ok(ImageFormat::Gif) => gif::measure(input, limits)?,
        Ok(ImageFormat::WebP) => webp::measure(input, limits)?,
        _ => return Err(Error::NotAnImage),
    };
    effort.judge()?;
    Ok(effort)
}

/// The content decides the format, whatever the file was called.
pub fn to_webp(input: &[u8], limits: &Limits, output: &mut dyn Write) -> Result<Picture, Error> {
    let file = match measure(input, limits)?.format {
        Format::Jpeg => jpeg::convert(input)?,
        Format::Png => png::convert(input, limits)?,
        Format::Gif => gif::convert(input, limits)?,
        Format::PlainWebp | Format::ChangedWebp => webp::convert(input, limits)?,
    };
    output.write_all(&file.bytes).map_err(Error::Write)?;
    Ok(file.picture)
}

/// A whole WebP file.
struct File {
    bytes: Vec<u8>,
    picture: Picture,
}
