//! Removing metadata from MP4 and MOV.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use media::{Container, Done, Failure, MediaKind};
use proptest::prelude::*;

use crate::tools::{AUDIO_SOURCE, VIDEO_SOURCE, contains, everything_known, ffmpeg, frames, process};

/// Contained in all planted metadata, except the position.
const SECRET: &str = "SECRET";
const POSITION: &str = "48.2082";

const METADATA: &str = "-metadata title=SECRET-title -metadata artist=SECRET-artist -metadata location=+48.2082+016.3738/ \
                     -metadata comment=SECRET-comment -metadata creation_time=2024-05-06T07:08:09Z \
                     -metadata:s:v:0 handler_name=SECRET-video -metadata:s:a:0 handler_name=SECRET-audio";

pub fn make_video(path: &Path, options: &str) {
    ffmpeg(&format!(
        "{VIDEO_SOURCE} {AUDIO_SOURCE} -c:v libx264 -c:a aac -b:a 32k {METADATA} {options} {}",
        path.display()
    ));
}

/// A video with a text track, whose samples contain the position.
fn video_with_text_track(directory: &Path, options: &str) -> PathBuf {
    let (texts, path) = (directory.join("texts.srt"), directory.join("texts.mp4"));
    let lines = "1\n00:00:00,000 --> 00:00:01,000\nSECRET 48.2082\n\n2\n00:00:01,000 --> 00:00:02,000\nSECRET 48.2083\n";
    std::fs::write(&texts, lines).unwrap();
    let (texts, path_text) = (texts.display(), path.display());
    ffmpeg(&format!(
        "{VIDEO_SOURCE} {AUDIO_SOURCE} -f srt -i {texts} -map 0 -map 1 -map 2 -c:v libx264 -c:a aac -c:s mov_text {options} {path_text}"
    ));
    path
}

fn replace(path: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(from.len()).position(|window| window == from).expect("it is there");
    bytes[at..at + from.len()].copy_from_slice(to);
    std::fs::write(path, bytes).unwrap();
}

fn append(path: &Path, more: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend_from_slice(more);
    std::fs::write(path, bytes).unwrap();
}

fn boxed(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], kind, body].concat()
}

/// The bodies of `mdat` at the top level of a well-formed file.
fn media_in(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut ranges) = (0, Vec::new());
    while at + 8 <= bytes.len() {
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if &bytes[at + 4..at + 8] == b"mdat" {
            ranges.push(at + 8..at + size);
        }
        at += size.max(8);
    }
    ranges
}

/// Cleans the file, and checks that no planted metadata is left and that the video is unchanged.
fn check_cleaned(path: &Path, container: Container) -> Done {
    assert!(everything_known(path).contains(SECRET), "the test plants something");
    let (before, shown) = (std::fs::read(path).unwrap(), frames(path));
    let (done, _) = process(path, MediaKind::Video(container)).unwrap();
    let known = everything_known(path);
    for planted in [SECRET, POSITION, "2024:05:06", "2024-05-06"] {
        assert!(!known.contains(planted), "{planted} is still there");
    }
    let after = std::fs::read(path).unwrap();
    assert_eq!(after.len(), before.len());
    for range in media_in(&before) {
        assert!(after[range.clone()] == before[range], "media is as it was");
    }
    assert_eq!(frames(path), shown);
    done
}

#[test]
fn a_video_loses_its_metadata_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    for options in
        ["-movflags +faststart", "", "-movflags frag_keyframe+empty_moov", "-movflags +use_metadata_tags"]
    {
        make_video(&path, options);
        let done = check_cleaned(&path, Container::Mp4);
        assert_eq!(done, Done { dimensions: Some((64, 48)) }, "{options}");
    }
}

#[test]
fn a_quicktime_video_loses_its_metadata_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mov");
    make_video(&path, "-timecode 01:02:03:04 -metadata:s:v:0 reel_name=SECRET-reel");
    check_cleaned(&path, Container::Mov);
}

#[test]
fn unknown_boxes_are_removed_everywhere() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    let xmp_uuid = 0xbe7acfcb_97a9_42e8_9c71_999491e3afac_u128.to_be_bytes();
    let xmp = [&xmp_uuid[..], b"<?xpacket?><x:xmpmeta>SECRET-xmp</x:xmpmeta>"].concat();
    let free = [&b"padding"[..], b"SECRET-rest"].concat();
    for more in [
        boxed(b"uuid", &xmp),
        boxed(b"free", &free),
        boxed(b"meta", b"SECRET-meta"),
        boxed(b"beam", b"SECRET-new"),
        b"SECRET trailer of a camera".to_vec(),
        [boxed(b"udta", b"SECRET"), b"SECR".to_vec()].concat(),
    ] {
        make_video(&path, "");
        append(&path, &more);
        check_cleaned(&path, Container::Mp4);
    }
}

#[test]
fn dimensions_are_as_shown() {
    let directory = tempfile::tempdir().unwrap();
    let (flat, turned) = (directory.path().join("flat.mp4"), directory.path().join("turned.mp4"));
    make_video(&flat, "-an");
    // The matrix of a phone held upright.
    std::fs::copy(&flat, &turned).unwrap();
    let matrix = |a: i32, b: i32, c: i32, d: i32| {
        [a, b, 0, c, d, 0].iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>()
    };
    let one = 0x10000;
    let bytes = std::fs::read(&turned).unwrap();
    let header = bytes.windows(4).position(|window| window == b"tkhd").unwrap();
    let mut bytes = bytes;
    let at = header + 4 + 40;
    assert_eq!(bytes[at..at + 24], matrix(one, 0, 0, one));
    bytes[at..at + 24].copy_from_slice(&matrix(0, one, -one, 0));
    std::fs::write(&turned, bytes).unwrap();
    let (done, _) = process(&turned, MediaKind::Video(Container::Mp4)).unwrap();
    assert_eq!(done.dimensions, Some((48, 64)));
}

#[test]
fn subtitles_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = video_with_text_track(directory.path(), "");
    process(&path, MediaKind::Video(Container::Mp4)).unwrap();
    assert!(contains(&ffmpeg(&format!("-i {} -f srt -", path.display())), b"SECRET 48.2083"));
}

#[test]
fn a_track_of_positions_is_removed_with_its_samples() {
    let directory = tempfile::tempdir().unwrap();
    for disguise in [[b"sbtl", b"meta"], [b"tx3g", b"gpmd"]] {
        let path = video_with_text_track(directory.path(), "");
        let shown = frames(&path);
        replace(&path, disguise[0], disguise[1]);
        process(&path, MediaKind::Video(Container::Mp4)).unwrap();
        let known = everything_known(&path);
        for planted in [SECRET, "48.208", "gpmd", "mov_text", "codec_type=data", "codec_type=subtitle"] {
            assert!(!known.contains(planted), "{planted} is still there");
        }
        assert_eq!(frames(&path), shown);
    }
}

#[test]
fn a_track_of_positions_in_fragments_is_refused_and_the_file_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = video_with_text_track(directory.path(), "-movflags frag_keyframe+empty_moov");
    replace(&path, b"sbtl", b"meta");
    let before = std::fs::read(&path).unwrap();
    let Err(Failure::Refused(message)) = process(&path, MediaKind::Video(Container::Mp4)) else { panic!() };
    assert!(message.contains("export it without"), "{message}");
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn a_sample_table_that_points_at_the_header_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = video_with_text_track(directory.path(), "");
    replace(&path, b"sbtl", b"meta");
    let mut bytes = std::fs::read(&path).unwrap();
    let last_table = bytes.windows(4).rposition(|window| window == b"stco").unwrap();
    bytes[last_table + 12..last_table + 16].copy_from_slice(&4u32.to_be_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(process(&path, MediaKind::Video(Container::Mp4)), Err(Failure::Refused(_))));
    assert!(std::fs::read(&path).unwrap() == bytes);
}

#[test]
fn a_file_that_is_not_a_video_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    let cases = [
        Vec::new(),
        b"x".to_vec(),
        b"this is a text, not a video".to_vec(),
        boxed(b"ftyp", b"isom"),
        boxed(b"mdat", &[1; 100]),
        // A truncated box, a box larger than the file, a box with a huge size.
        [boxed(b"ftyp", b"isom"), 4u32.to_be_bytes().to_vec(), b"moov".to_vec()].concat(),
        [1000u32.to_be_bytes().to_vec(), b"moov".to_vec()].concat(),
        [1u32.to_be_bytes().to_vec(), b"moov".to_vec(), u64::MAX.to_be_bytes().to_vec()].concat(),
        boxed(b"moov", &boxed(b"trak", &boxed(b"mdia", &boxed(b"hdlr", b"short")))),
        boxed(b"moov", &boxed(b"mvhd", &[0; 8])),
        boxed(b"moov", &boxed(b"cmov", b"compressed")),
    ];
    for bytes in cases {
        std::fs::write(&path, &bytes).unwrap();
        let done = process(&path, MediaKind::Video(Container::Mp4));
        assert!(matches!(done, Err(Failure::Refused(_))), "{bytes:?}: {done:?}");
        assert!(std::fs::read(&path).unwrap() == bytes);
    }
}

#[test]
fn a_huge_video_costs_no_more_than_a_small_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    make_video(&path, "-movflags +faststart");
    // Ten sparse gigabytes of padding and as much of media data.
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    let large = |kind: &[u8; 4]| [&1u32.to_be_bytes()[..], kind, &(10u64 << 30).to_be_bytes()].concat();
    use std::os::unix::fs::FileExt;
    file.write_all_at(&large(b"free"), length).unwrap();
    file.write_all_at(&large(b"mdat"), length + (10 << 30)).unwrap();
    file.set_len(length + (20 << 30)).unwrap();
    let began = std::time::Instant::now();
    process(&path, MediaKind::Video(Container::Mp4)).unwrap();
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
}

/// Cleans a copy in this process, where a panic is noticed. A rejected file must stay unchanged.
pub fn clean_bytes(bytes: &[u8], container: Container) -> Result<Vec<u8>, Failure> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video");
    std::fs::write(&path, bytes).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let done = media::video::clean(&file, container);
    let after = std::fs::read(&path).unwrap();
    assert_eq!(after.len(), bytes.len());
    if done.is_err() {
        assert!(after == bytes, "a refused file is left alone");
    }
    done.map(|_| after)
}

/// A short video with its header first, and the length of the header.
fn small_video() -> (Vec<u8>, usize) {
    let directory = tempfile::tempdir().unwrap();
    let path = video_with_text_track(directory.path(), "-movflags +faststart");
    replace(&path, b"sbtl", b"meta");
    let bytes = std::fs::read(&path).unwrap();
    let header = media_in(&bytes)[0].start;
    (bytes, header)
}

#[test]
fn a_video_truncated_in_its_header_is_refused_and_after_it_cleaned() {
    let (bytes, header) = small_video();
    for end in 0..header - 8 {
        assert!(clean_bytes(&bytes[..end], Container::Mp4).is_err(), "cut at {end}");
    }
    // A track of positions with missing samples cannot be cleaned; a video without one can.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    make_video(&path, "-movflags +faststart");
    let bytes = std::fs::read(&path).unwrap();
    clean_bytes(&bytes[..bytes.len() - 1000], Container::Mp4).unwrap();
}

#[test]
fn a_damaged_header_does_no_harm() {
    let (bytes, header) = small_video();
    let media = header..bytes.len();
    let changes = proptest::collection::vec((0..header, any::<u8>()), 1..6);
    proptest!(ProptestConfig::with_cases(500), |(changes in changes)| {
        let mut damaged = bytes.clone();
        for (at, value) in changes {
            damaged[at] = value;
        }
        if let Ok(after) = clean_bytes(&damaged, Container::Mp4) {
            // The media data may only have been zeroed.
            let changed = media.clone().filter(|&at| after[at] != damaged[at]);
            prop_assert!(changed.into_iter().all(|at| after[at] == 0 || header > at));
        }
    });
}

/// Where the body of the first box of this kind begins.
fn body_of(bytes: &[u8], kind: &[u8; 4]) -> usize {
    bytes.windows(4).position(|window| window == kind).expect("it is there") + 4
}

#[test]
fn tables_that_refer_to_the_same_media_repeatedly_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mov");
    let check = |options: &str, kind: &[u8; 4], at: usize, value: u32| {
        make_video(&path, options);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = body_of(&bytes, kind) + at;
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
        std::fs::write(&path, bytes).unwrap();
        let before = std::fs::read(&path).unwrap();
        let refusal = process(&path, MediaKind::Video(Container::Mov)).unwrap_err();
        let Failure::Refused(message) = refusal else { panic!("{refusal:?}") };
        assert!(
            message.starts_with("the video's sample tables name more media than the file has"),
            "{message}"
        );
        assert!(std::fs::read(&path).unwrap() == before, "it is as it was");
    };
    // One size for all samples, which then overlap.
    check("", b"stsz", 4, 1_000_000);
    // The size of a fragment's first sample: after flags, count, offset and the sample's flags.
    check("-movflags frag_keyframe+empty_moov", b"trun", 16, 1_000_000_000);
}

#[test]
fn a_video_without_any_track_that_is_shown_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    make_video(&path, "");
    let mut bytes = std::fs::read(&path).unwrap();
    for kind in [b"vide", b"soun"] {
        while let Some(at) = bytes.windows(4).position(|window| window == kind) {
            bytes[at..at + 4].copy_from_slice(b"what");
        }
    }
    std::fs::write(&path, &bytes).unwrap();
    let message = process(&path, MediaKind::Video(Container::Mp4)).unwrap_err().to_string();
    assert_eq!(message, "the video has no picture and no sound, or its header is damaged");
    assert!(std::fs::read(&path).unwrap() == bytes, "it is as it was");
}

#[test]
fn a_video_truncated_by_less_than_half_is_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    make_video(&path, "-movflags +faststart");
    let bytes = std::fs::read(&path).unwrap();
    let media = media_in(&bytes)[0].clone();
    std::fs::write(&path, &bytes[..media.start + media.len() * 2 / 3]).unwrap();
    process(&path, MediaKind::Video(Container::Mp4)).unwrap();
    std::fs::write(&path, &bytes[..media.start + media.len() / 3]).unwrap();
    let message = process(&path, MediaKind::Video(Container::Mp4)).unwrap_err().to_string();
    assert!(message.contains("it is truncated"), "{message}");
}

#[test]
fn an_encrypted_video_can_still_be_decrypted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.mp4");
    let key = "76a6c65c5ea762046bd749a2e632ccbb";
    let encryption = format!(
        "-encryption_scheme cenc-aes-ctr -encryption_key {key} -encryption_kid a7e61c373e219033c21091fa607bf3b8"
    );
    make_video(&path, &encryption);
    let decrypted = || ffmpeg(&format!("-decryption_key {key} -i {} -f framemd5 -", path.display()));
    let before = decrypted();
    assert!(contains(&std::fs::read(&path).unwrap(), b"senc"));
    process(&path, MediaKind::Video(Container::Mp4)).unwrap();
    assert!(contains(&std::fs::read(&path).unwrap(), b"senc"));
    assert_eq!(decrypted(), before);
    assert!(!everything_known(&path).contains(SECRET));
}
