//! Resource limits of a conversion, derived from the video.

/// Maximum values; see [`TranscodeLimits::of`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscodeLimits {
    /// Bytes of address space.
    pub memory: u64,
    pub cpu_seconds: u64,
    pub wall_seconds: u64,
    /// Size of the MP4.
    pub output_bytes: u64,
    pub threads: u32,
}

/// Properties of a video that are known before it is converted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Video {
    /// Size of the file.
    pub bytes: u64,
    /// Duration according to its header.
    pub seconds: f64,
    /// Pixels of one frame; 0 if there is only audio.
    pub frame_pixels: u64,
    pub frames_per_second: f64,
    /// Whether the frames have to be re-encoded, or are copied.
    pub encoded: bool,
}

const MEGABYTE: u64 = 1 << 20;
const HOUR: u64 = 3600;
/// A tenth of the throughput of one core of 2.5 GHz.
const BYTES_PER_SECOND: u64 = 10 * MEGABYTE;
const PIXELS_PER_SECOND: f64 = 10e6;
const AUDIO_SECONDS_PER_SECOND: f64 = 10.0;

impl TranscodeLimits {
    /// Limits that no conversion may exceed.
    pub const HIGHEST: TranscodeLimits = TranscodeLimits {
        memory: 6 << 30,
        cpu_seconds: 2 * HOUR,
        wall_seconds: HOUR,
        output_bytes: u64::MAX,
        threads: 2,
    };

    pub fn of(video: &Video) -> TranscodeLimits {
        let threads = TranscodeLimits::HIGHEST.threads;
        // A cast of a number that is too large, negative or NaN saturates.
        let pixels = video.frame_pixels as f64 * video.frames_per_second * video.seconds;
        let encoding = if video.encoded { (pixels / PIXELS_PER_SECOND) as u64 } else { 0 };
        let sound = (video.seconds / AUDIO_SECONDS_PER_SECOND) as u64;
        let seconds = 60_u64
            .saturating_add(video.bytes / BYTES_PER_SECOND)
            .saturating_add(encoding)
            .saturating_add(sound);
        let wall_seconds = seconds.min(HOUR);
        TranscodeLimits {
            // Frames are buffered in both codecs, for each thread and as reference frames: 4K takes 2 GB.
            memory: (1024 * MEGABYTE).saturating_add(video.frame_pixels.saturating_mul(512)),
            cpu_seconds: wall_seconds * u64::from(threads),
            wall_seconds,
            output_bytes: (64 * MEGABYTE).max(video.bytes.saturating_mul(2)),
            threads,
        }
        .at_most(&TranscodeLimits::HIGHEST)
    }

    pub(super) fn at_most(self, other: &TranscodeLimits) -> TranscodeLimits {
        TranscodeLimits {
            memory: self.memory.min(other.memory),
            cpu_seconds: self.cpu_seconds.min(other.cpu_seconds),
            wall_seconds: self.wall_seconds.min(other.wall_seconds),
            output_bytes: self.output_bytes.min(other.output_bytes),
            threads: self.threads.min(other.threads),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPIED: Video =
        Video { bytes: 0, seconds: 0.0, frame_pixels: 0, frames_per_second: 0.0, encoded: false };

    #[test]
    fn the_time_limit_depends_on_size_and_pixels_and_is_at_most_an_hour() {
        let check = |video: Video, wall_seconds| {
            let limits = TranscodeLimits::of(&video);
            assert_eq!(
                (limits.wall_seconds, limits.cpu_seconds),
                (wall_seconds, 2 * wall_seconds),
                "{video:?}"
            );
        };
        check(COPIED, 60);
        check(Video { bytes: 10 << 30, seconds: 3600.0, ..COPIED }, 60 + 1024 + 360);
        let full_hd = Video { frame_pixels: 1920 * 1080, frames_per_second: 30.0, encoded: true, ..COPIED };
        check(Video { seconds: 60.0, bytes: 100 << 20, ..full_hd }, 60 + 10 + 373 + 6);
        check(Video { seconds: 3600.0, ..full_hd }, 3600);
        check(Video { seconds: 60.0, encoded: false, ..full_hd }, 66);
        for nonsense in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
            let wall =
                TranscodeLimits::of(&Video { seconds: nonsense, bytes: u64::MAX, ..full_hd }).wall_seconds;
            assert!((60..=3600).contains(&wall), "{nonsense}: {wall}");
        }
    }

    #[test]
    fn the_mp4_is_at_most_64_megabytes_or_twice_its_source() {
        let check = |bytes, output_bytes| {
            assert_eq!(TranscodeLimits::of(&Video { bytes, ..COPIED }).output_bytes, output_bytes);
        };
        check(0, 64 << 20);
        check(32 << 20, 64 << 20);
        check(33 << 20, 66 << 20);
        check(10 << 30, 20 << 30);
    }

    #[test]
    fn the_memory_limit_depends_on_the_frame_size() {
        let check = |frame_pixels, memory| {
            assert_eq!(TranscodeLimits::of(&Video { frame_pixels, ..COPIED }).memory, memory);
        };
        check(0, 1 << 30);
        check(1920 * 1080, (1 << 30) + 1920 * 1080 * 512);
        check(u64::MAX, 6 << 30);
    }
}
