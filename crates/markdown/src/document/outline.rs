//! The levels of a page's headings, so that the page has one `h1`: its title.

use pulldown_cmark::{Event, HeadingLevel, Tag};

use super::plain::{end_of, text_of};

pub(super) enum Outline {
    AsWritten,
    /// Below a title that the page shows already.
    Below,
    /// The same, after a `#` of the text: everything is a level deeper.
    BelowHeading,
}

impl Outline {
    /// Also where the page begins: after a first heading that only repeats the title.
    pub(super) fn below(title: &str, events: &[Event]) -> (Outline, usize) {
        let is_first_level =
            matches!(events.first(), Some(Event::Start(Tag::Heading { level: HeadingLevel::H1, .. })));
        let end = if is_first_level { end_of(events, 0) } else { 0 };
        let is_repeated = is_first_level && is_same(&text_of(&events[..end]), title);
        (Outline::Below, if is_repeated { end + 1 } else { 0 })
    }

    /// The level at which the next heading is shown.
    pub(super) fn level(&mut self, written: u8) -> u8 {
        if matches!(self, Outline::Below) && written == 1 {
            *self = Outline::BelowHeading;
        }
        match self {
            Outline::AsWritten | Outline::Below => written,
            Outline::BelowHeading => (written + 1).min(6),
        }
    }
}

/// In any case, with any spaces.
fn is_same(heading: &str, title: &str) -> bool {
    heading.to_lowercase().split_whitespace().eq(title.to_lowercase().split_whitespace())
}
