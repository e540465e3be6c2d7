//! The streams in a MOV, and the arguments for ffmpeg.

use serde::Deserialize;

use super::limits::{TranscodeLimits, Video};

/// Maximum size of ffprobe's output in bytes.
pub(super) const MAX_PROBE_BYTES: usize = 1024 * 1024;

/// It reads only the header, which may describe millions of samples.
pub(super) const LIMITS: TranscodeLimits =
    TranscodeLimits { memory: 2 << 30, cpu_seconds: 60, wall_seconds: 120, output_bytes: 0, threads: 1 };

/// For both programs: the file is a MOV, whatever its content says, and refers to no other file.
const INPUT: [&str; 5] = ["-v", "error", "-protocol_whitelist", "file", "-f"];

pub(super) fn arguments(input: String) -> Vec<String> {
    let entries = "format=duration:stream=codec_type,codec_name,pix_fmt,width,height,avg_frame_rate";
    let mut arguments = strings(&INPUT);
    arguments.extend(strings(&["mov", "-show_entries", entries, "-of", "json"]));
    arguments.push(input);
    arguments
}

#[derive(Debug, Deserialize)]
pub(super) struct Streams {
    streams: Vec<Stream>,
    format: Format,
}

#[derive(Debug, Deserialize)]
struct Stream {
    codec_type: Option<String>,
    codec_name: Option<String>,
    pix_fmt: Option<String>,
    width: Option<u64>,
    height: Option<u64>,
    /// A fraction, such as `30000/1001`.
    avg_frame_rate: Option<String>,
}

impl Stream {
    fn frames_per_second(&self) -> Option<f64> {
        let (frames, seconds) = self.avg_frame_rate.as_ref()?.split_once('/')?;
        let rate = frames.parse::<f64>().ok()? / seconds.parse::<f64>().ok()?;
        (rate.is_finite() && rate > 0.0).then_some(rate)
    }
}

#[derive(Debug, Deserialize)]
struct Format {
    duration: Option<String>,
}

impl Streams {
    pub(super) fn parse(json: &str) -> Result<Streams, String> {
        let streams: Streams = serde_json::from_str(json).map_err(|error| {
            tracing::warn!(%error, "cannot parse the output of ffprobe");
            "the video's header is damaged or not supported".to_owned()
        })?;
        if streams.of("video").next().is_none() && streams.of("audio").next().is_none() {
            return Err("the video has neither video nor audio streams".into());
        }
        Ok(streams)
    }

    fn of(&self, kind: &str) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(move |stream| stream.codec_type.as_deref() == Some(kind))
    }

    /// The properties of a file of this size, according to its header.
    pub(super) fn video(&self, bytes: u64) -> Video {
        let video = self.of("video").next();
        Video {
            bytes,
            seconds: self.seconds().unwrap_or(0.0),
            frame_pixels: video
                .map_or(0, |video| video.width.unwrap_or(0).saturating_mul(video.height.unwrap_or(0))),
            frames_per_second: video.and_then(Stream::frames_per_second).unwrap_or(60.0),
            encoded: !self.video_codec().contains(&"copy"),
        }
    }

    fn seconds(&self) -> Option<f64> {
        self.format.duration.as_ref()?.parse().ok()
    }

    pub(super) fn arguments(&self, input: String, output: String, threads: u32) -> Vec<String> {
        let threads = threads.to_string();
        let mut arguments = strings(&["-nostdin", "-nostats", "-progress", "pipe:1", "-threads", &threads]);
        arguments.extend(strings(&INPUT));
        arguments.extend(strings(&["mov", "-i", &input]));
        // The first video stream that is not a cover image, and all audio.
        arguments.extend(strings(&["-map", "0:V:0?", "-map", "0:a?", "-sn", "-dn"]));
        arguments.extend(strings(self.video_codec()));
        arguments.extend(strings(self.audio_codec()));
        let without_metadata = [
            ["-map_metadata", "-1"],
            ["-map_metadata:s", "-1"],
            ["-map_chapters", "-1"],
            ["-write_tmcd", "0"],
            ["-fflags", "+bitexact"],
            ["-flags:v", "+bitexact"],
            ["-flags:a", "+bitexact"],
        ];
        arguments.extend(strings(without_metadata.as_flattened()));
        // The header first, so that playback can start before the download is complete.
        arguments.extend(strings(&[
            "-movflags",
            "+faststart",
            "-threads",
            &threads,
            "-f",
            "mp4",
            "-y",
            &output,
        ]));
        arguments
    }

    fn video_codec(&self) -> &'static [&'static str] {
        let Some(video) = self.of("video").next() else { return &[] };
        match (video.codec_name.as_deref(), video.pix_fmt.as_deref()) {
            (Some("h264"), Some("yuv420p" | "yuvj420p")) => &["-c:v", "copy"],
            // The tag that Apple's players require.
            (Some("hevc"), Some("yuv420p" | "yuvj420p" | "yuv420p10le")) => {
                &["-c:v", "copy", "-tag:v", "hvc1"]
            }
            _ => &[
                "-c:v",
                "libx264",
                "-preset",
                "veryfast",
                "-crf",
                "20",
                "-pix_fmt",
                "yuv420p",
                // Chroma subsampling needs an even number of pixels.
                "-vf",
                "scale=trunc(iw/2)*2:trunc(ih/2)*2",
            ],
        }
    }

    fn audio_codec(&self) -> &'static [&'static str] {
        let plays = |stream: &Stream| matches!(stream.codec_name.as_deref(), Some("aac" | "mp3"));
        if self.of("audio").all(plays) { &["-c:a", "copy"] } else { &["-c:a", "aac", "-b:a", "192k"] }
    }

    /// The completed share, if a line of ffmpeg's progress contains it.
    pub(super) fn share(&self, line: &str) -> Option<f32> {
        let microseconds: f64 = line.strip_prefix("out_time_us=")?.parse().ok()?;
        let seconds = self.seconds()?;
        (seconds > 0.0).then(|| (microseconds / 1e6 / seconds).clamp(0.0, 1.0) as f32)
    }
}

fn strings(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(ToString::to_string).collect()
}
