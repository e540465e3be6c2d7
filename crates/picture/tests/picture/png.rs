use std::borrow::Cow;

use image::DynamicImage;
use png::{BitDepth, ColorType};

use crate::make::{self, SECRET};
use crate::{assert_absent, assert_near, convert, decoder, pixels, roughly, tenths};

#[test]
fn a_palette_with_transparency_is_kept_exactly() {
    let indices: Vec<u8> = (0..64 * 64).map(|n| (n / 8 % 3) as u8).collect();
    let file = make::png((64, 64), ColorType::Indexed, &indices, |info| {
        info.palette = Some(Cow::Borrowed(&[255, 0, 0, 0, 0, 255, 9, 9, 9]));
        info.trns = Some(Cow::Borrowed(&[255, 128, 0]));
    });
    let shown = pixels(&convert(&file));
    assert_eq!(shown.get_pixel(0, 0).0, [255, 0, 0, 255]);
    assert_eq!(shown.get_pixel(8, 0).0, [0, 0, 255, 128]);
    assert_eq!(shown.get_pixel(16, 0).0[3], 0);
}

#[test]
fn alpha_is_kept_in_a_photo() {
    let mut image = DynamicImage::from(make::photo(64, 64)).into_rgba8();
    for (x, _, pixel) in image.enumerate_pixels_mut() {
        pixel.0[3] = (x * 4) as u8;
    }
    let file = convert(&make::png((64, 64), ColorType::Rgba, &image, |_| {}));
    assert!(decoder(&file).is_lossy());
    let shown = pixels(&file);
    assert_eq!(shown.get_pixel(10, 5).0[3], 40);
    assert_near(shown.get_pixel(60, 30).0, image.get_pixel(60, 30).0, 24);
}

#[test]
fn sixteen_bits_become_eight() {
    let samples = [0xffff_u16, 0x8080, 0x0000, 0xc0c0].map(u16::to_be_bytes).concat();
    let file = make::png((32, 32), ColorType::Rgba, &samples.repeat(32 * 32), |info| {
        info.bit_depth = BitDepth::Sixteen;
    });
    assert_eq!(pixels(&convert(&file)).get_pixel(7, 7).0, [0xff, 0x80, 0x00, 0xc0]);
}

#[test]
fn grey_of_one_bit_is_black_and_white() {
    let file = make::png((8, 2), ColorType::Grayscale, &[0b1010_0110, 0b0101_1001], |info| {
        info.bit_depth = BitDepth::One;
    });
    let shown = pixels(&convert(&file));
    assert_eq!(shown.get_pixel(0, 0).0, [255, 255, 255, 255]);
    assert_eq!(shown.get_pixel(0, 1).0, [0, 0, 0, 255]);
}

#[test]
fn an_interlaced_file_is_decoded() {
    // Of two pixels in a row each is a separate pass, with a filter byte before it.
    let file = make::png_of_idat((2, 1), &[0, 10, 0, 200], |info| info.interlaced = true);
    let shown = pixels(&convert(&file));
    assert_eq!(shown.get_pixel(0, 0).0, [10, 10, 10, 255]);
    assert_eq!(shown.get_pixel(1, 0).0, [200, 200, 200, 255]);
}

#[test]
fn texts_and_exif_are_removed() {
    let photo = make::photo(40, 40);
    let file = make::png((40, 40), ColorType::Rgb, &photo, |info| {
        info.exif_metadata = Some(Cow::Owned(make::exif(1)));
        info.uncompressed_latin1_text.push(png::text_metadata::TEXtChunk::new("Comment", SECRET));
        info.utf8_text.push(png::text_metadata::ITXtChunk::new("XML:com.adobe.xmp", SECRET));
    });
    let converted = convert(&file);
    for planted in [SECRET, "EXIF", "XMP ", "Comment"] {
        assert_absent(&converted, planted);
    }
}

#[test]
fn the_orientation_is_applied() {
    let file = make::png((64, 32), ColorType::Rgb, &make::corners(), |info| {
        info.exif_metadata = Some(Cow::Owned(make::exif(6)));
    });
    let shown = pixels(&convert(&file));
    assert_eq!(shown.dimensions(), (32, 64));
    assert_eq!(shown.get_pixel(31, 0).0, [200, 30, 30, 255]);
}

#[test]
fn a_screenshot_is_kept_without_loss_and_a_photo_is_not() {
    let screenshot = make::screenshot(800, 600);
    let file = convert(&make::png((800, 600), ColorType::Rgb, &screenshot, |_| {}));
    assert!(!decoder(&file).is_lossy());
    assert_eq!(pixels(&file), DynamicImage::from(screenshot.clone()).into_rgba8());

    let through_jpeg = make::jpeg((800, 600), jpeg_encoder::ColorType::Rgb, &screenshot, |_| {});
    assert!(file.len() * 3 <= convert(&through_jpeg).len(), "a third of what it takes lossy");

    let photo = make::photo(800, 600);
    assert!(decoder(&convert(&make::png((800, 600), ColorType::Rgb, &photo, |_| {}))).is_lossy());
}

#[test]
fn a_flat_image_that_is_smaller_lossy_is_lossy() {
    // A blank page on the left, a photo on the right: flat enough to try both.
    let mut page = make::photo(600, 400);
    for (_, _, pixel) in page.enumerate_pixels_mut().filter(|(x, _, _)| *x < 300) {
        pixel.0 = [255; 3];
    }
    assert!(decoder(&convert(&make::png((600, 400), ColorType::Rgb, &page, |_| {}))).is_lossy());
}

#[test]
fn an_animation_stays_animated() {
    let colours = [[250, 0, 0, 255], [0, 250, 0, 255], [0, 0, 250, 100]];
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 16, 16);
    encoder.set_color(ColorType::Rgba);
    encoder.set_animated(3, 4).unwrap();
    encoder.set_frame_delay(2, 10).unwrap();
    encoder.set_blend_op(png::BlendOp::Source).unwrap();
    let mut writer = encoder.write_header().unwrap();
    for colour in colours {
        writer.write_image_data(&colour.repeat(16 * 16)).unwrap();
    }
    writer.finish().unwrap();

    let converted = convert(&file);
    let shown: Vec<_> = tenths(&converted).iter().map(|frame| roughly(frame.get_pixel(8, 8).0)).collect();
    let [red, green, blue] = colours.map(roughly);
    assert_eq!(shown, [red, red, green, green, blue, blue]);
    assert_eq!(decoder(&converted).loop_count(), image_webp::LoopCount::Times(4.try_into().unwrap()));
}
