//! Paragraphs, and what becomes of one that holds a single image or formula.

use pulldown_cmark::{Event, Tag};

use super::page::Page;
use super::plain::end_of;

impl Page {
    pub(super) fn start_paragraph(&mut self, events: &[Event], at: usize) -> usize {
        self.html.line();
        // A paragraph of a footnote may hold the links back.
        if self.footnotes.is_inside() {
            return self.open_paragraph("<p>", "</p>\n", at);
        }
        match &events[at + 1] {
            Event::DisplayMath(source) if is_end(&events[at + 2]) => {
                self.put_formula_block(source);
                at + 3
            }
            Event::Start(Tag::Image { .. }) if is_end(&events[end_of(events, at + 1) + 1]) => {
                self.open_paragraph("<figure>", "</figure>\n", at)
            }
            _ => self.open_paragraph("<p>", "</p>\n", at),
        }
    }

    pub(super) fn open_paragraph(&mut self, start: &str, end: &'static str, at: usize) -> usize {
        self.html.push(start);
        self.paragraph = end;
        at + 1
    }

    pub(super) fn end_paragraph(&mut self, at: usize) {
        self.link_back_from_paragraph(at);
        self.html.push(self.paragraph);
    }

    pub(super) fn is_in_figure(&self) -> bool {
        self.paragraph.starts_with("</figure")
    }
}

fn is_end(event: &Event) -> bool {
    matches!(event, Event::End(_))
}
