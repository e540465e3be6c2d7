//! Joins adjacent text events: the parser splits a text wherever markup might have begun.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event};

use super::Events;

/// Appends an event. A text is joined to the previous one if they are adjacent and both are verbatim: an escape or an
/// entity stays separate from the text before it.
pub(super) fn push<'t>(text: &'t str, events: &mut Events<'t>, event: Event<'t>, range: Range<usize>) {
    if let Some((before, before_range)) = events.last_mut()
        && before_range.end == range.start
        && is_verbatim(text, &event, &range)
        && is_verbatim(text, before, before_range)
    {
        before_range.end = range.end;
        *before = Event::Text(CowStr::Borrowed(&text[before_range.clone()]));
    } else {
        events.push((event, range));
    }
}

/// Whether a text event equals its source. (A slice of the source does, so merged texts need not be compared again.)
fn is_verbatim(text: &str, event: &Event, range: &Range<usize>) -> bool {
    let written = &text[range.clone()];
    matches!(event, Event::Text(piece) if std::ptr::eq(&**piece, written) || **piece == *written)
}
