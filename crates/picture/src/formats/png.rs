//! PNG, including animations.

use std::io::Cursor;

use image::codecs::png::PngDecoder;
use image::{AnimationDecoder, DynamicImage, ImageDecoder};

use crate::formats::frame;
use crate::view::View;
use crate::{Effort, Error, File, Format, Limits, animation, still};

type Decoder<'a> = PngDecoder<Cursor<&'a [u8]>>;

pub(crate) fn measure(input: &[u8], limits: &Limits) -> Result<Effort, Error> {
    let header = ::png::Decoder::new(Cursor::new(input)).read_info().map_err(Error::undecodable)?;
    let (width, height) = header.info().size();
    limits.check_still(width, height, 4)?;
    let pixels = u64::from(width) * u64::from(height);
    let effort = Effort { format: Format::Png, bytes: input.len() as u64, decoded: pixels, shown: pixels };
    let (decoder, convert_animation) = open(input)?;
    match convert_animation {
        Some(::png::AnimationControl { num_frames, .. }) => {
            limits.check_animation(width, height, num_frames)?;
            Ok(Effort { decoded: stored_pixels(input), shown: pixels * u64::from(num_frames), ..effort })
        }
        None => {
            // As decoded, and as eight bits.
            limits.check_still(width, height, u64::from(decoder.color_type().bytes_per_pixel()) + 4)?;
            Ok(effort)
        }
    }
}

pub(crate) fn convert(input: &[u8], limits: &Limits) -> Result<File, Error> {
    let (mut decoder, convert_animation) = open(input)?;
    let exif = decoder.exif_metadata().map_err(Error::undecodable)?;
    let profile = decoder.icc_profile().map_err(Error::undecodable)?;
    let view = View::new(exif.as_deref(), profile.as_deref(), decoder.color_type());
    match convert_animation {
        Some(::png::AnimationControl { num_plays, .. }) => {
            let frames = decoder.apng().map_err(Error::undecodable)?.into_frames();
            animation::encode(frames.map(frame), u16::try_from(num_plays).unwrap_or(0), &view)
        }
        None => {
            let image = DynamicImage::from_decoder(decoder).map_err(Error::undecodable)?;
            still::photo_or_drawing(&view.apply(image)?, limits)
        }
    }
}

/// The decoder, and the animation header, if there is one.
fn open(input: &[u8]) -> Result<(Decoder<'_>, Option<::png::AnimationControl>), Error> {
    let header = ::png::Decoder::new(Cursor::new(input)).read_info().map_err(Error::undecodable)?;
    let decoder = PngDecoder::new(Cursor::new(input)).map_err(Error::undecodable)?;
    let colour = decoder.color_type();
    // Deep colours are decoded for stills only, which is how programs without APNG support show any APNG.
    let deep = colour.bytes_per_pixel() > colour.channel_count();
    let convert_animation = header.info().animation_control.filter(|control| control.num_frames > 1 && !deep);
    Ok((decoder, convert_animation))
}

/// Pixels of all frames of an animation, each at its stored size.
fn stored_pixels(input: &[u8]) -> u64 {
    // After the signature: length, name, content, checksum.
    let (mut rest, mut pixels) = (input.get(8..).unwrap_or_default(), 0_u64);
    while let Some((length, named)) = rest.split_first_chunk() {
        // A number, width, height.
        if let [b'f', b'c', b'T', b'L', _, _, _, _, w0, w1, w2, w3, h0, h1, h2, h3, ..] = *named {
            let (width, height) =
                (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
            pixels = pixels.saturating_add(u64::from(width) * u64::from(height));
        }
        rest = named.get(u32::from_be_bytes(*length) as usize + 8..).unwrap_or_default();
    }
    pixels
}
