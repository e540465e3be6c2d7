//! Finds terms in the dictionary of a leaf.

use super::{BLOCK, Leaf, Postings};
use crate::Damaged;
use crate::bytes::Reader;

/// The terms from one on, in order.
pub(crate) struct Terms<'l> {
    reader: Reader<'l>,
    term: Vec<u8>,
}

impl<'l> Leaf<'l> {
    pub(crate) fn terms(&self) -> Result<Terms<'l>, Damaged> {
        let blocks = if self.blocks == 0 { &[] } else { self.block(0)? };
        Ok(Terms { reader: Reader::new(blocks), term: Vec::new() })
    }

    pub(crate) fn find(&self, term: &[u8]) -> Result<Option<Postings<'l>>, Damaged> {
        let mut terms = self.terms_from(term)?;
        // The term is in this block, or nowhere.
        for _ in 0..BLOCK {
            let Some(postings) = terms.next()? else { break };
            if terms.term.as_slice() >= term {
                return Ok((terms.term == term).then_some(postings));
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
        while let Some(postings) = terms.next()? {
            if terms.term.starts_with(prefix) {
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
        let blocks = if self.blocks == 0 { &[] } else { self.block(first)? };
        Ok(Terms { reader: Reader::new(blocks), term: Vec::new() })
    }

    fn first_term(&self, block: usize) -> Result<&'l [u8], Damaged> {
        let mut reader = Reader::new(self.block(block)?);
        reader.byte()?;
        let length = usize::from(reader.byte()?);
        reader.take(length)
    }
}

impl<'l> Terms<'l> {
    /// The term that was read last.
    pub(crate) fn term(&self) -> &[u8] {
        &self.term
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Postings<'l>>, Damaged> {
        if self.reader.is_empty() {
            return Ok(None);
        }
        let (shared, length) = (usize::from(self.reader.byte()?), usize::from(self.reader.byte()?));
        let rest = self.reader.take(length)?;
        if shared > self.term.len() {
            return Err(Damaged);
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        Postings::read(&mut self.reader).map(Some)
    }

    /// Moves to the next term that differs from the last one in its first `depth` bytes.
    pub(crate) fn skip_like(&mut self, depth: usize) -> Result<(), Damaged> {
        loop {
            let mut ahead = self.reader;
            match ahead.byte() {
                Ok(shared) if usize::from(shared) >= depth => {}
                _ => return Ok(()),
            }
            let length = usize::from(ahead.byte()?);
            ahead.take(length)?;
            Postings::skip(&mut ahead)?;
            self.reader = ahead;
        }
    }
}
