//! How much media data the tracks refer to. Tables may refer to the same bytes repeatedly: a file that is small to
//! upload and store would then take extremely long to play and convert.

use std::collections::BTreeMap;
use std::ops::Range;

use super::atom::{Atom, Atoms};
use crate::Failure;
use crate::video::source::Source;

/// Tracks may share some of their samples, and an upload may be truncated; but by no more than half.
const MAX_PER_BYTE: u64 = 2;

/// The total size of the samples of all tracks, in bytes.
#[derive(Default)]
pub(super) struct Totals {
    samples: u64,
    /// The default sample size of each track, for fragments without their own.
    defaults: BTreeMap<u32, u32>,
}

impl Totals {
    pub(super) fn check(&self, media: &[Range<u64>]) -> Result<(), Failure> {
        let stored: u64 = media.iter().map(|body| body.end - body.start).sum();
        if self.samples > stored.saturating_mul(MAX_PER_BYTE) {
            return Err(Failure::refused(
                "the video's sample tables name more media than the file has: it is truncated, or uses the same data \
                 many times; please export it again",
            ));
        }
        Ok(())
    }

    /// One size for all, or a table of sizes: `stsz` has 32 bits each, `stz2` 4, 8 or 16.
    pub(super) fn add_sizes(&mut self, source: &Source, sizes: &Atom) -> Result<(), Failure> {
        let [_, _, _, _, s0, s1, s2, bits, c0, c1, c2, c3] = source.peek(sizes.body.start)?;
        let count = u32::from_be_bytes([c0, c1, c2, c3]).into();
        let all = u32::from_be_bytes([s0, s1, s2, bits]);
        let table = sizes.body.start + 12..sizes.body.end;
        self.add(match &sizes.kind {
            b"stsz" if all > 0 => u64::from(all).saturating_mul(count),
            b"stsz" => sum(source, table, count, 4, |row| {
                u32::from_be_bytes([row[0], row[1], row[2], row[3]]).into()
            })?,
            _ if bits == 16 => {
                sum(source, table, count, 2, |row| u16::from_be_bytes([row[0], row[1]]).into())?
            }
            _ if bits == 8 => sum(source, table, count, 1, |row| row[0].into())?,
            _ => sum(source, table, count.div_ceil(2), 1, |row| {
                u64::from(row[0] >> 4) + u64::from(row[0] & 15)
            })?,
        });
        Ok(())
    }

    /// `trex`: after version and flags the track, a description, a duration, the size.
    pub(super) fn add_default(&mut self, source: &Source, trex: &Atom) -> Result<(), Failure> {
        let fields: [u8; 20] = source.peek(trex.body.start)?;
        self.defaults.insert(number(&fields, 4), number(&fields, 16));
        Ok(())
    }

    /// `traf`: a header with an optional default sample size, and runs of samples with optional sizes.
    pub(super) fn add_fragment(&mut self, atoms: &mut Atoms, fragment: &Atom) -> Result<(), Failure> {
        let (parts, _) = atoms.all(fragment.body.clone())?;
        let mut default = 0;
        for part in parts {
            match &part.kind {
                b"tfhd" => default = self.default_of(&atoms.source.peek(part.body.start)?),
                b"trun" => self.add_run(atoms.source, &part, default)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Flags, the track, and the fields announced by the flags: an offset of 8 bytes, a description, a duration, the
    /// size.
    fn default_of(&self, fields: &[u8; 28]) -> u32 {
        let flags = number(fields, 0);
        let before = [(0x1, 8), (0x2, 4), (0x8, 4)].iter().filter(|(flag, _)| flags & flag != 0);
        match flags & 0x10 {
            0 => self.defaults.get(&number(fields, 4)).copied().unwrap_or(0),
            _ => number(fields, 8 + before.map(|(_, length)| length).sum::<usize>()),
        }
    }

    /// Flags, the count, and the fields announced by the flags: an offset, the first sample's flags; then for each
    /// sample a duration, the size, flags, a time offset.
    fn add_run(&mut self, source: &Source, run: &Atom, default: u32) -> Result<(), Failure> {
        let fields: [u8; 8] = source.peek(run.body.start)?;
        let (flags, count) = (number(&fields, 0), number(&fields, 4).into());
        let announced = |announced: &[u32]| announced.iter().filter(|flag| flags & **flag != 0).count() * 4;
        if flags & 0x200 == 0 {
            self.add(u64::from(default).saturating_mul(count));
            return Ok(());
        }
        let table = run.body.start + 8 + announced(&[0x1, 0x4]) as u64..run.body.end;
        let (row, at) = (announced(&[0x100, 0x200, 0x400, 0x800]), announced(&[0x100]));
        self.add(sum(source, table, count, row, |row| number(row, at).into())?);
        Ok(())
    }

    fn add(&mut self, bytes: u64) {
        self.samples = self.samples.saturating_add(bytes);
    }
}

fn number(fields: &[u8], at: usize) -> u32 {
    fields.get(at..at + 4).map_or(0, |bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// The sum of the rows that exist; a truncated table has fewer.
fn sum(
    source: &Source,
    table: Range<u64>,
    rows: u64,
    row_bytes: usize,
    value: impl Fn(&[u8]) -> u64,
) -> Result<u64, Failure> {
    let length = rows.saturating_mul(row_bytes as u64).min(table.end.saturating_sub(table.start));
    let (mut at, end, mut total) = (table.start, table.start + length, 0_u64);
    // A whole number of rows of any size.
    let mut block = vec![0; 48 * 1024];
    while at < end {
        let count = (end - at).min(block.len() as u64) as usize;
        source.fill(at, &mut block[..count])?;
        total = block[..count].chunks_exact(row_bytes).map(&value).fold(total, u64::saturating_add);
        at += count as u64;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn boxed(kind: &[u8; 4], numbers: &[u32], rest: &[u8]) -> Vec<u8> {
        let body = [numbers.iter().flat_map(|number| number.to_be_bytes()).collect(), rest.to_vec()].concat();
        [&(body.len() as u32 + 8).to_be_bytes()[..], kind, &body].concat()
    }

    /// The total that `count` computes for the boxes of a file.
    fn total(boxes: &[Vec<u8>], count: impl Fn(&mut Totals, &mut Atoms, &Atom)) -> u64 {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&boxes.concat()).unwrap();
        let source = Source::new(&file).unwrap();
        let (mut atoms, mut totals) = (Atoms::new(&source), Totals::default());
        for atom in atoms.all(0..source.length).unwrap().0 {
            count(&mut totals, &mut atoms, &atom);
        }
        totals.samples
    }

    #[test]
    fn every_form_of_a_size_table_is_added_up() {
        let check = |table: Vec<u8>, expected| {
            let count = |totals: &mut Totals, atoms: &mut Atoms, atom: &Atom| {
                totals.add_sizes(atoms.source, atom).unwrap();
            };
            assert_eq!(total(&[table], count), expected);
        };
        check(boxed(b"stsz", &[0, 7, 1000], &[]), 7000);
        check(boxed(b"stsz", &[0, u32::MAX, u32::MAX], &[]), u64::from(u32::MAX).pow(2));
        check(boxed(b"stsz", &[0, 0, 3, 10, 20, 30], &[]), 60);
        check(boxed(b"stsz", &[0, 0, 1_000_000, 10, 20], &[]), 30);
        check(boxed(b"stz2", &[0, 16, 2], &[1, 0, 0, 2]), 258);
        check(boxed(b"stz2", &[0, 8, 3], &[1, 2, 255]), 258);
        check(boxed(b"stz2", &[0, 4, 3], &[0x12, 0xF0]), 18);
        check(boxed(b"stsz", &[], &[]), 0);
        let long = vec![3; 50_000];
        check(boxed(b"stsz", &[&[0, 0, 50_000], &long[..]].concat(), &[]), 150_000);
    }

    #[test]
    fn every_form_of_a_fragment_is_added_up() {
        let check = |parts: &[Vec<u8>], expected| {
            let file = [boxed(b"trex", &[0, 1, 0, 0, 100, 0], &[]), boxed(b"traf", &[], &parts.concat())];
            let count = |totals: &mut Totals, atoms: &mut Atoms, atom: &Atom| match &atom.kind {
                b"trex" => totals.add_default(atoms.source, atom).unwrap(),
                _ => totals.add_fragment(atoms, atom).unwrap(),
            };
            assert_eq!(total(&file, count), expected);
        };
        let header = boxed(b"tfhd", &[0, 1], &[]);
        check(&[header.clone(), boxed(b"trun", &[0, 5], &[])], 500);
        check(&[header.clone(), boxed(b"trun", &[0x001, 5, 99], &[])], 500);
        check(&[header.clone(), boxed(b"trun", &[0x200, 2, 7, 8], &[])], 15);
        check(&[header.clone(), boxed(b"trun", &[0xF05, 2, 99, 99, 9, 7, 9, 9, 9, 8, 9, 9], &[])], 15);
        check(&[boxed(b"tfhd", &[0x10, 1, 3], &[]), boxed(b"trun", &[0, 5], &[])], 15);
        let all = boxed(b"tfhd", &[0x1B, 1, 9, 9, 9, 9, 3], &[]);
        check(&[all, boxed(b"trun", &[0, 5], &[]), boxed(b"trun", &[0, 1], &[])], 18);
        check(&[boxed(b"tfhd", &[0, 2], &[]), boxed(b"trun", &[0, 5], &[])], 0);
        check(&[header, boxed(b"trun", &[0, u32::MAX], &[])], 100 * u64::from(u32::MAX));
    }

    #[test]
    fn at_most_twice_the_media_is_accepted() {
        let check = |samples, allowed| {
            let totals = Totals { samples, defaults: BTreeMap::new() };
            assert_eq!(totals.check(&[10..20, 30..40]).is_ok(), allowed, "{samples}");
        };
        check(0, true);
        check(40, true);
        check(41, false);
        check(u64::MAX, false);
    }
}
