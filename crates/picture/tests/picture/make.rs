//! Generates images to upload.

use std::io::Write;

use image::{Rgb, RgbImage};
use jpeg_encoder::{ColorType, Encoder};
use moxcms::ColorProfile;

/// Metadata that must not be in a stored file.
pub const SECRET: &str = "N 52.5163 E 13.3777";

/// Smooth, with grain: like a camera's.
pub fn photo(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let mixed = x.wrapping_mul(374_761_393).wrapping_add(y.wrapping_mul(668_265_263));
        let grain = (mixed ^ (mixed >> 13)).wrapping_mul(1_274_126_177) >> 28;
        Rgb([(x * 200 / width + grain) as u8, (y * 200 / height + grain) as u8, (100 + grain) as u8])
    })
}

/// Windows, lines and text in a few colours: like a screen's.
pub fn screenshot(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| match (x, y) {
        (_, 0..30) => Rgb([40, 44, 52]),
        (0..100, _) => Rgb([230, 230, 235]),
        _ if y % 20 < 12 && (x / 3 * 7 + y / 20 * 13) % 11 < 4 && (x * y / 20) % 3 > 0 => Rgb([20, 20, 20]),
        _ => Rgb([255, 255, 255]),
    })
}

/// Four colours in the corners, which show how it was rotated.
pub fn corners() -> RgbImage {
    RgbImage::from_fn(64, 32, |x, y| match (x < 32, y < 16) {
        (true, true) => Rgb([200, 30, 30]),
        (false, true) => Rgb([30, 200, 30]),
        (true, false) => Rgb([30, 30, 200]),
        (false, false) => Rgb([200, 200, 200]),
    })
}

/// A TIFF structure with an orientation and an artist.
pub fn exif(orientation: u8) -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0\x02\0".to_vec();
    exif.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    exif.extend([0x3b, 0x01, 2, 0, SECRET.len() as u8, 0, 0, 0, 38, 0, 0, 0]);
    exif.extend([0; 4]);
    exif.extend(SECRET.as_bytes());
    exif
}

pub fn display_p3() -> Vec<u8> {
    ColorProfile::new_display_p3().encode().unwrap()
}

/// A printing press whose black is a middle grey and whose other inks are transparent: four inputs, two points each.
pub fn press() -> Vec<u8> {
    let ramp: Vec<u8> = (0..=255).collect();
    let mut table = b"mft1\0\0\0\0\x04\x03\x02\0".to_vec();
    for row in 0..3 {
        for column in 0..3 {
            table.extend(if row == column { [0, 1, 0, 0] } else { [0; 4] });
        }
    }
    table.extend(ramp.repeat(4));
    for _ in 0..8 {
        // Lightness 100 without black ink, 50 with it; black is the input that varies first.
        table.extend([255, 128, 128, 128, 128, 128]);
    }
    table.extend(ramp.repeat(3));

    let mut profile = vec![0; 128];
    profile[8] = 2;
    profile[12..24].copy_from_slice(b"prtrCMYKLab ");
    profile[36..40].copy_from_slice(b"acsp");
    // The white point of the connection space: D50.
    profile[68..80].copy_from_slice(&[0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d]);
    profile.extend(1_u32.to_be_bytes());
    profile.extend(b"A2B0");
    profile.extend(144_u32.to_be_bytes());
    profile.extend((table.len() as u32).to_be_bytes());
    profile.extend(table);
    let length = profile.len() as u32;
    profile[..4].copy_from_slice(&length.to_be_bytes());
    profile
}

/// A JPEG with this many channels, after `prepare` has added other content to the file.
pub fn jpeg(
    (width, height): (u32, u32),
    colours: ColorType,
    pixels: &[u8],
    prepare: impl FnOnce(&mut Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 95);
    prepare(&mut encoder);
    encoder.encode(pixels, width as u16, height as u16, colours).unwrap();
    file
}

/// The EXIF segment of a JPEG.
pub fn add_exif(encoder: &mut Encoder<&mut Vec<u8>>, orientation: u8) {
    encoder.add_app_segment(1, [b"Exif\0\0".as_slice(), &exif(orientation)].concat()).unwrap();
}

/// A PNG of eight bits per channel, or as `prepare` sets.
pub fn png(
    (width, height): (u32, u32),
    colours: png::ColorType,
    pixels: &[u8],
    prepare: impl FnOnce(&mut png::Info),
) -> Vec<u8> {
    let mut info = png::Info::with_size(width, height);
    info.color_type = colours;
    info.bit_depth = png::BitDepth::Eight;
    prepare(&mut info);
    let mut file = Vec::new();
    let mut writer = png::Encoder::with_info(&mut file, info).unwrap().write_header().unwrap();
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    file
}

/// A grey PNG with an arbitrary header around this data.
pub fn png_of_idat(
    (width, height): (u32, u32),
    data: &[u8],
    prepare: impl FnOnce(&mut png::Info),
) -> Vec<u8> {
    let mut compressed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    compressed.write_all(data).unwrap();
    let mut info = png::Info::with_size(width, height);
    info.bit_depth = png::BitDepth::Eight;
    prepare(&mut info);
    let mut file = Vec::new();
    let mut writer = png::Encoder::with_info(&mut file, info).unwrap().write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, &compressed.finish().unwrap()).unwrap();
    writer.write_chunk(png::chunk::IEND, &[]).unwrap();
    drop(writer);
    file
}

/// A RIFF chunk.
pub fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut chunk = [name.as_slice(), &(content.len() as u32).to_le_bytes(), content].concat();
    if content.len() % 2 == 1 {
        chunk.push(0);
    }
    chunk
}

/// A WebP file of these chunks.
pub fn riff(chunks: &[Vec<u8>]) -> Vec<u8> {
    chunk(b"RIFF", &[b"WEBP".as_slice(), &chunks.concat()].concat())
}
