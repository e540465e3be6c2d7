//! A leaf: the terms of at most 64 pages, which term is on which page, and what a result shows of each page.
//!
//! ```text
//! magic                     4 bytes
//! pages                     u8
//! blocks                    u32
//! size of each page         u32 …    tokens, and in the highest byte, those of the title
//! offset of each page       u32 …    from the beginning
//! offset of each block      u32 …    from the beginning
//! pages                     id, URL, title, section
//! blocks                    16 terms each, in order
//! ```
//!
//! Integers are little-endian. A term is the number of bytes it shares with the term before it in its block, the
//! number of its other bytes, these bytes, and its [`postings`]. A leaf is opened without reading
//! more than its first bytes.

mod merge;
mod postings;
mod terms;
mod writer;

use model::PageId;

pub use self::merge::merge;
pub(crate) use self::postings::{Impact, MAX_POSITION, Postings, bits, put_positions};
pub(crate) use self::writer::{PageRecord, Writer};
use crate::Damaged;
use crate::bytes::Reader;

/// Pages of a leaf, at most: a set of pages is one `u64`.
pub const MAX_PAGES: usize = 64;

/// Changes with the format.
const MAGIC: [u8; 4] = *b"rsl1";
const HEADER: usize = 9;
/// Terms of a block.
const BLOCK: usize = 16;

#[derive(Clone, Copy)]
pub struct Leaf<'l> {
    bytes: &'l [u8],
    pages: usize,
    blocks: usize,
}

/// What a result shows of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing<'l> {
    pub id: PageId,
    pub url: &'l str,
    pub title: &'l str,
    /// Empty if the page has none.
    pub section: &'l str,
}

impl<'l> Listing<'l> {
    pub(crate) fn read(mut reader: Reader<'l>) -> Result<Listing<'l>, Damaged> {
        Ok(Listing {
            id: PageId(uuid(reader.array()?)),
            url: reader.text()?,
            title: reader.text()?,
            section: reader.text()?,
        })
    }

    /// Only the URL, unchecked: for comparing many.
    pub(crate) fn url_bytes(mut reader: Reader<'l>) -> Result<&'l [u8], Damaged> {
        reader.take(size_of::<PageId>())?;
        reader.unchecked_text()
    }
}

/// How many tokens a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// At most 24 bits are kept.
    pub(crate) tokens: u32,
    /// Of these, in the title.
    pub(crate) title: u8,
}

impl Size {
    fn to_bytes(self) -> [u8; 4] {
        (u32::from(self.title) << 24 | self.tokens.min(0xff_ffff)).to_le_bytes()
    }
}

impl<'l> Leaf<'l> {
    pub fn open(bytes: &'l [u8]) -> Result<Leaf<'l>, Damaged> {
        let mut reader = Reader::new(bytes);
        let is_leaf = reader.array()? == MAGIC;
        let (pages, blocks) = (usize::from(reader.byte()?), reader.u32()? as usize);
        if !is_leaf
            || pages > MAX_PAGES
            || blocks > bytes.len()
            || reader.rest().len() < 8 * pages + 4 * blocks
        {
            return Err(Damaged);
        }
        Ok(Leaf { bytes, pages, blocks })
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.pages
    }

    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// The pages, in the order of the leaf.
    pub fn listings(&self) -> impl Iterator<Item = Result<Listing<'l>, Damaged>> {
        (0..self.pages).map(|page| Listing::read(Reader::at(self.bytes, self.page_offset(page)?)?))
    }

    pub fn ids(&self) -> impl Iterator<Item = Result<PageId, Damaged>> {
        self.listings().map(|listing| Ok(listing?.id))
    }

    pub(crate) fn size(&self, page: usize) -> Result<Size, Damaged> {
        let value = self.u32(HEADER + 4 * page)?;
        Ok(Size { tokens: value & 0xff_ffff, title: (value >> 24) as u8 })
    }

    /// The bytes of a page's [`Listing`].
    pub(crate) fn record(&self, page: usize) -> Result<&'l [u8], Damaged> {
        let end = match page + 1 < self.pages {
            true => self.page_offset(page + 1)?,
            false if self.blocks > 0 => self.block_offset(0)?,
            false => self.bytes.len(),
        };
        self.bytes.get(self.page_offset(page)?..end).ok_or(Damaged)
    }

    fn page_offset(&self, page: usize) -> Result<usize, Damaged> {
        Ok(self.u32(HEADER + 4 * (self.pages + page))? as usize)
    }

    fn block_offset(&self, number: usize) -> Result<usize, Damaged> {
        Ok(self.u32(HEADER + 8 * self.pages + 4 * number)? as usize)
    }

    fn block(&self, number: usize) -> Result<&'l [u8], Damaged> {
        self.bytes.get(self.block_offset(number)?..).ok_or(Damaged)
    }

    fn u32(&self, offset: usize) -> Result<u32, Damaged> {
        Reader::at(self.bytes, offset)?.u32()
    }
}

fn uuid(bytes: [u8; 16]) -> uuid::Uuid {
    uuid::Uuid::from_bytes(bytes)
}

/// The first eight bytes of a term, as a number that compares as they do.
pub(crate) fn first_bytes(term: &[u8]) -> u64 {
    match term.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let short = term.iter().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte));
            short << (64 - 8 * term.len()).min(63)
        }
    }
}
