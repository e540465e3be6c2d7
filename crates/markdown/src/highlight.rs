//! Code with its tokens in `<span>`s, at build time: the reader's browser runs no script for it.
//!
//! Lexers of our own, not grammars: a block of 25 lines takes 5 to 10 µs, where a parse tree takes 200 to 400 and
//! TextMate rules 450 to 2000, several times as much as all else a page costs. They read what documentation is full of,
//! fragments and ellipses, as well as whole files, in one pass, without recursion, in time linear in the code.

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

/// More than this is data, not an example; it is shown plain.
const MAX_BYTES: usize = 100 * 1024;

/// Appends the code as HTML. A language we do not know is only escaped.
pub(crate) fn highlight(language: &str, code: &str, html: &mut String) {
    let mut painter = Painter::new(code, html);
    if code.len() <= MAX_BYTES {
        paint(&mut painter, language);
    }
    painter.finish();
}

/// Also for what stands inside another language, such as the style sheet in an HTML page.
fn paint(painter: &mut Painter, language: &str) {
    match languages::find(language) {
        Some(Lexer::Code(lexicon)) => code::paint(painter, lexicon),
        Some(Lexer::Own(paint)) => paint(painter),
        None => {}
    }
}

#[cfg(test)]
mod tests;
