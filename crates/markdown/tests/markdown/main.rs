//! The HTML of a text, by its elements.

#![allow(clippy::unwrap_used)]

mod alerts;
mod blocks;
mod code;
mod colon_blocks;
mod footnotes;
mod headings;
mod hostile;
mod images;
mod links;
mod math;
mod properties;
mod punctuation;
mod references;
mod sections;
mod source;
mod spec;
mod summaries;
mod tables;

use recto_markdown::{Quotes, Rendered, Style};

/// Renders a text below a title.
fn page(text: &str) -> Rendered {
    recto_markdown::render_page(text, "The title", "/docs/guides/page", Style::default()).unwrap()
}

/// With typographic punctuation, in French: its quotes are the longest.
fn smart() -> Style {
    Style { quotes: Quotes::of("fr"), ..Style::default() }
}

fn check(text: &str, html: &str) {
    assert_eq!(page(text).html, html, "{text}");
}
