//! Makes an icon of an image.

use std::io::Write;

use image::{DynamicImage, Rgba, RgbaImage};

use crate::Error;
use crate::view::scale;

pub(crate) fn write(
    image: DynamicImage,
    side: u32,
    background: Option<[u8; 3]>,
    output: &mut dyn Write,
) -> Result<(), Error> {
    let longest = image.width().max(image.height());
    let scaled = |length: u32| {
        let exact = u64::from(length) * u64::from(side);
        // At most the side, which the longest length becomes.
        ((exact + u64::from(longest) / 2) / u64::from(longest)).max(1) as u32
    };
    let image = scale(&image, scaled(image.width()), scaled(image.height()))?.into_rgba8();
    let paper = background.map_or([0; 4], |[red, green, blue]| [red, green, blue, 255]);
    let mut icon = RgbaImage::from_pixel(side, side, Rgba(paper));
    let (left, top) = ((side - image.width()) / 2, (side - image.height()) / 2);
    image::imageops::overlay(&mut icon, &image, left.into(), top.into());
    encode(&icon).map_err(Error::undecodable).and_then(|bytes| output.write_all(&bytes).map_err(Error::Write))
}

fn encode(icon: &RgbaImage) -> Result<Vec<u8>, ::png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, icon.width(), icon.height());
    encoder.set_color(::png::ColorType::Rgba);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(icon)?;
    writer.finish()?;
    Ok(bytes)
}
