//! Finds where a page refers to files that are uploaded with it: `file:<name>`.
//!
//! A reference, outside of code and formulas, is one of:
//! - the destination of a link, an image, a link definition (used or not) or an autolink (`<file:a.pdf>`); that of a
//!   link or image may contain spaces, although CommonMark does not parse that as a link: see [`ends::spaced`],
//! - a `src`, `href` or `poster` in raw HTML, if it is in a tag and not in a comment, script, style or text area,
//! - a word of the text or of raw HTML's text that ends in a supported extension and is not in `<pre>` or `<code>`. See
//!   [`ends::word`] for where it begins and ends.
//!
//! Front matter has no references.
//!
//! `file://…` is the URL of a local file, not a reference.

mod contexts;
mod ends;
mod labels;
mod local;
mod marks;
mod names;

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use self::contexts::{ReferenceContext, contexts};
pub use self::local::{local_references, plain_local_references, relative_references};
use self::marks::Marks;
use crate::limits::{Budget, CPU_TIME};
use crate::{TooComplex, front_matter};

/// How many references are read between two checks of the CPU time.
const REFERENCES_PER_CHECK: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The range to replace: `file:<name>` as written, including the angle brackets of an autolink.
    pub range: Range<usize>,
    /// The name after Markdown or HTML escapes are decoded, but still with `%20` and the like.
    pub name: String,
}

/// Why references cannot be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceError {
    /// The names that match no known file, one for each reference.
    Unresolved(Vec<String>),
    /// The text exceeds the bounds of rendering.
    TooComplex(TooComplex),
}

impl From<TooComplex> for ReferenceError {
    fn from(error: TooComplex) -> ReferenceError {
        ReferenceError::TooComplex(error)
    }
}

/// The references of a page, in order; `supported` says whether a name has a supported extension.
pub fn file_references(text: &str, supported: &dyn Fn(&str) -> bool) -> Result<Vec<Reference>, TooComplex> {
    let candidates = candidates(text);
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let budget = Budget::new(CPU_TIME);
    let marks = Marks::for_text(text);
    let marked = marks.mark(&without_spaces(text, &candidates), &candidates);
    let contexts = contexts(&front_matter::blanked(&marked), &marks, candidates.len(), &budget)?;
    let (mut references, mut free) = (Vec::new(), 0);
    for (number, (&at, context)) in candidates.iter().zip(contexts).enumerate() {
        if number.is_multiple_of(REFERENCES_PER_CHECK) {
            budget.check()?;
        }
        if at < free {
            continue;
        }
        let context = context.or_else(|| is_defined(&text[..at]).then_some(ReferenceContext::Destination));
        if let Some(reference) = context.and_then(|context| reference(text, at, context, supported)) {
            free = reference.range.end;
            references.push(reference);
        }
    }
    Ok(references)
}

/// The text with each reference replaced by the URL that `resolve` returns for its name.
///
/// A name is looked up as written, then with its percent escapes decoded.
pub fn replace_files(
    text: &str,
    supported: &dyn Fn(&str) -> bool,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> Result<String, ReferenceError> {
    let references = file_references(text, supported)?;
    let (mut replaced, mut copied, mut unresolved) = (String::with_capacity(text.len()), 0, Vec::new());
    for Reference { range, name } in references {
        let decoded = || percent_decode_str(&name).decode_utf8().ok().and_then(|name| resolve(&name));
        let Some(url) = resolve(&name).or_else(decoded) else {
            unresolved.push(name);
            continue;
        };
        replaced.push_str(&text[copied..range.start]);
        match text[range.clone()].starts_with('<') {
            // An autolink needs a scheme, which a path does not have.
            true => replaced.push_str(&format!("[{url}]({url})")),
            false => replaced.push_str(&url),
        }
        copied = range.end;
    }
    replaced.push_str(&text[copied..]);
    if unresolved.is_empty() { Ok(replaced) } else { Err(ReferenceError::Unresolved(unresolved)) }
}

/// Every `file:` after the front matter, except in the labels of definitions: a changed label loses its definition.
fn candidates(text: &str) -> Vec<usize> {
    let found = memchr::memmem::find_iter(text.as_bytes(), "file:");
    let start = front_matter::len(text);
    labels::outside(text, found.filter(|at| *at >= start).collect())
}

/// The text with each space in a destination replaced by a comma, so that the parser recognises the link and all
/// offsets stay the same.
fn without_spaces<'t>(text: &'t str, candidates: &[usize]) -> Cow<'t, str> {
    let mut joined = Cow::Borrowed(text);
    for &at in candidates {
        if let Some(name) = ends::spaced(text, at) {
            joined.to_mut().replace_range(at..at + name.len(), &name.replace([' ', '\t'], ","));
        }
    }
    joined
}

/// Whether the text that follows is the destination of a link definition. Only checked for text that is in none of the
/// parser's events, since nothing else after `]:` disappears.
fn is_defined(before: &str) -> bool {
    let before = before.strip_suffix('<').unwrap_or(before);
    // The destination may be on the next line, which may be in a quote.
    before.trim_end_matches(|char: char| char.is_ascii_whitespace() || char == '>').ends_with("]:")
}

fn reference(
    text: &str,
    at: usize,
    context: ReferenceContext,
    supported: &dyn Fn(&str) -> bool,
) -> Option<Reference> {
    let written = match context {
        ReferenceContext::Destination => ends::spaced(text, at).or_else(|| ends::destination(text, at)),
        ReferenceContext::Autolink => ends::autolink(text, at),
        ReferenceContext::Attribute { quote } => ends::attribute(text, at, quote),
        ReferenceContext::Word | ReferenceContext::HtmlWord => ends::word(text, at),
        ReferenceContext::Elsewhere => None,
    }?;
    let raw = &written["file:".len()..];
    let name = match context {
        ReferenceContext::Destination | ReferenceContext::Word => names::in_markdown(raw),
        _ => names::in_html(raw),
    };
    let is_word = matches!(context, ReferenceContext::Word | ReferenceContext::HtmlWord);
    if name.is_empty() || name.starts_with("//") || is_word && !supported(&name) {
        return None;
    }
    let range = match context {
        ReferenceContext::Autolink => at - "<".len()..at + written.len() + ">".len(),
        _ => at..at + written.len(),
    };
    Some(Reference { range, name })
}
