//! The plain text of a part of the page.

use pulldown_cmark::Event;

use crate::Quotes;
use crate::punctuation::Punctuation;

/// As it is typed: for an anchor, and for an image's `alt`.
pub(super) fn text_of(events: &[Event]) -> String {
    shown_text_of(events, None)
}

/// With the punctuation of its language: for a heading in the table of contents.
pub(super) fn shown_text_of(events: &[Event], quotes: Option<Quotes>) -> String {
    let (mut text, mut punctuation) = (String::new(), Punctuation::new(quotes));
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Text(piece) => text.push_str(&punctuation.text(piece, &events[at + 1..])),
            Event::Code(piece) | Event::InlineMath(piece) | Event::DisplayMath(piece) => {
                punctuation.pass('x');
                text.push_str(piece);
            }
            Event::SoftBreak | Event::HardBreak => {
                punctuation.pass(' ');
                text.push(' ');
            }
            _ => {}
        }
    }
    text
}

/// The index of the event that ends the element that begins at `at`.
pub(super) fn end_of(events: &[Event], at: usize) -> usize {
    let mut open = 0_usize;
    let ends = |event: &Event| {
        match event {
            Event::Start(_) => open += 1,
            Event::End(_) => open -= 1,
            _ => {}
        }
        open == 0
    };
    at + events[at..].iter().position(ends).expect("the parser ends what it begins")
}
