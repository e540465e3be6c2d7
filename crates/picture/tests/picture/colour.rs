use std::borrow::Cow;

use jpeg_encoder::ColorType;
use moxcms::ColorProfile;

use crate::make;
use crate::{assert_near, convert, pixels};

/// The colour that a PNG of a single colour is converted to.
fn shown_with(profile: Vec<u8>, colours: png::ColorType, colour: &[u8]) -> [u8; 4] {
    let file = make::png((32, 32), colours, &colour.repeat(32 * 32), |info| {
        info.icc_profile = Some(Cow::Owned(profile));
    });
    pixels(&convert(&file)).get_pixel(9, 9).0
}

#[test]
fn wide_colours_become_srgb() {
    let p3 = make::display_p3();
    assert_near(shown_with(p3.clone(), png::ColorType::Rgb, &[200, 100, 100]), [215, 93, 97, 255], 2);
    assert_near(shown_with(p3.clone(), png::ColorType::Rgba, &[200, 100, 100, 77]), [215, 93, 97, 77], 2);
    assert_near(shown_with(p3, png::ColorType::Rgb, &[255, 0, 0]), [255, 0, 0, 255], 2);
    let adobe = ColorProfile::new_adobe_rgb().encode().unwrap();
    assert_near(shown_with(adobe, png::ColorType::Rgb, &[100, 150, 100]), [66, 151, 97, 255], 2);
}

#[test]
fn srgb_and_invalid_profiles_change_nothing() {
    let srgb = ColorProfile::new_srgb().encode().unwrap();
    for profile in [srgb, b"no profile at all".to_vec()] {
        assert_eq!(shown_with(profile, png::ColorType::Rgb, &[200, 100, 31]), [200, 100, 31, 255]);
    }
}

#[test]
fn grey_has_profiles_too() {
    let linear = ColorProfile::new_gray_with_gamma(1.0).encode().unwrap();
    // Half the light is 188 in sRGB.
    assert_near(shown_with(linear.clone(), png::ColorType::Grayscale, &[128]), [188, 188, 188, 255], 2);
    assert_near(shown_with(linear, png::ColorType::GrayscaleAlpha, &[128, 50]), [188, 188, 188, 50], 2);
}

#[test]
fn a_grey_image_with_a_colour_profile_is_converted() {
    let p3 = make::display_p3();
    assert_near(shown_with(p3, png::ColorType::Grayscale, &[128]), [128, 128, 128, 255], 2);
}

/// A JPEG of a single colour in CMYK, where 255 means full ink.
fn inks(colours: ColorType, ink: [u8; 4], profile: Option<Vec<u8>>) -> [u8; 4] {
    let file = make::jpeg((32, 32), colours, &ink.repeat(32 * 32), |encoder| {
        if let Some(profile) = profile {
            encoder.add_icc_profile(&profile).unwrap();
        }
    });
    pixels(&convert(&file)).get_pixel(9, 9).0
}

#[test]
fn cmyk_becomes_rgb() {
    for colours in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        assert_near(inks(colours, [0, 0, 0, 0], None), [255, 255, 255, 255], 4);
        assert_near(inks(colours, [0, 0, 0, 255], None), [0, 0, 0, 255], 4);
        assert_near(inks(colours, [0, 255, 255, 0], None), [255, 0, 0, 255], 8);
        assert_near(inks(colours, [255, 0, 0, 128], None), [0, 127, 127, 255], 8);
    }
}

#[test]
fn cmyk_with_a_profile_is_converted_by_it() {
    for colours in [ColorType::Cmyk, ColorType::CmykAsYcck] {
        let press = || Some(make::press());
        assert_near(inks(colours, [0, 0, 0, 0], press()), [255, 255, 255, 255], 4);
        // Lab 50, 0, 0 is sRGB 119.
        assert_near(inks(colours, [0, 0, 0, 255], press()), [119, 119, 119, 255], 6);
    }
}
