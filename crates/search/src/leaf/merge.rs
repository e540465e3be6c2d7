//! Makes a leaf of parts of others: the only way in which leaves are made, so that a leaf depends on its pages alone.

use std::cmp::Ordering;

use model::PageId;

use super::postings::NewPostings;
use super::{Leaf, MAX_PAGES, PageRecord, Postings, Writer};
use crate::texts::{Texts, TextsWriter};
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
    let mut terms = TermList::default();
    for part in parts.iter().filter(|part| part.numbers.iter().any(|number| *number != DROPPED)) {
        terms.add(part)?;
    }
    Ok(Files { terms: terms.sorted().write()?.finish(&pages), texts: texts.finish() })
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

/// The terms of all parts.
#[derive(Default)]
struct TermList<'p> {
    /// The bytes of all terms.
    bytes: Vec<u8>,
    entries: Vec<Entry<'p>>,
    /// The first eight bytes of a term, and the index of its entry: few comparisons need more.
    order: Vec<(u64, u32)>,
}

struct Entry<'p> {
    offset: u32,
    length: u8,
    numbers: &'p [u8; MAX_PAGES],
    postings: Postings<'p>,
}

impl<'p> TermList<'p> {
    fn add(&mut self, part: &'p Part<'_>) -> Result<(), Damaged> {
        let mut terms = part.leaf.terms()?;
        while let Some(postings) = terms.next()? {
            let (term, offset) = (terms.term(), self.bytes.len());
            self.order.push((first_bytes(term), self.entries.len() as u32));
            self.entries.push(Entry {
                offset: u32::try_from(offset).map_err(|_| Damaged)?,
                length: u8::try_from(term.len()).map_err(|_| Damaged)?,
                numbers: &part.numbers,
                postings,
            });
            self.bytes.extend_from_slice(term);
        }
        Ok(())
    }

    /// The terms of a part are in order already, which the standard library's sort makes use of.
    fn sorted(mut self) -> TermList<'p> {
        let mut order = std::mem::take(&mut self.order);
        order.sort_by(|a, b| self.compare(*a, *b));
        self.order = order;
        self
    }

    fn compare(&self, a: (u64, u32), b: (u64, u32)) -> Ordering {
        a.0.cmp(&b.0).then_with(|| {
            let [a, b] = [a.1, b.1].map(|index| &self.entries[index as usize]);
            match a.length <= 8 && b.length <= 8 {
                true => a.length.cmp(&b.length),
                false => self.term(a).cmp(self.term(b)),
            }
        })
    }

    fn term(&self, entry: &Entry<'_>) -> &[u8] {
        &self.bytes[entry.offset as usize..][..usize::from(entry.length)]
    }

    fn write(&self) -> Result<Writer, Damaged> {
        let (mut writer, mut postings) = (Writer::default(), NewPostings::default());
        let same = |a: &(u64, u32), b: &(u64, u32)| self.compare(*a, *b) == Ordering::Equal;
        for group in self.order.chunk_by(same) {
            postings.clear();
            for (_, index) in group {
                self.entries[*index as usize].add_to(&mut postings)?;
            }
            if !postings.is_empty() {
                writer.put(self.term(&self.entries[group[0].1 as usize]), &mut postings);
            }
        }
        Ok(writer)
    }
}

impl<'p> Entry<'p> {
    fn add_to(&self, postings: &mut NewPostings<'p>) -> Result<(), Damaged> {
        let mut positions = self.postings.positions();
        for (page, impact) in self.postings.impacts() {
            let positions = match self.postings.has_positions() {
                true => positions.next_bytes()?,
                false => &[],
            };
            if self.numbers[page] != DROPPED {
                postings.add(usize::from(self.numbers[page]), impact, positions)?;
            }
        }
        Ok(())
    }
}

/// As a number that compares as they do.
fn first_bytes(term: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = term.len().min(8);
    first[..length].copy_from_slice(&term[..length]);
    u64::from_be_bytes(first)
}
