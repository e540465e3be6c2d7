use image::RgbaImage;
use image_webp::LoopCount;

use crate::libwebp::{Animation, Compression, Image, encode};
use crate::make::{self, SECRET, chunk, riff};
use crate::{assert_absent, assert_near, convert, decoder, pixels, roughly, tenths};

const COMPACT: Compression = Compression::Lossy { quality: 50, method: 2 };

fn photo(compression: Compression) -> Vec<u8> {
    encode(Image::rgb(200, 100, &make::photo(200, 100)).unwrap(), compression).unwrap()
}

/// The same image, with all the metadata that a WebP file can have.
fn with_metadata(file: &[u8], profile: &[u8], orientation: u8) -> Vec<u8> {
    with_exif(file, profile, &make::exif(orientation))
}

fn with_exif(file: &[u8], profile: &[u8], exif: &[u8]) -> Vec<u8> {
    let mut header = vec![0b0010_1100, 0, 0, 0];
    let (width, height) = decoder(file).dimensions();
    header.extend(&(width - 1).to_le_bytes()[..3]);
    header.extend(&(height - 1).to_le_bytes()[..3]);
    riff(&[
        chunk(b"VP8X", &header),
        chunk(b"ICCP", profile),
        file[12..].to_vec(),
        chunk(b"EXIF", exif),
        chunk(b"XMP ", SECRET.as_bytes()),
        chunk(b"JUNK", SECRET.as_bytes()),
    ])
}

fn srgb() -> Vec<u8> {
    moxcms::ColorProfile::new_srgb().encode().unwrap()
}

#[test]
fn a_compact_file_is_kept_byte_for_byte() {
    let file = photo(COMPACT);
    assert_eq!(convert(&file), file);
    assert_eq!(convert(&[file.as_slice(), SECRET.as_bytes()].concat()), file, "without what follows it");
}

#[test]
fn a_compact_file_loses_its_metadata_and_nothing_else() {
    let file = photo(COMPACT);
    let converted = convert(&with_metadata(&file, &srgb(), 1));
    assert!(converted.ends_with(&file[12..]), "the image data");
    for planted in [SECRET, "EXIF", "XMP ", "ICCP", "JUNK"] {
        assert_absent(&converted, planted);
    }
    assert_eq!(pixels(&converted), pixels(&file));
}

#[test]
fn alpha_is_kept_with_a_compact_file() {
    let image = RgbaImage::from_fn(100, 100, |x, y| image::Rgba([200, y as u8, 0, x as u8]));
    let file = encode(Image::rgba(100, 100, &image).unwrap(), COMPACT).unwrap();
    let converted = convert(&file);
    assert_eq!(pixels(&converted), pixels(&file));
    assert_eq!(pixels(&converted).get_pixel(70, 3).0[3], 70);
}

#[test]
fn an_orientation_is_applied() {
    let file = encode(Image::rgb(64, 32, &make::corners()).unwrap(), COMPACT).unwrap();
    let shown = pixels(&convert(&with_metadata(&file, &srgb(), 6)));
    assert_eq!(shown.dimensions(), (32, 64));
    assert_near(shown.get_pixel(24, 16).0, [200, 30, 30, 255], 8);
}

#[test]
fn an_orientation_that_is_written_as_in_a_jpeg_is_applied() {
    let file = encode(Image::rgb(64, 32, &make::corners()).unwrap(), COMPACT).unwrap();
    let exif = [b"Exif\0\0".as_slice(), &make::exif(6)].concat();
    let shown = pixels(&convert(&with_exif(&file, &srgb(), &exif)));
    assert_eq!(shown.dimensions(), (32, 64));
    assert_near(shown.get_pixel(24, 16).0, [200, 30, 30, 255], 8);
}

#[test]
fn other_colours_than_srgb_are_converted() {
    let image = [200, 100, 100].repeat(64 * 64);
    let file = encode(Image::rgb(64, 64, &image).unwrap(), Compression::Lossless { level: 0 }).unwrap();
    let converted = convert(&with_metadata(&file, &make::display_p3(), 1));
    assert_near(pixels(&converted).get_pixel(9, 9).0, [215, 93, 97, 255], 3);
    assert_absent(&converted, "ICCP");
}

#[test]
fn a_wasteful_file_is_compressed() {
    let file = photo(Compression::Lossless { level: 0 });
    let converted = convert(&file);
    assert!(converted.len() * 2 < file.len(), "{} of {}", converted.len(), file.len());
    assert!(decoder(&converted).is_lossy());
}

fn animation(compression: Compression) -> Vec<u8> {
    let mut animation = Animation::new(32, 32, 7, compression).unwrap();
    for (colour, milliseconds) in [([255, 0, 0, 255], 200), ([0, 255, 0, 255], 100), ([0, 0, 0, 0], 300)] {
        animation.add(Image::rgba(32, 32, &colour.repeat(32 * 32)).unwrap(), milliseconds).unwrap();
    }
    animation.finish().unwrap()
}

#[test]
fn a_compact_animation_is_kept() {
    let file = animation(COMPACT);
    assert_eq!(convert(&file), file);
}

#[test]
fn a_rotated_animation_stays_animated() {
    let file = animation(COMPACT);
    let body = &file[12..];
    let mut with_exif =
        riff(&[body.to_vec(), chunk(b"EXIF", &make::exif(6)), chunk(b"XMP ", SECRET.as_bytes())]);
    // The header has to announce them.
    with_exif[20] |= 0b0000_1100;
    let converted = convert(&with_exif);
    let colours_at =
        |file| tenths(file).iter().map(|frame| roughly(frame.get_pixel(9, 9).0)).collect::<Vec<_>>();
    assert_eq!(colours_at(&converted), colours_at(&file));
    assert_eq!(decoder(&converted).loop_count(), LoopCount::Times(7.try_into().unwrap()));
    assert_absent(&converted, SECRET);
}

#[test]
fn metadata_in_a_frame_is_removed() {
    let file = animation(COMPACT);
    let place = file.windows(4).position(|name| name == b"ANMF").unwrap();
    let length = u32::from_le_bytes(file[place + 4..place + 8].try_into().unwrap()) as usize;
    let (frame, rest) = file[place + 8..].split_at(length);
    let frame = [frame, &chunk(b"JUNK", SECRET.as_bytes())].concat();
    let planted = riff(&[file[12..place].to_vec(), chunk(b"ANMF", &frame), rest.to_vec()]);
    assert_eq!(convert(&planted), file);
}
