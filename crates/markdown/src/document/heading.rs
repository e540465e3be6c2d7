//! Headings, each with a link to itself.

use pulldown_cmark::{CowStr, Event, Tag, TagEnd};

use super::page::Page;
use super::plain::{end_of, text_of};
use crate::Heading;

/// Makes the `{#id}` that a heading ends with its id. (The parser can do that, too, but then takes away all that stands
/// in braces: the end of `GET /users/{id}`.)
pub(super) fn take_ids(events: &mut [Event]) {
    let mut start = 0;
    for at in 0..events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { .. }) => start = at,
            Event::End(TagEnd::Heading(_)) => {
                let Event::Text(text) = &events[at - 1] else { continue };
                let Some((before, id)) = split_id(text) else { continue };
                let (before, taken) = (CowStr::from(before.to_owned()), CowStr::from(id.to_owned()));
                events[at - 1] = Event::Text(before);
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                    *id = Some(taken);
                }
            }
            _ => {}
        }
    }
}

/// A text without the `{#id}` at its end, and the id. Something must stand before it: an escaped `\{` begins a text of
/// its own.
fn split_id(text: &str) -> Option<(&str, &str)> {
    let (before, id) = text.trim_end().strip_suffix('}')?.rsplit_once("{#")?;
    let is_valid = |char: char| char.is_alphanumeric() || "-_.".contains(char);
    (!before.is_empty() && !id.is_empty() && id.chars().all(is_valid)).then(|| (before.trim_end(), id))
}

impl Page {
    pub(super) fn start_heading(&mut self, level: u8, id: Option<&str>, events: &[Event], at: usize) {
        self.excerpt.mute();
        let level = self.outline.level(level);
        let text = text_of(&events[at..end_of(events, at)]).trim().to_owned();
        let id = match id {
            Some(id) => self.anchors.claim_id(id.to_owned()),
            None => self.anchors.claim(&text),
        };
        self.html.line();
        self.html.push(&format!("<h{level} id=\"{id}\">"));
        self.heading = Some(Heading { level, id, text });
    }

    /// The link comes last and after a space: one hears the heading first, and then where the link leads.
    pub(super) fn end_heading(&mut self) {
        self.excerpt.unmute();
        let Some(heading) = self.heading.take() else { return };
        let Heading { level, id, text } = &heading;
        self.html.push(&format!(
            " <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this section\">¶</a></h{level}>\n"
        ));
        if !text.is_empty() {
            self.headings.push(heading);
        }
    }
}
