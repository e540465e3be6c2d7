use image::{DynamicImage, RgbaImage};
use jpeg_encoder::ColorType;

use crate::make::{self, SECRET};
use crate::{assert_absent, assert_near, convert, pixels, refusal};

/// The colours of the four quarters, row by row.
fn quarters(image: &RgbaImage) -> [[u8; 4]; 4] {
    let (width, height) = image.dimensions();
    let at = |x, y| image.get_pixel(width * x / 4, height * y / 4).0;
    [at(1, 1), at(3, 1), at(1, 3), at(3, 3)]
}

#[test]
fn every_orientation_is_applied() {
    let corners = make::corners();
    for orientation in 1..=8 {
        let file = make::jpeg((64, 32), ColorType::Rgb, &corners, |encoder| {
            make::add_exif(encoder, orientation);
        });
        let upright = pixels(&convert(&file));
        let original = DynamicImage::from(corners.clone());
        let expected = match orientation {
            2 => original.fliph(),
            3 => original.rotate180(),
            4 => original.flipv(),
            5 => original.rotate90().fliph(),
            6 => original.rotate90(),
            7 => original.rotate270().fliph(),
            8 => original.rotate270(),
            _ => original,
        }
        .into_rgba8();
        assert_eq!(upright.dimensions(), expected.dimensions(), "orientation {orientation}");
        for (found, expected) in quarters(&upright).into_iter().zip(quarters(&expected)) {
            assert_near(found, expected, 6);
        }
    }
}

#[test]
fn no_metadata_is_kept() {
    let photo = make::photo(80, 60);
    let mut file = make::jpeg((80, 60), ColorType::Rgb, &photo, |encoder| {
        make::add_exif(encoder, 6);
        let xmp = format!("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>{SECRET}</x:xmpmeta>");
        encoder.add_app_segment(1, xmp.into_bytes()).unwrap();
        encoder.add_app_segment(13, format!("Photoshop 3.0\0{SECRET}").into_bytes()).unwrap();
        encoder.add_icc_profile(&make::display_p3()).unwrap();
    });
    let comment = [&[0xff, 0xfe, 0, SECRET.len() as u8 + 2], SECRET.as_bytes()].concat();
    file.splice(2..2, comment);
    let converted = convert(&file);
    for planted in [SECRET, "EXIF", "Exif", "XMP ", "xmpmeta", "ICCP"] {
        assert_absent(&converted, planted);
    }
}

#[test]
fn a_progressive_file_looks_like_a_baseline_one() {
    let photo = make::photo(100, 70);
    let baseline = make::jpeg((100, 70), ColorType::Rgb, &photo, |_| {});
    let progressive = make::jpeg((100, 70), ColorType::Rgb, &photo, |encoder| encoder.set_progressive(true));
    assert_ne!(baseline, progressive);
    assert_eq!(convert(&baseline), convert(&progressive));
}

#[test]
fn grey_stays_grey() {
    let ramp: Vec<u8> = (0..64 * 64).map(|n| (n % 64 * 4) as u8).collect();
    let shown = pixels(&convert(&make::jpeg((64, 64), ColorType::Luma, &ramp, |_| {})));
    assert_near(shown.get_pixel(32, 32).0, [128, 128, 128, 255], 4);
    assert_near(shown.get_pixel(8, 32).0, [32, 32, 32, 255], 4);
}

#[test]
fn a_photo_is_lossy_and_much_smaller_than_its_pixels() {
    let photo = make::photo(400, 300);
    let file = convert(&make::jpeg((400, 300), ColorType::Rgb, &photo, |_| {}));
    assert!(crate::decoder(&file).is_lossy());
    assert!(file.len() < 400 * 300 * 3 / 10, "{} bytes", file.len());
}

#[test]
fn a_truncated_file_is_shown_as_far_as_it_goes() {
    let photo = make::photo(200, 200);
    let file = make::jpeg((200, 200), ColorType::Rgb, &photo, |_| {});
    let shown = pixels(&convert(&file[..file.len() * 3 / 4]));
    assert_near(shown.get_pixel(100, 20).0, pixels(&convert(&file)).get_pixel(100, 20).0, 4);
}

/// Created by `cjpeg -sample 2x2 -scans` of libjpeg-turbo.
#[test]
fn colours_in_separate_scans_are_refused_rather_than_shown_green() {
    for file in
        [&include_bytes!("../fixtures/two_scans.jpg")[..], include_bytes!("../fixtures/three_scans.jpg")]
    {
        assert_eq!(
            refusal(file).to_string(),
            "the JPEG stores each colour in a separate scan, which is not supported; please export it again"
        );
    }
}

#[test]
fn a_progressive_file_with_such_scans_is_shown_in_its_colours() {
    let shown = pixels(&convert(include_bytes!("../fixtures/progressive_scans.jpg")));
    let corners = DynamicImage::from(make::corners()).into_rgba8();
    for (found, expected) in quarters(&shown).into_iter().zip(quarters(&corners)) {
        assert_near(found, expected, 8);
    }
}
