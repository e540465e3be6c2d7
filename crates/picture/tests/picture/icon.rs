//! Icons of a stored image.

use std::num::NonZeroU32;

use image::RgbaImage;
use picture::Limits;

use crate::libwebp::{Animation, Compression, Image, encode};
use crate::{assert_near, make};

const PHOTO: Compression = Compression::Lossy { quality: 80, method: 2 };

fn icon(input: &[u8], side: u32, background: Option<[u8; 3]>) -> RgbaImage {
    let (side, mut output) = (NonZeroU32::new(side).unwrap(), Vec::new());
    picture::to_icon(input, side, background, &Limits::default(), &mut output).unwrap();
    image::load_from_memory_with_format(&output, image::ImageFormat::Png).unwrap().into_rgba8()
}

#[test]
fn an_icon_is_a_square_with_the_whole_image() {
    let wide = RgbaImage::from_pixel(400, 100, image::Rgba([30, 30, 200, 255]));
    let file = encode(Image::rgba(400, 100, &wide).unwrap(), PHOTO).unwrap();
    let transparent = icon(&file, 32, None);
    assert_eq!(transparent.dimensions(), (32, 32));
    assert_eq!(transparent.get_pixel(16, 2)[3], 0);
    assert_near(transparent.get_pixel(16, 16).0, [30, 30, 200, 255], 16);
    let opaque = icon(&file, 180, Some([255; 3]));
    assert_eq!(opaque.dimensions(), (180, 180));
    assert_eq!(opaque.get_pixel(90, 10).0, [255; 4]);
    assert_near(opaque.get_pixel(90, 90).0, [30, 30, 200, 255], 16);
}

#[test]
fn a_small_image_is_enlarged() {
    let file = encode(Image::rgb(1, 5, &make::photo(1, 5)).unwrap(), PHOTO).unwrap();
    assert_eq!(icon(&file, 180, None).dimensions(), (180, 180));
}

#[test]
fn the_first_frame_of_an_animation_is_the_icon() {
    let mut animation = Animation::new(64, 64, 0, PHOTO).unwrap();
    for colour in [[200, 30, 30, 255], [30, 200, 30, 255]] {
        let frame = RgbaImage::from_pixel(64, 64, image::Rgba(colour));
        animation.add(Image::rgba(64, 64, &frame).unwrap(), 100).unwrap();
    }
    assert_near(icon(&animation.finish().unwrap(), 32, None).get_pixel(16, 16).0, [200, 30, 30, 255], 16);
}
