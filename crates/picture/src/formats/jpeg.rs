//! JPEG: baseline and progressive; grey, colour, and CMYK.

mod scans;

use image::{DynamicImage, GrayImage, RgbImage};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::colour::ToSrgb;
use crate::view::View;
use crate::{Effort, Error, File, Format, Limits, still};

type Decoder<'a> = JpegDecoder<ZCursor<&'a [u8]>>;

pub(crate) fn measure(input: &[u8], limits: &Limits) -> Result<Effort, Error> {
    let (decoder, width, height) = headers(input)?;
    limits.check_still(width, height, pixel_bytes(&decoder))?;
    let pixels = u64::from(width) * u64::from(height);
    let decoded = pixels * scans::count(input)?;
    Ok(Effort { format: Format::Jpeg, bytes: input.len() as u64, decoded, shown: pixels })
}

pub(crate) fn convert(input: &[u8]) -> Result<File, Error> {
    let (decoder, width, height) = headers(input)?;
    let profile = decoder.icc_profile();
    let image = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => {
            GrayImage::from_raw(width, height, pixels(input, ColorSpace::Luma)?).map(DynamicImage::from)
        }
        Some(inks @ (ColorSpace::CMYK | ColorSpace::YCCK)) => {
            let converted = from_inks(input, inks, profile.as_deref())?;
            RgbImage::from_raw(width, height, converted).map(DynamicImage::from)
        }
        _ => RgbImage::from_raw(width, height, pixels(input, ColorSpace::RGB)?).map(DynamicImage::from),
    };
    let image = image.ok_or(Error::Broken("its size differs from its header"))?;
    let view = View::new(decoder.exif().map(Vec::as_slice), profile.as_deref(), image.color());
    still::photo(&view.apply(image)?)
}

/// A decoder that has read the headers, and the dimensions of the image.
fn headers(input: &[u8]) -> Result<(Decoder<'_>, u32, u32), Error> {
    let mut decoder = decoder(input, ColorSpace::RGB);
    decoder.decode_headers().map_err(Error::undecodable)?;
    let (width, height) = decoder.dimensions().ok_or(Error::Broken("it has no size"))?;
    // They are 16-bit numbers.
    Ok((decoder, width as u32, height as u32))
}

/// A progressive file's coefficients have 16 bits and are held along with the pixels; later there are two copies of the
/// pixels, while they are rotated.
fn pixel_bytes(decoder: &Decoder) -> u64 {
    let channels = decoder.info().map_or(4, |info| u64::from(info.components));
    (3 * channels).max(6)
}

/// Lenient, like browsers: a truncated file is shown as far as it goes.
fn decoder(input: &[u8], colours: ColorSpace) -> Decoder<'_> {
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(side)
        .set_max_height(side)
        .jpeg_set_out_colorspace(colours);
    JpegDecoder::new_with_options(ZCursor::new(input), options)
}

fn pixels(input: &[u8], colours: ColorSpace) -> Result<Vec<u8>, Error> {
    decoder(input, colours).decode().map_err(Error::undecodable)
}

/// Inks are stored inverted, as Adobe does, whether a file says so or not: browsers do the same.
fn from_inks(input: &[u8], stored: ColorSpace, profile: Option<&[u8]>) -> Result<Vec<u8>, Error> {
    let Some(to_srgb) = profile.and_then(ToSrgb::from_cmyk) else {
        return pixels(input, ColorSpace::RGB);
    };
    let mut inks = pixels(input, stored)?;
    for pixel in inks.as_chunks_mut::<4>().0 {
        *pixel = match stored {
            ColorSpace::YCCK => ink_of_ycck(*pixel),
            _ => pixel.map(|white| 255 - white),
        };
    }
    to_srgb.convert_bytes(&inks)
}

/// The equations of JPEG (ITU-T T.871), which result in the inks themselves, since YCCK is derived from inverted inks.
fn ink_of_ycck([y, cb, cr, k]: [u8; 4]) -> [u8; 4] {
    let (y, cb, cr) = (f32::from(y), f32::from(cb) - 128.0, f32::from(cr) - 128.0);
    // The cast saturates.
    let ink = |value: f32| value.round() as u8;
    [ink(y + 1.402 * cr), ink(y - 0.344_136 * cb - 0.714_136 * cr), ink(y + 1.772 * cb), 255 - k]
}
