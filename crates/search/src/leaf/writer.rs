//! Writes a leaf. Equal pages and terms give equal bytes.

use super::postings::{NewPostings, put_single};
use super::{BLOCK, HEADER, Impact, Leaf, Listing, MAGIC, Size};
use crate::Damaged;
use crate::bytes::{Reader, put_text, put_u32};

/// A page of a leaf as it is written.
pub(crate) struct PageRecord {
    size: Size,
    bytes: Vec<u8>,
}

impl PageRecord {
    pub(crate) fn new(size: Size, listing: &Listing<'_>) -> PageRecord {
        let mut bytes = listing.id.0.as_bytes().to_vec();
        [listing.url, listing.title, listing.section].into_iter().for_each(|text| put_text(&mut bytes, text));
        PageRecord { size, bytes }
    }

    pub(super) fn copy(leaf: &Leaf<'_>, page: usize) -> Result<PageRecord, Damaged> {
        Ok(PageRecord::new(leaf.size(page)?, &Listing::read(Reader::new(leaf.record(page)?))?))
    }
}

#[derive(Default)]
pub(crate) struct Writer {
    blocks: Vec<u8>,
    offsets: Vec<usize>,
    terms: usize,
    /// The term that was written last.
    term: Vec<u8>,
}

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Writer {
        Writer { blocks: Vec::with_capacity(bytes), ..Writer::default() }
    }

    /// Terms must come in order.
    pub(crate) fn put(&mut self, term: &[u8], postings: &NewPostings<'_>) {
        self.put_term(term);
        postings.put(&mut self.blocks);
    }

    /// The same with the bytes of postings.
    pub(crate) fn put_bytes(&mut self, term: &[u8], postings: &[u8]) {
        self.put_term(term);
        self.blocks.extend_from_slice(postings);
    }

    /// The same for the only page of a leaf.
    pub(crate) fn put_single(&mut self, term: &[u8], impact: Impact, positions: &[u8]) {
        self.put_term(term);
        put_single(&mut self.blocks, impact, positions);
    }

    fn put_term(&mut self, term: &[u8]) {
        if self.terms.is_multiple_of(BLOCK) {
            self.offsets.push(self.blocks.len());
            self.term.clear();
        }
        self.terms += 1;
        let shared = self.term.iter().zip(term).take_while(|(a, b)| a == b).count();
        self.blocks.extend([shared as u8, (term.len() - shared) as u8]);
        self.blocks.extend_from_slice(&term[shared..]);
        self.term.truncate(shared);
        self.term.extend_from_slice(&term[shared..]);
    }

    pub(crate) fn finish(self, pages: &[PageRecord]) -> Vec<u8> {
        let before_pages = HEADER + 8 * pages.len() + 4 * self.offsets.len();
        let before_blocks = before_pages + pages.iter().map(|page| page.bytes.len()).sum::<usize>();
        let mut head = Vec::with_capacity(before_blocks);
        head.extend(MAGIC);
        head.push(pages.len() as u8);
        put_u32(&mut head, self.offsets.len());
        pages.iter().for_each(|page| head.extend(page.size.to_bytes()));
        let mut offset = before_pages;
        for page in pages {
            put_u32(&mut head, offset);
            offset += page.bytes.len();
        }
        self.offsets.iter().for_each(|offset| put_u32(&mut head, before_blocks + offset));
        pages.iter().for_each(|page| head.extend_from_slice(&page.bytes));
        // The blocks may be large, so they are not copied.
        let mut bytes = self.blocks;
        bytes.splice(0..0, head);
        bytes.shrink_to_fit();
        bytes
    }
}
