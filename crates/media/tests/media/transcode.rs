//! Converting MOV to MP4.

use std::path::{Path, PathBuf};

use media::{Ffmpeg, TranscodeError, TranscodeLimits};

use crate::tools::{AUDIO_SOURCE, VIDEO_SOURCE, everything_known, ffmpeg, frames, program, run};

const LIMITS: TranscodeLimits = TranscodeLimits::HIGHEST;

const METADATA: &str = "-metadata title=SECRET-title -metadata location=+48.2082+016.3738/ \
                     -metadata:s:v:0 handler_name=SECRET-video -metadata creation_time=2024-05-06T07:08:09Z";

fn make_video(directory: &Path, options: &str) -> (PathBuf, PathBuf) {
    let input = directory.join("video.mov");
    ffmpeg(&format!("{VIDEO_SOURCE} {AUDIO_SOURCE} {METADATA} {options} {}", input.display()));
    (input, directory.join("video.mp4"))
}

fn to_mp4(input: &Path, output: &Path, limits: TranscodeLimits) -> Result<(), TranscodeError> {
    let ffmpeg = Ffmpeg::find(program(), search_path()).unwrap().limited_to(limits);
    ffmpeg.to_mp4(input, output, &mut |_| true)
}

fn codecs(path: &Path) -> String {
    let entries = ["-v", "error", "-show_entries", "stream=codec_name,codec_tag_string,pix_fmt,width,height"];
    let all = [&entries[..], &["-of", "csv=p=0", path.to_str().unwrap()]].concat();
    String::from_utf8(run("ffprobe", &all)).unwrap()
}

fn check_clean(path: &Path) {
    let known = everything_known(path);
    for planted in ["SECRET", "48.2082", "2024:05:06", "2024-05-06"] {
        assert!(!known.contains(planted), "{planted} is still there");
    }
}

#[test]
fn codecs_that_browsers_support_are_copied() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = make_video(directory.path(), "-c:v libx264 -pix_fmt yuv420p -c:a aac");
    to_mp4(&input, &output, LIMITS).unwrap();
    assert_eq!(codecs(&output), "h264,avc1,64,48,yuv420p\naac,mp4a\n");
    assert_eq!(frames(&output), frames(&input));
    check_clean(&output);
    let bytes = std::fs::read(&output).unwrap();
    let place = |kind: &[u8]| bytes.windows(4).position(|window| window == kind).unwrap();
    assert!(place(b"moov") < place(b"mdat"), "playing starts before all is there");
}

#[test]
fn hevc_is_copied_and_tagged_for_apple() {
    let directory = tempfile::tempdir().unwrap();
    let hevc = "-c:v libx265 -x265-params log-level=none -pix_fmt yuv420p -tag:v hev1 -c:a pcm_s16le";
    let (input, output) = make_video(directory.path(), hevc);
    to_mp4(&input, &output, LIMITS).unwrap();
    assert_eq!(codecs(&output), "hevc,hvc1,64,48,yuv420p\naac,mp4a\n");
    check_clean(&output);
}

#[test]
fn other_codecs_are_re_encoded() {
    let directory = tempfile::tempdir().unwrap();
    for options in ["-c:v prores -c:a pcm_s16le", "-c:v mjpeg -pix_fmt yuvj422p -c:a aac -vf scale=63:47"] {
        let (input, output) = make_video(directory.path(), options);
        to_mp4(&input, &output, LIMITS).unwrap();
        let size = if options.contains("scale") { "62,46" } else { "64,48" };
        assert_eq!(codecs(&output), format!("h264,avc1,{size},yuv420p\naac,mp4a\n"), "{options}");
        check_clean(&output);
    }
}

#[test]
fn progress_is_reported_and_can_stop_the_conversion() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = make_video(directory.path(), "-c:v mjpeg -c:a aac");
    let ffmpeg = Ffmpeg::find(program(), search_path()).unwrap();
    let mut shares = Vec::new();
    ffmpeg
        .to_mp4(&input, &output, &mut |share| {
            shares.push(share);
            true
        })
        .unwrap();
    assert!(shares.is_sorted() && shares.last().is_some_and(|last| (0.9..=1.0).contains(last)), "{shares:?}");
    let stopped = ffmpeg.to_mp4(&input, &output, &mut |_| false);
    assert!(matches!(stopped, Err(TranscodeError::Interrupted)), "{stopped:?}");
}

#[test]
fn a_rotated_video_stays_upright() {
    let directory = tempfile::tempdir().unwrap();
    for options in ["-c:v libx264 -pix_fmt yuv420p -c:a aac", "-c:v mjpeg -c:a aac"] {
        let (flat, output) = make_video(directory.path(), options);
        let turned = directory.path().join("turned.mov");
        ffmpeg(&format!("-i {} -c copy -metadata:s:v:0 rotate=90 {}", flat.display(), turned.display()));
        to_mp4(&turned, &output, LIMITS).unwrap();
        // As shown: ffmpeg rotates it.
        let frame = directory.path().join("frame.png");
        ffmpeg(&format!("-i {} -frames:v 1 {}", output.display(), frame.display()));
        assert!(codecs(&frame).contains(",48,64,"), "{options}: {}", codecs(&frame));
    }
}

#[test]
fn a_file_that_is_not_a_mov_or_takes_too_long_cannot_be_converted() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = make_video(directory.path(), "-c:v mjpeg -c:a aac");
    let none = to_mp4(&input, &output, TranscodeLimits { wall_seconds: 0, ..LIMITS });
    assert!(matches!(none, Err(TranscodeError::Unconvertible(_))), "{none:?}");
    // A playlist: ffmpeg would open the files in it, if the format were not set to MOV.
    std::fs::write(&input, format!("ffconcat version 1.0\nfile {}\n", output.display())).unwrap();
    let playlist = to_mp4(&input, &output, LIMITS);
    assert!(matches!(playlist, Err(TranscodeError::Unconvertible(_))), "{playlist:?}");
}

#[test]
fn a_program_that_cannot_be_started_is_an_internal_error() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = make_video(directory.path(), "-c:v mjpeg -c:a aac");
    for name in ["ffmpeg", "ffprobe"] {
        std::fs::write(directory.path().join(name), "not executable").unwrap();
    }
    let ffmpeg = Ffmpeg::find(program(), [directory.path().to_owned()]).unwrap();
    let done = ffmpeg.to_mp4(&input, &output, &mut |_| true);
    assert!(matches!(done, Err(TranscodeError::Internal(_))), "{done:?}");
}

#[test]
fn a_program_that_never_ends_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let long_video = "-f lavfi -i testsrc=size=640x480:rate=60:duration=30 -c:v mjpeg -q:v 31";
    let (input, output) = (directory.path().join("video.mov"), directory.path().join("video.mp4"));
    ffmpeg(&format!("{long_video} {}", input.display()));
    let done = to_mp4(&input, &output, TranscodeLimits { cpu_seconds: 1, ..LIMITS });
    assert!(
        matches!(&done, Err(TranscodeError::Unconvertible(message)) if message.contains("CPU time")),
        "{done:?}"
    );
}

#[test]
fn an_mp4_that_grows_too_large_fails_with_a_message() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = make_video(directory.path(), "-c:v libx264 -pix_fmt yuv420p -c:a aac");
    let done = to_mp4(&input, &output, TranscodeLimits { output_bytes: 10_000, ..LIMITS });
    let Err(TranscodeError::Unconvertible(message)) = done else { panic!("{done:?}") };
    assert!(message.contains("more than twice the video") && message.contains("as an MP4"), "{message}");
    assert!(std::fs::metadata(output).unwrap().len() <= 10_000);
}

#[test]
fn a_conversion_that_takes_too_long_explains_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = make_video(directory.path(), "-c:v mjpeg -c:a aac");
    let done = to_mp4(&input, &output, TranscodeLimits { wall_seconds: 0, ..LIMITS });
    let Err(TranscodeError::Unconvertible(message)) = done else { panic!("{done:?}") };
    assert!(message.starts_with("the video takes more than") && message.contains("shorter"), "{message}");
}

#[test]
fn missing_programs_are_not_found() {
    assert!(Ffmpeg::find(program(), ["/nonexistent".into()]).is_none());
    assert!(Ffmpeg::find(program(), search_path()).is_some());
}

fn search_path() -> Vec<std::path::PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect()
}
