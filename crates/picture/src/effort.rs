//! Estimates the cost of a file from its headers: a few bytes may claim a hundred megapixels.

use crate::Error;

/// The work needed to convert an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    pub format: Format,
    /// Size of the file.
    pub bytes: u64,
    /// Pixels of all frames at their stored size, multiplied by the number of scans.
    pub decoded: u64,
    /// Pixels of all frames, each at the size of the whole image.
    pub shown: u64,
}

/// Formats differ in how much they can pack into a byte, and in how expensive it is to unpack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Jpeg,
    Png,
    Gif,
    /// Only decoded, and stored unchanged.
    PlainWebp,
    /// Rotated or converted, so it is compressed again.
    ChangedWebp,
}

const MEGAPIXEL: u64 = 1_000_000;

/// Twenty scans of 100 megapixels; common progressive files have ten.
const MAX_DECODED: u64 = 2_000 * MEGAPIXEL;

/// The maximum number of pixels: a base, plus a number for each byte of the file.
struct Bound {
    decoded_per_byte: u64,
    shown_per_byte: u64,
    base: u64,
}

impl Format {
    /// In blank pages of 1 to 100 megapixels from real programs, a byte holds at most this many pixels: JPEG 256 (the
    /// format allows 512), PNG 831, or 4026 with one bit (which is why the base is 16 megapixels), GIF 1327, lossy WebP
    /// 562, lossless WebP 25773. A frame of an animation may be one changed pixel in 30 bytes, and is shown at full
    /// size.
    fn bound(self) -> Bound {
        match self {
            Format::Jpeg => Bound { decoded_per_byte: 16 * 1024, shown_per_byte: 1024, base: MEGAPIXEL },
            Format::Png | Format::Gif | Format::ChangedWebp => {
                Bound { decoded_per_byte: 2048, shown_per_byte: 32 * 1024, base: 16 * MEGAPIXEL }
            }
            Format::PlainWebp => {
                Bound { decoded_per_byte: 32 * 1024, shown_per_byte: 32 * 1024, base: 16 * MEGAPIXEL }
            }
        }
    }
}

impl Effort {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let bound = self.format.bound();
        let most = |per_byte: u64| self.bytes.saturating_mul(per_byte).saturating_add(bound.base);
        if self.decoded > most(bound.decoded_per_byte).min(MAX_DECODED)
            || self.shown > most(bound.shown_per_byte)
        {
            return Err(Error::TooLarge(format!(
                "the image claims {} megapixels in {} bytes, which is too much for a file of that size; \
                 please export it again",
                self.decoded.max(self.shown).div_ceil(MEGAPIXEL),
                self.bytes
            )));
        }
        Ok(())
    }

    /// CPU time that a slow machine may need for the worst content; common content takes a tenth of it.
    ///
    /// Measured on one core of 2.5 GHz: a shown megapixel takes 0.03 s, or 0.35 s for noise in few colours; a scan over
    /// a megapixel takes 0.001 s to 0.005 s.
    pub fn cpu_seconds(&self) -> u64 {
        5 + (self.shown * 25).saturating_add(self.decoded).div_ceil(50 * MEGAPIXEL)
    }
}

#[cfg(test)]
mod tests {
    use super::Format::{ChangedWebp, Gif, Jpeg, PlainWebp, Png};
    use super::*;

    #[test]
    fn files_of_real_programs_are_allowed_and_those_of_attackers_are_not() {
        let check = |format, bytes, decoded_megapixels: u64, shown_megapixels: u64, allowed| {
            let decoded = decoded_megapixels * MEGAPIXEL;
            let effort = Effort { format, bytes, decoded, shown: shown_megapixels * MEGAPIXEL };
            assert_eq!(effort.check().is_ok(), allowed, "{effort:?}");
        };
        // Blank pages, as written by libjpeg, libpng, Pillow and cwebp.
        check(Jpeg, 390_786, 100, 100, true);
        check(Jpeg, 587_099, 1000, 100, true);
        check(Png, 120_365, 100, 100, true);
        check(Png, 6_038, 16, 16, true);
        check(Gif, 75_383, 100, 100, true);
        check(PlainWebp, 3_880, 100, 100, true);
        check(PlainWebp, 177_860, 100, 100, true);
        check(ChangedWebp, 177_860, 100, 100, true);
        // A blinking cursor: 290 frames of 0.92 megapixels.
        check(Gif, 18_000, 2, 268, true);
        // A photo of 100 megapixels with all the scans that encoders write.
        check(Jpeg, 30_000_000, 2000, 100, true);
        // A few bytes that claim a large image.
        check(Jpeg, 633, 2, 2, false);
        check(Jpeg, 633, 16, 1, false);
        check(Jpeg, 755, 4100, 100, false);
        check(Jpeg, 30_000_000, 2100, 100, false);
        check(Png, 20_000, 100, 100, false);
        check(Gif, 300, 1, 256, false);
        check(Gif, 30_000, 100, 100, false);
        check(PlainWebp, 500, 100, 100, false);
        check(ChangedWebp, 3_880, 100, 100, false);
        check(Gif, u64::MAX, u64::MAX / MEGAPIXEL, 1, false);
    }

    #[test]
    fn the_time_limit_depends_on_pixels() {
        let check = |decoded_megapixels: u64, shown_megapixels: u64, seconds| {
            let (decoded, shown) = (decoded_megapixels * MEGAPIXEL, shown_megapixels * MEGAPIXEL);
            let effort = Effort { format: Jpeg, bytes: 1, decoded, shown };
            assert_eq!(effort.cpu_seconds(), seconds, "{effort:?}");
        };
        check(0, 0, 5);
        check(1, 1, 6);
        check(12, 12, 12);
        check(100, 100, 57);
        check(2000, 100, 95);
        check(20, 268, 140);
    }

    #[test]
    fn a_refusal_explains_what_is_wrong() {
        let effort = Effort { format: Jpeg, bytes: 755, decoded: 4_100_000_000, shown: 100_000_000 };
        assert_eq!(
            effort.check().expect_err("too much").to_string(),
            "the image claims 4100 megapixels in 755 bytes, which is too much for a file of that size; \
             please export it again"
        );
    }
}
