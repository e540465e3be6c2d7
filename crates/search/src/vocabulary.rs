//! The terms of a site, each once: finds those that a typo may stand for, and other forms of a word. Most terms are in many
//! leaves, so this is faster than to compare the terms of each leaf.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

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
    stemmed: Vec<Stemmed>,
}

/// The hash of a term's stem. Stems themselves would take several times the memory.
#[derive(Clone, Copy)]
struct Stemmed {
    hash: u32,
    /// Where the term is.
    at: u32,
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
            let at = self.terms.len() as u32;
            if let Some(stem) = self.stems.and_then(|stems| stems.stem(str::from_utf8(term).ok()?)) {
                self.stemmed.push(Stemmed { hash: hash(&stem), at });
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
        let stemmed = self.stemmed.len() * size_of::<Stemmed>();
        (2 * self.terms.len() + 32 * self.known.capacity() + stemmed) as u64
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
        let Some((stems, stem)) = self.stems.and_then(|stems| Some((stems, stems.stem(word)?))) else {
            return vec![];
        };
        let hash = hash(&stem);
        let same = self.stemmed.iter().filter(|stemmed| stemmed.hash == hash);
        let terms =
            same.filter_map(|stemmed| str::from_utf8(first(&self.terms[stemmed.at as usize..])?.0).ok());
        let is_form = |term: &&str| *term != word && stems.stem(term).as_ref() == Some(&stem);
        let mut forms: Vec<String> = terms.filter(is_form).map(str::to_owned).collect();
        forms.sort_unstable();
        forms.truncate(MAX_ALIKE);
        forms
    }

    fn terms(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.terms.as_slice();
        std::iter::from_fn(move || {
            let (term, behind) = first(rest)?;
            rest = behind;
            Some(term)
        })
    }
}

/// The first of some terms, and those behind it.
fn first(terms: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, behind) = terms.split_first()?;
    Some(behind.split_at(usize::from(length)))
}

fn hash(stem: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    hasher.finish() as u32
}
