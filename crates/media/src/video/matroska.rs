//! WebM: an element that playback does not need becomes a `Void` of the same size, filled with zeros.

mod element;

use std::ops::Range;

use element::{Element, Elements, damaged};

use super::edits::Edits;
use super::source::Source;
use crate::Failure;

const EBML: u32 = 0x1A45_DFA3;
const VOID: u32 = 0xEC;
const CRC_32: u32 = 0xBF;

const SEGMENT: u32 = 0x1853_8067;
const SEEK_HEAD: u32 = 0x114D_9B74;
const INFO: u32 = 0x1549_A966;
const TRACKS: u32 = 0x1654_AE6B;
const CUES: u32 = 0x1C53_BB6B;
const CHAPTERS: u32 = 0x1043_A770;
const CLUSTER: u32 = 0x1F43_B675;
const TAGS: u32 = 0x1254_C367;
const ATTACHMENTS: u32 = 0x1941_A469;

const TIMESTAMP_SCALE: u32 = 0x2A_D7B1;
const DURATION: u32 = 0x4489;
const MUXING_APP: u32 = 0x4D80;
const WRITING_APP: u32 = 0x5741;

const TRACK_ENTRY: u32 = 0xAE;
const TRACK_TYPE: u32 = 0x83;
const VIDEO: u32 = 0xE0;
const PIXEL_WIDTH: u32 = 0xB0;
const PIXEL_HEIGHT: u32 = 0xBA;

/// In a track: its name, its attachments, and the codec's name, settings, description and URLs.
const TRACK_METADATA: [u32; 6] = [0x536E, 0x7446, 0x25_8688, 0x3A_9697, 0x3B_4040, 0x26_B240];

/// Top-level elements of a segment: any of them ends an open-ended cluster.
const TOP: [u32; 8] = [SEEK_HEAD, INFO, TRACKS, CUES, CHAPTERS, CLUSTER, TAGS, ATTACHMENTS];

/// The changes to make, and the dimensions of the first video track.
pub(super) fn plan(source: &Source) -> Result<(Edits, Option<(u32, u32)>), Failure> {
    let mut cleaner = Cleaner { elements: Elements::new(source), edits: Edits::default(), dimensions: None };
    cleaner.file()?;
    Ok((cleaner.edits, cleaner.dimensions))
}

struct Cleaner<'a> {
    elements: Elements<'a>,
    edits: Edits,
    dimensions: Option<(u32, u32)>,
}

impl Cleaner<'_> {
    fn file(&mut self) -> Result<(), Failure> {
        let (mut at, end, mut segments) = (0, self.elements.source.length, 0);
        while at < end {
            match self.elements.one(at, end) {
                Ok(element) if at == 0 && element.id != EBML => return Err(not_webm()),
                Ok(element) if element.id == EBML && !element.open_ended => at = element.body.end,
                Ok(element) if element.id == SEGMENT => {
                    segments += 1;
                    at = self.segment(element.body)?;
                }
                // Data appended to the video.
                Ok(_) | Err(_) if segments > 0 => {
                    self.void(at..end);
                    at = end;
                }
                _ => return Err(not_webm()),
            }
        }
        if segments > 0 { Ok(()) } else { Err(not_webm()) }
    }

    /// Returns where it ends: early, if it is open-ended and another segment follows.
    fn segment(&mut self, body: Range<u64>) -> Result<u64, Failure> {
        let mut at = body.start;
        while at < body.end {
            let element = match self.elements.one(at, body.end) {
                Ok(element) => element,
                // Data appended to an open-ended segment.
                Err(_) if body.end == self.elements.source.length => {
                    self.void(at..body.end);
                    return Ok(body.end);
                }
                Err(error) => return Err(error),
            };
            if element.id == EBML || element.id == SEGMENT {
                return Ok(at);
            }
            at = match element.open_ended {
                true if element.id == CLUSTER => self.end_of_cluster(&element.body)?,
                true => return Err(damaged()),
                false => element.body.end,
            };
            match element.id {
                CLUSTER | SEEK_HEAD | CUES | CHAPTERS => {}
                INFO => self.info(&element)?,
                TRACKS => self.tracks(&element)?,
                _ => self.void(element.at..element.body.end),
            }
        }
        Ok(at)
    }

    fn end_of_cluster(&mut self, body: &Range<u64>) -> Result<u64, Failure> {
        let mut at = body.start;
        while at < body.end {
            // The segment handles elements that cannot be read.
            let Ok(element) = self.elements.one(at, body.end) else { break };
            if TOP.contains(&element.id) || element.id == EBML || element.id == SEGMENT {
                break;
            }
            if element.open_ended {
                return Err(damaged());
            }
            at = element.body.end;
        }
        Ok(at)
    }

    fn info(&mut self, info: &Element) -> Result<(), Failure> {
        for element in self.elements.all(&info.body)? {
            match element.id {
                TIMESTAMP_SCALE | DURATION => {}
                // These are mandatory. Zeros end a string, so it is empty.
                MUXING_APP | WRITING_APP => self.edits.zero(element.body),
                _ => self.void(element.at..element.body.end),
            }
        }
        Ok(())
    }

    fn tracks(&mut self, tracks: &Element) -> Result<(), Failure> {
        for element in self.elements.all(&tracks.body)? {
            match element.id {
                TRACK_ENTRY => self.track(&element)?,
                _ => self.void(element.at..element.body.end),
            }
        }
        Ok(())
    }

    fn track(&mut self, track: &Element) -> Result<(), Failure> {
        for element in self.elements.all(&track.body)? {
            match element.id {
                TRACK_TYPE => self.check_type(&element)?,
                VIDEO => self.video(&element)?,
                // The checksum of a track without its name would be wrong.
                VOID | CRC_32 => self.void(element.at..element.body.end),
                id if TRACK_METADATA.contains(&id) => self.void(element.at..element.body.end),
                _ => {}
            }
        }
        Ok(())
    }

    /// Video, audio, complex, logo, subtitle, buttons and control are allowed. Others are rejected, as their blocks are
    /// all over the file.
    fn check_type(&self, element: &Element) -> Result<(), Failure> {
        match self.elements.number(element)? {
            1 | 2 | 3 | 0x10 | 0x11 | 0x12 | 0x20 => Ok(()),
            _ => Err(Failure::refused(
                "the video has a metadata track, which cannot be removed; please export it without",
            )),
        }
    }

    fn video(&mut self, video: &Element) -> Result<(), Failure> {
        let fields = self.elements.all(&video.body)?;
        let number = |id| fields.iter().find(|field| field.id == id).map(|field| self.elements.number(field));
        if let (None, Some(width), Some(height)) =
            (self.dimensions, number(PIXEL_WIDTH), number(PIXEL_HEIGHT))
        {
            self.dimensions = u32::try_from(width?).ok().zip(u32::try_from(height?).ok());
        }
        Ok(())
    }

    /// Replaces one or more whole elements by an empty one.
    fn void(&mut self, range: Range<u64>) {
        let total = range.end - range.start;
        // An id of one byte, and a size of up to eight.
        let size_length = total.saturating_sub(1).min(8);
        self.edits.zero(range.clone());
        if size_length > 0 {
            let size = total - 1 - size_length;
            let marked = (size | 1 << (7 * size_length)).to_be_bytes();
            self.edits.put(range.start, vec![VOID as u8]);
            self.edits.put(range.start + 1, marked[8 - size_length as usize..].to_vec());
        }
    }
}

fn not_webm() -> Failure {
    Failure::refused("this is not a WebM video")
}
