//! The parser cuts a text wherever something might have begun; here the pieces are put together.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event};

use super::Events;

/// Adds an event; a text to the one before, if they are adjacent and each stands for itself: an escape or an entity stays
/// apart from what comes before it.
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

/// Whether it is a text as it was written. (A slice of the text is: so what has been merged is not compared again.)
fn is_verbatim(text: &str, event: &Event, range: &Range<usize>) -> bool {
    let written = &text[range.clone()];
    matches!(event, Event::Text(piece) if std::ptr::eq(&**piece, written) || **piece == *written)
}
