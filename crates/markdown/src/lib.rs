//! Renders Markdown to HTML: all of CommonMark and GFM, with footnotes, alerts, math, heading anchors and highlighted
//! code. A pure function of the text. Also finds the references of a text to files that are uploaded with it.
//!
//! Rendering is bounded: in nesting, in the size of the HTML and, if these do not suffice, in CPU time.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod anchors;
mod document;
mod excerpt;
mod feed;
mod front_matter;
mod limits;
mod math;
mod page_links;
mod parse;
mod plain_text;
mod punctuation;
mod raw_html;
mod references;
mod source;

use document::Context;
pub use document::IMAGE_SIZES;
pub use feed::for_feed;
pub use front_matter::split_front_matter;
pub use limits::thread_time;
pub use page_links::local_target;
pub use punctuation::Quotes;
pub use references::{
    Reference, ReferenceError, file_references, local_references, plain_local_references,
    relative_references, replace_files,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6, as shown: the level in the text, unless [`render_page`] moved it.
    pub level: u8,
    /// The anchor, unique within the page.
    pub id: String,
    /// Plain text, not escaped; never empty.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub html: String,
    /// All headings in order, for a table of contents.
    pub headings: Vec<Heading>,
    /// The beginning of the text without markup, at most 200 characters, cut between words.
    pub summary: String,
    /// For the reading time: words outside code blocks and formulas; each Chinese or Japanese character counts as one.
    pub words: usize,
    /// The URL of the first image, if any.
    pub first_image: Option<String>,
    /// The whole text without markup, except for the headings: see [`Rendered::sections`].
    pub text: String,
    /// Where the text below each of the `headings` begins.
    pub section_starts: Vec<usize>,
}

impl Rendered {
    /// The text before the first heading, and below each one. An empty line separates blocks.
    pub fn sections(&self) -> impl Iterator<Item = (Option<&Heading>, &str)> {
        let headings = std::iter::once(None).chain(self.headings.iter().map(Some));
        let starts = std::iter::once(0).chain(self.section_starts.iter().copied());
        let ends = self.section_starts.iter().copied().chain([self.text.len()]);
        headings.zip(starts.zip(ends)).map(|(heading, (start, end))| (heading, &self.text[start..end]))
    }
}

/// What depends on the language of a text.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub words: &'static Words,
    /// `None`: punctuation is shown as it is typed.
    pub quotes: Option<Quotes>,
}

impl Default for Style {
    fn default() -> Style {
        Style { words: &Words::ENGLISH, quotes: None }
    }
}

/// Words that are added to a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// The titles of alerts: note, tip, important, warning, caution.
    pub alerts: [&'static str; 5],
    /// The summary of `:::details` without one.
    pub details: &'static str,
    /// For screen readers, like all that follow: the link beside a heading.
    pub section_link: &'static str,
    /// The number follows, if there are several.
    pub table: &'static str,
    /// Its number follows.
    pub footnote: &'static str,
    pub footnotes: &'static str,
    /// The number of the footnote follows.
    pub footnote_back: &'static str,
    /// Done, and not done yet.
    pub tasks: [&'static str; 2],
}

impl Words {
    pub const ENGLISH: Words = Words {
        alerts: ["Note", "Tip", "Important", "Warning", "Caution"],
        details: "Details",
        section_link: "Link to this section",
        table: "Table",
        footnote: "Footnote",
        footnotes: "Footnotes",
        footnote_back: "Back to reference",
        tasks: ["Completed task", "Incomplete task"],
    };
}

/// A text exceeds the bounds. The message says why; it can follow a colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooComplex(pub String);

/// Renders a text with its headings at the levels they are written with.
pub fn render(text: &str, style: Style) -> Result<Rendered, TooComplex> {
    document::render(text, None, style)
}

/// Renders a text below a title that the page already shows as its only `h1`.
///
/// If the first heading, of any level, repeats the title, it is left out. From the first remaining `#` on, headings
/// move down one level, so that the outline is preserved. Front matter is not shown.
///
/// `path` is the path of the page: relative links to `.md` files become links to the pages of these files.
pub fn render_page(text: &str, title: &str, path: &str, style: Style) -> Result<Rendered, TooComplex> {
    document::render(&front_matter::blanked(text), Some(Context { title, path }), style)
}

/// The plain text of the first heading, for a page without a title.
pub fn first_heading(text: &str) -> Option<String> {
    document::first_heading(&front_matter::blanked(text))
}

/// The length in bytes of the front matter at the beginning of a text, including its delimiters; 0 if there is none.
pub fn front_matter_len(text: &str) -> usize {
    front_matter::len(text)
}

/// The source of a text that cannot be rendered: escaped, in a block whose lines wrap, without front matter.
///
/// It has no headings; its summary is its beginning including markup.
pub fn show_source(text: &str) -> Rendered {
    source::show(text)
}
