//! Limits for images, checked against their headers.

use crate::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of one frame.
    pub pixels: u64,
    pub frames: u32,
    /// Bytes that decoding may use, all frames together: for an animation, which is held one frame at a time, this
    /// bounds the work.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { pixels: 100_000_000, frames: 500, memory: 1 << 30 }
    }
}

impl Limits {
    /// `pixel_bytes` is the memory that one pixel takes during decoding.
    pub(crate) fn check_still(&self, width: u32, height: u32, pixel_bytes: u64) -> Result<(), Error> {
        self.check_pixels(width, height)?;
        self.check_memory(u64::from(width) * u64::from(height), pixel_bytes)
    }

    pub(crate) fn check_animation(&self, width: u32, height: u32, frames: u32) -> Result<(), Error> {
        self.check_pixels(width, height)?;
        if frames > self.frames {
            return Err(Error::TooLarge(format!(
                "the animation has more than {} frames, which is the maximum",
                self.frames
            )));
        }
        self.check_memory(u64::from(width) * u64::from(height) * u64::from(frames), 4)
    }

    fn check_pixels(&self, width: u32, height: u32) -> Result<(), Error> {
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 {
            return Err(Error::Broken("it has no pixels"));
        }
        if pixels > self.pixels {
            return Err(Error::TooLarge(format!(
                "the image has {} megapixels; at most {} are allowed",
                megapixels(pixels),
                megapixels(self.pixels)
            )));
        }
        Ok(())
    }

    fn check_memory(&self, pixels: u64, pixel_bytes: u64) -> Result<(), Error> {
        let bytes = pixels.saturating_mul(pixel_bytes);
        if bytes > self.memory {
            return Err(Error::TooLarge(format!(
                "the decoded image takes {} MB; at most {} MB are allowed",
                bytes.div_ceil(1 << 20),
                self.memory >> 20
            )));
        }
        Ok(())
    }
}

/// At most one decimal: 12, 100.1. Rounded up, so that a value over the limit is displayed as over it.
fn megapixels(pixels: u64) -> String {
    let tenths = pixels.div_ceil(100_000);
    if tenths.is_multiple_of(10) {
        (tenths / 10).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<(), Error>) -> String {
        result.expect_err("over the limit").to_string()
    }

    #[test]
    fn a_value_over_a_limit_is_in_the_message() {
        let limits = Limits::default();
        assert_eq!(
            message(limits.check_still(12_000, 10_000, 3)),
            "the image has 120 megapixels; at most 100 are allowed"
        );
        assert_eq!(
            message(limits.check_still(10_000, 10_001, 3)),
            "the image has 100.1 megapixels; at most 100 are allowed"
        );
        assert_eq!(
            message(limits.check_still(10_000, 10_000, 12)),
            "the decoded image takes 1145 MB; at most 1024 MB are allowed"
        );
        assert_eq!(
            message(limits.check_animation(10, 10, 501)),
            "the animation has more than 500 frames, which is the maximum"
        );
        assert_eq!(message(limits.check_still(0, 10, 3)), "the image is damaged: it has no pixels");
    }

    #[test]
    fn a_value_at_a_limit_is_allowed() {
        let limits = Limits::default();
        limits.check_still(10_000, 10_000, 10).expect("100 megapixels of ten bytes");
        limits.check_animation(700, 700, 500).expect("500 frames");
    }
}
