//! How a file's pixels are to be shown: applied to the pixels, so that it need not be stored.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8x3, U8x4};
use fast_image_resize::{PixelTrait, Resizer};
use image::metadata::Orientation;
use image::{ColorType, DynamicImage};

use crate::Error;
use crate::colour::ToSrgb;

pub(crate) struct View {
    orientation: Orientation,
    colours: Option<ToSrgb>,
}

impl View {
    pub(crate) fn new(exif: Option<&[u8]>, profile: Option<&[u8]>, pixels: ColorType) -> View {
        // In a JPEG these bytes come first; some programs also write them into other formats.
        let exif = exif.map(|exif| exif.strip_prefix(b"Exif\0\0").unwrap_or(exif));
        View {
            orientation: exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms),
            colours: profile.and_then(|profile| ToSrgb::new(profile, pixels)),
        }
    }

    /// The pixels are shown unchanged.
    pub(crate) fn plain() -> View {
        View { orientation: Orientation::NoTransforms, colours: None }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.orientation == Orientation::NoTransforms && self.colours.is_none()
    }

    /// Upright, in sRGB, with eight bits per channel (`Rgb8` or `Rgba8`), and no side longer than WebP allows.
    pub(crate) fn apply(&self, image: DynamicImage) -> Result<DynamicImage, Error> {
        let image = match &self.colours {
            Some(colours) => colours.convert(image)?,
            None if image.color().has_alpha() => image.into_rgba8().into(),
            None => image.into_rgb8().into(),
        };
        let mut image = fit(image)?;
        image.apply_orientation(self.orientation);
        Ok(image)
    }
}

/// Scales down images that are too large for WebP.
fn fit(image: DynamicImage) -> Result<DynamicImage, Error> {
    let longest = image.width().max(image.height());
    if longest <= webp::MAX_SIDE {
        return Ok(image);
    }
    let scaled = |side: u32| {
        let exact = u64::from(side) * u64::from(webp::MAX_SIDE);
        // At most the longest side, which becomes MAX_SIDE: it fits.
        ((exact + u64::from(longest) / 2) / u64::from(longest)).max(1) as u32
    };
    scale(&image, scaled(image.width()), scaled(image.height()))
}

/// The image, `Rgb8` or `Rgba8`, at another size.
pub(crate) fn scale(image: &DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Error> {
    let mut smaller = DynamicImage::new(width, height, image.color());
    match (image, &mut smaller) {
        (DynamicImage::ImageRgba8(image), DynamicImage::ImageRgba8(smaller)) => {
            resize::<U8x4>(image.dimensions(), image, smaller.dimensions(), smaller)
        }
        (DynamicImage::ImageRgb8(image), DynamicImage::ImageRgb8(smaller)) => {
            resize::<U8x3>(image.dimensions(), image, smaller.dimensions(), smaller)
        }
        _ => Err(Error::undecodable("neither RGB nor RGBA")),
    }?;
    Ok(smaller)
}

/// For a type of pixels that is known: for any type, it would be compiled for thirteen.
fn resize<P: PixelTrait>(
    (width, height): (u32, u32),
    from: &[u8],
    (new_width, new_height): (u32, u32),
    to: &mut [u8],
) -> Result<(), Error> {
    let from = TypedImageRef::<P>::from_buffer(width, height, from).map_err(Error::undecodable)?;
    let mut to = TypedImage::<P>::from_buffer(new_width, new_height, to).map_err(Error::undecodable)?;
    Resizer::new().resize_typed(&from, &mut to, None).map_err(Error::undecodable)
}
