//! The scans of a JPEG: how often its decoder will pass over the pixels. Only markers are read.

use crate::Error;

const END_OF_IMAGE: u8 = 0xD9;
const START_OF_SCAN: u8 = 0xDA;

/// The number of scans.
///
/// A file that is not progressive and has each colour in a separate scan is legal and rare; our decoder gets its
/// colours wrong (<https://github.com/etemesi254/zune-image/issues/422>), so it is rejected.
pub(super) fn count(input: &[u8]) -> Result<u64, Error> {
    let (mut scans, mut sequential_channels) = (0, None);
    for (marker, segment) in segments(input) {
        match marker {
            // Baseline and extended sequential: length, bits, height, width, channels.
            0xC0 | 0xC1 => sequential_channels = segment.get(7),
            START_OF_SCAN => {
                scans += 1;
                let channels = segment.get(2);
                if scans == 1 && sequential_channels.is_some() && channels != sequential_channels {
                    return Err(Error::Separate);
                }
            }
            _ => {}
        }
    }
    Ok(scans)
}

/// The markers of the first image, each with all bytes that follow it. Bytes between segments are skipped, as decoders
/// do.
fn segments(input: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = input;
    std::iter::from_fn(move || {
        loop {
            let at = memchr::memchr(0xFF, rest)?;
            let marker = *rest.get(at + 1)?;
            // A second 0xFF may begin a marker itself.
            rest = &rest[at + if marker == 0xFF { 1 } else { 2 }..];
            match marker {
                END_OF_IMAGE => return None,
                // Not a marker; or restarts, start of image and a reserved one, which have no length.
                0x00 | 0xFF | 0xD0..=0xD8 | 0x01 => {}
                _ => {
                    let segment = rest;
                    let length = segment.first_chunk().map_or(0, |length| u16::from_be_bytes(*length));
                    rest = segment.get(usize::from(length)..).unwrap_or_default();
                    return Some((marker, segment));
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Markers with bodies of this length, and some data after each scan.
    fn file(segments: &[(u8, &[u8])]) -> Vec<u8> {
        let mut file = vec![0xFF, 0xD8];
        for (marker, body) in segments {
            file.extend([0xFF, *marker, 0, body.len() as u8 + 2]);
            file.extend(*body);
            if *marker == START_OF_SCAN {
                file.extend([1, 2, 0xFF, 0, 3, 0xFF, 0xD0, 4]);
            }
        }
        file.extend([0xFF, END_OF_IMAGE]);
        file
    }

    fn frame(marker: u8, channels: u8) -> (u8, [u8; 6]) {
        (marker, [8, 0, 9, 0, 9, channels])
    }

    #[test]
    fn scans_are_counted_in_the_first_image_only() {
        let (baseline, one) = (frame(0xC0, 3), (START_OF_SCAN, &[3][..]));
        let check = |file: &[u8], scans| assert_eq!(count(file).expect("a JPEG"), scans);
        check(&file(&[]), 0);
        check(&file(&[(baseline.0, &baseline.1), one]), 1);
        // Bytes inside a segment that look like a scan are not counted.
        check(&file(&[(0xE1, &[0xFF, START_OF_SCAN]), (baseline.0, &baseline.1), one]), 1);
        let progressive = frame(0xC2, 3);
        let first =
            file(&[(progressive.0, &progressive.1), one, (START_OF_SCAN, &[1]), (START_OF_SCAN, &[1])]);
        check(&first, 3);
        check(&[first.clone(), first].concat(), 3);
    }

    #[test]
    fn colours_in_separate_scans_are_refused_unless_progressive() {
        for (marker, refused) in [(0xC0, true), (0xC1, true), (0xC2, false)] {
            let frame = frame(marker, 3);
            for first in [1, 2] {
                let file = file(&[(frame.0, &frame.1), (START_OF_SCAN, &[first])]);
                assert_eq!(count(&file).is_err(), refused, "{marker:x}");
            }
        }
        let grey = frame(0xC0, 1);
        assert_eq!(count(&file(&[(grey.0, &grey.1), (START_OF_SCAN, &[1])])).expect("one scan"), 1);
    }

    #[test]
    fn a_file_may_end_anywhere() {
        let frame = frame(0xC2, 3);
        let whole = file(&[(frame.0, &frame.1), (START_OF_SCAN, &[3])]);
        for length in 0..whole.len() {
            assert!(count(&whole[..length]).expect("no error") <= 1);
        }
    }
}
