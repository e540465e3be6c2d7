//! Typographic quotes, dashes and ellipses for those of a typewriter, by the language of a text.

use std::borrow::Cow;

use pulldown_cmark::{Event, TagEnd};

use crate::parse::is_block;

/// The quotation marks of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotes {
    double: [&'static str; 2],
    single: [&'static str; 2],
}

impl Quotes {
    /// Those of a language tag such as `de-CH`. `None` for languages whose texts stay as they are typed.
    pub fn of(tag: &str) -> Option<Quotes> {
        let tag = tag.to_ascii_lowercase();
        let quotes = |double, single| Some(Quotes { double, single });
        match tag.split('-').next().unwrap_or_default() {
            "ja" | "ko" | "zh" => None,
            "de" if tag.ends_with("-ch") || tag.ends_with("-li") => quotes(["«", "»"], ["‹", "›"]),
            "de" | "bg" | "cs" | "et" | "hr" | "is" | "lt" | "sk" | "sl" => quotes(["„", "“"], ["‚", "‘"]),
            "pl" | "ro" => quotes(["„", "”"], ["«", "»"]),
            "hu" => quotes(["„", "”"], ["»", "«"]),
            "fr" => quotes(["«\u{202f}", "\u{202f}»"], ["“", "”"]),
            "es" | "ca" | "el" => quotes(["«", "»"], ["“", "”"]),
            "pt" if tag.ends_with("-pt") => quotes(["«", "»"], ["“", "”"]),
            "nb" | "nn" | "no" => quotes(["«", "»"], ["‘", "’"]),
            "ru" | "uk" | "be" => quotes(["«", "»"], ["„", "“"]),
            "fi" | "sv" => quotes(["”", "”"], ["’", "’"]),
            _ => quotes(["“", "”"], ["‘", "’"]),
        }
    }

    /// A text without markup, such as a title.
    pub fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Punctuation::new(Some(*self)).text(text, &[])
    }
}

/// Replaces the punctuation of one block after the other, as the parser splits it into events.
#[derive(Debug, Clone, Default)]
pub(crate) struct Punctuation {
    quotes: Option<Quotes>,
    /// What stands before the next character: an opening mark as `(`, other marks and code as a letter.
    before: Option<char>,
    open_doubles: usize,
    open_singles: usize,
}

impl Punctuation {
    pub(crate) fn new(quotes: Option<Quotes>) -> Punctuation {
        Punctuation { quotes, ..Punctuation::default() }
    }

    /// Another block begins.
    pub(crate) fn block(&mut self) {
        *self = Punctuation::new(self.quotes);
    }

    /// Something stands here that is not changed: code, a line break.
    pub(crate) fn pass(&mut self, char: char) {
        self.before = Some(char);
    }

    /// The text as it is shown. `after` are the events that follow it.
    pub(crate) fn text<'t>(&mut self, text: &'t str, after: &[Event]) -> Cow<'t, str> {
        let Some(quotes) = self.quotes.filter(|_| may_change(text)) else {
            self.before = text.chars().next_back().or(self.before);
            return Cow::Borrowed(text);
        };
        let (mut shown, mut rest) = (String::with_capacity(text.len() + 16), text);
        while let Some(at) = rest.find(['"', '\'', '-', '.']) {
            shown.push_str(&rest[..at]);
            self.before = rest[..at].chars().next_back().or(self.before);
            let mark = &rest[at..];
            let len = run_len(mark);
            rest = &mark[len..];
            let next = || rest.chars().next().or_else(|| first_char(after));
            shown.push_str(match &mark[..len] {
                "\"" => self.double(quotes, next()),
                "'" => self.single(quotes, next()),
                run @ ("--" | "---") => self.dash(run, next()),
                run => {
                    self.before = run.chars().next();
                    if run == "..." { "…" } else { run }
                }
            });
        }
        shown.push_str(rest);
        self.before = rest.chars().next_back().or(self.before);
        Cow::Owned(shown)
    }

    /// A mark that ends nothing stays as it is: 6" are inches.
    fn double(&mut self, quotes: Quotes, next: Option<char>) -> &'static str {
        if self.is_boundary() && next.is_some_and(|char| !char.is_whitespace()) {
            self.open_doubles += 1;
            self.before = Some('(');
            return quotes.double[0];
        }
        self.before = Some(')');
        if self.open_doubles == 0 {
            return "\"";
        }
        self.open_doubles -= 1;
        quotes.double[1]
    }

    fn single(&mut self, quotes: Quotes, next: Option<char>) -> &'static str {
        let before = self.before;
        let is = |char: Option<char>, test: fn(char) -> bool| char.is_some_and(test);
        let is_year = before.is_none_or(char::is_whitespace) && is(next, |next| next.is_ascii_digit());
        if self.is_boundary() && !is_year && is(next, |next| next.is_alphanumeric() || next == '"') {
            self.open_singles += 1;
            self.before = Some('(');
            return quotes.single[0];
        }
        if self.open_singles > 0 && !is(next, char::is_alphanumeric) {
            self.open_singles -= 1;
            self.before = Some(')');
            return quotes.single[1];
        }
        self.before = Some('\'');
        // Also in '90s, but not in 5' for feet.
        if is(before, char::is_alphabetic) || is(next, char::is_alphanumeric) { "’" } else { "'" }
    }

    /// An option such as `--force` and an arrow stay as they are.
    fn dash<'r>(&mut self, run: &'r str, next: Option<char>) -> &'r str {
        let is_option = self.is_boundary() && next.is_some_and(char::is_alphanumeric);
        let is_arrow = next == Some('>') || self.before == Some('<');
        self.before = Some('-');
        match run {
            _ if is_option || is_arrow => run,
            "--" => "–",
            _ => "—",
        }
    }

    /// Whether a mark here begins something.
    fn is_boundary(&self) -> bool {
        let begins = |char: char| char.is_whitespace() || "([{<-–—/='“‘„‚«‹¿¡".contains(char);
        self.before.is_none_or(begins)
    }
}

/// Texts are short, so preparing a search for `--` or `...` would take longer than this.
fn may_change(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2(b'"', b'\'', bytes).is_some()
        || bytes.windows(2).any(|pair| pair == b"--" || pair == b"..")
}

/// The length of a run of hyphens or dots; other marks stand alone.
fn run_len(text: &str) -> usize {
    match text.as_bytes() {
        [mark @ (b'-' | b'.'), ..] => text.bytes().take_while(|byte| byte == mark).count(),
        _ => 1,
    }
}

/// The first character of the rest of a block.
fn first_char(events: &[Event]) -> Option<char> {
    for event in events {
        match event {
            Event::Text(text) | Event::Code(text) => {
                if let Some(char) = text.chars().next() {
                    return Some(char);
                }
            }
            Event::SoftBreak | Event::HardBreak => return Some(' '),
            event if is_block(event) => return None,
            Event::End(TagEnd::Image) | Event::InlineMath(_) | Event::DisplayMath(_) => return Some('x'),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, text: &str, expected: &str) {
        assert_eq!(Quotes::of(language).unwrap().apply(text), expected, "{language}");
    }

    #[test]
    fn quotes_are_those_of_the_language() {
        let text = "She said: \"It's 'new' to me.\"";
        check("en", text, "She said: “It’s ‘new’ to me.”");
        check("de", text, "She said: „It’s ‚new‘ to me.“");
        check("de-CH", text, "She said: «It’s ‹new› to me.»");
        check("fr-CA", text, "She said: «\u{202f}It’s “new” to me.\u{202f}»");
        check("pl", text, "She said: „It’s «new» to me.”");
        check("sv", text, "She said: ”It’s ’new’ to me.”");
        check("ar", text, "She said: “It’s ‘new’ to me.”");
        check("xx", text, "She said: “It’s ‘new’ to me.”");
        for language in ["ja", "zh-Hant", "KO"] {
            assert_eq!(Quotes::of(language), None);
        }
    }

    #[test]
    fn a_quote_opens_before_a_word_and_closes_after_it() {
        check("en", "\"a\" (\"b\") \"c\"--\"d\" a=\"e\"", "“a” (“b”) “c”–“d” a=“e”");
        check("en", "\"'Yes,' she said.\" '\"No.\"'", "“‘Yes,’ she said.” ‘“No.”’");
        check("en", "alert('1')", "alert(‘1’)");
        check("en", "\"\" \" \"", "“” \" \"");
    }

    #[test]
    fn apostrophes_are_not_quotes() {
        check("en", "don't, dogs' and the '90s, 90's", "don’t, dogs’ and the ’90s, 90’s");
        check("fr", "l'eau d'\"été\"", "l’eau d’«\u{202f}été\u{202f}»");
    }

    #[test]
    fn feet_and_inches_stay() {
        check("en", "6' 2\" tall, a 27\" screen", "6' 2\" tall, a 27\" screen");
    }

    #[test]
    fn dashes_and_dots_are_replaced_in_prose_only() {
        check("en", "1--2, a---b, a -- b, and...", "1–2, a—b, a – b, and…");
        check("en", "run --force --no-cache, a --> b <-- c", "run --force --no-cache, a --> b <-- c");
        check("en", "---- ..... a.b. - ..", "---- ..... a.b. - ..");
    }
}
