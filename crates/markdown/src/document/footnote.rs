//! Footnotes: a numbered list at the end of the page, with links in both directions.
//!
//! Their ids contain a colon, which heading anchors never do.

mod count;

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::page::Page;

/// The footnotes of a page, in the order of their references.
#[derive(Default)]
pub(super) struct Footnotes {
    /// The footnotes that are referred to, ordered by number; numbers begin at 1.
    shown: Vec<Footnote>,
    /// The number of each footnote, by its label normalised by [`key`].
    numbers: FxHashMap<String, usize>,
    /// Maps the index of the event that begins a definition to the one that ends it.
    ends: FxHashMap<usize, usize>,
    current: Option<Current>,
}

/// The footnote being written.
struct Current {
    number: usize,
    /// The index of the event that ends it.
    end: usize,
    linked_back: bool,
}

struct Footnote {
    inside: Range<usize>,
    references: u32,
    /// How many of these have been written.
    written: u32,
}

/// Labels are case-insensitive.
fn key(label: &str) -> String {
    label.to_lowercase()
}

impl Footnotes {
    /// The index after the definition that begins at an event: definitions are written at the end of the page.
    pub(super) fn end(&self, at: usize) -> usize {
        self.ends.get(&at).copied().unwrap_or(at) + 1
    }

    pub(super) fn is_inside(&self) -> bool {
        self.current.is_some()
    }
}

impl Page {
    pub(super) fn put_footnote_reference(&mut self, label: &str) {
        let Some(&number) = self.footnotes.numbers.get(&key(label)) else { return };
        let footnote = &mut self.footnotes.shown[number - 1];
        footnote.written += 1;
        let (suffix, label) = (suffix(footnote.written), self.style.words.footnote);
        self.html.push(&format!(
            "<sup class=\"footnote-ref\"><a href=\"#fn:{number}\" id=\"fnref:{number}{suffix}\" \
             aria-label=\"{label} {number}\">{number}</a></sup>"
        ));
    }

    /// Called after the last block of the page; returns the numbers of the footnotes to write.
    pub(super) fn begin_footnotes(&mut self) -> Range<usize> {
        if !self.footnotes.shown.is_empty() {
            self.html.line();
            let label = self.style.words.footnotes;
            self.html.push(&format!("<section class=\"footnotes\" aria-label=\"{label}\">\n<ol>\n"));
            self.excerpt.mute();
        }
        1..self.footnotes.shown.len() + 1
    }

    pub(super) fn end_footnotes(&mut self) {
        if !self.footnotes.shown.is_empty() {
            self.html.push("</ol>\n</section>\n");
            self.excerpt.unmute();
        }
    }

    /// The events of the footnote's content.
    pub(super) fn begin_footnote(&mut self, number: usize) -> Range<usize> {
        let inside = self.footnotes.shown[number - 1].inside.clone();
        self.footnotes.current = Some(Current { number, end: inside.end, linked_back: false });
        self.html.push(&format!("<li id=\"fn:{number}\">"));
        inside
    }

    pub(super) fn end_footnote(&mut self) {
        if let Some(Current { number, linked_back: false, .. }) = self.footnotes.current.take() {
            self.html.line();
            self.link_back(number);
            self.html.push("\n");
        }
        self.html.push("</li>\n");
    }

    /// Links back if this paragraph ends a footnote.
    pub(super) fn link_back_from_paragraph(&mut self, end: usize) {
        if let Some(current) = self.footnotes.current.as_mut().filter(|current| current.end == end + 1) {
            current.linked_back = true;
            let number = current.number;
            self.html.push(" ");
            self.link_back(number);
        }
    }

    /// A link back to each reference to the footnote.
    fn link_back(&mut self, number: usize) {
        let label = self.style.words.footnote_back;
        for place in 1..=self.footnotes.shown[number - 1].references {
            let suffix = suffix(place);
            let space = if place > 1 { " " } else { "" };
            self.html.push(&format!("{space}<a class=\"footnote-back\" href=\"#fnref:{number}{suffix}\""));
            self.html.push(&match place {
                1 => format!(" aria-label=\"{label} {number}\">↩</a>"),
                _ => format!(" aria-label=\"{label} {number}-{place}\">↩<sup>{place}</sup></a>"),
            });
        }
    }
}

/// Distinguishes the ids of several references to one footnote.
fn suffix(place: u32) -> String {
    if place > 1 { format!(":{place}") } else { String::new() }
}
