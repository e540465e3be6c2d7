//! A safe interface to libwebp's encoder. The only crate in this workspace with unsafe code; it sees only pixels, never
//! files.

mod animation;
mod config;
mod picture;

pub use animation::Animation;
pub use config::Compression;

use picture::Picture;

/// The maximum width and height in the format.
pub const MAX_SIDE: u32 = 16_383;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    #[error("WebP does not support images of {0} × {1} pixels")]
    Size(u32, u32),
    #[error("expected {expected} bytes of pixels, got {found}")]
    Length { found: usize, expected: usize },
    #[error("the animation is longer than WebP can express")]
    Duration,
    /// Usually out of memory.
    #[error("libwebp: {0}")]
    Encoder(String),
}

/// Rows of pixels, top to bottom, eight bits per channel, without padding.
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

    /// Alpha is not premultiplied.
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

/// Encodes a still image.
pub fn encode(image: Image<'_>, compression: Compression) -> Result<Vec<u8>, Error> {
    let config = config::of(compression)?;
    Picture::import(image, compression.wants_argb())?.encode(&config)
}

#[cfg(test)]
mod tests;
