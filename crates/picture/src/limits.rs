//! How much an image may ask of us, judged by its header.

use crate::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Of one frame.
    pub pixels: u64,
    pub frames: u32,
    /// Bytes that decoding may fill, all frames together: for an animation, which is held one frame at a time, this
    /// bounds the work.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { pixels: 100_000_000, frames: 500, memory: 1 << 30 }
    }
}

impl Limits {
    /// `pixel_bytes` is what one pixel takes while it is decoded.
    pub(crate) fn judge_still(&self, width: u32, height: u32, pixel_bytes: u64) -> Result<(), Error> {
        self.judge_pixels(width, height)?;
        self.judge_memory(u64::from(width) * u64::from(height), pixel_bytes)
    }

    pub(crate) fn judge_animation(&self, width: u32, height: u32, frames: u32) -> Result<(), Error> {
        self.judge_pixels(width, height)?;
        if frames > self.frames {
            return Err(Error::TooLarge(format!(
                "the animation has more than {} frames, which is as many as are allowed",
                self.frames
            )));
        }
        self.judge_memory(u64::from(width) * u64::from(height) * u64::from(frames), 4)
    }

    fn judge_pixels(&self, width: u32, height: u32) -> Result<(), Error> {
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

    fn judge_memory(&self, pixels: u64, pixel_bytes: u64) -> Result<(), Error> {
        let bytes = pixels.saturating_mul(pixel_bytes);
        if bytes > self.memory {
            return Err(Error::TooLarge(format!(
                "the image takes {} MB when it is decoded; at most {} MB are allowed",
                bytes.div_ceil(1 << 20),
                self.memory >> 20
            )));
        }
        Ok(())
    }
}

/// One decimal, where it says something: 12, 100.1. Rounded up, so that what is over a limit reads as over it.
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
    fn what_is_over_a_limit_is_said_in_figures() {
        let limits = Limits::default();
        assert_eq!(
            message(limits.judge_still(12_000, 10_000, 3)),
            "the image has 120 megapixels; at most 100 are allowed"
        );
        assert_eq!(
            message(limits.judge_still(10_000, 10_001, 3)),
            "the image has 100.1 megapixels; at most 100 are allowed"
        );
        assert_eq!(
            message(limits.judge_still(10_000, 10_000, 12)),
            "the image takes 1145 MB when it is decoded; at most 1024 MB are allowed"
        );
        assert_eq!(
            message(limits.judge_animation(10, 10, 501)),
            "the animation has more than 500 frames, which is as many as are allowed"
        );
        assert_eq!(message(limits.judge_still(0, 10, 3)), "the image is damaged: it has no pixels");
    }

    #[test]
    fn what_reaches_a_limit_is_allowed() {
        let limits = Limits::default();
        limits.judge_still(10_000, 10_000, 10).expect("100 megapixels of ten bytes");
        limits.judge_animation(700, 700, 500).expect("500 frames");
    }
}
