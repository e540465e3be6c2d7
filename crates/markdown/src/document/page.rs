//! The state of a page while it is written.

use pulldown_cmark::Alignment;

use super::blocks::Blocks;
use super::footnote::Footnotes;
use super::heading::Outline;
use super::html::Html;
use crate::anchors::Anchors;
use crate::excerpt::Excerpt;
use crate::limits::Budget;
use crate::plain_text::PlainText;
use crate::punctuation::Punctuation;
use crate::{Heading, Rendered, Style, raw_html};

pub(super) struct Page {
    pub(super) html: Html,
    /// The block of raw HTML being read: a tag may span lines.
    pub(super) html_block: String,
    pub(super) budget: Budget,
    pub(super) style: Style,
    pub(super) punctuation: Punctuation,
    pub(super) outline: Outline,
    /// Path of the page, if relative links are to be resolved.
    pub(super) path: Option<String>,
    pub(super) anchors: Anchors,
    pub(super) excerpt: Excerpt,
    pub(super) plain_text: PlainText,
    pub(super) headings: Vec<Heading>,
    /// The heading being written.
    pub(super) heading: Option<Heading>,
    pub(super) first_image: Option<String>,
    pub(super) footnotes: Footnotes,
    pub(super) blocks: Blocks,
    /// The end tags of the open quotes: an alert has a different one.
    pub(super) quotes: Vec<&'static str>,
    /// The end tag of the paragraph being written.
    pub(super) paragraph: &'static str,
    pub(super) tables: usize,
    /// Alignments of the table being written.
    pub(super) alignments: Vec<Alignment>,
    /// Index of the next cell in the row being written.
    pub(super) column: usize,
    pub(super) in_table_head: bool,
    /// The tag of the cell being written.
    pub(super) cell: &'static str,
    pub(super) in_table_body: bool,
    /// HTML does not allow a link inside a link.
    pub(super) in_link: bool,
    /// The text of a link is its URL, which is shown as it is.
    pub(super) in_url: bool,
    /// Raw HTML in the block being written: text in `<code>` is shown as it is.
    pub(super) inline_html: raw_html::Html,
}

impl Page {
    pub(super) fn new(outline: Outline, footnotes: Footnotes, style: Style, budget: Budget) -> Page {
        Page {
            html: Html::default(),
            budget,
            style,
            punctuation: Punctuation::new(style.quotes),
            outline,
            path: None,
            html_block: String::new(),
            anchors: Anchors::new(),
            excerpt: Excerpt::default(),
            plain_text: PlainText::default(),
            headings: Vec::new(),
            heading: None,
            first_image: None,
            footnotes,
            blocks: Blocks::default(),
            quotes: Vec::new(),
            paragraph: "",
            tables: 0,
            alignments: Vec::new(),
            column: 0,
            in_table_head: false,
            cell: "td",
            in_table_body: false,
            in_link: false,
            in_url: false,
            inline_html: raw_html::Html::default(),
        }
    }

    pub(super) fn into_rendered(self) -> Rendered {
        let (text, section_starts) = self.plain_text.into_parts();
        Rendered {
            html: self.html.into_string(),
            headings: self.headings,
            words: self.excerpt.words,
            summary: self.excerpt.into_summary(),
            first_image: self.first_image,
            text,
            section_starts,
        }
    }
}
