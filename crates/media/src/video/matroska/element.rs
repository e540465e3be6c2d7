//! The elements of EBML, which WebM consists of: an id, a size, and a body, which may contain elements.

use std::ops::Range;

use crate::Failure;
use crate::video::source::Source;

#[derive(Debug, Clone)]
pub(super) struct Element {
    pub at: u64,
    /// As written, including its length marker.
    pub id: u32,
    pub body: Range<u64>,
    /// It ends before the first element that cannot be inside it; until that is found, its body extends to its parent's
    /// end.
    pub open_ended: bool,
}

/// Enough for a stream of a day, including the blocks of its open-ended clusters.
const MAX_ELEMENTS: u64 = 8_000_000;

/// Reads elements, and limits their number, so that the work per file is bounded.
pub(super) struct Elements<'a> {
    pub source: &'a Source<'a>,
    read: u64,
}

impl<'a> Elements<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Elements<'a> {
        Elements { source, read: 0 }
    }

    /// The element at `at`, which ends at `end` or before.
    pub(super) fn one(&mut self, at: u64, end: u64) -> Result<Element, Failure> {
        self.read += 1;
        if self.read > MAX_ELEMENTS {
            return Err(Failure::refused("the video has too many parts"));
        }
        let head: [u8; 12] = self.source.peek(at)?;
        let id_length = head[0].leading_zeros() as usize + 1;
        let size_length = head.get(id_length).map_or(9, |first| first.leading_zeros() as usize + 1);
        if id_length > 4 || size_length > 8 {
            return Err(damaged());
        }
        let id = head[..id_length].iter().fold(0, |id, byte| id << 8 | u32::from(*byte));
        let size = head[id_length..id_length + size_length]
            .iter()
            .fold(0, |size, byte| size << 8 | u64::from(*byte));
        let all_ones = (1 << (7 * size_length)) - 1;
        let size = size & all_ones;
        let start = at + (id_length + size_length) as u64;
        let open_ended = size == all_ones;
        let mut body_end = if open_ended { end } else { start.saturating_add(size) };
        if id == super::SEGMENT || id == super::CLUSTER {
            // An upload may be truncated and still play.
            body_end = body_end.min(end);
        }
        if start > end || body_end > end {
            return Err(damaged());
        }
        Ok(Element { at, id, body: start..body_end, open_ended })
    }

    pub(super) fn all(&mut self, range: &Range<u64>) -> Result<Vec<Element>, Failure> {
        let (mut elements, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let element = self.one(at, range.end)?;
            if element.open_ended {
                return Err(damaged());
            }
            at = element.body.end;
            elements.push(element);
        }
        Ok(elements)
    }

    /// The value of an unsigned-integer element.
    pub(super) fn number(&self, element: &Element) -> Result<u64, Failure> {
        let length = (element.body.end - element.body.start).min(8) as usize;
        let mut bytes = [0; 8];
        self.source.fill(element.body.start, &mut bytes[8 - length..])?;
        Ok(u64::from_be_bytes(bytes))
    }
}

pub(super) fn damaged() -> Failure {
    Failure::refused("the video's structure is damaged")
}
