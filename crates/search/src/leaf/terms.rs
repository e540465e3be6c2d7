//! Finds terms in the dictionary of a leaf.

use super::{BLOCK, Leaf, Postings};
use crate::Damaged;
use crate::bytes::Reader;
use crate::tokens::MAX_TERM;

/// The terms from one on, in order.
pub(crate) struct Terms<'l> {
    leaf: Leaf<'l>,
    reader: Reader<'l>,
    term: Vec<u8>,
    /// Whether the postings of the term are still to be read.
    has_postings: bool,
    /// The block that the term is in, and how many of its terms were read.
    block: usize,
    in_block: usize,
}

impl<'l> Leaf<'l> {
    pub(crate) fn terms(&self) -> Result<Terms<'l>, Damaged> {
        Terms::at(*self, 0)
    }

    pub(crate) fn find(&self, term: &[u8]) -> Result<Option<Postings<'l>>, Damaged> {
        let mut terms = self.terms_from(term)?;
        // The term is in this block, or nowhere.
        for _ in 0..BLOCK {
            if !terms.next()? || terms.term.as_slice() > term {
                break;
            }
            if terms.term == term {
                return terms.postings().map(Some);
            }
        }
        Ok(None)
    }

    /// Calls `each` with each term that begins with a prefix.
    pub(crate) fn with_prefix(
        &self,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], Postings<'l>),
    ) -> Result<(), Damaged> {
        let mut terms = self.terms_from(prefix)?;
        while terms.next()? {
            if terms.term.starts_with(prefix) {
                let postings = terms.postings()?;
                each(&terms.term, postings);
            } else if terms.term.as_slice() > prefix {
                break;
            }
        }
        Ok(())
    }

    /// The terms from the last block on that begins before or with this one.
    fn terms_from(&self, term: &[u8]) -> Result<Terms<'l>, Damaged> {
        let (mut first, mut end) = (0, self.blocks);
        while end - first > 1 {
            let middle = first + (end - first) / 2;
            match self.first_term(middle)? <= term {
                true => first = middle,
                false => end = middle,
            }
        }
        Terms::at(*self, first)
    }

    /// The postings that begin so many bytes before the end of the leaf, and their bytes.
    pub(super) fn postings_before_end(&self, bytes: usize) -> Result<(Postings<'l>, &'l [u8]), Damaged> {
        let offset = self.bytes.len().checked_sub(bytes).ok_or(Damaged)?;
        let before = Reader::at(self.bytes, offset)?;
        let mut reader = before;
        let postings = Postings::read(&mut reader)?;
        Ok((postings, &before.rest()[..bytes - reader.rest().len()]))
    }

    fn first_term(&self, block: usize) -> Result<&'l [u8], Damaged> {
        let mut reader = Reader::new(self.block(block)?);
        reader.byte()?;
        let length = usize::from(reader.byte()?);
        reader.take(length)
    }
}

impl<'l> Terms<'l> {
    fn at(leaf: Leaf<'l>, block: usize) -> Result<Terms<'l>, Damaged> {
        let blocks = if leaf.blocks == 0 { &[] } else { leaf.block(block)? };
        let (reader, term) = (Reader::new(blocks), Vec::with_capacity(MAX_TERM));
        Ok(Terms { leaf, reader, term, has_postings: false, block, in_block: 0 })
    }

    /// The term that was read last.
    pub(crate) fn term(&self) -> &[u8] {
        &self.term
    }

    /// Whether the term that was read last is a word, not a part of a text without spaces.
    pub(crate) fn is_word(&self) -> bool {
        !Postings::begin_with_positions(&self.reader)
    }

    /// Reads the next term, if there is one.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<bool, Damaged> {
        self.pass_postings()?;
        if self.reader.is_empty() {
            return Ok(false);
        }
        let (shared, length) = (usize::from(self.reader.byte()?), usize::from(self.reader.byte()?));
        let rest = self.reader.take(length)?;
        if shared > self.term.len() {
            return Err(Damaged);
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        self.has_postings = true;
        self.in_block += 1;
        if self.in_block > BLOCK {
            (self.block, self.in_block) = (self.block + 1, 1);
        }
        Ok(true)
    }

    /// Those of the term that was read last; only once.
    #[inline]
    pub(crate) fn postings(&mut self) -> Result<Postings<'l>, Damaged> {
        self.has_postings = false;
        Postings::read(&mut self.reader)
    }

    /// The bytes from the postings of the term that was read last on.
    pub(super) fn bytes(&self) -> &'l [u8] {
        self.reader.rest()
    }

    /// Moves to the next term that differs from the last one in its first `depth` bytes.
    pub(crate) fn skip_like(&mut self, depth: usize) -> Result<(), Damaged> {
        let Some(like) = self.term.get(..depth) else { return Ok(()) };
        let mut block = self.block;
        while block + 1 < self.leaf.blocks && self.leaf.first_term(block + 1)?.starts_with(like) {
            block += 1;
        }
        if block > self.block {
            *self = Terms::at(self.leaf, block)?;
            self.next()?;
        }
        self.pass_postings()?;
        while self.in_block < BLOCK {
            let mut ahead = self.reader;
            match ahead.byte() {
                Ok(shared) if usize::from(shared) >= depth => {}
                _ => break,
            }
            let length = usize::from(ahead.byte()?);
            ahead.take(length)?;
            Postings::skip(&mut ahead)?;
            self.reader = ahead;
            self.in_block += 1;
        }
        Ok(())
    }

    fn pass_postings(&mut self) -> Result<(), Damaged> {
        if std::mem::take(&mut self.has_postings) {
            Postings::skip(&mut self.reader)?;
        }
        Ok(())
    }
}
