//! The lexer for programming languages, driven by a grammar.

use super::grammar::{Byte, Capitals, Extra, Lexicon};
use super::paint::{Class, Painter};
use super::{quotes, scan};

pub(super) fn paint(painter: &mut Painter, lexicon: &Lexicon) {
    let mut reader = Reader { painter, lexicon, before: Before::Operator };
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
    before: Before,
}

/// What was read last, blanks aside.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Operator,
    /// A slash after it divides.
    Value,
    /// A keyword that is followed by the name of what it defines.
    Definition(Class),
    /// `(` in a language of lists.
    Parenthesis,
}

impl Reader<'_, '_, '_> {
    fn paint(&mut self, length: usize, class: Class, before: Before) {
        self.painter.paint(length, class);
        self.before = before;
    }

    fn operator(&mut self, byte: u8) {
        self.painter.skip(1);
        self.before = match byte {
            b' ' | b'\t' => return,
            b')' | b']' | b'}' => Before::Value,
            b'(' if self.lexicon.grammar.has(Extra::Lists) => Before::Parenthesis,
            _ => Before::Operator,
        };
    }

    fn number(&mut self) {
        self.paint(scan::number(self.painter.rest()), Class::Number, Before::Value);
    }

    fn word(&mut self) {
        let length = scan::while_is(self.painter.rest(), |byte| self.lexicon.is_word(byte));
        let word = self.painter.text(length);
        if let Some(length) = self.prefixed_string(word) {
            return self.paint(length, Class::String, Before::Value);
        }
        let is_member = self.painter.last() == Some(b'.');
        match self.lexicon.class(word).filter(|_| !is_member) {
            Some(Class::Keyword) => self.paint(length, Class::Keyword, after_keyword(word)),
            Some(class) => self.paint(length, class, Before::Value),
            None => self.name(word),
        }
    }

    /// A word that the language does not know: its shape and its neighbours tell what it is.
    fn name(&mut self, word: &str) {
        let grammar = self.lexicon.grammar;
        let after = &self.painter.rest()[word.len()..];
        let is_called = after.first() == Some(&b'(') || self.before == Before::Parenthesis;
        let class = match self.before {
            Before::Definition(class) => Some(class),
            _ if grammar.has(Extra::Macros) && is_macro(after) => {
                return self.paint(word.len() + 1, Class::Function, Before::Operator);
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
        self.before = Before::Value;
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
        self.paint(length, Class::String, Before::Value);
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

    /// What only some languages have.
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
            b'/' if grammar.has(Extra::Regexes) && self.before != Before::Value => {
                (scan::regex(rest).unwrap_or(0), Class::String)
            }
            _ => (0, Class::Attribute),
        };
        if length < 2 {
            return false;
        }
        self.paint(length, class, Before::Value);
        true
    }

    fn is_attribute(&self, rest: &[u8]) -> bool {
        self.lexicon.grammar.has(Extra::Attributes) && (rest.starts_with(b"#[") || rest.starts_with(b"#!["))
    }

    /// Not the second colon of `a::b`, nor the one after a key.
    fn begins_symbol(&self) -> bool {
        self.painter.last().is_none_or(|byte| byte != b':' && !scan::is_word(byte))
    }
}

/// The name that follows is of a function or of a type.
fn after_keyword(keyword: &str) -> Before {
    match keyword {
        "def" | "defn" | "defp" | "fn" | "fun" | "func" | "function" | "proc" | "sub" => {
            Before::Definition(Class::Function)
        }
        "class" | "enum" | "interface" | "module" | "namespace" | "object" | "protocol" | "record"
        | "struct" | "trait" | "type" | "union" => Before::Definition(Class::Type),
        _ => Before::Operator,
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
