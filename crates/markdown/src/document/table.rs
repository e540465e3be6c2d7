//! Tables, each in a box that scrolls, because phones are narrower than most tables.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::page::Page;

impl Page {
    /// The box can be scrolled by keyboard, and each has a unique label within the page.
    pub(super) fn start_table(&mut self, alignments: &[Alignment]) {
        self.excerpt.mute();
        self.tables += 1;
        self.alignments = alignments.to_vec();
        self.in_table_body = false;
        self.html.line();
        self.html.push("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
        self.html.push(self.style.words.table);
        if self.tables > 1 {
            self.html.push(&format!(" {}", self.tables));
        }
        self.html.push("\">\n<table>\n");
    }

    pub(super) fn end_table(&mut self) {
        self.excerpt.unmute();
        if self.in_table_body {
            self.html.push("</tbody>\n");
        }
        self.html.push("</table>\n</div>\n");
    }

    pub(super) fn start_row(&mut self, tag: &Tag) {
        self.column = 0;
        self.in_table_head = matches!(tag, Tag::TableHead);
        if self.in_table_head {
            self.html.push("<thead>\n");
        } else if !self.in_table_body {
            self.in_table_body = true;
            self.html.push("<tbody>\n");
        }
        self.html.push("<tr>\n");
    }

    pub(super) fn end_row(&mut self, tag: TagEnd) {
        self.html.push("</tr>\n");
        if matches!(tag, TagEnd::TableHead) {
            self.html.push("</thead>\n");
        }
    }

    /// An empty corner cell is not a header.
    pub(super) fn start_cell(&mut self, first: &Event) {
        let is_header = self.in_table_head && !matches!(first, Event::End(_));
        self.cell = if is_header { "th" } else { "td" };
        let class = match self.alignments.get(self.column) {
            Some(Alignment::Left) => " class=\"left\"",
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::None) | None => "",
        };
        self.column += 1;
        self.html.push(&format!("<{}{class}>", self.cell));
    }

    pub(super) fn end_cell(&mut self) {
        self.html.push(&format!("</{}>\n", self.cell));
    }
}
