//! The terms of a site, each once: finds those that a typo may stand for. Most terms are in many leaves, so this is faster than
//! to compare the terms of each leaf.

use std::collections::HashSet;

use crate::typo::{Likeness, compare};
use crate::{Damaged, Leaf};

/// More terms than this are not looked up one by one: comparing all terms of each leaf is faster then.
const MAX_ALIKE: usize = 64;
/// A letter has at most so many bytes, and so the lengths of two words that differ by a typo.
const LETTER: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    known: HashSet<Box<[u8]>>,
    /// The same terms one after the other, each behind its length, so that they can be read quickly.
    terms: Vec<u8>,
}

impl Vocabulary {
    pub fn add(&mut self, leaf: &Leaf<'_>) -> Result<(), Damaged> {
        let mut terms = leaf.terms()?;
        while terms.next()? {
            let term = terms.term();
            // No typo is forgiven in scripts without spaces.
            if !terms.is_word() || self.known.contains(term) {
                continue;
            }
            // Damaged bytes may say anything.
            self.terms.push(u8::try_from(term.len()).map_err(|_| Damaged)?);
            self.terms.extend_from_slice(term);
            self.known.insert(term.into());
        }
        Ok(())
    }

    /// About how much memory it takes.
    pub fn weight(&self) -> u64 {
        (2 * self.terms.len() + 32 * self.known.capacity()) as u64
    }

    /// The terms that differ from a word by at most one typo; `None`: there are too many.
    pub(crate) fn alike(&self, word: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (mut alike, mut rest) = (Vec::new(), self.terms.as_slice());
        while let Some((&length, behind)) = rest.split_first() {
            let (term, behind) = behind.split_at(usize::from(length));
            rest = behind;
            if term.len().abs_diff(word.len()) <= LETTER && compare(term, word) == Likeness::Alike {
                alike.push(term.to_vec());
            }
        }
        (alike.len() <= MAX_ALIKE).then_some(alike)
    }
}
