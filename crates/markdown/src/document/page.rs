//! What is remembered of a page while it is written.

use super::outline::Outline;
use crate::anchors::Anchors;
use crate::excerpt::Excerpt;
use crate::{Heading, Rendered};

pub(super) struct Page {
    pub(super) outline: Outline,
    pub(super) anchors: Anchors,
    pub(super) excerpt: Excerpt,
    pub(super) headings: Vec<Heading>,
    /// The one being written.
    pub(super) heading: Option<Heading>,
    pub(super) first_image: Option<String>,
    pub(super) tables: usize,
    /// Of the next cell in the row being written.
    pub(super) column: usize,
    /// Of the definition being written, from 1; 0 before the first.
    pub(super) footnote: u32,
    /// Whether that definition links back to where it was referred to.
    pub(super) linked_back: bool,
    /// HTML knows no link inside a link.
    pub(super) in_link: bool,
}

impl Page {
    pub(super) fn new(outline: Outline) -> Page {
        Page {
            outline,
            anchors: Anchors::new(),
            excerpt: Excerpt::default(),
            headings: Vec::new(),
            heading: None,
            first_image: None,
            tables: 0,
            column: 0,
            footnote: 0,
            linked_back: false,
            in_link: false,
        }
    }

    pub(super) fn into_rendered(self, html: String) -> Rendered {
        Rendered {
            html,
            headings: self.headings,
            words: self.excerpt.words,
            summary: self.excerpt.into_summary(),
            first_image: self.first_image,
        }
    }
}
