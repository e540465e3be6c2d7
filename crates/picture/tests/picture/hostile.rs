//! Malformed and malicious input.

use std::sync::LazyLock;

use gif::{Frame, Repeat};
use picture::{Error, Limits};
use proptest::prelude::*;

use crate::libwebp::{Animation, Compression, Image};
use crate::make;
use crate::refusal;

/// Small, so that a mutation that claims a large image is cheap.
const LIMITS: Limits = Limits { pixels: 1_000_000, frames: 20, memory: 20_000_000 };

/// A small file of each kind, with a profile and metadata.
static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let photo = make::photo(24, 18);
    let jpeg = |progressive| {
        make::jpeg((24, 18), jpeg_encoder::ColorType::Rgb, &photo, |encoder| {
            encoder.set_progressive(progressive);
            make::add_exif(encoder, 6);
            encoder.add_icc_profile(&make::display_p3()).unwrap();
        })
    };
    let inks = [10, 200, 90, 40].repeat(24 * 18);
    let inks = make::jpeg((24, 18), jpeg_encoder::ColorType::CmykAsYcck, &inks, |encoder| {
        encoder.add_icc_profile(&make::press()).unwrap();
    });
    let png = make::png((24, 18), png::ColorType::Rgb, &photo, |info| {
        info.icc_profile = Some(make::display_p3().into());
        info.exif_metadata = Some(make::exif(3).into());
    });
    let mut gif = Vec::new();
    let mut encoder = gif::Encoder::new(&mut gif, 8, 8, &[1, 2, 3, 4, 5, 6]).unwrap();
    encoder.set_repeat(Repeat::Infinite).unwrap();
    for index in [0, 1, 0] {
        encoder.write_frame(&Frame::from_indexed_pixels(8, 8, vec![index; 64], None)).unwrap();
    }
    drop(encoder);
    let mut animation = Animation::new(24, 18, 0, Compression::Lossy { quality: 50, method: 0 }).unwrap();
    for image in [photo.clone(), make::screenshot(24, 18)] {
        let image = image::DynamicImage::from(image).into_rgba8();
        animation.add(Image::rgba(24, 18, &image).unwrap(), 50).unwrap();
    }
    let still =
        |compression| crate::libwebp::encode(Image::rgb(24, 18, &photo).unwrap(), compression).unwrap();
    vec![
        jpeg(false),
        jpeg(true),
        inks,
        png,
        gif,
        animation.finish().unwrap(),
        still(Compression::Lossy { quality: 50, method: 0 }),
        still(Compression::Lossless { level: 0 }),
    ]
});

/// Any result is fine, as long as there is one.
fn must_not_panic(input: &[u8]) {
    let mut output = Vec::new();
    if picture::to_webp(input, &LIMITS, &mut output).is_ok() {
        crate::decoder(&output);
    }
}

#[test]
fn other_files_are_not_images() {
    for other in [b"".as_slice(), b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"BM\0\0\0\0", b"%PDF-1.7"] {
        assert_eq!(refusal(other).to_string(), "this is not a JPEG, PNG, GIF or WebP image");
    }
}

#[test]
fn a_truncated_file_does_not_panic() {
    for sample in SAMPLES.iter() {
        for length in (0..sample.len()).step_by(5) {
            must_not_panic(&sample[..length]);
        }
    }
}

#[test]
fn half_a_file_is_reported_as_damaged() {
    // JPEG and GIF are shown as far as they go.
    let lenient = |sample: &Vec<u8>| sample.starts_with(b"\xff\xd8") || sample.starts_with(b"GIF");
    for sample in SAMPLES.iter().filter(|sample| !lenient(sample)) {
        let error = refusal(&sample[..sample.len() / 2]);
        assert!(matches!(error, Error::Broken(_) | Error::Undecodable), "{error}");
    }
}

#[test]
fn a_disk_error_is_not_reported_as_a_damaged_image() {
    let mut full: &mut [u8] = &mut [];
    let error = picture::to_webp(&SAMPLES[0], &LIMITS, &mut full).unwrap_err();
    assert!(matches!(error, Error::Write(_)), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_bytes_do_not_panic(kind in 0..SAMPLES.len(), bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let sample = &SAMPLES[kind];
        must_not_panic(&bytes);
        must_not_panic(&[&sample[..12], &bytes].concat());
    }

    #[test]
    fn changed_bytes_do_not_panic(
        kind in 0..SAMPLES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut file = SAMPLES[kind].clone();
        for (place, value) in changes {
            let place = place.index(file.len());
            file[place] = value;
        }
        must_not_panic(&file);
    }
}
