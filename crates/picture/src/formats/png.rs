//! PNG, also where it moves.

use std::io::Cursor;

use image::codecs::png::PngDecoder;
use image::{AnimationDecoder, DynamicImage, ImageDecoder};

use crate::formats::frame;
use crate::view::View;
use crate::{Error, File, Limits, animation, still};

pub(crate) fn convert(input: &[u8], limits: &Limits) -> Result<File, Error> {
    let header = ::png::Decoder::new(Cursor::new(input)).read_info().map_err(Error::broken)?;
    let (width, height) = header.info().size();
    let moving = header.info().animation_control.filter(|control| control.num_frames > 1);
    limits.judge_still(width, height, 4)?;

    let mut decoder = PngDecoder::new(Cursor::new(input)).map_err(Error::broken)?;
    let colour = decoder.color_type();
    let exif = decoder.exif_metadata().map_err(Error::broken)?;
    let profile = decoder.icc_profile().map_err(Error::broken)?;
    let view = View::new(exif.as_deref(), profile.as_deref(), colour);

    match moving {
        // Deeper colours are decoded for stills only, which is what every APNG is to those who do not know it.
        Some(control) if colour.bytes_per_pixel() == colour.channel_count() => {
            limits.judge_animation(width, height, control.num_frames)?;
            let frames = decoder.apng().map_err(Error::broken)?.into_frames();
            animation::encode(frames.map(frame), u16::try_from(control.num_plays).unwrap_or(0), &view)
        }
        _ => {
            // As it is decoded, and as eight bits.
            limits.judge_still(width, height, u64::from(colour.bytes_per_pixel()) + 4)?;
            let image = DynamicImage::from_decoder(decoder).map_err(Error::broken)?;
            still::photo_or_drawing(&view.apply(image)?, limits)
        }
    }
}
