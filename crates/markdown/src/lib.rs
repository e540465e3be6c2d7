//! Markdown to HTML: CommonMark and GFM complete, with footnotes, alerts, math, heading anchors and highlighted
//! code. A pure function of the text and what is known about its media.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod anchors;
mod document;
mod excerpt;
mod highlight;
mod math;

/// What is known of a file a page shows, by its URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
}

/// What the text cannot tell.
pub trait Media {
    /// The size of an uploaded image; `None` when it is not known.
    fn picture(&self, url: &str) -> Option<Picture>;
    /// Whether the MP4 twin of an uploaded `.mov` is ready.
    fn has_mp4(&self, url: &str) -> bool;
}

/// A page without uploaded media.
pub struct NoMedia;

impl Media for NoMedia {
    fn picture(&self, _: &str) -> Option<Picture> {
        None
    }
    fn has_mp4(&self, _: &str) -> bool {
        false
    }
}

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

/// Why a text is not rendered, in words for its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooComplex(pub String);

/// The text as it stands, headings at the levels they were written with.
pub fn render(text: &str, media: &dyn Media) -> Result<Rendered, TooComplex> {
    document::render(text, None, media)
}

/// The text below a title that the page shows already as its only `h1`.
///
/// A first heading that repeats the title is left out. From the first `#` that is left, headings move down one
/// level, so that what stood below it stays below it.
pub fn render_page(text: &str, title: &str, media: &dyn Media) -> Result<Rendered, TooComplex> {
    document::render(text, Some(title), media)
}
