//! Determines which footnotes are shown, in which order, and how often each is referred to.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};
use rustc_hash::FxHashMap;

use super::{Footnote, Footnotes, key};

impl Footnotes {
    /// Numbers the footnotes in reading order: first those in the text, then those in the footnotes themselves.
    pub(in crate::document) fn of(events: &[Event]) -> Footnotes {
        let (definitions, ends) = definitions(events);
        let mut footnotes = Footnotes { ends, ..Footnotes::default() };
        if definitions.is_empty() {
            return footnotes;
        }
        footnotes.count(events, 0..events.len(), &definitions);
        let mut next = 0;
        while let Some(footnote) = footnotes.shown.get(next) {
            footnotes.count(events, footnote.inside.clone(), &definitions);
            next += 1;
        }
        footnotes
    }

    fn count(
        &mut self,
        events: &[Event],
        range: Range<usize>,
        definitions: &FxHashMap<String, Range<usize>>,
    ) {
        let mut at = range.start;
        while at < range.end {
            match &events[at] {
                Event::Start(Tag::FootnoteDefinition(_)) => at = self.end(at) - 1,
                Event::FootnoteReference(label) => self.refer(key(label), definitions),
                _ => {}
            }
            at += 1;
        }
    }

    fn refer(&mut self, label: String, definitions: &FxHashMap<String, Range<usize>>) {
        let Some(inside) = definitions.get(&label) else { return };
        let next = self.shown.len() + 1;
        let number = *self.numbers.entry(label).or_insert(next);
        if number == next {
            self.shown.push(Footnote { inside: inside.clone(), references: 0, written: 0 });
        }
        self.shown[number - 1].references += 1;
    }
}

/// The events of each definition, the first for each label; and a map from the event that begins it to the one that
/// ends it.
fn definitions(events: &[Event]) -> (FxHashMap<String, Range<usize>>, FxHashMap<usize, usize>) {
    let (mut definitions, mut ends, mut open) = (FxHashMap::default(), FxHashMap::default(), vec![]);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::FootnoteDefinition(label)) => open.push((at, key(label))),
            Event::End(pulldown_cmark::TagEnd::FootnoteDefinition) => {
                if let Some((start, label)) = open.pop() {
                    ends.insert(start, at);
                    definitions.entry(label).or_insert(start + 1..at);
                }
            }
            _ => {}
        }
    }
    (definitions, ends)
}
