//! Damaged real videos: each is refused and stays unchanged, or is cleaned without changing its media data.

use std::cell::Cell;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use media::Container;
use proptest::prelude::*;
use testing::damage::{damage, damaged};

use crate::mp4::clean_bytes;
use crate::{mp4, webm};

/// One video for each of these options.
fn videos(name: &str, make: fn(&Path, &str), options: &[&str]) -> Vec<Vec<u8>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    let one = |options: &&str| {
        make(&path, options);
        std::fs::read(&path).unwrap()
    };
    options.iter().map(one).collect()
}

static MP4: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    videos("video.mp4", mp4::make_video, &["-movflags +faststart", "", "-movflags frag_keyframe+empty_moov"])
});
static WEBM: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    videos("video.webm", webm::make_video, &["", "-live 1", "-f matroska -cluster_time_limit 100"])
});

fn config() -> ProptestConfig {
    ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() }
}

/// Damages each video many times. For cleaned files, `media` returns the ranges of media data, and `is_padding` whether
/// a byte that was changed to something else than zero is part of padding.
fn check(
    videos: &[Vec<u8>],
    container: Container,
    media: fn(&[u8]) -> Vec<Range<usize>>,
    is_padding: fn(&[u8], usize) -> bool,
) {
    let (cleaned, refused) = (Cell::new(0), Cell::new(0));
    for first in 0..videos.len() {
        let mut files: Vec<&[u8]> = videos.iter().map(Vec::as_slice).collect();
        files.swap(0, first);
        assert!(!media(files[0]).is_empty(), "the test finds the media data");
        proptest!(config(), |(damage in damage())| {
            let before = damaged(&files, &damage);
            let Ok(after) = clean_bytes(&before, container) else {
                refused.set(refused.get() + 1);
                return Ok(());
            };
            cleaned.set(cleaned.get() + 1);
            let mut changed = (0..before.len()).filter(|&at| after[at] != before[at] && after[at] != 0);
            prop_assert_eq!(changed.find(|&at| !is_padding(&after, at)), None);
            for range in media(&before) {
                let mut bytes = before[range.clone()].iter().zip(&after[range]);
                // The samples of removed tracks are zeroed.
                prop_assert!(bytes.all(|(before, after)| after == before || *after == 0), "media were changed");
            }
            let some = |bytes: &[u8]| media(&before).into_iter().any(|range| bytes[range].iter().any(|byte| *byte != 0));
            prop_assert!(!some(&before) || some(&after), "no media were left");
            let again = clean_bytes(&after, container);
            prop_assert!(again.is_err() || again.is_ok_and(|again| again == after), "there was more to clean");
        });
    }
    assert!(cleaned.get() > 50 && refused.get() > 50, "{} cleaned, {} refused", cleaned.get(), refused.get());
}

#[test]
fn a_damaged_mp4_is_refused_or_keeps_its_media() {
    check(&MP4, Container::Mp4, mp4_media, |after, at| {
        (0..4).any(|back| at >= back && after[at - back..].starts_with(b"free"))
    });
}

#[test]
fn a_damaged_webm_is_refused_or_keeps_its_media() {
    // `Void` and its size.
    check(&WEBM, Container::WebM, webm_media, |after, at| {
        (0..9).any(|back| at >= back && after[at - back] == 0xEC)
    });
}

/// The bodies of `mdat`, up to the first broken box.
fn mp4_media(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut media) = (0, Vec::new());
    while let Some(head) = bytes.get(at..at + 8) {
        let size = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        if size < 8 || at + size > bytes.len() {
            break;
        }
        if &head[4..] == b"mdat" {
            media.push(at + 8..at + size);
        }
        at += size;
    }
    media
}

const EBML: u32 = 0x1A45_DFA3;
const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1F43_B675;
const BLOCK_GROUP: u32 = 0xA0;
const SIMPLE_BLOCK: u32 = 0xA3;

/// The bodies of clusters, and of the blocks of those whose size is unknown, as far as the elements of the first segment
/// are whole.
fn webm_media(bytes: &[u8]) -> Vec<Range<usize>> {
    let Some((EBML, header)) = element(bytes, 0, bytes.len()) else { return Vec::new() };
    let Some((SEGMENT, segment)) = element(bytes, header.end, bytes.len()) else { return Vec::new() };
    let (mut at, mut media, mut is_open) = (segment.start, Vec::new(), false);
    while let Some((id, body)) = element(bytes, at, segment.end) {
        match id {
            EBML | SEGMENT => break,
            CLUSTER if body.end == segment.end => (at, is_open) = (body.start, true),
            CLUSTER => (at, is_open) = (body.end, false),
            // An element of the segment, whose ids are long, ends an open cluster.
            _ => (at, is_open) = (body.end, is_open && id < 0x1000_0000),
        }
        if id == CLUSTER && !is_open || is_open && matches!(id, BLOCK_GROUP | SIMPLE_BLOCK) {
            media.push(body);
        }
    }
    media
}

/// The id and body of an element; one of unknown size extends to the end.
fn element(bytes: &[u8], at: usize, end: usize) -> Option<(u32, Range<usize>)> {
    let bytes = &bytes[..end];
    let number = |at: usize, most: usize| {
        let length = bytes.get(at)?.leading_zeros() as usize + 1;
        let digits = bytes.get(at..at + length).filter(|_| length <= most)?;
        Some((digits.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte)), length))
    };
    let (id, id_length) = number(at, 4)?;
    let (size, size_length) = number(at + id_length, 8)?;
    let start = at + id_length + size_length;
    let unknown = (1u64 << (7 * size_length)) - 1;
    let end = match size & unknown {
        size if size == unknown => bytes.len(),
        size => start.checked_add(size as usize).filter(|end| *end <= bytes.len())?,
    };
    Some((id as u32, start..end))
}
