//! The effort that a file needs, compared with its size.

use std::time::Instant;

use gif::{Frame, Repeat};
use jpeg_encoder::ColorType;
use picture::{Effort, Format, Limits, measure};

use crate::libwebp::{Compression, Image, encode};
use crate::make::{self, chunk, riff};
use crate::refusal;

/// 10000 × 10000 pixels in this many scans, each of a few bytes: a decoder reads zeros beyond them, for every block.
fn jpeg(scans: u8) -> Vec<u8> {
    let segment = |marker: u8, body: &[u8]| [&[0xFF, marker, 0, body.len() as u8 + 2], body].concat();
    let table = |class: u8| [&[class, 1], [0; 16].as_slice()].concat();
    let mut file = vec![0xFF, 0xD8];
    file.extend(segment(0xDB, &[[0].as_slice(), &[16; 64]].concat()));
    file.extend(segment(0xC2, &[8, 0x27, 0x10, 0x27, 0x10, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]));
    file.extend(segment(0xC4, &table(0x00)));
    file.extend(segment(0xC4, &table(0x10)));
    for _ in 0..scans {
        file.extend(segment(0xDA, &[3, 1, 0, 2, 0, 3, 0, 0, 0, 0]));
        file.extend([0; 5]);
    }
    file.extend([0xFF, 0xD9]);
    file
}

/// Frames of one pixel, shown at the size of the canvas.
fn gif(side: u16, frames: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, side, side, &[1, 2, 3, 4, 5, 6]).unwrap();
    encoder.set_repeat(Repeat::Infinite).unwrap();
    for _ in 0..frames {
        encoder.write_frame(&Frame::from_indexed_pixels(1, 1, vec![1], None)).unwrap();
    }
    drop(encoder);
    file
}

fn apng(side: u32, frames: u32) -> Vec<u8> {
    make::png_of_idat((side, side), &[0; 1000], |info| {
        info.animation_control = Some(png::AnimationControl { num_frames: frames, num_plays: 0 });
        info.frame_control = Some(png::FrameControl::default());
    })
}

/// Width and height minus one, as WebP stores them.
fn sides(side: u32) -> Vec<u8> {
    [&(side - 1).to_le_bytes()[..3], &(side - 1).to_le_bytes()[..3]].concat()
}

fn animated_webp(side: u32, frames: usize) -> Vec<u8> {
    let pixel = encode(Image::rgb(1, 1, &[9; 3]).unwrap(), Compression::Lossless { level: 0 }).unwrap();
    let header = [&[0b10, 0, 0, 0], sides(side).as_slice()].concat();
    let frame = [[0; 6].as_slice(), &sides(1), &[100, 0, 0, 0], &pixel[12..]].concat();
    let mut chunks = vec![chunk(b"VP8X", &header), chunk(b"ANIM", &[0; 6])];
    chunks.extend(vec![chunk(b"ANMF", &frame); frames]);
    riff(&chunks)
}

/// A single colour, which takes no bits at all.
fn webp(side: u32) -> Vec<u8> {
    let bits = (side - 1) | (side - 1) << 14;
    riff(&[chunk(b"VP8L", &[[0x2F].as_slice(), &bits.to_le_bytes(), &[0; 20]].concat())])
}

#[test]
fn a_few_bytes_that_claim_a_large_image_are_refused_at_once() {
    let began = Instant::now();
    let files = [
        jpeg(1),
        jpeg(30),
        make::png_of_idat((10_000, 10_000), &[0; 1000], |_| {}),
        apng(2_000, 60),
        gif(4_000, 16),
        webp(10_000),
        animated_webp(2_000, 60),
    ];
    for file in files {
        assert!(file.len() < 8_000, "{} bytes", file.len());
        let message = refusal(&file).to_string();
        let size = format!("megapixels in {} bytes, which is too much", file.len());
        assert!(message.contains(&size), "{message}");
    }
    // Decoding any of them takes seconds.
    assert!(began.elapsed().as_secs() < 2, "{:?}", began.elapsed());
}

#[test]
fn scans_count_even_in_large_files() {
    let padded = |scans: u8, bytes: usize| [jpeg(scans), vec![0; bytes]].concat();
    let limits = Limits::default();
    measure(&padded(10, 200_000), &limits).expect("what encoders write");
    let error = measure(&padded(30, 30_000_000), &limits).expect_err("30 scans");
    assert!(error.to_string().starts_with("the image claims 3000 megapixels"), "{error}");
}

#[test]
fn blank_pages_are_allowed_in_every_format() {
    let (side, limits) = (3_000, Limits::default());
    let white = vec![255; side * side];
    let sides = (side as u32, side as u32);
    let mut gif_file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut gif_file, side as u16, side as u16, &[255; 6]).unwrap();
    encoder
        .write_frame(&Frame::from_indexed_pixels(side as u16, side as u16, vec![1; side * side], None))
        .unwrap();
    drop(encoder);
    let progressive = make::jpeg(sides, ColorType::Luma, &white, |encoder| {
        encoder.set_progressive(true);
        encoder.set_optimized_huffman_tables(true);
    });
    let files = [
        make::jpeg(sides, ColorType::Luma, &white, |encoder| encoder.set_optimized_huffman_tables(true)),
        progressive,
        make::png(sides, png::ColorType::Grayscale, &white, |_| {}),
        gif_file,
        webp(4_000),
    ];
    for file in files {
        measure(&file, &limits).expect("a blank page");
    }
}

#[test]
fn frames_count_at_their_stored_and_their_shown_size() {
    let check = |file: &[u8], format, decoded, shown| {
        let bytes = file.len() as u64;
        let effort = Effort { format, bytes, decoded, shown };
        assert_eq!(measure(file, &Limits::default()).expect("little"), effort);
    };
    check(&gif(100, 3), Format::Gif, 3, 30_000);
    check(&animated_webp(100, 3), Format::PlainWebp, 3, 30_000);
    // Only the frames' own headers have their sizes; this file has none.
    check(&apng(100, 3), Format::Png, 0, 30_000);
    let mut frames = Vec::new();
    let mut encoder = png::Encoder::new(&mut frames, 100, 100);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0; 100 * 100]).unwrap();
    writer.set_frame_dimension(2, 3).unwrap();
    writer.write_image_data(&[0; 6]).unwrap();
    writer.finish().unwrap();
    check(&frames, Format::Png, 10_006, 20_000);
}
