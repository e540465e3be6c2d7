//! Makes a leaf of parts of others: the only way in which leaves are made, so that a leaf depends on its pages alone.

use std::cmp::Ordering;

use model::PageId;

use super::postings::NewPostings;
use super::{Leaf, MAX_PAGES, PageRecord, Writer, bits, first_bytes};
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
    entries: Vec<Entry>,
    parts: Vec<&'p Part<'p>>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// The first eight bytes of the term: few comparisons need more.
    first: u64,
    offset: u32,
    /// Of its postings, from the end of its part.
    postings: u32,
    length: u8,
    part: u16,
}

impl<'p> TermList<'p> {
    fn add(&mut self, part: &'p Part<'p>) -> Result<(), Damaged> {
        self.bytes.reserve(part.leaf.bytes.len());
        let mut terms = part.leaf.terms()?;
        while terms.next()? {
            let term = terms.term();
            self.entries.push(Entry {
                first: first_bytes(term),
                offset: u32::try_from(self.bytes.len()).map_err(|_| Damaged)?,
                postings: u32::try_from(terms.bytes().len()).map_err(|_| Damaged)?,
                length: u8::try_from(term.len()).map_err(|_| Damaged)?,
                part: u16::try_from(self.parts.len()).map_err(|_| Damaged)?,
            });
            self.bytes.extend_from_slice(term);
        }
        self.parts.push(part);
        Ok(())
    }

    /// The terms of a part are in order already, which the standard library's stable sort makes use of.
    fn sorted(mut self) -> TermList<'p> {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_by(|a, b| self.compare(a, b));
        self.entries = entries;
        self
    }

    fn compare(&self, a: &Entry, b: &Entry) -> Ordering {
        a.first.cmp(&b.first).then_with(|| match a.length <= 8 && b.length <= 8 {
            true => a.length.cmp(&b.length),
            false => self.term(a).cmp(self.term(b)),
        })
    }

    fn term(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.offset as usize..][..usize::from(entry.length)]
    }

    fn write(&self) -> Result<Writer, Damaged> {
        let (mut writer, mut postings) = (Writer::with_capacity(self.bytes.len()), NewPostings::default());
        for group in self.entries.chunk_by(|a, b| self.compare(a, b) == Ordering::Equal) {
            if let [entry] = group
                && let Some(same) = self.parts[usize::from(entry.part)].unchanged(entry)?
            {
                writer.put_bytes(self.term(entry), same);
                continue;
            }
            postings.clear();
            for entry in group {
                self.parts[usize::from(entry.part)].add_postings(entry, &mut postings)?;
            }
            if !postings.is_empty() {
                writer.put(self.term(&group[0]), &postings);
            }
        }
        Ok(writer)
    }
}

impl<'p> Part<'p> {
    /// The bytes of the postings, if they are the same in the new leaf.
    fn unchanged(&self, entry: &Entry) -> Result<Option<&'p [u8]>, Damaged> {
        let (postings, bytes) = self.leaf.postings_before_end(entry.postings as usize)?;
        let is_same = bits(postings.pages).all(|page| usize::from(self.numbers[page]) == page);
        Ok(is_same.then_some(bytes))
    }

    /// Adds the postings on the pages that are part of the new leaf.
    fn add_postings(&self, entry: &Entry, new: &mut NewPostings<'p>) -> Result<(), Damaged> {
        let (postings, _) = self.leaf.postings_before_end(entry.postings as usize)?;
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
