//! Converts colours from an embedded ICC profile to sRGB, which browsers assume for images without a profile.

use std::sync::Arc;

use image::{ColorType, DynamicImage, RgbImage, Rgba, RgbaImage};
use moxcms::{ColorProfile, DataColorSpace, Layout, Transform8BitExecutor, TransformOptions};

use crate::Error;

pub(crate) struct ToSrgb {
    from: Layout,
    to: Layout,
    transform: Arc<Transform8BitExecutor>,
}

impl ToSrgb {
    /// `None` if there is nothing to convert: the profile is sRGB, does not match the pixels, or is invalid (browsers
    /// ignore such a profile, too).
    pub(crate) fn new(profile: &[u8], pixels: ColorType) -> Option<ToSrgb> {
        let profile = ColorProfile::new_from_slice(profile).ok()?;
        let (from, to) = match (profile.color_space, pixels.has_color(), pixels.has_alpha()) {
            (DataColorSpace::Rgb, _, false) => (Layout::Rgb, Layout::Rgb),
            (DataColorSpace::Rgb, _, true) => (Layout::Rgba, Layout::Rgba),
            (DataColorSpace::Gray, false, false) => (Layout::Gray, Layout::Rgb),
            (DataColorSpace::Gray, false, true) => (Layout::GrayAlpha, Layout::Rgba),
            _ => return None,
        };
        ToSrgb::between(&profile, from, to).filter(ToSrgb::changes_something)
    }

    /// From CMYK, where 255 means full ink. `None` if the profile is for another colour space.
    pub(crate) fn from_cmyk(profile: &[u8]) -> Option<ToSrgb> {
        let profile = ColorProfile::new_from_slice(profile).ok()?;
        // moxcms calls any four channels Rgba.
        let is_cmyk = profile.color_space == DataColorSpace::Cmyk;
        is_cmyk.then(|| ToSrgb::between(&profile, Layout::Rgba, Layout::Rgb)).flatten()
    }

    fn between(profile: &ColorProfile, from: Layout, to: Layout) -> Option<ToSrgb> {
        let srgb = ColorProfile::new_srgb();
        let transform = profile.create_transform_8bit(from, &srgb, to, TransformOptions::default()).ok()?;
        Some(ToSrgb { from, to, transform })
    }

    /// Most profiles are sRGB under one of its many names: converting a few test colours shows that, and saves
    /// converting all pixels.
    fn changes_something(&self) -> bool {
        let step = |x: u32| (x * 51) as u8;
        let probe = RgbaImage::from_fn(6 * 6, 6, |x, y| Rgba([step(x / 6), step(x % 6), step(y), 255]));
        let probe = match self.from {
            Layout::Gray | Layout::GrayAlpha => DynamicImage::from(probe).into_luma8().into(),
            _ => DynamicImage::from(probe),
        };
        let Ok(converted) = self.convert(probe.clone()) else {
            return false;
        };
        let differs = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 2;
        probe.into_rgb8().iter().zip(converted.into_rgb8().iter()).any(differs)
    }

    pub(crate) fn convert(&self, image: DynamicImage) -> Result<DynamicImage, Error> {
        let (width, height) = (image.width(), image.height());
        let source = match self.from {
            Layout::Gray => image.into_luma8().into_raw(),
            Layout::GrayAlpha => image.into_luma_alpha8().into_raw(),
            Layout::Rgba => image.into_rgba8().into_raw(),
            _ => image.into_rgb8().into_raw(),
        };
        let converted = self.convert_bytes(&source)?;
        let image = match self.to {
            Layout::Rgba => RgbaImage::from_raw(width, height, converted).map(DynamicImage::from),
            _ => RgbImage::from_raw(width, height, converted).map(DynamicImage::from),
        };
        Ok(image.expect("as many pixels as before"))
    }

    pub(crate) fn convert_bytes(&self, source: &[u8]) -> Result<Vec<u8>, Error> {
        let mut converted = vec![0; source.len() / self.from.channels() * self.to.channels()];
        self.transform.transform(source, &mut converted).map_err(Error::undecodable)?;
        Ok(converted)
    }
}
