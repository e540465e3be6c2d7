//! Shows the source of a text that cannot be rendered.

use crate::document::html::escape;
use crate::excerpt::Excerpt;
use crate::{Rendered, front_matter};

pub(crate) fn show(text: &str) -> Rendered {
    // U+0000 is where pages are joined.
    let text = text[front_matter::len(text)..].replace('\0', "\u{fffd}");
    let mut excerpt = Excerpt::default();
    excerpt.text(&text);
    // HTML ignores a first line break after the tag.
    let mut html = "<pre class=\"source\">\n".to_owned();
    escape(&text, &mut html);
    html.push_str("</pre>\n");
    Rendered {
        html,
        headings: Vec::new(),
        words: excerpt.words,
        summary: excerpt.into_summary(),
        first_image: None,
        text,
        section_starts: Vec::new(),
    }
}
