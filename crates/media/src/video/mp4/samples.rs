//! The location of a track's samples, according to its sample tables.

use std::ops::Range;

use super::atom::Atoms;
use crate::Failure;
use crate::video::source::Source;

/// Ten hours of sixty positions per second are two million.
const MAX_SAMPLES: u32 = 8_000_000;

/// The samples of a chunk are contiguous, so a chunk is one range.
pub(super) fn chunks(atoms: &mut Atoms, table: &Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
    let (boxes, _) = atoms.all(table.clone())?;
    let body = |kind: &[u8; 4]| boxes.iter().find(|atom| &atom.kind == kind).map(|atom| atom.body.clone());
    let (offsets, width) = match (body(b"stco"), body(b"co64")) {
        (Some(body), _) => (body, 4),
        (None, Some(body)) => (body, 8),
        (None, None) => return Ok(Vec::new()),
    };
    let (Some(sizes), Some(runs)) = (body(b"stsz"), body(b"stsc")) else { return Err(damaged()) };
    let mut offsets = Numbers::after_count(atoms.source, offsets, 4, width)?;
    let mut sizes = Sizes::new(atoms.source, sizes)?;
    let mut runs = Runs::new(Numbers::after_count(atoms.source, runs, 4, 12)?)?;
    let mut chunks = Vec::new();
    while sizes.left > 0 && offsets.left > 0 {
        let start = offsets.next()?;
        let length = sizes.take(runs.samples_in_next_chunk()?)?;
        let end = start.checked_add(length).ok_or_else(damaged)?;
        if length > 0 {
            chunks.push(start..end);
        }
    }
    if sizes.left == 0 { Ok(chunks) } else { Err(damaged()) }
}

fn damaged() -> Failure {
    Failure::refused("the video's sample tables are damaged")
}

/// A table of numbers, or of rows of which the first eight bytes matter.
struct Numbers<'a> {
    source: &'a Source<'a>,
    at: u64,
    width: u64,
    left: u32,
}

impl<'a> Numbers<'a> {
    /// The table in a box, which begins after the count at `count_at`.
    fn after_count(
        source: &'a Source<'a>,
        body: Range<u64>,
        count_at: u64,
        width: u64,
    ) -> Result<Numbers<'a>, Failure> {
        let left = u32::from_be_bytes(source.peek(body.start + count_at)?);
        let at = body.start + count_at + 4;
        if left > MAX_SAMPLES || at + u64::from(left) * width > body.end {
            return Err(damaged());
        }
        Ok(Numbers { source, at, width, left })
    }

    fn next(&mut self) -> Result<u64, Failure> {
        self.left = self.left.checked_sub(1).ok_or_else(damaged)?;
        let at = self.at;
        self.at += self.width;
        Ok(match self.width {
            4 => u32::from_be_bytes(self.source.read(at)?).into(),
            _ => u64::from_be_bytes(self.source.read(at)?),
        })
    }
}

/// One size for all, or one for each.
struct Sizes<'a> {
    all: u64,
    each: Numbers<'a>,
    left: u32,
}

impl<'a> Sizes<'a> {
    fn new(source: &'a Source<'a>, body: Range<u64>) -> Result<Sizes<'a>, Failure> {
        let all = u32::from_be_bytes(source.peek(body.start + 4)?).into();
        let width = if all == 0 { 4 } else { 0 };
        let each = Numbers::after_count(source, body, 8, width)?;
        Ok(Sizes { all, left: each.left, each })
    }

    /// The sum of the next sizes.
    fn take(&mut self, count: u32) -> Result<u64, Failure> {
        let count = count.min(self.left);
        self.left -= count;
        if self.all > 0 {
            return Ok(self.all * u64::from(count));
        }
        (0..count).map(|_| self.each.next()).sum()
    }
}

/// Samples per chunk: each row applies from its first chunk to the next row's.
struct Runs<'a> {
    rows: Numbers<'a>,
    chunk: u32,
    samples: u32,
    /// The first chunk of the next row, and its samples per chunk.
    after: Option<(u32, u32)>,
}

impl<'a> Runs<'a> {
    fn new(mut rows: Numbers<'a>) -> Result<Runs<'a>, Failure> {
        let after = Self::row(&mut rows)?;
        Ok(Runs { rows, chunk: 0, samples: 0, after })
    }

    fn row(rows: &mut Numbers) -> Result<Option<(u32, u32)>, Failure> {
        if rows.left == 0 {
            return Ok(None);
        }
        let row = rows.next()?;
        Ok(Some(((row >> 32) as u32, row as u32)))
    }

    fn samples_in_next_chunk(&mut self) -> Result<u32, Failure> {
        self.chunk += 1;
        while let Some((first_chunk, samples)) = self.after
            && first_chunk <= self.chunk
        {
            self.samples = samples;
            self.after = Self::row(&mut self.rows)?;
        }
        Ok(self.samples)
    }
}
