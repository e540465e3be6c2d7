//! Builds the text of a paragraph from its events.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{EMPHASIS, Emphasis, Flat, OPAQUE, Part};
use crate::parse::Events;

pub(super) fn flat<'t>(source: &'t str, events: Events<'t>) -> Flat<'t> {
    let mut builder = Builder { source, flat: Flat::default(), open: vec![], links: 0, end: 0 };
    events.into_iter().for_each(|(event, range)| builder.add(event, range));
    builder.flat
}

struct Builder<'t> {
    source: &'t str,
    flat: Flat<'t>,
    /// The indices of the parts that begin emphasis which is still open.
    open: Vec<usize>,
    /// The number of open links, and the offset up to which the source was read.
    links: usize,
    end: usize,
}

impl<'t> Builder<'t> {
    fn add(&mut self, event: Event<'t>, range: Range<usize>) {
        let (index, start) = (self.flat.parts.len(), self.flat.text.len());
        let mut emphasis = None;
        match &event {
            Event::Text(piece) if self.links == 0 => self.push_text(piece, &range),
            Event::SoftBreak | Event::HardBreak => self.flat.text.push('\n'),
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => self.links += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => self.links = self.links.saturating_sub(1),
            Event::InlineHtml(tag) if is_tag(tag, "<a") => self.links += 1,
            Event::InlineHtml(tag) if is_tag(tag, "</a") => self.links = self.links.saturating_sub(1),
            Event::Start(tag) => emphasis = Some(self.begin(&range, tag, index)),
            Event::End(_) => emphasis = self.end(index),
            _ => {}
        }
        match &emphasis {
            Some(emphasis) => self.flat.text.extend(emphasis.signs.chars().map(|_| EMPHASIS)),
            None if self.flat.text.len() == start => self.put_opaque(&event),
            None => {}
        }
        self.end = if matches!(event, Event::Start(_)) { range.start } else { range.end };
        self.flat.parts.push(Part { event, range: start..self.flat.text.len(), emphasis });
    }

    /// Takes as much of the text as its own length; characters of a URL that are escaped or written as entities become
    /// placeholders, as the author does not want a link.
    fn push_text(&mut self, piece: &str, range: &Range<usize>) {
        // A backslash that is in no event escapes the next character. An entity is shorter than its source.
        let is_escaped = range.start > self.end && self.source[..range.start].ends_with('\\');
        let other = match piece == &self.source[range.clone()] {
            true => usize::from(is_escaped),
            false => piece.len(),
        };
        let is_sign = |char| matches!(char, ':' | '@' | '.' | '+' | '[' | ']');
        let (other, plain) = piece.split_at_checked(other).unwrap_or(("", piece));
        self.flat.text.extend(other.chars().map(|char| if is_sign(char) { OPAQUE } else { char }));
        self.flat.text.push_str(plain);
    }

    /// Takes as much of the text as its own length, so that the text can be cut there.
    fn put_opaque(&mut self, event: &Event) {
        let len = if let Event::Text(piece) = event { piece.len() } else { 1 };
        self.flat.text.extend(std::iter::repeat_n(OPAQUE, len));
    }

    fn begin(&mut self, range: &Range<usize>, tag: &Tag, index: usize) -> Emphasis<'t> {
        self.open.push(index);
        let source = &self.source[range.clone()];
        let len = match tag {
            Tag::Strong => 2,
            Tag::Strikethrough if source.starts_with("~~") => 2,
            _ => 1,
        };
        Emphasis { signs: &source[..len], other: usize::MAX, is_undone: false }
    }

    fn end(&mut self, index: usize) -> Option<Emphasis<'t>> {
        let other = self.open.pop()?;
        let begin = self.flat.parts[other].emphasis.as_mut()?;
        begin.other = index;
        Some(Emphasis { signs: begin.signs, other, is_undone: false })
    }
}

fn is_tag(tag: &str, name: &str) -> bool {
    let after =
        tag.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name)).map(|_| &tag[name.len()..]);
    after.is_some_and(|rest| rest.starts_with(|char: char| char.is_ascii_whitespace() || char == '>'))
}
