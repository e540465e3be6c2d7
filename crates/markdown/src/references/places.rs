//! Finds the marks in what the parser made of the text: what each of them is part of.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::marks::Marks;
use crate::TooComplex;
use crate::limits::Budget;
use crate::parse::{self, Events, is_block};
use crate::raw_html::{Html, Piece};

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
pub(super) fn places(
    marked: &str,
    marks: &Marks,
    count: usize,
    budget: &Budget,
) -> Result<Vec<Option<Place>>, TooComplex> {
    let prepared = parse::prepared(marked, budget)?;
    let mut places = Places { marks, of: vec![None; count], before: None };
    places.find_in_events(parse::plain_events(&prepared, budget)?);
    Ok(places.of)
}

struct Places<'m> {
    marks: &'m Marks,
    of: Vec<Option<Place>>,
    /// What the text that was read last ends with: the parser cuts words at escapes.
    before: Option<char>,
}

impl Places<'_> {
    fn find_in_events(&mut self, events: Events) {
        let (mut html, mut in_code, mut html_block) = (Html::default(), false, String::new());
        for (event, _) in events {
            if is_block(&event) {
                self.find_in_html(&std::mem::take(&mut html_block), &mut html);
                html = Html::default();
            }
            let before = match &event {
                Event::Text(text) => text.chars().next_back(),
                _ => None,
            };
            match event {
                Event::Text(code) if in_code => self.pass_over(&code),
                Event::Text(text) if html.shows_text() => self.find_words(&text, Place::Word),
                Event::Text(text) => self.find_words(&text, Place::Elsewhere),
                Event::Start(Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. }) => {
                    self.pass_over(&title);
                    self.pass_over(&dest_url);
                    self.set(self.marks.first(&dest_url), Place::Destination);
                }
                Event::InlineHtml(literal) => self.find_in_html(&literal, &mut html),
                // A line of a block: tags and comments may go on.
                Event::Html(line) => html_block.push_str(&line),
                Event::Code(code) | Event::InlineMath(code) | Event::DisplayMath(code) => {
                    self.pass_over(&code)
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    in_code = true;
                    if let CodeBlockKind::Fenced(info) = kind {
                        self.pass_over(&info);
                    }
                }
                Event::End(TagEnd::CodeBlock) => in_code = false,
                _ => {}
            }
            self.before = before;
        }
    }

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
                _ if begins_word(text[..at].chars().next_back().or(self.before)) => place,
                _ => Place::Elsewhere,
            };
            self.set(Some(mark), place);
        }
    }

    fn find_in_html(&mut self, literal: &str, html: &mut Html) {
        self.before = None;
        self.pass_over(literal);
        html.read(literal, &mut |piece| match piece {
            Piece::Text(text) => self.find_words(text, Place::HtmlWord),
            Piece::Value { attribute, value, quote, .. } if names_url(attribute) => {
                self.set(self.marks.first(value.trim_ascii_start()), Place::Attribute { quote });
            }
            Piece::Value { .. } => {}
        });
    }
}

/// Whether what comes next is no part of a larger word, such as `profile:` or a URL.
fn begins_word(before: Option<char>) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_-./\\@:#?&=%+~$".contains(char);
    !before.is_some_and(is_part)
}

fn names_url(attribute: &str) -> bool {
    ["src", "href", "poster"].iter().any(|name| name.eq_ignore_ascii_case(attribute))
}
