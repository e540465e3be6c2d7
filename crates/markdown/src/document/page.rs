//! What is remembered of a page while it is written.

use pulldown_cmark::Alignment;

use super::footnote::Footnotes;
use super::html::Html;
use super::outline::Outline;
use crate::anchors::Anchors;
use crate::excerpt::Excerpt;
use crate::limits::Budget;
use crate::{Heading, Rendered};

pub(super) struct Page {
    pub(super) html: Html,
    /// The block of raw HTML being read: a tag may have several lines.
    pub(super) html_block: String,
    pub(super) budget: Budget,
    pub(super) outline: Outline,
    /// Of the page, if links are relative to one.
    pub(super) path: Option<String>,
    pub(super) anchors: Anchors,
    pub(super) excerpt: Excerpt,
    pub(super) headings: Vec<Heading>,
    /// The one being written.
    pub(super) heading: Option<Heading>,
    pub(super) first_image: Option<String>,
    pub(super) footnotes: Footnotes,
    /// The end of each quote we are inside of: an alert has another.
    pub(super) quotes: Vec<&'static str>,
    /// The end of the paragraph being written.
    pub(super) paragraph: &'static str,
    pub(super) tables: usize,
    /// Of the table being written.
    pub(super) alignments: Vec<Alignment>,
    /// Of the next cell in the row being written.
    pub(super) column: usize,
    pub(super) in_table_head: bool,
    /// The tag of the cell being written.
    pub(super) cell: &'static str,
    pub(super) in_table_body: bool,
    /// HTML knows no link inside a link.
    pub(super) in_link: bool,
}

impl Page {
    pub(super) fn new(outline: Outline, footnotes: Footnotes, budget: Budget) -> Page {
        Page {
            html: Html::default(),
            budget,
            outline,
            path: None,
            html_block: String::new(),
            anchors: Anchors::new(),
            excerpt: Excerpt::default(),
            headings: Vec::new(),
            heading: None,
            first_image: None,
            footnotes,
            quotes: Vec::new(),
            paragraph: "",
            tables: 0,
            alignments: Vec::new(),
            column: 0,
            in_table_head: false,
            cell: "td",
            in_table_body: false,
            in_link: false,
        }
    }

    pub(super) fn into_rendered(self) -> Rendered {
        Rendered {
            html: self.html.into_string(),
            headings: self.headings,
            words: self.excerpt.words,
            summary: self.excerpt.into_summary(),
            first_image: self.first_image,
        }
    }
}
