//! Finds the marks in the tree: what each of them is part of.

use comrak::nodes::NodeValue;
use comrak::{Arena, Node};

use super::html::{Html, Piece};
use super::marks::Marks;
use crate::TooComplex;
use crate::document::{options, parse};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At the beginning of a destination.
    Destination,
    /// Both destination and text.
    Autolink,
    /// At the beginning of a value.
    Attribute {
        quote: Option<char>,
    },
    /// At the beginning of a word, in Markdown.
    Word,
    HtmlWord,
    /// In code, in a title, within a word.
    Elsewhere,
}

/// The place of each mark in a text; `None` of those that the parser takes out of it.
pub(super) fn places(marked: &str, marks: &Marks, count: usize) -> Result<Vec<Option<Place>>, TooComplex> {
    let (arena, mut options) = (Arena::new(), options());
    // One that nobody refers to would be taken out.
    options.parse.leave_footnote_definitions = true;
    Ok(places_in(parse(&arena, marked, &options)?, marks, count))
}

fn places_in(root: Node<'_>, marks: &Marks, count: usize) -> Vec<Option<Place>> {
    let mut places = Places { marks, of: vec![None; count] };
    let mut html = Html::default();
    for node in root.descendants() {
        let value = &node.data().value;
        if value.block() {
            html = Html::default();
        }
        match value {
            NodeValue::Text(text) if html.shows_text() => places.find_words(text, Place::Word),
            NodeValue::Text(text) => places.find_words(text, Place::Elsewhere),
            NodeValue::Link(link) | NodeValue::Image(link) => {
                places.pass_over(&link.title);
                places.pass_over(&link.url);
                places.set(marks.first(&link.url), Place::Destination);
            }
            NodeValue::HtmlInline(literal) => places.find_in_html(literal, &mut html),
            NodeValue::HtmlBlock(block) => places.find_in_html(&block.literal, &mut html),
            NodeValue::Code(code) => places.pass_over(&code.literal),
            NodeValue::Math(math) => places.pass_over(&math.literal),
            NodeValue::CodeBlock(block) => {
                places.pass_over(&block.info);
                places.pass_over(&block.literal);
            }
            NodeValue::Alert(alert) => {
                places.find_words(alert.title.as_deref().unwrap_or_default(), Place::Word)
            }
            _ => {}
        }
    }
    places.of
}

struct Places<'m> {
    marks: &'m Marks,
    of: Vec<Option<Place>>,
}

impl Places<'_> {
    fn set(&mut self, mark: Option<usize>, place: Place) {
        if let Some(slot) = mark.and_then(|mark| self.of.get_mut(mark)) {
            *slot = Some(place);
        }
    }

    fn pass_over(&mut self, piece: &str) {
        for (_, mark) in self.marks.find(piece) {
            if self.of.get(mark) == Some(&None) {
                self.set(Some(mark), Place::Elsewhere);
            }
        }
    }

    fn find_words(&mut self, text: &str, place: Place) {
        for (at, mark) in self.marks.find(text) {
            let place = match self.of.get(mark) {
                // What is found in a link's destination and again in its text is written once.
                Some(Some(Place::Destination)) => Place::Autolink,
                _ if begins_word(&text[..at]) => place,
                _ => Place::Elsewhere,
            };
            self.set(Some(mark), place);
        }
    }

    fn find_in_html(&mut self, literal: &str, html: &mut Html) {
        self.pass_over(literal);
        html.read(literal, &mut |piece| match piece {
            Piece::Text(text) => self.find_words(text, Place::HtmlWord),
            Piece::Value { attribute, value, quote } if names_url(attribute) => {
                self.set(self.marks.first(value.trim_ascii_start()), Place::Attribute { quote });
            }
            Piece::Value { .. } => {}
        });
    }
}

/// Whether what comes next is no part of a larger word, such as `profile:` or a URL.
fn begins_word(before: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_-./\\@:#?&=%+~$".contains(char);
    !before.ends_with(is_part)
}

fn names_url(attribute: &str) -> bool {
    ["src", "href", "poster"].iter().any(|name| name.eq_ignore_ascii_case(attribute))
}
