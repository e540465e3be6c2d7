//! Where blocks begin and end.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::page::Page;
use crate::parse::is_block;

impl Page {
    /// What is not written by its start alone is written to its end, and the next event is what follows that.
    pub(super) fn start(&mut self, tag: &Tag, events: &[Event], at: usize) -> usize {
        if is_block(&events[at]) {
            self.excerpt.space();
        }
        match tag {
            Tag::Paragraph => return self.start_paragraph(events, at),
            Tag::Heading { level, id, .. } => self.start_heading(*level as u8, id.as_deref(), events, at),
            Tag::BlockQuote(kind) => return self.start_quote(*kind, events, at),
            Tag::CodeBlock(kind) => return self.put_code(kind, events, at),
            Tag::HtmlBlock => self.html.line(),
            Tag::List(first) => self.start_list(*first),
            Tag::Item => self.start_item(&events[at + 1..]),
            Tag::FootnoteDefinition(_) => return self.footnotes.end(at),
            Tag::Table(alignments) => self.start_table(alignments),
            Tag::TableHead | Tag::TableRow => self.start_row(tag),
            Tag::TableCell => self.start_cell(&events[at + 1]),
            Tag::Image { dest_url, title, .. } => return self.put_image(dest_url, title, events, at),
            tag => self.start_inline(tag),
        }
        at + 1
    }

    pub(super) fn end(&mut self, tag: TagEnd, at: usize) {
        if is_block(&Event::End(tag)) {
            self.excerpt.space();
        }
        match tag {
            TagEnd::Paragraph => self.end_paragraph(at),
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::BlockQuote(_) => self.end_quote(),
            TagEnd::HtmlBlock => self.end_html_block(),
            TagEnd::List(is_ordered) => self.end_list(is_ordered),
            TagEnd::Item => self.html.push("</li>\n"),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(tag),
            TagEnd::TableCell => self.end_cell(),
            tag => self.end_inline(tag),
        }
    }
}
