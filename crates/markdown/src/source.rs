//! A text that cannot be rendered is shown as it is.

use crate::document::html::escape;
use crate::excerpt::Excerpt;
use crate::{Rendered, front_matter};

pub(crate) fn show(text: &str) -> Rendered {
    // Pages are joined at U+0000.
    let text = text[front_matter::len(text)..].replace('\0', "\u{fffd}");
    let mut excerpt = Excerpt::default();
    excerpt.text(&text);
    // A first line break after the tag counts as part of the tag.
    let mut html = "<pre class=\"source\">\n".to_owned();
    escape(&text, &mut html);
    html.push_str("</pre>\n");
    Rendered {
        html,
        headings: Vec::new(),
        words: excerpt.words,
        summary: excerpt.into_summary(),
        first_image: None,
    }
}
