//! Finds the marks in the parser's events, and the context of each.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::marks::Marks;
use crate::TooComplex;
use crate::limits::Budget;
use crate::parse::{self, Events, is_block};
use crate::raw_html::{Html, Piece};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceContext {
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
    /// In code, in a title, or within a word.
    Elsewhere,
}

/// The context of each mark in a text; `None` for marks that are in no event.
pub(super) fn contexts(
    marked: &str,
    marks: &Marks,
    count: usize,
    budget: &Budget,
) -> Result<Vec<Option<ReferenceContext>>, TooComplex> {
    let prepared = parse::prepared(marked, budget)?;
    let mut finder = ContextFinder { marks, contexts: vec![None; count], before: None };
    finder.find_in_events(parse::plain_events(&prepared, budget)?);
    Ok(finder.contexts)
}

struct ContextFinder<'m> {
    marks: &'m Marks,
    contexts: Vec<Option<ReferenceContext>>,
    /// The last character of the previous text: the parser splits words at escapes.
    before: Option<char>,
}

impl ContextFinder<'_> {
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
                Event::Text(text) if html.shows_text() => self.find_words(&text, ReferenceContext::Word),
                Event::Text(text) => self.find_words(&text, ReferenceContext::Elsewhere),
                Event::Start(Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. }) => {
                    self.pass_over(&title);
                    self.pass_over(&dest_url);
                    self.set(self.marks.first(&dest_url), ReferenceContext::Destination);
                }
                Event::InlineHtml(literal) => self.find_in_html(&literal, &mut html),
                // A line of a block: tags and comments may continue on the next.
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

    fn set(&mut self, mark: Option<usize>, context: ReferenceContext) {
        if let Some(slot) = mark.and_then(|mark| self.contexts.get_mut(mark)) {
            *slot = Some(context);
        }
    }

    fn pass_over(&mut self, piece: &str) {
        for (_, mark) in self.marks.find(piece) {
            if self.contexts.get(mark) == Some(&None) {
                self.set(Some(mark), ReferenceContext::Elsewhere);
            }
        }
    }

    fn find_words(&mut self, text: &str, context: ReferenceContext) {
        for (at, mark) in self.marks.find(text) {
            let context = match self.contexts.get(mark) {
                // An autolink is in both a destination and a text, but written once.
                Some(Some(ReferenceContext::Destination)) => ReferenceContext::Autolink,
                _ if begins_word(text[..at].chars().next_back().or(self.before)) => context,
                _ => ReferenceContext::Elsewhere,
            };
            self.set(Some(mark), context);
        }
    }

    fn find_in_html(&mut self, literal: &str, html: &mut Html) {
        self.before = None;
        self.pass_over(literal);
        html.read(literal, &mut |piece| match piece {
            Piece::Text(text) => self.find_words(text, ReferenceContext::HtmlWord),
            Piece::Value { attribute, value, quote, .. } if names_url(attribute) => {
                self.set(self.marks.first(value.trim_ascii_start()), ReferenceContext::Attribute { quote });
            }
            Piece::Value { .. } => {}
        });
    }
}

/// Whether the next character begins a word, and not the rest of one such as `profile:` or a URL.
fn begins_word(before: Option<char>) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_-./\\@:#?&=%+~$".contains(char);
    !before.is_some_and(is_part)
}

fn names_url(attribute: &str) -> bool {
    ["src", "href", "poster"].iter().any(|name| name.eq_ignore_ascii_case(attribute))
}
