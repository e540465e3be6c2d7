//! Removing metadata from WebM.

use std::fs::File;
use std::path::Path;

use media::{Container, Done, Failure, MediaKind};
use proptest::prelude::*;

use crate::tools::{AUDIO_SOURCE, VIDEO_SOURCE, everything_known, ffmpeg, frames, process};

const METADATA: &str = "-metadata title=SECRET-title -metadata artist=SECRET-artist -metadata location=48.2082 \
                     -metadata creation_time=2024-05-06T07:08:09Z -metadata:s:v:0 title=SECRET-video \
                     -metadata:s:a:0 title=SECRET-audio";

pub fn make_video(path: &Path, options: &str) {
    ffmpeg(&format!(
        "{VIDEO_SOURCE} {AUDIO_SOURCE} -c:v libvpx -c:a libvorbis {METADATA} {options} {}",
        path.display()
    ));
}

fn check_cleaned(path: &Path) -> Done {
    assert!(everything_known(path).contains("SECRET"), "the test plants something");
    let (length, shown) = (std::fs::metadata(path).unwrap().len(), frames(path));
    let (done, _) = process(path, MediaKind::Video(Container::WebM)).unwrap();
    let known = everything_known(path);
    for planted in ["SECRET", "48.2082", "2024:05:06", "2024-05-06", "Lavf"] {
        assert!(!known.contains(planted), "{planted} is still there");
    }
    assert_eq!(std::fs::metadata(path).unwrap().len(), length);
    assert_eq!(frames(path), shown);
    done
}

#[test]
fn a_video_loses_its_metadata_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.webm");
    // With an index and checksums, and as a stream of open-ended parts.
    for options in ["", "-live 1", "-f matroska -write_crc32 1", "-f matroska -cluster_time_limit 100"] {
        make_video(&path, options);
        assert_eq!(check_cleaned(&path), Done { dimensions: Some((64, 48)) }, "{options}");
    }
}

#[test]
fn a_video_written_to_a_pipe_is_cleaned_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.webm");
    let bytes = ffmpeg(
        &format!("{VIDEO_SOURCE} -c:v libvpx {METADATA} -f webm -")
            .replace("-metadata:s:a:0 title=SECRET-audio ", ""),
    );
    std::fs::write(&path, bytes).unwrap();
    check_cleaned(&path);
}

#[test]
fn attachments_and_appended_data_are_removed() {
    let directory = tempfile::tempdir().unwrap();
    let (path, note) = (directory.path().join("video.mkv"), directory.path().join("note.txt"));
    std::fs::write(&note, "SECRET-note").unwrap();
    let note = note.display();
    make_video(&path, &format!("-attach {note} -metadata:s:t mimetype=text/plain"));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"SECRET trailer of a camera");
    std::fs::write(&path, bytes).unwrap();
    check_cleaned(&path);
}

#[test]
fn chapters_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let (path, notes) = (directory.path().join("video.webm"), directory.path().join("chapters"));
    std::fs::write(&notes, ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=The first\n")
        .unwrap();
    ffmpeg(&format!(
        "{VIDEO_SOURCE} -f ffmetadata -i {} -map 0 -map_chapters 1 -c:v libvpx {}",
        notes.display(),
        path.display()
    ));
    process(&path, MediaKind::Video(Container::WebM)).unwrap();
    assert!(everything_known(&path).contains("TAG:title=The first"));
}

#[test]
fn a_file_that_is_not_webm_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.webm");
    let header = [0x1A, 0x45, 0xDF, 0xA3];
    let segment = [0x18, 0x53, 0x80, 0x67];
    let cases = [
        Vec::new(),
        b"a text".to_vec(),
        [&header[..], &[0x80]].concat(),
        [&header[..], &[0x84, 1]].concat(),
        [&header[..], &[0x80], &segment, &[0x85, 0x15, 0x49, 0xA9, 0x66, 0xFF]].concat(),
        // A track of metadata.
        [&header[..], &[0x80], &segment, &[0x8A, 0x16, 0x54, 0xAE, 0x6B, 0x85, 0xAE, 0x83, 0x83, 0x81, 0x21]]
            .concat(),
    ];
    for bytes in cases {
        std::fs::write(&path, &bytes).unwrap();
        let done = process(&path, MediaKind::Video(Container::WebM));
        assert!(matches!(done, Err(Failure::Refused(_))), "{bytes:x?}: {done:?}");
        assert!(std::fs::read(&path).unwrap() == bytes);
    }
}

#[test]
fn damage_and_truncation_do_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("video.webm");
    make_video(&path, "");
    let bytes = std::fs::read(&path).unwrap();
    let clean = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let done = media::video::clean(&file, Container::WebM);
        let after = std::fs::read(&path).unwrap();
        assert_eq!(after.len(), bytes.len());
        assert!(done.is_ok() || after == bytes, "a refused file is left alone");
    };
    for end in 0..1500.min(bytes.len()) {
        clean(&bytes[..end]);
    }
    let changes = proptest::collection::vec((0..1500.min(bytes.len()), any::<u8>()), 1..6);
    proptest!(ProptestConfig::with_cases(500), |(changes in changes)| {
        let mut damaged = bytes.clone();
        for (at, value) in changes {
            damaged[at] = value;
        }
        clean(&damaged);
    });
}
