//! What the lexer for programming languages needs to know about a language.

use rustc_hash::FxHashMap;

use super::paint::Class;
use super::scan::is_word;

/// Lists of words are separated by spaces.
pub(super) struct Grammar {
    pub(super) keywords: &'static str,
    pub(super) types: &'static str,
    pub(super) constants: &'static str,
    pub(super) ignore_case: bool,
    /// Characters that words may contain besides letters, digits and `_`.
    pub(super) in_words: &'static str,
    pub(super) capitals: Capitals,
    /// Openings of comments that end with the line.
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    pub(super) strings: &'static [Quote],
    /// Prefixes that are part of the string they precede.
    pub(super) prefixes: &'static str,
    /// Characters that begin a variable.
    pub(super) sigils: &'static str,
    pub(super) extras: &'static [Extra],
}

/// The meaning of a word with a capital first letter.
#[derive(PartialEq)]
pub(super) enum Capitals {
    Nothing,
    Type,
    /// Unless it is called: methods are capitalised, too.
    TypeUnlessCalled,
}

pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) kind: QuoteKind,
}

#[derive(PartialEq)]
pub(super) enum QuoteKind {
    /// Ends on its line, otherwise it is not a string; a backslash escapes.
    Line,
    /// A single character, otherwise it is not a string.
    Character,
    /// Spans lines until it is closed; a backslash escapes.
    Lines,
    /// Spans lines until it is closed; there are no escapes.
    Raw,
}

#[derive(PartialEq)]
pub(super) enum Extra {
    /// `@name`
    Decorators,
    /// `#[…]`
    Attributes,
    /// `#word` at the beginning of a line.
    Directives,
    /// `/…/`
    Regexes,
    /// `name!`
    Macros,
    /// `'name`
    Lifetimes,
    /// `r#"…"#`
    Hashes,
    /// `:name`
    Symbols,
    /// `\name`
    Commands,
    /// The word after an opening parenthesis is called.
    Lists,
}

const fn quote(open: &'static str, close: &'static str, kind: QuoteKind) -> Quote {
    Quote { open, close, kind }
}

pub(super) const DOUBLE: Quote = quote("\"", "\"", QuoteKind::Line);
pub(super) const DOUBLE_LINES: Quote = quote("\"", "\"", QuoteKind::Lines);
pub(super) const SINGLE: Quote = quote("'", "'", QuoteKind::Line);
pub(super) const SINGLE_RAW: Quote = quote("'", "'", QuoteKind::Raw);
pub(super) const CHARACTER: Quote = quote("'", "'", QuoteKind::Character);
pub(super) const BACKTICK: Quote = quote("`", "`", QuoteKind::Lines);
pub(super) const BACKTICK_RAW: Quote = quote("`", "`", QuoteKind::Raw);
pub(super) const TRIPLE: Quote = quote("\"\"\"", "\"\"\"", QuoteKind::Lines);
pub(super) const TRIPLE_SINGLE: Quote = quote("'''", "'''", QuoteKind::Lines);
pub(super) const TWO_SINGLE: Quote = quote("''", "''", QuoteKind::Raw);
pub(super) const BRACKETS: Quote = quote("[[", "]]", QuoteKind::Raw);

/// An unknown language that has numbers, strings and calls.
pub(super) const PLAIN: Grammar = Grammar {
    keywords: "",
    types: "",
    constants: "true false null",
    ignore_case: false,
    in_words: "",
    capitals: Capitals::Nothing,
    line_comments: &[],
    block_comments: &[],
    strings: &[DOUBLE, SINGLE],
    prefixes: "",
    sigils: "",
    extras: &[],
};

/// What C and its descendants have in common.
pub(super) const BRACES: Grammar = Grammar {
    capitals: Capitals::Type,
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    strings: &[DOUBLE, CHARACTER],
    ..PLAIN
};

/// A grammar prepared for lookups.
pub(super) struct Lexicon {
    pub(super) grammar: &'static Grammar,
    words: FxHashMap<&'static str, Class>,
    bytes: [Byte; 256],
}

/// What kind of token a byte may begin.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Byte {
    Nothing,
    Word,
    Number,
    Mark,
}

impl Lexicon {
    pub(super) fn new(grammar: &'static Grammar) -> Lexicon {
        let lists = [
            (grammar.types, Class::Type),
            (grammar.constants, Class::Number),
            (grammar.keywords, Class::Keyword),
        ];
        let words =
            lists.iter().flat_map(|(list, class)| list.split(' ').map(|word| (word, *class))).collect();
        let bytes = std::array::from_fn(|byte| grammar.meaning(byte as u8));
        Lexicon { grammar, words, bytes }
    }

    pub(super) fn byte(&self, byte: u8) -> Byte {
        self.bytes[usize::from(byte)]
    }

    pub(super) fn is_word(&self, byte: u8) -> bool {
        is_word(byte) || self.grammar.in_words.as_bytes().contains(&byte)
    }

    pub(super) fn class(&self, word: &str) -> Option<Class> {
        if self.grammar.ignore_case {
            return self.words.get(word.to_ascii_lowercase().as_str()).copied();
        }
        self.words.get(word).copied()
    }
}

impl Grammar {
    pub(super) fn has(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    fn meaning(&self, byte: u8) -> Byte {
        let begins = |mark: &&str| mark.as_bytes()[0] == byte;
        let comments =
            self.line_comments.iter().copied().chain(self.block_comments.iter().map(|block| block.0));
        let marks = comments.chain(self.strings.iter().map(|quote| quote.open));
        if self.sigils.as_bytes().contains(&byte) || marks.into_iter().any(|mark| begins(&mark)) {
            return Byte::Mark;
        }
        match byte {
            b'0'..=b'9' => Byte::Number,
            b'@' | b'#' | b'/' | b'\'' | b':' | b'\\' => Byte::Mark,
            _ if is_word(byte) || self.in_words.as_bytes().contains(&byte) => Byte::Word,
            _ => Byte::Nothing,
        }
    }
}
