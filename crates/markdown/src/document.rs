//! From the text to its HTML: parse, walk the tree once, write. Beside `references`, the only room that names comrak.

mod alert;
mod code;
mod footnote;
mod formula;
mod heading;
mod image;
mod limits;
mod list;
mod node;
mod outline;
mod page;
mod paragraph;
mod plain;
mod table;

use comrak::options::Plugins;
use comrak::{Arena, Node, Options, html, try_parse_document};

use self::limits::{Bounded, Deadline};
use self::outline::Outline;
use self::page::Page;
use crate::{Rendered, TooComplex};

pub(crate) fn render(text: &str, title: Option<&str>) -> Result<Rendered, TooComplex> {
    let (arena, options) = (Arena::new(), options());
    let root = parse(&arena, text, &options)?;
    let outline = match title {
        Some(title) => Outline::below(title, root),
        None => Outline::as_written(),
    };
    let mut html = Bounded::for_text(text);
    let page = html::format_document_with_formatter(
        root,
        &options,
        &mut html,
        &Plugins::default(),
        node::write,
        Page::new(outline),
    )
    .map_err(|_| limits::too_long())?;
    Ok(page.into_rendered(html.into_string()))
}

pub(crate) fn parse<'a>(arena: &'a Arena<'a>, text: &str, options: &Options) -> Result<Node<'a>, TooComplex> {
    limits::check(text)?;
    let deadline = Deadline::from_now();
    try_parse_document(arena, text, options, &|| deadline.is_over()).map_err(|_| limits::too_slow())
}

/// What we understand. Raw HTML stays: the owner is trusted on their own site.
pub(crate) fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.alerts = true;
    options.extension.autolink = true;
    options.extension.description_lists = true;
    options.extension.footnotes = true;
    options.extension.math_dollars = true;
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.tasklist = true;
    options.render.r#unsafe = true;
    options
}
