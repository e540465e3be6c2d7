//! Footnotes: a numbered list at the end of the page, with links there and back.
//!
//! Their ids contain a colon, which no heading's anchor does.

use std::fmt::{self, Write};

use comrak::Node;
use comrak::html::ChildRendering;
use comrak::nodes::{NodeFootnoteDefinition, NodeFootnoteReference, NodeValue};

use super::node::{Html, Written};

pub(super) fn write_reference(html: &mut Html, reference: &NodeFootnoteReference, entering: bool) -> Written {
    if entering {
        let (number, suffix) = (reference.ix, suffix(reference.ref_num));
        write!(html, "<sup class=\"footnote-ref\"><a href=\"#fn:{number}\" id=\"fnref:{number}{suffix}\"")?;
        write!(html, " aria-label=\"Footnote {number}\">{number}</a></sup>")?;
    }
    Ok(ChildRendering::HTML)
}

pub(super) fn write(html: &mut Html, definition: &NodeFootnoteDefinition, entering: bool) -> Written {
    if entering {
        if html.user.footnote == 0 {
            html.cr()?;
            html.write_str("<section class=\"footnotes\" aria-label=\"Footnotes\">\n<ol>\n")?;
        }
        html.user.excerpt.mute();
        html.user.footnote += 1;
        html.user.linked_back = false;
        let number = html.user.footnote;
        write!(html, "<li id=\"fn:{number}\">")?;
    } else {
        if !html.user.linked_back {
            link_back(html, definition)?;
            html.write_str("\n")?;
        }
        html.user.excerpt.unmute();
        html.write_str("</li>\n")?;
    }
    Ok(ChildRendering::HTML)
}

/// After the last block of the page, the list of footnotes ends.
pub(super) fn write_end(html: &mut Html, entering: bool) -> Written {
    if !entering && html.user.footnote > 0 {
        html.write_str("</ol>\n</section>\n")?;
    }
    Ok(ChildRendering::HTML)
}

/// From the paragraph that ends a footnote, if this is one.
pub(super) fn link_back_from(html: &mut Html, paragraph: Node<'_>) -> fmt::Result {
    let Some(parent) = paragraph.parent().filter(|_| paragraph.next_sibling().is_none()) else {
        return Ok(());
    };
    if let NodeValue::FootnoteDefinition(definition) = &parent.data().value {
        html.write_str(" ")?;
        link_back(html, definition)?;
        html.user.linked_back = true;
    }
    Ok(())
}

/// To each place that refers to the footnote.
fn link_back(html: &mut Html, definition: &NodeFootnoteDefinition) -> fmt::Result {
    let number = html.user.footnote;
    for place in 1..=definition.total_references {
        let suffix = suffix(place);
        write!(html, "<a class=\"footnote-back\" href=\"#fnref:{number}{suffix}\"")?;
        match place {
            1 => write!(html, " aria-label=\"Back to reference {number}\">↩</a>")?,
            _ => write!(
                html,
                " aria-label=\"Back to reference {number}, place {place}\">↩<sup>{place}</sup></a>"
            )?,
        }
        if place < definition.total_references {
            html.write_str(" ")?;
        }
    }
    Ok(())
}

/// Of the id of a reference that is not the first to its footnote.
fn suffix(place: u32) -> String {
    if place > 1 { format!(":{place}") } else { String::new() }
}
