//! Makes a leaf of parts of others: the only way in which leaves are made, so that a leaf depends on its pages alone.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use model::PageId;

use super::postings::NewPostings;
use super::terms::Terms;
use super::{Leaf, MAX_PAGES, PageRecord, Writer, bits, first_bytes};
use crate::texts::{Texts, TextsWriter};
use crate::tokens::MAX_TERM;
use crate::{Damaged, Files};

/// A page that is not part of the new leaf.
const DROPPED: u8 = u8::MAX;

/// The leaf with these pages. A page that is in several parts is taken from the last one.
///
/// The result depends on the pages alone, not on the parts: a leaf of one page each, or a leaf that had other pages,
/// too. `ids` must be in the order of [`Partition::ids`](crate::Partition::ids), and each must be in a part.
pub fn merge(parts: &[&Files], ids: &[PageId]) -> Result<Files, Damaged> {
    if ids.len() > MAX_PAGES {
        return Err(Damaged);
    }
    let opened: Result<Vec<_>, Damaged> = parts.iter().map(|files| Part::open(files)).collect();
    let mut parts = opened?;
    let (mut pages, mut texts) = (Vec::with_capacity(ids.len()), TextsWriter::default());
    for (new, id) in ids.iter().enumerate() {
        let (part, page) = find(&parts, *id).ok_or(Damaged)?;
        parts[part].numbers[page] = new as u8;
        pages.push(PageRecord::copy(&parts[part].leaf, page)?);
        texts.put(parts[part].texts.frame(page)?);
    }
    let terms = merged_terms(&parts)?.finish(&pages);
    Ok(Files { terms, texts: texts.finish() })
}

struct Part<'p> {
    leaf: Leaf<'p>,
    texts: Texts<'p>,
    ids: Vec<PageId>,
    /// The numbers of its pages in the new leaf.
    numbers: [u8; MAX_PAGES],
}

impl<'p> Part<'p> {
    fn open(files: &'p Files) -> Result<Part<'p>, Damaged> {
        let (leaf, texts) = (Leaf::open(&files.terms)?, Texts::open(&files.texts)?);
        let ids = leaf.ids().collect::<Result<_, _>>()?;
        Ok(Part { leaf, texts, ids, numbers: [DROPPED; MAX_PAGES] })
    }
}

fn find(parts: &[Part<'_>], id: PageId) -> Option<(usize, usize)> {
    let in_part = |(number, part): (usize, &Part<'_>)| {
        part.ids.iter().position(|other| *other == id).map(|page| (number, page))
    };
    parts.iter().enumerate().rev().find_map(in_part)
}

/// Merges the terms of all parts, which are in order. Only one term of each part is in memory.
fn merged_terms(parts: &[Part<'_>]) -> Result<Writer, Damaged> {
    let mut heap = BinaryHeap::with_capacity(parts.len());
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.is_used()) {
        heap.extend(Head::first(number, part.leaf.terms()?)?);
    }
    let bytes = parts.iter().filter(|part| part.is_used()).map(|part| part.leaf.bytes.len()).sum();
    let (mut writer, mut postings) = (Writer::with_capacity(bytes), NewPostings::default());
    let (mut term, mut entries) = (Vec::with_capacity(MAX_TERM), Vec::with_capacity(parts.len()));
    while let Some(head) = heap.peek() {
        term.clear();
        term.extend_from_slice(head.terms.term());
        entries.clear();
        while let Some(mut head) = heap.peek_mut()
            && head.terms.term() == term
        {
            entries.push((&parts[head.part], head.terms.bytes().len()));
            if !head.advance()? {
                PeekMut::pop(head);
            }
        }
        if let [(part, place)] = entries[..]
            && let Some(same) = part.unchanged(place)?
        {
            writer.put_bytes(&term, same);
            continue;
        }
        postings.clear();
        for (part, place) in &entries {
            part.add_postings(*place, &mut postings)?;
        }
        if !postings.is_empty() {
            writer.put(&term, &postings);
        }
    }
    Ok(writer)
}

/// The next term of a part. Of several, the first in the order of the terms is the greatest.
struct Head<'p> {
    /// The first eight bytes of the term: few comparisons need more.
    first: u64,
    part: usize,
    terms: Terms<'p>,
}

impl<'p> Head<'p> {
    fn first(part: usize, terms: Terms<'p>) -> Result<Option<Head<'p>>, Damaged> {
        let mut head = Head { first: 0, part, terms };
        Ok(head.advance()?.then_some(head))
    }

    /// Moves to the next term; `false` if there is none.
    fn advance(&mut self) -> Result<bool, Damaged> {
        let is_there = self.terms.next()?;
        self.first = first_bytes(self.terms.term());
        Ok(is_there)
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_term = || self.terms.term().cmp(other.terms.term());
        let order = self.first.cmp(&other.first).then_with(by_term).then(self.part.cmp(&other.part));
        order.reverse()
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

impl<'p> Part<'p> {
    /// Whether one of its pages is in the new leaf.
    fn is_used(&self) -> bool {
        self.numbers.iter().any(|number| *number != DROPPED)
    }

    /// The bytes of the postings that begin so many bytes before the end, if they are the same in the new leaf.
    fn unchanged(&self, place: usize) -> Result<Option<&'p [u8]>, Damaged> {
        let (postings, bytes) = self.leaf.postings_before_end(place)?;
        let is_same = bits(postings.pages).all(|page| usize::from(self.numbers[page]) == page);
        Ok(is_same.then_some(bytes))
    }

    /// Adds the postings on the pages that are part of the new leaf.
    fn add_postings(&self, place: usize, new: &mut NewPostings<'p>) -> Result<(), Damaged> {
        let (postings, _) = self.leaf.postings_before_end(place)?;
        let mut all_positions = postings.positions();
        for (page, impact) in postings.impacts() {
            let positions = match postings.has_positions() {
                true => all_positions.next_bytes()?,
                false => &[],
            };
            if self.numbers[page] != DROPPED {
                new.add(usize::from(self.numbers[page]), impact, positions)?;
            }
        }
        Ok(())
    }
}
