//! Writes code as HTML: tokens that a lexer has recognised become spans, the rest is only escaped.

/// The class of a token. There are few, because readers can distinguish only few colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Attribute,
    Comment,
    Deleted,
    /// Also the key of a value in data.
    Function,
    Inserted,
    Keyword,
    /// Also `true`, `null` and other constants.
    Number,
    String,
    Type,
    Variable,
}

impl Class {
    fn opening_tag(self) -> &'static str {
        match self {
            Class::Attribute => "<span class=\"hl-a\">",
            Class::Comment => "<span class=\"hl-c\">",
            Class::Deleted => "<span class=\"hl-d\">",
            Class::Function => "<span class=\"hl-f\">",
            Class::Inserted => "<span class=\"hl-i\">",
            Class::Keyword => "<span class=\"hl-k\">",
            Class::Number => "<span class=\"hl-n\">",
            Class::String => "<span class=\"hl-s\">",
            Class::Type => "<span class=\"hl-t\">",
            Class::Variable => "<span class=\"hl-v\">",
        }
    }
}

/// A position in the code, and the HTML of everything before it.
pub(super) struct Painter<'c, 'h> {
    code: &'c str,
    at: usize,
    end: usize,
    /// Everything before this offset is in `html`.
    written: usize,
    html: &'h mut String,
}

impl<'c, 'h> Painter<'c, 'h> {
    pub(super) fn new(code: &'c str, html: &'h mut String) -> Painter<'c, 'h> {
        Painter { code, at: 0, end: code.len(), written: 0, html }
    }

    /// The code that is still to be read.
    pub(super) fn rest(&self) -> &'c [u8] {
        &self.code.as_bytes()[self.at..self.end]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// The byte just before the position.
    pub(super) fn last(&self) -> Option<u8> {
        self.at.checked_sub(1).map(|before| self.code.as_bytes()[before])
    }

    /// The next `length` bytes as text.
    pub(super) fn text(&self, length: usize) -> &'c str {
        &self.code[self.at..self.at + length]
    }

    pub(super) fn skip(&mut self, length: usize) {
        self.at += length;
    }

    pub(super) fn paint(&mut self, length: usize, class: Class) {
        if length == 0 {
            return;
        }
        let end = self.at + length;
        escape(&self.code[self.written..self.at], self.html);
        self.html.push_str(class.opening_tag());
        escape(&self.code[self.at..end], self.html);
        self.html.push_str("</span>");
        (self.at, self.written) = (end, end);
    }

    /// Runs another lexer on the next `length` bytes only.
    pub(super) fn within(&mut self, length: usize, paint: impl FnOnce(&mut Self)) {
        let (part, whole) = (self.at + length, self.end);
        self.end = part;
        paint(self);
        (self.at, self.end) = (part, whole);
    }

    pub(super) fn finish(self) {
        escape(&self.code[self.written..], self.html);
    }
}

/// Between tags a quote needs no escape, and code is full of quotes.
fn escape(text: &str, html: &mut String) {
    let mut written = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => continue,
        };
        html.push_str(&text[written..at]);
        html.push_str(escaped);
        written = at + 1;
    }
    html.push_str(&text[written..]);
}
