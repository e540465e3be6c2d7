//! What a file says about how its pixels are to be shown, so that it can be done to the pixels and forgotten.

use fast_image_resize::Resizer;
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
        // In a JPEG these bytes come first; some programs write them into other formats too.
        let exif = exif.map(|exif| exif.strip_prefix(b"Exif\0\0").unwrap_or(exif));
        View {
            orientation: exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms),
            colours: profile.and_then(|profile| ToSrgb::new(profile, pixels)),
        }
    }

    /// The pixels are shown as they are.
    pub(crate) fn plain() -> View {
        View { orientation: Orientation::NoTransforms, colours: None }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.orientation == Orientation::NoTransforms && self.colours.is_none()
    }

    /// Upright, in sRGB, with eight bits a channel (`Rgb8` or `Rgba8`), and no side longer than WebP can express.
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

/// Scales down what is too long or too wide for WebP.
fn fit(image: DynamicImage) -> Result<DynamicImage, Error> {
    let longest = image.width().max(image.height());
    if longest <= webp::MAX_SIDE {
        return Ok(image);
    }
    let scaled = |side: u32| {
        let exact = u64::from(side) * u64::from(webp::MAX_SIDE);
        // No longer than the longest, which becomes MAX_SIDE: it fits.
        ((exact + u64::from(longest) / 2) / u64::from(longest)).max(1) as u32
    };
    let mut smaller = DynamicImage::new(scaled(image.width()), scaled(image.height()), image.color());
    Resizer::new().resize(&image, &mut smaller, None).map_err(Error::undecodable)?;
    Ok(smaller)
}
