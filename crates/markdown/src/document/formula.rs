//! Formulas: in a line, between lines, and in blocks of their own.

use std::fmt::{self, Write};

use comrak::Node;
use comrak::html::ChildRendering;
use comrak::nodes::{NodeMath, NodeValue};

use super::node::{Html, Written};
use super::paragraph::{self, Kind};
use crate::math::{Display, mathml};

pub(super) fn write(html: &mut Html, node: Node<'_>, math: &NodeMath, entering: bool) -> Written {
    if !entering {
        return Ok(ChildRendering::HTML);
    }
    if is_alone(node) {
        html.cr()?;
        write_block(html, &math.literal)?;
    } else {
        let display = if math.display_math { Display::Block } else { Display::Inline };
        match mathml(&math.literal, display) {
            Some(mathml) => html.write_str(&mathml)?,
            None => write_source(html, &math.literal)?,
        }
    }
    Ok(ChildRendering::HTML)
}

/// A formula may be wider than its column, and then scrolls.
pub(super) fn write_block(html: &mut Html, source: &str) -> fmt::Result {
    match mathml(source, Display::Block) {
        Some(mathml) => writeln!(html, "<div class=\"math\" tabindex=\"0\">{mathml}</div>"),
        None => {
            html.write_str("<pre tabindex=\"0\">")?;
            write_source(html, source)?;
            html.write_str("</pre>\n")
        }
    }
}

/// A formula we cannot read is shown as it was written.
fn write_source(html: &mut Html, source: &str) -> fmt::Result {
    html.write_str("<code class=\"math-error\">")?;
    html.escape(source)?;
    html.write_str("</code>")
}

fn is_alone(math: Node<'_>) -> bool {
    math.parent().is_some_and(|parent| {
        matches!(parent.data().value, NodeValue::Paragraph) && paragraph::kind(parent) == Kind::Formula
    })
}
