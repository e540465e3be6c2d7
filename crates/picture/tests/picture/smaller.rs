//! Smaller copies of a stored image.

use std::num::NonZeroU32;

use image::RgbaImage;
use picture::{Dimensions, Limits, SmallerFile};

use crate::libwebp::{Animation, Compression, Image, encode};
use crate::{assert_near, convert, decoder, make, pixels};

const PHOTO: Compression = Compression::Lossy { quality: 80, method: 2 };

/// The copies with these widths, after checking the reported dimensions and lengths.
fn smaller(input: &[u8], widths: &[u32]) -> Vec<Vec<u8>> {
    let widths: Vec<NonZeroU32> = widths.iter().map(|width| NonZeroU32::new(*width).unwrap()).collect();
    let mut output = Vec::new();
    let written = picture::to_smaller(input, &widths, &Limits::default(), &mut output).unwrap();
    let mut rest = output.as_slice();
    let mut files = Vec::new();
    for SmallerFile { dimensions, bytes } in written {
        let (file, others) = rest.split_at(bytes);
        let (width, height) = decoder(file).dimensions();
        assert_eq!(dimensions, Dimensions { width, height });
        files.push(file.to_vec());
        rest = others;
    }
    assert!(rest.is_empty());
    files
}

fn sizes(files: &[Vec<u8>]) -> Vec<(u32, u32)> {
    files.iter().map(|file| decoder(file).dimensions()).collect()
}

#[test]
fn a_photo_has_copies_of_all_smaller_widths() {
    let file = encode(Image::rgb(500, 301, &make::photo(500, 301)).unwrap(), PHOTO).unwrap();
    let copies = smaller(&file, &[100, 250, 499, 500, 600]);
    assert_eq!(sizes(&copies), [(499, 300), (250, 151), (100, 60)]);
    assert!(copies.iter().all(|copy| copy.len() < file.len()));
    let (near, far) = (pixels(&file), pixels(&copies[2]));
    assert_near(far.get_pixel(50, 30).0, near.get_pixel(250, 150).0, 30);
}

#[test]
fn a_copy_is_at_least_one_pixel_high() {
    let file = encode(Image::rgb(2000, 2, &make::photo(2000, 2)).unwrap(), PHOTO).unwrap();
    assert_eq!(sizes(&smaller(&file, &[100])), [(100, 1)]);
}

#[test]
fn transparent_pixels_stay_transparent() {
    let image =
        RgbaImage::from_fn(400, 400, |x, _| image::Rgba([200, 30, 30, if x < 200 { 0 } else { 255 }]));
    let file = encode(Image::rgba(400, 400, &image).unwrap(), PHOTO).unwrap();
    let copy = pixels(&smaller(&file, &[100])[0]);
    assert_eq!(copy.get_pixel(10, 50)[3], 0);
    assert_near(copy.get_pixel(90, 50).0, [200, 30, 30, 255], 20);
}

#[test]
fn a_copy_that_would_have_more_bytes_is_left_out() {
    let mut png = Vec::new();
    // Lines that no smaller size can show without many shades.
    let lines =
        image::RgbImage::from_fn(600, 600, |x, y| image::Rgb([if (x + y) % 7 < 3 { 0 } else { 255 }; 3]));
    lines.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    assert_eq!(sizes(&smaller(&convert(&png), &[500])), []);
}

#[test]
fn an_animation_has_no_copies() {
    let mut animation = Animation::new(300, 300, 0, PHOTO).unwrap();
    for shade in [50, 200] {
        let frame = RgbaImage::from_pixel(300, 300, image::Rgba([shade, shade, shade, 255]));
        animation.add(Image::rgba(300, 300, &frame).unwrap(), 100).unwrap();
    }
    assert_eq!(sizes(&smaller(&animation.finish().unwrap(), &[100])), []);
}

#[test]
fn a_damaged_file_has_no_copies() {
    let file = encode(Image::rgb(500, 300, &make::photo(500, 300)).unwrap(), PHOTO).unwrap();
    let widths = [NonZeroU32::new(100).unwrap()];
    for cut in [0, 10, 40, file.len() / 2] {
        let made = picture::to_smaller(&file[..cut], &widths, &Limits::default(), &mut Vec::new());
        assert!(made.is_err(), "{cut}");
    }
}
