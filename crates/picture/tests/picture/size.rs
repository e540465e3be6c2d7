use picture::{Dimensions, Error, Limits};

use crate::make;
use crate::{convert, pixels, refusal};

fn grey(width: u32, height: u32) -> Vec<u8> {
    let pixels = vec![77; width as usize * height as usize];
    make::png((width, height), png::ColorType::Grayscale, &pixels, |_| {})
}

#[test]
fn an_image_too_large_for_webp_is_scaled_down() {
    let shown = pixels(&convert(&grey(20_000, 100)));
    assert_eq!(shown.dimensions(), (16_383, 82));
    assert_eq!(shown.get_pixel(16_000, 50).0, [77, 77, 77, 255]);
    assert_eq!(pixels(&convert(&grey(1, 20_000))).dimensions(), (1, 16_383));
    assert_eq!(pixels(&convert(&grey(16_383, 2))).dimensions(), (16_383, 2));
}

#[test]
fn the_smallest_image_is_accepted() {
    assert_eq!(pixels(&convert(&grey(1, 1))).get_pixel(0, 0).0, [77, 77, 77, 255]);
}

#[test]
fn a_header_that_claims_too_much_is_refused_at_once() {
    for (width, height, megapixels) in [(100_000, 100_000, "10000"), (15_000, 15_000, "225")] {
        let file = make::png_of_idat((width, height), &[0; 1000], |_| {});
        assert!(file.len() < 200);
        let expected = format!("the image has {megapixels} megapixels; at most 100 are allowed");
        assert_eq!(refusal(&file).to_string(), expected);
    }
}

#[test]
fn limits_apply_to_each_format() {
    let photo = make::photo(100, 100);
    let jpeg = make::jpeg((100, 100), jpeg_encoder::ColorType::Rgb, &photo, |_| {});
    let webp = convert(&jpeg);
    for file in [grey(100, 100), jpeg, webp] {
        let run = |limits: Limits| picture::to_webp(&file, &limits, &mut Vec::new());
        let defaults = Limits::default();
        assert_eq!(
            run(Limits { pixels: 10_000, ..defaults }).unwrap(),
            Dimensions { width: 100, height: 100 }
        );
        assert!(matches!(run(Limits { pixels: 9_999, ..defaults }), Err(Error::TooLarge(_))));
        assert!(matches!(run(Limits { memory: 20_000, ..defaults }), Err(Error::TooLarge(_))));
    }
}
