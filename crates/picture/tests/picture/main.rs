//! Whole files in, whole files out. Input is generated here; output is read by a different decoder than the one that
//! wrote it.

#![allow(clippy::unwrap_used)]

mod colour;
mod effort;
mod gif;
mod hostile;
mod icon;
mod jpeg;
mod make;
mod png;
mod size;
mod smaller;
mod webp;

use ::webp as libwebp;
use image::{DynamicImage, ImageFormat, RgbaImage};
use image_webp::WebPDecoder;
use picture::{Dimensions, Error, Limits};

/// The converted file, after checking its reported dimensions.
fn convert(input: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    let dimensions = picture::to_webp(input, &Limits::default(), &mut output).unwrap();
    let (width, height) = decoder(&output).dimensions();
    assert_eq!(dimensions, Dimensions { width, height });
    output
}

fn refusal(input: &[u8]) -> Error {
    let mut output = Vec::new();
    let error = picture::to_webp(input, &Limits::default(), &mut output).unwrap_err();
    assert!(output.is_empty(), "nothing is written for a refused image");
    error
}

fn decoder(file: &[u8]) -> WebPDecoder<std::io::Cursor<&[u8]>> {
    WebPDecoder::new(std::io::Cursor::new(file)).unwrap()
}

fn pixels(file: &[u8]) -> RgbaImage {
    image::load_from_memory_with_format(file, ImageFormat::WebP).unwrap().into_rgba8()
}

/// The image in each tenth of a second, for one run of the animation.
fn tenths(file: &[u8]) -> Vec<RgbaImage> {
    let mut decoder = decoder(file);
    assert!(decoder.is_animated());
    decoder.set_background_color([0; 4]).unwrap();
    let mut shown = Vec::new();
    for _ in 0..decoder.num_frames() {
        let (width, height) = decoder.dimensions();
        let mut frame = vec![0; decoder.output_buffer_size().unwrap()];
        let milliseconds = decoder.read_frame(&mut frame).unwrap();
        let frame = match decoder.has_alpha() {
            true => RgbaImage::from_raw(width, height, frame).unwrap(),
            false => {
                DynamicImage::ImageRgb8(image::RgbImage::from_raw(width, height, frame).unwrap()).into_rgba8()
            }
        };
        shown.extend(std::iter::repeat_n(frame, milliseconds as usize / 100));
    }
    shown
}

/// Lossy compression changes colours slightly.
fn roughly(colour: [u8; 4]) -> [u8; 4] {
    colour.map(|channel| channel / 16)
}

#[track_caller]
fn assert_near(found: [u8; 4], expected: [u8; 4], tolerance: u8) {
    let near = found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= tolerance);
    assert!(near, "{found:?} is not {expected:?}");
}

#[track_caller]
fn assert_absent(file: &[u8], planted: &str) {
    let found = file.windows(planted.len()).any(|window| window == planted.as_bytes());
    assert!(!found, "{planted} is still in the file");
}
