//! The plain text of a part of the page.

use pulldown_cmark::Event;

/// For a heading in the table of contents, and for an image's `alt`.
pub(super) fn text_of(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(piece)
            | Event::Code(piece)
            | Event::InlineMath(piece)
            | Event::DisplayMath(piece) => {
                text.push_str(piece);
            }
            Event::SoftBreak | Event::HardBreak => text.push(' '),
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
