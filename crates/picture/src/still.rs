//! Encodes a still image: lossy, or lossless if that is smaller.

use std::collections::HashSet;

use image::DynamicImage;
use webp::{Compression, Image};

use crate::{Dimensions, Error, File, Limits};

/// Not visibly lossy. The third method instead of the default fifth takes less than half the time, for a few per cent
/// more bytes.
pub(crate) const LOSSY: Compression = Compression::Lossy { quality: 80, method: 2 };

const LOSSLESS: Compression = Compression::Lossless { level: 3 };

/// The maximum memory per pixel of libwebp's lossless encoder; the lossy one takes 3 bytes.
const LOSSLESS_PIXEL_BYTES: u64 = 40;

/// For images that were already lossy: their noise makes lossless files huge.
pub(crate) fn photo(image: &DynamicImage) -> Result<File, Error> {
    compress(image, LOSSY)
}

/// For images that may be a drawing, a screenshot or a photo.
pub(crate) fn photo_or_drawing(image: &DynamicImage, limits: &Limits) -> Result<File, Error> {
    let lossy = compress(image, LOSSY)?;
    let pixels = u64::from(image.width()) * u64::from(image.height());
    let may_be_drawing = is_flat(image) || has_few_colours(image);
    if pixels * LOSSLESS_PIXEL_BYTES > limits.memory || !may_be_drawing {
        return Ok(lossy);
    }
    let lossless = compress(image, LOSSLESS)?;
    Ok(if lossless.bytes.len() < lossy.bytes.len() { lossless } else { lossy })
}

/// At least a quarter of the pixels equal their left neighbour: in a photo a few per cent do, in a drawing nearly all.
fn is_flat(image: &DynamicImage) -> bool {
    let channels = usize::from(image.color().channel_count());
    let (mut pairs, mut equal) = (0, 0);
    for row in sample_rows(image) {
        let neighbours = row.chunks_exact(channels).zip(row[channels..].chunks_exact(channels));
        pairs += neighbours.len();
        equal += neighbours.filter(|(left, right)| left == right).count();
    }
    equal * 4 >= pairs
}

/// Possibly dithered. A black-and-white photo has more shades of grey.
fn has_few_colours(image: &DynamicImage) -> bool {
    const FEW_COLOURS: usize = 64;
    let channels = usize::from(image.color().channel_count());
    let mut colours = HashSet::new();
    let mut pixels = sample_rows(image).flat_map(|row| row.chunks_exact(channels));
    pixels.all(|pixel| {
        colours.insert(pixel);
        colours.len() <= FEW_COLOURS
    })
}

/// Enough rows to distinguish a photo from a drawing, at any size.
fn sample_rows(image: &DynamicImage) -> impl Iterator<Item = &[u8]> {
    const SAMPLED_ROWS: usize = 256;
    let row_bytes = image.width() as usize * usize::from(image.color().channel_count());
    let step = (image.height() as usize).div_ceil(SAMPLED_ROWS);
    image.as_bytes().chunks_exact(row_bytes).step_by(step)
}

fn compress(image: &DynamicImage, compression: Compression) -> Result<File, Error> {
    let (width, height) = (image.width(), image.height());
    let pixels = match image.color().has_alpha() {
        true => Image::rgba(width, height, image.as_bytes())?,
        false => Image::rgb(width, height, image.as_bytes())?,
    };
    Ok(File { bytes: webp::encode(pixels, compression)?, dimensions: Dimensions { width, height } })
}
