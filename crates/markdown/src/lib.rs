//! Markdown to HTML: CommonMark and GFM complete, with footnotes, alerts, math, heading anchors and highlighted
//! code. A pure function of the text. And where a text refers to files that are sent along with it.
//!
//! A text is rendered within bounds: of nesting, of HTML, and, should these not be enough, of CPU time.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod anchors;
mod document;
mod excerpt;
mod front_matter;
mod highlight;
mod limits;
mod math;
mod page_links;
mod parse;
mod raw_html;
mod references;
mod source;

use document::Context;
pub use limits::thread_time;
pub use references::{Reference, ReferenceError, file_references, replace_files};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6, as shown: what was written, unless [`render_page`] moved it.
    pub level: u8,
    /// The anchor: unique in the page.
    pub id: String,
    /// Plain text, not escaped; never empty.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    /// All headings in order; what a table of contents is made of.
    pub headings: Vec<Heading>,
    /// The beginning of the text without markup, at most 200 characters, cut at a word.
    pub summary: String,
    /// For the reading time: words outside code blocks and formulas; each Chinese or Japanese character is one.
    pub words: usize,
    /// The URL of the first image, if there is one.
    pub first_image: Option<String>,
}

/// Why a text is not rendered within its bounds, in words for its author: they may follow a colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooComplex(pub String);

/// The text as it stands, headings at the levels they were written with.
pub fn render(text: &str) -> Result<Rendered, TooComplex> {
    document::render(text, None)
}

/// The text below a title that the page shows already as its only `h1`.
///
/// A first heading, of any level, that repeats the title is left out. From the first `#` that is left, headings move down one
/// level, so that what stood below it stays below it. Front matter is not shown.
///
/// `path` is the page's own: relative links to `.md` files lead from there to the pages of these files.
pub fn render_page(text: &str, title: &str, path: &str) -> Result<Rendered, TooComplex> {
    document::render(&front_matter::blanked(text), Some(Context { title, path }))
}

/// The text as its source, for one that cannot be rendered: escaped, in a block whose lines wrap, without front matter.
///
/// It has no headings; its summary is its beginning, markup and all.
pub fn show_source(text: &str) -> Rendered {
    source::show(text)
}
