//! The boxes of an MP4 or QuickTime file: a size, a type of four letters, and a body, which may contain boxes.

use std::ops::Range;

use crate::Failure;
use crate::video::source::Source;

pub(super) type Type = [u8; 4];

#[derive(Debug, Clone)]
pub(super) struct Atom {
    pub at: u64,
    pub kind: Type,
    pub body: Range<u64>,
}

/// A video of ten hours in fragments of a few frames has fewer.
const MAX_ATOMS: u64 = 4_000_000;

/// Reads boxes, and limits their number, so that the work per file is bounded.
pub(super) struct Atoms<'a> {
    pub source: &'a Source<'a>,
    read: u64,
}

impl<'a> Atoms<'a> {
    pub(super) fn new(source: &'a Source<'a>) -> Atoms<'a> {
        Atoms { source, read: 0 }
    }

    /// The box at `at`, which ends at `end` or before.
    pub(super) fn one(&mut self, at: u64, end: u64) -> Result<Atom, Failure> {
        self.read += 1;
        if self.read > MAX_ATOMS {
            return Err(Failure::refused("the video has too many parts"));
        }
        let head: [u8; 16] = self.source.peek(at)?;
        let [s0, s1, s2, s3, t0, t1, t2, t3, large @ ..] = head;
        let kind = [t0, t1, t2, t3];
        let (head_length, size) = match u32::from_be_bytes([s0, s1, s2, s3]) {
            0 => (8, end - at),
            1 => (16, u64::from_be_bytes(large)),
            size => (8, size.into()),
        };
        let mut atom_end = at.saturating_add(size);
        if &kind == b"mdat" {
            // An upload may be truncated and still play.
            atom_end = atom_end.min(end);
        }
        if end - at < head_length || size < head_length || atom_end > end {
            return Err(Failure::refused("the video's structure is damaged"));
        }
        Ok(Atom { at, kind, body: at + head_length..atom_end })
    }

    /// The boxes in a range, and the rest at its end that is too small to be a box.
    pub(super) fn all(&mut self, range: Range<u64>) -> Result<(Vec<Atom>, Range<u64>), Failure> {
        let (mut atoms, mut at) = (Vec::new(), range.start);
        while range.end.saturating_sub(at) >= 8 {
            let atom = self.one(at, range.end)?;
            at = atom.body.end;
            atoms.push(atom);
        }
        Ok((atoms, at..range.end))
    }

    /// The first box at a path below a body.
    pub(super) fn find(&mut self, body: &Range<u64>, path: &[&Type]) -> Result<Option<Range<u64>>, Failure> {
        let [first, rest @ ..] = path else { return Ok(Some(body.clone())) };
        let (atoms, _) = self.all(body.clone())?;
        match atoms.into_iter().find(|atom| &atom.kind == *first) {
            Some(atom) => self.find(&atom.body, rest),
            None => Ok(None),
        }
    }
}
