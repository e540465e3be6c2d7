//! Where a page refers to files that are sent along with it: `file:<name>`.
//!
//! A reference is, outside of code and formulas,
//! - the destination of a link, an image, a link definition (used or not) or an autolink (`<file:a.pdf>`); that of a
//!   link or image may have spaces, although CommonMark sees no link there: see [`ends::spaced`],
//! - a `src`, `href` or `poster` in raw HTML, wherever it is a tag and not the content of a comment, script, style or
//!   text area,
//! - a word of the text, raw HTML's included, that ends in a supported extension, and is not shown as code by `<pre>` or
//!   `<code>`. See [`ends::word`] for where it begins and ends.
//!
//! Front matter has none.
//!
//! `file://…` is the URL of a file on somebody's machine, and no reference.

mod ends;
mod labels;
mod marks;
mod names;
mod places;

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use self::marks::Marks;
use self::places::{Place, places};
use crate::limits::{Budget, CPU_TIME};
use crate::{TooComplex, front_matter};

/// So many references are read between two looks at the clock.
const STRIDE: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// What is replaced: `file:<name>` as it is written; of an autolink the angle brackets too.
    pub range: Range<usize>,
    /// What that means to Markdown or HTML: without escapes, but still with `%20` and the like.
    pub name: String,
}

/// Why references are not replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceError {
    /// The names that are no known file's, one for each reference.
    Unresolved(Vec<String>),
    /// The text cannot be read within its bounds.
    TooComplex(TooComplex),
}

impl From<TooComplex> for ReferenceError {
    fn from(error: TooComplex) -> ReferenceError {
        ReferenceError::TooComplex(error)
    }
}

/// The references of a page, in order; `supported` tells whether a name has an extension that we have a kind for.
pub fn file_references(text: &str, supported: &dyn Fn(&str) -> bool) -> Result<Vec<Reference>, TooComplex> {
    let candidates = candidates(text);
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let budget = Budget::new(CPU_TIME);
    let marks = Marks::for_text(text);
    let marked = marks.mark(&without_spaces(text, &candidates), &candidates);
    let places = places(&front_matter::blanked(&marked), &marks, candidates.len(), &budget)?;
    let (mut references, mut free) = (Vec::new(), 0);
    for (number, (&at, place)) in candidates.iter().zip(places).enumerate() {
        if number.is_multiple_of(STRIDE) {
            budget.check()?;
        }
        if at < free {
            continue;
        }
        let place = place.or_else(|| is_defined(&text[..at]).then_some(Place::Destination));
        if let Some(reference) = place.and_then(|place| reference(text, at, place, supported)) {
            free = reference.range.end;
            references.push(reference);
        }
    }
    Ok(references)
}

/// The text with each reference replaced by what `resolve` says of its name.
///
/// A name is tried as it stands, then with its percent escapes decoded.
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
            // An autolink names a scheme, which a path has not.
            true => replaced.push_str(&format!("[{url}]({url})")),
            false => replaced.push_str(&url),
        }
        copied = range.end;
    }
    replaced.push_str(&text[copied..]);
    if unresolved.is_empty() { Ok(replaced) } else { Err(ReferenceError::Unresolved(unresolved)) }
}

/// Every `file:` below the front matter, but for those in the labels of definitions: a label that is changed loses its
/// definition.
fn candidates(text: &str) -> Vec<usize> {
    let found = memchr::memmem::find_iter(text.as_bytes(), "file:");
    let start = front_matter::len(text);
    labels::outside(text, found.filter(|at| *at >= start).collect())
}

/// The text as the parser must see it to find links whose destinations have spaces: with a comma for each of these, so
/// that all else stays where it is.
fn without_spaces<'t>(text: &'t str, candidates: &[usize]) -> Cow<'t, str> {
    let mut joined = Cow::Borrowed(text);
    for &at in candidates {
        if let Some(name) = ends::spaced(text, at) {
            joined.to_mut().replace_range(at..at + name.len(), &name.replace([' ', '\t'], ","));
        }
    }
    joined
}

/// Whether what follows is the destination of a link definition. Only asked of what the parser shows nowhere, since
/// nothing else disappears behind `]:`.
fn is_defined(before: &str) -> bool {
    let before = before.strip_suffix('<').unwrap_or(before);
    // The destination may stand on the next line, which may be in a quote.
    before.trim_end_matches(|char: char| char.is_ascii_whitespace() || char == '>').ends_with("]:")
}

fn reference(text: &str, at: usize, place: Place, supported: &dyn Fn(&str) -> bool) -> Option<Reference> {
    let written = match place {
        Place::Destination => ends::spaced(text, at).or_else(|| ends::destination(text, at)),
        Place::Autolink => ends::autolink(text, at),
        Place::Attribute { quote } => ends::attribute(text, at, quote),
        Place::Word | Place::HtmlWord => ends::word(text, at),
        Place::Elsewhere => None,
    }?;
    let raw = &written["file:".len()..];
    let name = match place {
        Place::Destination | Place::Word => names::in_markdown(raw),
        _ => names::in_html(raw),
    };
    let is_word = matches!(place, Place::Word | Place::HtmlWord);
    if name.is_empty() || name.starts_with("//") || is_word && !supported(&name) {
        return None;
    }
    let range = match place {
        Place::Autolink => at - "<".len()..at + written.len() + ">".len(),
        _ => at..at + written.len(),
    };
    Some(Reference { range, name })
}
