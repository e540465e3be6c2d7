//! The text of a paragraph as one string, and the mapping back to its events.

mod build;

use std::ops::Range;

use pulldown_cmark::{CowStr, Event};

use super::find::{self, Link};
use crate::parse::Events;

/// Placeholder for emphasis markers: they are part of a URL only in the middle of it.
const EMPHASIS: char = '\u{2}';
/// Placeholder for anything that cannot be part of a URL, such as code, and for an escaped character.
const OPAQUE: char = '\u{1}';

pub(super) fn is_emphasis(char: char) -> bool {
    char == EMPHASIS
}

pub(super) fn is_opaque(char: char) -> bool {
    char == OPAQUE
}

#[derive(Default)]
pub(super) struct Flat<'t> {
    text: String,
    parts: Vec<Part<'t>>,
    /// The next part, and the offset in `text` up to which everything has been consumed.
    next: usize,
    taken: usize,
}

struct Part<'t> {
    event: Event<'t>,
    /// Its range in `text`.
    range: Range<usize>,
    emphasis: Option<Emphasis<'t>>,
}

/// A start or end of emphasis.
#[derive(Clone, Copy)]
struct Emphasis<'t> {
    signs: &'t str,
    /// The index of the part at the other end.
    other: usize,
    /// The other end is in a URL, so the markers are literal.
    is_undone: bool,
}

impl<'t> Flat<'t> {
    pub(super) fn new(source: &'t str, events: Events<'t>) -> Flat<'t> {
        build::flat(source, events)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Shortens a link to the end of the emphasis around it.
    pub(super) fn within_emphasis(&self, link: Link) -> Option<Link> {
        let Range { start, end } = link.range;
        let first = self.parts.partition_point(|part| part.range.end <= start);
        let mut inside = self.parts[first..].iter().take_while(|part| part.range.start < end);
        let ends = |part: &&Part| part.emphasis.as_ref().is_some_and(|emphasis| emphasis.other < first);
        let Some(end) = inside.find(ends).map(|part| part.range.start) else { return Some(link) };
        let shorter = find::links(&self.text[start..end]).into_iter().next()?;
        (shorter.range.start == 0).then(|| Link { range: start..start + shorter.range.end, ..shorter })
    }

    /// Emits the events up to an offset in the text.
    pub(super) fn put_until(&mut self, end: usize, events: &mut Vec<Event<'t>>) {
        while let Some((index, range)) = self.next_part(end) {
            let part = &mut self.parts[index];
            events.push(match (&part.event, &part.emphasis) {
                (Event::Text(piece), _) => Event::Text(slice(piece, range)),
                (_, Some(Emphasis { signs, is_undone: true, .. })) => Event::Text(CowStr::Borrowed(signs)),
                _ => std::mem::replace(&mut part.event, Event::SoftBreak),
            });
        }
    }

    /// Consumes the text up to an offset; emphasis that begins there is undone.
    pub(super) fn take_until(&mut self, end: usize) -> String {
        let mut taken = String::new();
        while let Some((index, range)) = self.next_part(end) {
            let part = &self.parts[index];
            if let Event::Text(piece) = &part.event {
                taken.push_str(&piece[range]);
            } else if let Some(Emphasis { signs, other, .. }) = part.emphasis {
                taken.push_str(signs);
                self.undo(other);
            }
        }
        taken
    }

    fn undo(&mut self, index: usize) {
        if let Some(emphasis) = self.parts.get_mut(index).and_then(|part| part.emphasis.as_mut()) {
            emphasis.is_undone = true;
        }
    }

    /// The next part that begins before `end`, and how much of it is before that.
    fn next_part(&mut self, end: usize) -> Option<(usize, Range<usize>)> {
        let (index, part) = (self.next, self.parts.get(self.next)?);
        let start = self.taken.max(part.range.start);
        if start >= end {
            return None;
        }
        self.taken = end.min(part.range.end);
        self.next += usize::from(self.taken == part.range.end);
        Some((index, start - part.range.start..self.taken - part.range.start))
    }
}

fn slice<'t>(piece: &CowStr<'t>, range: Range<usize>) -> CowStr<'t> {
    match piece {
        CowStr::Borrowed(piece) => CowStr::Borrowed(&piece[range]),
        piece => CowStr::from(piece[range].to_owned()),
    }
}
