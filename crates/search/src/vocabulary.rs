//! The terms of a site, each once: finds those that a typo may stand for, and other forms of a word. Most terms are in many
//! leaves, so this is faster than to compare the terms of each leaf.

use std::collections::HashSet;

use crate::stems::Stems;
use crate::typo::{Likeness, compare};
use crate::{Damaged, Leaf};

/// More terms than this are not looked up one by one. With typos, comparing all terms of each leaf is faster then; no
/// word has so many forms.
const MAX_ALIKE: usize = 64;
/// A letter has at most so many bytes, and so the lengths of two words that differ by a typo.
const LETTER: usize = 4;

#[derive(Clone, Default)]
pub struct Vocabulary {
    stems: Option<Stems>,
    known: HashSet<Box<[u8]>>,
    /// The same terms one after the other, each behind its length, so that they can be read quickly.
    terms: Vec<u8>,
}

impl Vocabulary {
    /// `language` is that of the site, as a BCP 47 tag.
    pub fn new(language: &str) -> Vocabulary {
        Vocabulary { stems: Stems::of(language), ..Vocabulary::default() }
    }

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
        let is_alike = |term: &&[u8]| {
            term.len().abs_diff(word.len()) <= LETTER && compare(term, word) == Likeness::Alike
        };
        let alike: Vec<_> = self.terms().filter(is_alike).map(<[u8]>::to_vec).collect();
        (alike.len() <= MAX_ALIKE).then_some(alike)
    }

    /// The other forms of a word, in order.
    pub(crate) fn forms(&self, word: &str) -> Vec<String> {
        let mut forms = self.stems.map(|stems| stems.forms(word, self.terms())).unwrap_or_default();
        forms.sort_unstable();
        forms.truncate(MAX_ALIKE);
        forms
    }

    fn terms(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.terms.as_slice();
        std::iter::from_fn(move || {
            let (&length, behind) = rest.split_first()?;
            let (term, behind) = behind.split_at(usize::from(length));
            rest = behind;
            Some(term)
        })
    }
}
