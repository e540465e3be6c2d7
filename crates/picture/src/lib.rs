//! An uploaded image to the WebP we keep: upright, in sRGB, without metadata. A pure function of bytes.
//!
//! Every format works in the same order: read the header, let [`Limits`] judge it, only then make pixels.
//! To add one: a file in `formats`, and its line in [`to_webp`].

mod animation;
mod colour;
mod container;
mod error;
mod formats;
mod limits;
mod still;
mod view;

use std::io::Write;

use image::ImageFormat;

pub use error::Error;
pub use limits::Limits;

use formats::{gif, jpeg, png, webp};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
}

/// The content decides the format, whatever the file was called.
pub fn to_webp(input: &[u8], limits: &Limits, output: &mut dyn Write) -> Result<Picture, Error> {
    let file = match image::guess_format(input) {
        Ok(ImageFormat::Jpeg) => jpeg::convert(input, limits)?,
        Ok(ImageFormat::Png) => png::convert(input, limits)?,
        Ok(ImageFormat::Gif) => gif::convert(input, limits)?,
        Ok(ImageFormat::WebP) => webp::convert(input, limits)?,
        _ => return Err(Error::NotAnImage),
    };
    output.write_all(&file.bytes).map_err(Error::Write)?;
    Ok(file.picture)
}

/// A whole WebP file.
struct File {
    bytes: Vec<u8>,
    picture: Picture,
}
