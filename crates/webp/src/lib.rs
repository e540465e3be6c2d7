//! libwebp's encoder behind a safe door. The only crate of ours with unsafe code; it never sees a file, only pixels.

mod animation;
mod config;
mod picture;

pub use animation::Animation;
pub use config::Compression;

use picture::Picture;

/// What the format can express.
pub const MAX_SIDE: u32 = 16_383;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    #[error("{0} × {1} pixels are no picture that WebP can hold")]
    Size(u32, u32),
    #[error("there are {found} bytes of pixels instead of {expected}")]
    Length { found: usize, expected: usize },
    #[error("the animation takes longer than WebP can say")]
    Duration,
    /// Out of memory, mostly.
    #[error("libwebp: {0}")]
    Encoder(String),
}

/// Rows of pixels, top to bottom, eight bits a channel, nothing between them.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    width: u32,
    height: u32,
    channels: Channels,
    bytes: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Channels {
    Rgb = 3,
    Rgba = 4,
}

impl<'a> Image<'a> {
    pub fn rgb(width: u32, height: u32, bytes: &'a [u8]) -> Result<Image<'a>, Error> {
        Image::new(width, height, Channels::Rgb, bytes)
    }

    /// Alpha is not multiplied into the colours.
    pub fn rgba(width: u32, height: u32, bytes: &'a [u8]) -> Result<Image<'a>, Error> {
        Image::new(width, height, Channels::Rgba, bytes)
    }

    fn new(width: u32, height: u32, channels: Channels, bytes: &'a [u8]) -> Result<Image<'a>, Error> {
        check_size(width, height)?;
        let expected = width as usize * height as usize * channels as usize;
        if bytes.len() != expected {
            return Err(Error::Length { found: bytes.len(), expected });
        }
        Ok(Image { width, height, channels, bytes })
    }
}

fn check_size(width: u32, height: u32) -> Result<(), Error> {
    let fits = |side| (1..=MAX_SIDE).contains(&side);
    if fits(width) && fits(height) { Ok(()) } else { Err(Error::Size(width, height)) }
}

/// The file of a still picture.
pub fn encode(image: Image<'_>, compression: Compression) -> Result<Vec<u8>, Error> {
    let config = config::of(compression)?;
    Picture::import(image, compression.wants_argb())?.encode(&config)
}

#[cfg(test)]
mod tests;
