//! Inline elements.

use std::borrow::Cow;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::page::Page;
use crate::math::Display;
use crate::{page_links, raw_html};

impl Page {
    pub(super) fn put_inline(&mut self, event: &Event, after: &[Event]) {
        match event {
            Event::Text(text) => self.put_text(text, after),
            Event::Code(code) => {
                self.punctuation.pass('x');
                self.excerpt.text(code);
                self.plain_text.text(code);
                self.html.push("<code>");
                self.html.text(code);
                self.html.push("</code>");
            }
            Event::InlineMath(source) => {
                self.punctuation.pass('x');
                self.put_formula(source, Display::Inline);
            }
            Event::DisplayMath(source) => {
                self.punctuation.pass('x');
                self.put_formula(source, Display::Block);
            }
            Event::Html(line) => self.html_block.push_str(line),
            Event::InlineHtml(tag) => {
                self.inline_html.read(tag, &mut |_| {});
                self.put_raw_html(tag);
            }
            Event::FootnoteReference(label) => self.put_footnote_reference(label),
            Event::SoftBreak => {
                self.punctuation.pass(' ');
                self.excerpt.space();
                self.plain_text.line();
                self.html.push("\n");
            }
            Event::HardBreak => {
                self.punctuation.pass(' ');
                self.excerpt.space();
                self.plain_text.line();
                self.html.push("<br>\n");
            }
            Event::Rule => {
                self.html.line();
                self.html.push("<hr>\n");
            }
            // Written by its list item.
            Event::TaskListMarker(_) => {}
            Event::Start(_) | Event::End(_) => {}
        }
    }

    fn put_text(&mut self, text: &str, after: &[Event]) {
        let is_prose = !self.in_url && self.inline_html.shows_text();
        let text = match is_prose {
            true => self.punctuation.text(text, after),
            false => {
                self.punctuation.pass('x');
                Cow::Borrowed(text)
            }
        };
        self.excerpt.text(&text);
        self.plain_text.text(&text);
        self.html.text(&text);
    }

    pub(super) fn start_inline(&mut self, tag: &Tag) {
        match tag {
            Tag::Emphasis => self.html.push("<em>"),
            Tag::Strong => self.html.push("<strong>"),
            Tag::Strikethrough => self.html.push("<del>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.in_link = true;
                self.in_url = matches!(link_type, LinkType::Autolink | LinkType::Email);
                self.html.push("<a");
                match link_type {
                    LinkType::Email => self.html.url_attribute("href", &format!("mailto:{dest_url}")),
                    _ => match self.page_link(dest_url) {
                        Some(url) => self.html.url_attribute("href", &url),
                        None => self.html.url_attribute("href", dest_url),
                    },
                }
                if !title.is_empty() {
                    self.html.attribute("title", title);
                }
                self.html.push(">");
            }
            _ => {}
        }
    }

    pub(super) fn end_html_block(&mut self) {
        let html = std::mem::take(&mut self.html_block);
        self.put_raw_html(&html);
        self.html.line();
    }

    /// Written unchanged, except for links to Markdown files that have a page.
    fn put_raw_html(&mut self, html: &str) {
        match raw_html::with_links(html, |link| self.page_link(link)) {
            Some(html) => self.html.push(&html),
            None => self.html.push(html),
        }
    }

    fn page_link(&self, link: &str) -> Option<String> {
        page_links::resolve(link, self.path.as_deref()?)
    }

    pub(super) fn end_inline(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.html.push("</em>"),
            TagEnd::Strong => self.html.push("</strong>"),
            TagEnd::Strikethrough => self.html.push("</del>"),
            TagEnd::Link => {
                self.in_link = false;
                self.in_url = false;
                self.html.push("</a>");
            }
            _ => {}
        }
    }
}
