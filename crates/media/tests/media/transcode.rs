//! MOV to MP4.

use std::path::{Path, PathBuf};

use media::{Ffmpeg, TranscodeError, TranscodeLimits};

use crate::tools::{PICTURES, SOUND, everything_known, ffmpeg, frames, program, run};

const LIMITS: TranscodeLimits = TranscodeLimits::HIGHEST;

const NOTES: &str = "-metadata title=SECRET-title -metadata location=+48.2082+016.3738/ \
                     -metadata:s:v:0 handler_name=SECRET-video -metadata creation_time=2024-05-06T07:08:09Z";

fn film(directory: &Path, options: &str) -> (PathBuf, PathBuf) {
    let input = directory.join("film.mov");
    ffmpeg(&format!("{PICTURES} {SOUND} {NOTES} {options} {}", input.display()));
    (input, directory.join("film.mp4"))
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
fn what_browsers_play_is_copied() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = film(directory.path(), "-c:v libx264 -pix_fmt yuv420p -c:a aac");
    to_mp4(&input, &output, LIMITS).unwrap();
    assert_eq!(codecs(&output), "h264,avc1,64,48,yuv420p\naac,mp4a\n");
    assert_eq!(frames(&output), frames(&input));
    check_clean(&output);
    let bytes = std::fs::read(&output).unwrap();
    let place = |kind: &[u8]| bytes.windows(4).position(|window| window == kind).unwrap();
    assert!(place(b"moov") < place(b"mdat"), "playing starts before all is there");
}

#[test]
fn what_apples_browser_plays_is_copied_and_tagged_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let hevc = "-c:v libx265 -x265-params log-level=none -pix_fmt yuv420p -tag:v hev1 -c:a pcm_s16le";
    let (input, output) = film(directory.path(), hevc);
    to_mp4(&input, &output, LIMITS).unwrap();
    assert_eq!(codecs(&output), "hevc,hvc1,64,48,yuv420p\naac,mp4a\n");
    check_clean(&output);
}

#[test]
fn what_browsers_do_not_play_is_encoded_anew() {
    let directory = tempfile::tempdir().unwrap();
    for options in ["-c:v prores -c:a pcm_s16le", "-c:v mjpeg -pix_fmt yuvj422p -c:a aac -vf scale=63:47"] {
        let (input, output) = film(directory.path(), options);
        to_mp4(&input, &output, LIMITS).unwrap();
        let size = if options.contains("scale") { "62,46" } else { "64,48" };
        assert_eq!(codecs(&output), format!("h264,avc1,{size},yuv420p\naac,mp4a\n"), "{options}");
        check_clean(&output);
    }
}

#[test]
fn progress_is_told_and_can_stop_it() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = film(directory.path(), "-c:v mjpeg -c:a aac");
    let ffmpeg = Ffmpeg::find(program(), search_path()).unwrap();
    let mut told = Vec::new();
    ffmpeg
        .to_mp4(&input, &output, &mut |share| {
            told.push(share);
            true
        })
        .unwrap();
    assert!(told.is_sorted() && told.last().is_some_and(|last| (0.9..=1.0).contains(last)), "{told:?}");
    let stopped = ffmpeg.to_mp4(&input, &output, &mut |_| false);
    assert!(matches!(stopped, Err(TranscodeError::Interrupted)), "{stopped:?}");
}

#[test]
fn a_phone_held_upright_stays_upright() {
    let directory = tempfile::tempdir().unwrap();
    for options in ["-c:v libx264 -pix_fmt yuv420p -c:a aac", "-c:v mjpeg -c:a aac"] {
        let (flat, output) = film(directory.path(), options);
        let turned = directory.path().join("turned.mov");
        ffmpeg(&format!("-i {} -c copy -metadata:s:v:0 rotate=90 {}", flat.display(), turned.display()));
        to_mp4(&turned, &output, LIMITS).unwrap();
        // As it is shown: ffmpeg turns it.
        let picture = directory.path().join("picture.png");
        ffmpeg(&format!("-i {} -frames:v 1 {}", output.display(), picture.display()));
        assert!(codecs(&picture).contains(",48,64,"), "{options}: {}", codecs(&picture));
    }
}

#[test]
fn what_is_no_mov_or_takes_too_long_cannot_be_converted() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = film(directory.path(), "-c:v mjpeg -c:a aac");
    let none = to_mp4(&input, &output, TranscodeLimits { wall_seconds: 0, ..LIMITS });
    assert!(matches!(none, Err(TranscodeError::Cannot(_))), "{none:?}");
    // A playlist: ffmpeg would open what it names, were it not told that this is a MOV.
    std::fs::write(&input, format!("ffconcat version 1.0\nfile {}\n", output.display())).unwrap();
    let playlist = to_mp4(&input, &output, LIMITS);
    assert!(matches!(playlist, Err(TranscodeError::Cannot(_))), "{playlist:?}");
}

#[test]
fn a_program_that_cannot_be_started_is_our_fault_and_not_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = film(directory.path(), "-c:v mjpeg -c:a aac");
    for name in ["ffmpeg", "ffprobe"] {
        std::fs::write(directory.path().join(name), "not executable").unwrap();
    }
    let ffmpeg = Ffmpeg::find(program(), [directory.path().to_owned()]).unwrap();
    let done = ffmpeg.to_mp4(&input, &output, &mut |_| true);
    assert!(matches!(done, Err(TranscodeError::Internal(_))), "{done:?}");
}

#[test]
fn a_program_that_computes_for_ever_is_ended() {
    let directory = tempfile::tempdir().unwrap();
    let long_film = "-f lavfi -i testsrc=size=640x480:rate=60:duration=30 -c:v mjpeg -q:v 31";
    let (input, output) = (directory.path().join("film.mov"), directory.path().join("film.mp4"));
    ffmpeg(&format!("{long_film} {}", input.display()));
    let done = to_mp4(&input, &output, TranscodeLimits { cpu_seconds: 1, ..LIMITS });
    assert!(
        matches!(&done, Err(TranscodeError::Cannot(message)) if message.contains("computing")),
        "{done:?}"
    );
}

#[test]
fn an_mp4_that_outgrows_its_bound_is_given_up_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = film(directory.path(), "-c:v libx264 -pix_fmt yuv420p -c:a aac");
    let done = to_mp4(&input, &output, TranscodeLimits { output_bytes: 10_000, ..LIMITS });
    let Err(TranscodeError::Cannot(message)) = done else { panic!("{done:?}") };
    assert!(message.contains("more than twice the video") && message.contains("as an MP4"), "{message}");
    assert!(std::fs::metadata(output).unwrap().len() <= 10_000);
}

#[test]
fn what_takes_too_long_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = film(directory.path(), "-c:v mjpeg -c:a aac");
    let done = to_mp4(&input, &output, TranscodeLimits { wall_seconds: 0, ..LIMITS });
    let Err(TranscodeError::Cannot(message)) = done else { panic!("{done:?}") };
    assert!(message.starts_with("the video takes more than") && message.contains("shorter"), "{message}");
}

#[test]
fn programs_that_are_not_there_are_not_found() {
    assert!(Ffmpeg::find(program(), ["/nonexistent".into()]).is_none());
    assert!(Ffmpeg::find(program(), search_path()).is_some());
}

fn search_path() -> Vec<std::path::PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect()
}
