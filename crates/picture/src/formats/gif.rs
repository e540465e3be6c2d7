//! GIF: animations stay animated.

use std::io::Cursor;

use ::gif::{DecodeOptions, Repeat};
use image::codecs::gif::GifDecoder;
use image::{AnimationDecoder, DynamicImage};

use crate::formats::frame;
use crate::view::View;
use crate::{Effort, Error, File, Format, Limits, animation, still};

pub(crate) fn measure(input: &[u8], limits: &Limits) -> Result<Effort, Error> {
    let Header { width, height, frames, decoded, .. } = Header::read(input, limits)?;
    let shown = u64::from(width) * u64::from(height) * u64::from(frames.max(1));
    Ok(Effort { format: Format::Gif, bytes: input.len() as u64, decoded, shown })
}

pub(crate) fn convert(input: &[u8], limits: &Limits) -> Result<File, Error> {
    let Header { frames: count, plays, .. } = Header::read(input, limits)?;
    let decoder = GifDecoder::new(Cursor::new(input)).map_err(Error::undecodable)?;
    let frames = decoder.into_frames().take(count as usize).map(frame);
    // Lenient, like browsers: a truncated file is shown as far as it goes.
    let mut frames =
        frames.enumerate().take_while(|(n, frame)| *n == 0 || frame.is_ok()).map(|(_, frame)| frame);
    if count > 1 {
        return animation::encode(frames, plays, &View::plain());
    }
    let only = frames.next().unwrap_or(Err(Error::Broken("it has no frames")))?;
    still::photo_or_drawing(&View::plain().apply(DynamicImage::from(only.image))?, limits)
}

/// Determined without decoding pixels. A GIF does not store its number of frames, so all of them are visited.
struct Header {
    width: u32,
    height: u32,
    frames: u32,
    /// 0 means forever.
    plays: u16,
    /// Pixels of all frames, each at its stored size.
    decoded: u64,
}

impl Header {
    fn read(input: &[u8], limits: &Limits) -> Result<Header, Error> {
        let mut options = DecodeOptions::new();
        options.skip_frame_decoding(true);
        let mut decoder = options.read_info(Cursor::new(input)).map_err(Error::undecodable)?;
        let (width, height) = (u32::from(decoder.width()), u32::from(decoder.height()));
        limits.check_animation(width, height, 1)?;
        let (mut frames, mut decoded) = (0, 0);
        while let Ok(Some(frame)) = decoder.next_frame_info() {
            // A frame may be larger than the whole image.
            limits.check_animation(u32::from(frame.width), u32::from(frame.height), 1)?;
            decoded += u64::from(frame.width) * u64::from(frame.height);
            frames += 1;
            limits.check_animation(width, height, frames)?;
        }
        let plays = match decoder.repeat() {
            Repeat::Infinite => 0,
            // A GIF stores the number of repetitions after the first run.
            Repeat::Finite(again) => again.saturating_add(1),
        };
        Ok(Header { width, height, frames, plays, decoded })
    }
}
