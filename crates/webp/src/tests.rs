use std::io::Cursor;

use image_webp::{LoopCount, WebPDecoder};

use super::*;

const LOSSY: Compression = Compression::Lossy { quality: 80, method: 2 };
const LOSSLESS: Compression = Compression::Lossless { level: 3 };

fn decoder(file: &[u8]) -> WebPDecoder<Cursor<&[u8]>> {
    WebPDecoder::new(Cursor::new(file)).expect("a WebP file")
}

/// 40 × 30 pixels, all different.
fn pixels(channels: usize) -> Vec<u8> {
    (0..40 * 30 * channels).map(|n| (n * 7 % 251) as u8).collect()
}

#[test]
fn lossless_compression_keeps_every_pixel() {
    let rgb = pixels(3);
    let file = encode(Image::rgb(40, 30, &rgb).expect("rgb"), LOSSLESS).expect("encoded");
    let mut found = vec![0; rgb.len()];
    decoder(&file).read_image(&mut found).expect("pixels");
    assert!(found == rgb);
}

#[test]
fn lossy_compression_roughly_keeps_colours_and_alpha() {
    let rgba = [200, 100, 50, 128].repeat(40 * 30);
    let file = encode(Image::rgba(40, 30, &rgba).expect("rgba"), LOSSY).expect("encoded");
    let mut found = vec![0; rgba.len()];
    decoder(&file).read_image(&mut found).expect("pixels");
    assert!(found.iter().zip(&rgba).all(|(a, b)| a.abs_diff(*b) <= 4), "{:?}", &found[..4]);
}

#[test]
fn invalid_images_are_refused() {
    let length = |found, expected| Some(Error::Length { found, expected });
    assert_eq!(Image::rgb(2, 2, &[0; 11]).err(), length(11, 12));
    assert_eq!(Image::rgba(2, 2, &[0; 17]).err(), length(17, 16));
    assert_eq!(Image::rgb(0, 2, &[]).err(), Some(Error::Size(0, 2)));
    assert_eq!(Image::rgb(16_384, 1, &[0; 3 * 16_384]).err(), Some(Error::Size(16_384, 1)));
    assert_eq!(Animation::new(1, 0, 0, LOSSY).err(), Some(Error::Size(1, 0)));
    let tiny = Image::rgb(1, 1, &[0; 3]).expect("one pixel");
    assert!(encode(tiny, Compression::Lossy { quality: 101, method: 2 }).is_err());
    assert!(encode(tiny, Compression::Lossless { level: 10 }).is_err());
}

#[test]
fn an_animation_has_its_frames_durations_and_plays() {
    let mut animation = Animation::new(8, 8, 3, LOSSY).expect("an encoder");
    for (value, milliseconds) in [(0, 120), (255, 240)] {
        let frame = [value, value, value, 255].repeat(64);
        animation.add(Image::rgba(8, 8, &frame).expect("rgba"), milliseconds).expect("added");
    }
    let file = animation.finish().expect("a file");
    let mut decoder = decoder(&file);
    assert_eq!(decoder.loop_count(), LoopCount::Times(3.try_into().expect("not zero")));
    let mut frame = vec![0; decoder.output_buffer_size().expect("a size")];
    assert_eq!(decoder.read_frame(&mut frame).expect("the first"), 120);
    assert!(frame[0] < 5);
    assert_eq!(decoder.read_frame(&mut frame).expect("the second"), 240);
    assert!(frame[0] > 250);
}

#[test]
fn an_animation_refuses_frames_that_do_not_fit() {
    let mut animation = Animation::new(8, 8, 0, LOSSY).expect("an encoder");
    let small = Image::rgba(4, 4, &[0; 64]).expect("rgba");
    assert_eq!(animation.add(small, 10), Err(Error::Size(4, 4)));
    let frame = Image::rgba(8, 8, &[0; 256]).expect("rgba");
    assert_eq!(animation.add(frame, u32::MAX), Err(Error::Duration));
    assert!(animation.finish().is_err(), "nothing was added");
}
