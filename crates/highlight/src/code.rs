//! The lexer for programming languages, driven by a grammar.

use super::grammar::{Byte, Capitals, Extra, Lexicon};
use super::paint::{Class, Painter};
use super::{quotes, scan};

pub(super) fn paint(painter: &mut Painter, lexicon: &Lexicon) {
    let mut reader = Reader { painter, lexicon, previous: Previous::Operator };
    while let Some(byte) = reader.painter.peek() {
        match lexicon.byte(byte) {
            Byte::Word => reader.word(),
            Byte::Number => reader.number(),
            Byte::Mark if reader.comment() || reader.string() || reader.extra(byte) => {}
            Byte::Mark | Byte::Nothing => reader.operator(byte),
        }
    }
}

struct Reader<'r, 'c, 'h> {
    painter: &'r mut Painter<'c, 'h>,
    lexicon: &'r Lexicon,
    previous: Previous,
}

/// The previous token, ignoring blanks.
#[derive(Clone, Copy, PartialEq)]
enum Previous {
    Operator,
    /// A slash after it is a division.
    Value,
    /// A keyword followed by the name of the thing it defines.
    Definition(Class),
    /// `(` in a Lisp.
    Parenthesis,
}

impl Reader<'_, '_, '_> {
    fn paint(&mut self, length: usize, class: Class, previous: Previous) {
        self.painter.paint(length, class);
        self.previous = previous;
    }

    fn operator(&mut self, byte: u8) {
        self.painter.skip(1);
        self.previous = match byte {
            b' ' | b'\t' => return,
            b')' | b']' | b'}' => Previous::Value,
            b'(' if self.lexicon.grammar.has(Extra::Lists) => Previous::Parenthesis,
            _ => Previous::Operator,
        };
    }

    fn number(&mut self) {
        self.paint(scan::number(self.painter.rest()), Class::Number, Previous::Value);
    }

    fn word(&mut self) {
        let length = scan::while_is(self.painter.rest(), |byte| self.lexicon.is_word(byte));
        let word = self.painter.text(length);
        if let Some(length) = self.prefixed_string(word) {
            return self.paint(length, Class::String, Previous::Value);
        }
        let is_member = self.painter.last() == Some(b'.');
        match self.lexicon.class(word).filter(|_| !is_member) {
            Some(Class::Keyword) => self.paint(length, Class::Keyword, after_keyword(word)),
            Some(class) => self.paint(length, class, Previous::Value),
            None => self.name(word),
        }
    }

    /// An identifier that is not in the lexicon: classified by its shape and by its neighbours.
    fn name(&mut self, word: &str) {
        let grammar = self.lexicon.grammar;
        let after = &self.painter.rest()[word.len()..];
        let is_called = after.first() == Some(&b'(') || self.previous == Previous::Parenthesis;
        let class = match self.previous {
            Previous::Definition(class) => Some(class),
            _ if grammar.has(Extra::Macros) && is_macro(after) => {
                return self.paint(word.len() + 1, Class::Function, Previous::Operator);
            }
            _ if is_called && grammar.capitals != Capitals::Type => Some(Class::Function),
            _ if grammar.capitals != Capitals::Nothing && is_constant(word) && !is_called => {
                Some(Class::Number)
            }
            _ if grammar.capitals != Capitals::Nothing && is_capitalised(word) => Some(Class::Type),
            _ if is_called => Some(Class::Function),
            _ => None,
        };
        match class {
            Some(class) => self.painter.paint(word.len(), class),
            None => self.painter.skip(word.len()),
        }
        self.previous = Previous::Value;
    }

    fn comment(&mut self) -> bool {
        let (rest, grammar) = (self.painter.rest(), self.lexicon.grammar);
        let mut blocks = grammar.block_comments.iter();
        let block = blocks.find(|(open, _)| rest.starts_with(open.as_bytes()));
        let is_line = || grammar.line_comments.iter().any(|mark| rest.starts_with(mark.as_bytes()));
        let length = match block {
            Some((open, close)) => open.len() + scan::through(&rest[open.len()..], close),
            None if is_line() && !self.is_attribute(rest) => scan::line(rest),
            None => return false,
        };
        self.painter.paint(length, Class::Comment);
        true
    }

    fn string(&mut self) -> bool {
        let rest = self.painter.rest();
        let quotes = self.lexicon.grammar.strings;
        let Some(length) = quotes.iter().find_map(|quote| quotes::string(rest, quote)) else { return false };
        self.paint(length, Class::String, Previous::Value);
        true
    }

    /// `f"…"` and `r#"…"#`.
    fn prefixed_string(&self, word: &str) -> Option<usize> {
        let grammar = self.lexicon.grammar;
        let rest = &self.painter.rest()[word.len()..];
        let is_short = word.len() <= 3 && matches!(rest.first(), Some(b'"' | b'\'' | b'#'));
        if !is_short || !grammar.prefixes.split(' ').any(|prefix| prefix == word) {
            return None;
        }
        let length = match grammar.has(Extra::Hashes) && word.contains('r') {
            true => quotes::hashed_string(rest),
            false => grammar.strings.iter().find_map(|quote| quotes::string(rest, quote)),
        };
        Some(word.len() + length?)
    }

    /// Syntax that only some languages have.
    fn extra(&mut self, byte: u8) -> bool {
        let (rest, grammar) = (self.painter.rest(), self.lexicon.grammar);
        let name = || 1 + scan::while_is(&rest[1..], |byte| self.lexicon.is_word(byte));
        let (length, class) = match byte {
            _ if grammar.sigils.as_bytes().contains(&byte) => (name(), Class::Variable),
            b'#' if self.is_attribute(rest) => (quotes::attribute(rest), Class::Attribute),
            b'#' if grammar.has(Extra::Directives) => (name(), Class::Keyword),
            b'@' if grammar.has(Extra::Decorators) => (name(), Class::Attribute),
            b'\'' if grammar.has(Extra::Lifetimes) => (name(), Class::Attribute),
            b'\\' if grammar.has(Extra::Commands) => (name().max(2).min(rest.len()), Class::Keyword),
            b':' if grammar.has(Extra::Symbols) && self.begins_symbol() => (name(), Class::Number),
            b'/' if grammar.has(Extra::Regexes) && self.previous != Previous::Value => {
                (scan::regex(rest).unwrap_or(0), Class::String)
            }
            _ => (0, Class::Attribute),
        };
        if length < 2 {
            return false;
        }
        self.paint(length, class, Previous::Value);
        true
    }

    fn is_attribute(&self, rest: &[u8]) -> bool {
        self.lexicon.grammar.has(Extra::Attributes) && (rest.starts_with(b"#[") || rest.starts_with(b"#!["))
    }

    /// Not the second colon of `a::b`, nor the colon after a key.
    fn begins_symbol(&self) -> bool {
        self.painter.last().is_none_or(|byte| byte != b':' && !scan::is_word(byte))
    }
}

/// Whether the name that follows is a function's or a type's.
fn after_keyword(keyword: &str) -> Previous {
    match keyword {
        "def" | "defn" | "defp" | "fn" | "fun" | "func" | "function" | "proc" | "sub" => {
            Previous::Definition(Class::Function)
        }
        "class" | "enum" | "interface" | "module" | "namespace" | "object" | "protocol" | "record"
        | "struct" | "trait" | "type" | "union" => Previous::Definition(Class::Type),
        _ => Previous::Operator,
    }
}

fn is_capitalised(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_uppercase())
}

/// `LIKE_THIS`; a single letter is more often a type.
fn is_constant(word: &str) -> bool {
    word.len() > 1 && is_capitalised(word) && !word.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// `name!`, but not `name != …`.
fn is_macro(after: &[u8]) -> bool {
    after.first() == Some(&b'!') && after.get(1) != Some(&b'=')
}
