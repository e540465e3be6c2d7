//! The pages that a term is on, and how prominently.
//!
//! The first byte says how the rest is written: bit 7 is set for a single page, whose number is in the lower bits;
//! otherwise these are the number of pages less one. Fewer than 8 pages follow as numbers, more as a set of 64 bits.
//! Then each page has an [`Impact`]. If bit 6 is set, the [`Positions`] of the term on each page follow.

use super::MAX_PAGES;
use crate::Damaged;
use crate::bytes::{Reader, put_varint};

const SINGLE: u8 = 0x80;
const POSITIONS: u8 = 0x40;
const NUMBER: u8 = 0x3f;
/// From so many pages on, a set is shorter than a list.
const SET: usize = 8;

/// How prominent a term is on a page: the highest bit says that it is in the title, the next one that it is in a
/// heading, and the others how often it occurs in the text, at most 63 times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Impact(pub(crate) u8);

impl Impact {
    pub(crate) const TITLE: Impact = Impact(0x80);
    pub(crate) const HEADING: Impact = Impact(0x40);
    pub(crate) const TEXT: Impact = Impact(0x01);

    pub(crate) fn is_in_title(self) -> bool {
        self.0 & 0x80 != 0
    }

    pub(crate) fn is_in_heading(self) -> bool {
        self.0 & 0x40 != 0
    }

    pub(crate) fn count(self) -> u8 {
        self.0 & 0x3f
    }

    /// That of two terms together.
    pub(crate) fn plus(self, other: Impact) -> Impact {
        Impact((self.0 | other.0) & 0xc0 | (self.count() + other.count()).min(0x3f))
    }

    /// An upper bound for a sequence of terms: what all of them have.
    pub(crate) fn common(self, other: Impact) -> Impact {
        Impact(self.0 & other.0 & 0xc0 | self.count().min(other.count()))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Postings<'l> {
    /// The set of pages: bit `n` is page `n` of the leaf.
    pub(crate) pages: u64,
    /// Of each of these pages.
    impacts: &'l [u8],
    positions: &'l [u8],
}

impl<'l> Postings<'l> {
    #[inline]
    pub(super) fn read(reader: &mut Reader<'l>) -> Result<Postings<'l>, Damaged> {
        let head = reader.byte()?;
        let pages = read_pages(head, reader)?;
        let impacts = reader.take(pages.count_ones() as usize)?;
        let positions = match head & POSITIONS {
            0 => &[],
            _ => {
                let length = reader.varint()? as usize;
                reader.take(length)?
            }
        };
        Ok(Postings { pages, impacts, positions })
    }

    /// Whether the postings that come next have positions.
    pub(super) fn begin_with_positions(reader: &Reader<'_>) -> bool {
        reader.rest().first().is_some_and(|head| head & POSITIONS != 0)
    }

    /// Moves past postings.
    #[inline]
    pub(super) fn skip(reader: &mut Reader<'l>) -> Result<(), Damaged> {
        let head = reader.byte()?;
        let count = usize::from(head & NUMBER) + 1;
        reader.take(match head & SINGLE != 0 {
            true => 1,
            false if count < SET => 2 * count,
            false => 8 + count,
        })?;
        if head & POSITIONS != 0 {
            let length = reader.varint()? as usize;
            reader.take(length)?;
        }
        Ok(())
    }

    /// Each page with its impact.
    pub(crate) fn impacts(&self) -> impl Iterator<Item = (usize, Impact)> {
        bits(self.pages).zip(self.impacts).map(|(page, impact)| (page, Impact(*impact)))
    }

    pub(crate) fn has_positions(&self) -> bool {
        !self.positions.is_empty()
    }

    /// The positions on each page; without any, if the term is a word.
    pub(crate) fn positions(&self) -> Positions<'l> {
        Positions(Reader::new(self.positions))
    }
}

fn read_pages(head: u8, reader: &mut Reader<'_>) -> Result<u64, Damaged> {
    if head & SINGLE != 0 {
        return Ok(1 << (head & NUMBER));
    }
    let count = usize::from(head & NUMBER) + 1;
    let pages = match count < SET {
        true => reader.take(count)?.iter().fold(0, |pages, page| pages | 1 << (page & NUMBER)),
        false => u64::from_le_bytes(reader.array()?),
    };
    if pages.count_ones() as usize == count { Ok(pages) } else { Err(Damaged) }
}

/// Positions of a page are differences to the position before, with a lowest bit that says whether more follow.
pub(crate) struct Positions<'l>(Reader<'l>);

impl<'l> Positions<'l> {
    /// Calls `each` with each position on the next page.
    pub(crate) fn next_page(&mut self, mut each: impl FnMut(u32)) -> Result<(), Damaged> {
        let mut position = 0;
        loop {
            let value = self.0.varint()?;
            position += value >> 1;
            each(position);
            if position > MAX_POSITION {
                return Err(Damaged);
            }
            if value & 1 == 0 {
                return Ok(());
            }
        }
    }

    /// The bytes of the next page.
    pub(super) fn next_bytes(&mut self) -> Result<&'l [u8], Damaged> {
        let all = self.0.rest();
        self.next_page(|_| {})?;
        Ok(&all[..all.len() - self.0.rest().len()])
    }
}

/// Characters behind this position of a page are not found by what surrounds them.
pub(crate) const MAX_POSITION: u32 = (1 << 18) - 1;

pub(crate) fn put_positions(bytes: &mut Vec<u8>, positions: &[u32]) {
    let mut before = 0;
    for (index, position) in positions.iter().enumerate() {
        let more = u32::from(index + 1 < positions.len());
        put_varint(bytes, (position - before) << 1 | more);
        before = *position;
    }
}

/// The postings of a term, to be written.
pub(crate) struct NewPostings<'p> {
    pages: u64,
    /// Valid for these pages only.
    impacts: [Impact; MAX_PAGES],
    positions: [&'p [u8]; MAX_PAGES],
}

impl Default for NewPostings<'_> {
    fn default() -> Self {
        NewPostings { pages: 0, impacts: [Impact::default(); MAX_PAGES], positions: [&[]; MAX_PAGES] }
    }
}

impl<'p> NewPostings<'p> {
    pub(crate) fn clear(&mut self) {
        self.pages = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// A page can be added once.
    pub(crate) fn add(&mut self, page: usize, impact: Impact, positions: &'p [u8]) -> Result<(), Damaged> {
        if self.pages >> page & 1 == 1 {
            return Err(Damaged);
        }
        self.pages |= 1 << page;
        (self.impacts[page], self.positions[page]) = (impact, positions);
        Ok(())
    }

    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        let positions: usize = bits(self.pages).map(|page| self.positions[page].len()).sum();
        let flag = if positions > 0 { POSITIONS } else { 0 };
        match self.pages.count_ones() as usize {
            1 => bytes.push(SINGLE | flag | self.pages.trailing_zeros() as u8),
            count => {
                bytes.push(flag | (count - 1) as u8);
                match count < SET {
                    true => bytes.extend(bits(self.pages).map(|page| page as u8)),
                    false => bytes.extend_from_slice(&self.pages.to_le_bytes()),
                }
            }
        }
        bytes.extend(bits(self.pages).map(|page| self.impacts[page].0));
        if positions > 0 {
            put_varint(bytes, positions as u32);
            bits(self.pages).for_each(|page| bytes.extend_from_slice(self.positions[page]));
        }
    }
}

/// Writes the postings of a term on the only page of a leaf.
pub(super) fn put_single(bytes: &mut Vec<u8>, impact: Impact, positions: &[u8]) {
    bytes.extend([SINGLE | if positions.is_empty() { 0 } else { POSITIONS }, impact.0]);
    if !positions.is_empty() {
        put_varint(bytes, positions.len() as u32);
        bytes.extend_from_slice(positions);
    }
}

/// The numbers of the set bits, in order.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}
