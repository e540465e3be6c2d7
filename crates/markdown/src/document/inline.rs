//! What stands in a line.

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::page::Page;
use crate::math::Display;

impl Page {
    pub(super) fn put_inline(&mut self, event: &Event) {
        match event {
            Event::Text(text) => {
                self.excerpt.text(text);
                self.html.text(text);
            }
            Event::Code(code) => {
                self.excerpt.text(code);
                self.html.push("<code>");
                self.html.text(code);
                self.html.push("</code>");
            }
            Event::InlineMath(source) => self.put_formula(source, Display::Inline),
            Event::DisplayMath(source) => self.put_formula(source, Display::Block),
            Event::Html(html) | Event::InlineHtml(html) => self.html.push(html),
            Event::FootnoteReference(label) => self.put_footnote_reference(label),
            Event::SoftBreak => {
                self.excerpt.space();
                self.html.push("\n");
            }
            Event::HardBreak => {
                self.excerpt.space();
                self.html.push("<br>\n");
            }
            Event::Rule => {
                self.html.line();
                self.html.push("<hr>\n");
            }
            // Its item shows it.
            Event::TaskListMarker(_) => {}
            Event::Start(_) | Event::End(_) => {}
        }
    }

    pub(super) fn start_inline(&mut self, tag: &Tag) {
        match tag {
            Tag::Emphasis => self.html.push("<em>"),
            Tag::Strong => self.html.push("<strong>"),
            Tag::Strikethrough => self.html.push("<del>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.in_link = true;
                self.html.push("<a");
                match link_type {
                    LinkType::Email => self.html.url_attribute("href", &format!("mailto:{dest_url}")),
                    _ => self.html.url_attribute("href", dest_url),
                }
                if !title.is_empty() {
                    self.html.attribute("title", title);
                }
                self.html.push(">");
            }
            _ => {}
        }
    }

    pub(super) fn end_inline(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.html.push("</em>"),
            TagEnd::Strong => self.html.push("</strong>"),
            TagEnd::Strikethrough => self.html.push("</del>"),
            TagEnd::Link => {
                self.in_link = false;
                self.html.push("</a>");
            }
            _ => {}
        }
    }
}
