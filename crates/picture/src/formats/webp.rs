//! WebP: a compact file is stored unchanged, without its metadata.

use std::io::Cursor;
use std::num::NonZeroU32;

use image::{ColorType, DynamicImage, RgbImage, RgbaImage};
use image_webp::{LoopCount, WebPDecoder};

use crate::animation::Frame;
use crate::view::{self, View};
use crate::{Dimensions, Effort, Error, File, Format, Limits, animation, container, still};

type Decoder<'a> = WebPDecoder<Cursor<&'a [u8]>>;

pub(crate) fn measure(input: &[u8], limits: &Limits) -> Result<Effort, Error> {
    let (decoder, view) = open(input)?;
    let (width, height) = decoder.dimensions();
    limits.check_still(width, height, 4)?;
    let pixels = u64::from(width) * u64::from(height);
    let format = if view.is_plain() { Format::PlainWebp } else { Format::ChangedWebp };
    let effort = Effort { format, bytes: input.len() as u64, decoded: pixels, shown: pixels };
    if decoder.is_animated() {
        limits.check_animation(width, height, decoder.num_frames())?;
        let shown = pixels * u64::from(decoder.num_frames());
        Ok(Effort { decoded: container::stored_pixels(input)?, shown, ..effort })
    } else {
        // Planes, and the pixels converted from them; or the pixels twice, to rotate them.
        limits.check_still(width, height, 8)?;
        Ok(effort)
    }
}

pub(crate) fn convert(input: &[u8], limits: &Limits) -> Result<File, Error> {
    let (decoder, view) = open(input)?;
    let (width, height) = decoder.dimensions();
    // A file that must not be shown as stored cannot be kept.
    let stripped = view.is_plain().then(|| container::strip(input)).transpose()?;
    let stripped = stripped.map(|bytes| File { bytes, dimensions: Dimensions { width, height } });
    if decoder.is_animated() {
        convert_animation(decoder, &view, stripped)
    } else {
        convert_still(decoder, &view, stripped, limits)
    }
}

/// The widest first: each is made of the one before, which takes less time than to begin with the largest each time.
pub(crate) fn smaller(input: &[u8], widths: &[NonZeroU32], limits: &Limits) -> Result<Vec<File>, Error> {
    let (mut decoder, view) = open(input)?;
    if decoder.is_animated() {
        return Ok(Vec::new());
    }
    let mut image = view.apply(read(&mut decoder, |decoder, pixels| decoder.read_image(pixels))?.0)?;
    let (width, height) = (u64::from(image.width()), u64::from(image.height()));
    let mut widths: Vec<u32> = widths.iter().map(|width| width.get()).collect();
    widths.sort_unstable_by(|a, b| b.cmp(a));
    let mut files = Vec::new();
    for smaller in widths.into_iter().filter(|smaller| u64::from(*smaller) < width) {
        // Not larger than the height, as the width is smaller.
        let scaled = ((height * u64::from(smaller) + width / 2) / width).max(1) as u32;
        image = view::scale(&image, smaller, scaled)?;
        let file = encode(&mut decoder, &image, limits)?;
        files.extend(Some(file).filter(|file| file.bytes.len() < input.len()));
    }
    Ok(files)
}

/// The image as shown; of an animation, its first frame.
pub(crate) fn first_image(input: &[u8]) -> Result<DynamicImage, Error> {
    let (mut decoder, view) = open(input)?;
    let image = match decoder.is_animated() {
        true => read(&mut decoder, |decoder, pixels| decoder.read_frame(pixels).map(drop))?.0,
        false => read(&mut decoder, |decoder, pixels| decoder.read_image(pixels))?.0,
    };
    view.apply(image)
}

/// A decoder that has read the headers, and how the pixels are to be shown.
fn open(input: &[u8]) -> Result<(Decoder<'_>, View), Error> {
    let mut decoder = WebPDecoder::new(Cursor::new(input)).map_err(Error::undecodable)?;
    let exif = decoder.exif_metadata().map_err(Error::undecodable)?;
    let profile = decoder.icc_profile().map_err(Error::undecodable)?;
    let colour = if decoder.has_alpha() { ColorType::Rgba8 } else { ColorType::Rgb8 };
    let view = View::new(exif.as_deref(), profile.as_deref(), colour);
    Ok((decoder, view))
}

/// A file that is kept is decoded once anyway: only valid images are served.
fn convert_still(
    mut decoder: Decoder<'_>,
    view: &View,
    stripped: Option<File>,
    limits: &Limits,
) -> Result<File, Error> {
    let image = view.apply(read(&mut decoder, |decoder, pixels| decoder.read_image(pixels))?.0)?;
    match stripped {
        Some(stripped) if is_compact(&stripped, 1) => Ok(stripped),
        stripped => Ok(shorter(encode(&mut decoder, &image, limits)?, stripped)),
    }
}

fn encode(decoder: &mut Decoder<'_>, image: &DynamicImage, limits: &Limits) -> Result<File, Error> {
    match decoder.is_lossy() {
        true => still::photo(image),
        false => still::photo_or_drawing(image, limits),
    }
}

fn convert_animation(mut decoder: Decoder<'_>, view: &View, stripped: Option<File>) -> Result<File, Error> {
    // Browsers ignore the background colour of a file.
    decoder.set_background_color([0; 4]).map_err(Error::undecodable)?;
    let plays = match decoder.loop_count() {
        LoopCount::Forever => 0,
        LoopCount::Times(times) => times.get(),
    };
    let count = decoder.num_frames();
    let mut frames = (0..count).map(|_| {
        let (image, milliseconds) = read(&mut decoder, |decoder, pixels| decoder.read_frame(pixels))?;
        Ok(Frame { image: image.into_rgba8(), milliseconds })
    });
    match stripped {
        Some(stripped) if is_compact(&stripped, count) => {
            frames.try_for_each(|frame| frame.map(drop))?;
            Ok(stripped)
        }
        stripped => Ok(shorter(animation::encode(frames, plays, view)?, stripped)),
    }
}

/// The pixels, and the result of `read`.
fn read<T>(
    decoder: &mut Decoder<'_>,
    reader: impl FnOnce(&mut Decoder<'_>, &mut [u8]) -> Result<T, image_webp::DecodingError>,
) -> Result<(DynamicImage, T), Error> {
    let (width, height) = decoder.dimensions();
    let size = decoder.output_buffer_size().ok_or(Error::Broken("it has no size"))?;
    let mut pixels = vec![0; size];
    let answer = reader(decoder, &mut pixels).map_err(Error::undecodable)?;
    let image = match decoder.has_alpha() {
        true => RgbaImage::from_raw(width, height, pixels).map(DynamicImage::from),
        false => RgbImage::from_raw(width, height, pixels).map(DynamicImage::from),
    };
    Ok((image.ok_or(Error::Broken("its size differs from its header"))?, answer))
}

/// Compressing again would cost quality and save little: at most two bits per pixel (our files have about one), or so
/// small that it does not matter.
fn is_compact(file: &File, frames: u32) -> bool {
    let pixels = u64::from(file.dimensions.width) * u64::from(file.dimensions.height) * u64::from(frames);
    let bytes = file.bytes.len() as u64;
    bytes <= (pixels / 4).max(10_000)
}

fn shorter(encoded: File, stripped: Option<File>) -> File {
    stripped.filter(|stripped| stripped.bytes.len() <= encoded.bytes.len()).unwrap_or(encoded)
}
