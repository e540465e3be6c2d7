//! Begins and ends blocks: paragraphs, lists, and calls to all others.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::page::Page;
use super::plain::end_of;
use crate::parse::is_block;
use crate::raw_html;

impl Page {
    /// Writes a start tag, or the whole element where that is simpler, and returns the index of the next event.
    pub(super) fn start(&mut self, tag: &Tag, events: &[Event], at: usize) -> usize {
        if is_block(&events[at]) {
            self.begin_block();
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
            self.begin_block();
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

    /// A boundary between two blocks.
    fn begin_block(&mut self) {
        self.excerpt.space();
        self.plain_text.block();
        self.punctuation.block();
        self.inline_html = raw_html::Html::default();
    }
}

impl Page {
    pub(super) fn start_paragraph(&mut self, events: &[Event], at: usize) -> usize {
        if let Some(next) = self.put_block_line(events, at) {
            return next;
        }
        self.html.line();
        // The last paragraph of a footnote holds the links back.
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

impl Page {
    pub(super) fn start_list(&mut self, first: Option<u64>) {
        self.html.line();
        match first {
            None => self.html.push("<ul>\n"),
            Some(1) => self.html.push("<ol>\n"),
            Some(first) => self.html.push(&format!("<ol start=\"{first}\">\n")),
        }
    }

    pub(super) fn end_list(&mut self, is_ordered: bool) {
        self.html.push(if is_ordered { "</ol>\n" } else { "</ul>\n" });
    }

    /// The checkbox has its own label: the text next to it may contain links and lists, which a `<label>` may not.
    pub(super) fn start_item(&mut self, inside: &[Event]) {
        self.html.line();
        let ([Event::TaskListMarker(is_done), ..]
        | [Event::Start(Tag::Paragraph), Event::TaskListMarker(is_done), ..]) = inside
        else {
            return self.html.push("<li>");
        };
        let [done, open] = self.style.words.tasks;
        let (checked, label) = if *is_done { (" checked", done) } else { ("", open) };
        self.html.push(&format!(
            "<li class=\"task\"><input type=\"checkbox\" disabled{checked} aria-label=\"{label}\"> "
        ));
    }
}
