//! Changes to a file, collected while it is read, and applied once all of it is understood.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, fallocate};

#[derive(Default)]
pub(super) struct Edits {
    zeros: Vec<Range<u64>>,
    bytes: Vec<(u64, Cow<'static, [u8]>)>,
}

/// Larger ranges are deallocated by the file system instead of being overwritten with zeros.
const LARGE_RANGE_BYTES: u64 = 1024 * 1024;

impl Edits {
    pub(super) fn zero(&mut self, range: Range<u64>) {
        if !range.is_empty() {
            self.zeros.push(range);
        }
    }

    /// Applied after the zeros, so it may be inside a zeroed range.
    pub(super) fn put(&mut self, at: u64, bytes: impl Into<Cow<'static, [u8]>>) {
        self.bytes.push((at, bytes.into()));
    }

    pub(super) fn apply(mut self, file: &File) -> io::Result<()> {
        self.zeros.sort_unstable_by_key(|range| range.start);
        let mut done = 0;
        for range in self.zeros {
            // Ranges may overlap; each byte is written once.
            let (start, end) = (range.start.max(done), range.end);
            if start < end {
                write_zeros(file, start..end)?;
                done = end;
            }
        }
        self.bytes.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at))
    }
}

fn write_zeros(file: &File, range: Range<u64>) -> io::Result<()> {
    let length = range.end - range.start;
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    if length > LARGE_RANGE_BYTES && fallocate(file, hole, range.start, length).is_ok() {
        return Ok(());
    }
    let zeros = [0; 64 * 1024];
    let mut at = range.start;
    while at < range.end {
        let count = (range.end - at).min(zeros.len() as u64);
        file.write_all_at(&zeros[..count as usize], at)?;
        at += count;
    }
    Ok(())
}
