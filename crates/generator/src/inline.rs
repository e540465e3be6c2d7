//! Titles and descriptions: plain text in which backticks enclose code, as in Markdown.

use std::borrow::Cow;
use std::fmt;

use askama::filters::HtmlSafe;
use markdown::Quotes;

use crate::text::escape;

/// A title or description as HTML.
pub(crate) struct Inline<'t>(Cow<'t, str>);

impl Inline<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Without markup.
    pub fn plain(&self) -> Cow<'_, str> {
        plain(&self.0)
    }
}

impl<'t> From<&'t str> for Inline<'t> {
    fn from(text: &'t str) -> Inline<'t> {
        Inline(Cow::Borrowed(text))
    }
}

impl From<String> for Inline<'_> {
    fn from(text: String) -> Self {
        Inline(Cow::Owned(text))
    }
}

impl fmt::Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pieces(&self.0).into_iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(&escape(text)),
            Piece::Code { shown, .. } => write!(f, "<code>{}</code>", escape(shown)),
        })
    }
}

/// Its `Display` escapes the text.
impl HtmlSafe for Inline<'_> {}

/// A title or description without markup: without the backticks around code.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('`') {
        return Cow::Borrowed(text);
    }
    let text = pieces(text).into_iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Code { shown: text, .. } => text,
    });
    Cow::Owned(text.collect())
}

/// Replaces the punctuation outside of code.
pub(crate) fn punctuate(text: &mut String, quotes: Quotes) {
    let pieces = pieces(text).into_iter().map(|piece| match piece {
        Piece::Text(text) => quotes.apply(text),
        Piece::Code { written, .. } => Cow::Borrowed(written),
    });
    *text = pieces.collect();
}

#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Code {
        shown: &'t str,
        /// With its backticks.
        written: &'t str,
    },
}

/// As in CommonMark: code ends at a run of as many backticks as it began with.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest, mut from) = (vec![], text, 0);
    while let Some((open, run)) = run(rest, from) {
        let code = open + run;
        match closing(rest, code, run) {
            Some(close) => {
                pieces.push(Piece::Text(&rest[..open]));
                let (shown, written) = (unpadded(&rest[code..close]), &rest[open..close + run]);
                pieces.push(Piece::Code { shown, written });
                (rest, from) = (&rest[close + run..], 0);
            }
            None => from = code,
        }
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

/// The position and length of the next run of backticks.
fn run(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text[from..].find('`')?;
    Some((start, text[start..].len() - text[start..].trim_start_matches('`').len()))
}

fn closing(text: &str, mut from: usize, len: usize) -> Option<usize> {
    loop {
        let (start, run) = run(text, from)?;
        if run == len {
            return Some(start);
        }
        from = start + run;
    }
}

/// Code that begins or ends with a backtick is padded with a space on both sides.
fn unpadded(code: &str) -> &str {
    let inside = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
    inside.filter(|inside| !inside.trim().is_empty()).unwrap_or(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_replaced_outside_of_code() {
        let mut title = "It's \"new\": ``a ` 'b'`` and `--c`".to_owned();
        for _ in 0..2 {
            punctuate(&mut title, Quotes::of("en").unwrap());
            assert_eq!(title, "It’s “new”: ``a ` 'b'`` and `--c`");
        }
    }

    #[test]
    fn code_is_shown_as_code_and_nothing_else_as_markup() {
        let check = |text: &str, html: &str, without: &str| {
            assert_eq!((Inline::from(text).to_string().as_str(), &*plain(text)), (html, without), "{text}");
        };
        check("", "", "");
        check("A *b* <c>", "A *b* &lt;c&gt;", "A *b* <c>");
        check("The `Vec<T>` type", "The <code>Vec&lt;T&gt;</code> type", "The Vec<T> type");
        check("`a``b`", "<code>a``b</code>", "a``b");
        check("`a` and `b`", "<code>a</code> and <code>b</code>", "a and b");
        check("`` a`b `` c", "<code>a`b</code> c", "a`b c");
        check("A lone ` and ``", "A lone ` and ``", "A lone ` and ``");
        check("` ``a`` b", "` <code>a</code> b", "` a b");
        check("``", "``", "``");
        check("`  `", "<code>  </code>", "  ");
    }
}
