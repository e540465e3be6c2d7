//! The levels of a page's headings, so that the page has one `h1`: its title.

use pulldown_cmark::{Event, Tag};

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
        let Some(Event::Start(Tag::Heading { .. })) = events.first() else { return (Outline::Below, 0) };
        let end = end_of(events, 0);
        let is_repeated = is_same(&text_of(&events[..end]), title);
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

/// In any case, with any spaces; a title is no Markdown, but has backticks around code.
fn is_same(heading: &str, title: &str) -> bool {
    let [heading, title] = [heading, title].map(|text| text.replace('`', "").to_lowercase());
    heading.split_whitespace().eq(title.split_whitespace())
}
