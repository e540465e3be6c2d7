//! Headings, each with a link to itself.

use pulldown_cmark::Event;

use super::page::Page;
use super::plain::{end_of, text_of};
use crate::Heading;

impl Page {
    pub(super) fn start_heading(&mut self, level: u8, events: &[Event], at: usize) {
        self.excerpt.mute();
        let level = self.outline.level(level);
        let text = text_of(&events[at..end_of(events, at)]).trim().to_owned();
        let id = self.anchors.claim(&text);
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
