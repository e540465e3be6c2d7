//! Highlights code at build time: tokens become `<span>`s, so that the reader's browser needs no script.
//!
//! The lexers are hand-written: a block of 25 lines takes 5 to 10 µs. A parse tree takes 200 to 400 µs and TextMate
//! rules 450 to 2000 µs, several times as much as everything else in a page. The lexers read the fragments and ellipses
//! that documentation is full of as well as whole files, in one pass, without recursion, in time linear in the code.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod code;
mod css;
mod data;
mod grammar;
mod json;
mod languages;
mod lines;
mod markup;
mod paint;
mod quotes;
mod scan;
mod shell;
mod yaml;

use self::languages::Lexer;
use self::paint::Painter;

/// Longer code is data, not an example; it is shown without highlighting.
const MAX_HIGHLIGHTED_BYTES: usize = 100 * 1024;

/// Appends the code as HTML. Code in an unknown language is only escaped.
pub fn highlight(language: &str, code: &str, html: &mut String) {
    let mut painter = Painter::new(code, html);
    if code.len() <= MAX_HIGHLIGHTED_BYTES {
        paint(&mut painter, language);
    }
    painter.finish();
}

/// Also used for embedded languages, such as the style sheet in an HTML page.
fn paint(painter: &mut Painter, language: &str) {
    match languages::find(language) {
        Some(Lexer::Code(lexicon)) => code::paint(painter, lexicon),
        Some(Lexer::Custom(paint)) => paint(painter),
        None => {}
    }
}

#[cfg(test)]
mod tests;
