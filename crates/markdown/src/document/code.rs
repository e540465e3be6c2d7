//! Blocks of code.

use std::fmt::Write;

use comrak::html::ChildRendering;
use comrak::nodes::NodeCodeBlock;

use super::formula;
use super::node::{Html, Written};
use crate::highlight::highlight;

/// A block that scrolls must be reachable by keyboard, hence the `tabindex`.
pub(super) fn write(html: &mut Html, block: &NodeCodeBlock, entering: bool) -> Written {
    if !entering {
        return Ok(ChildRendering::HTML);
    }
    let language = block.info.split_whitespace().next().unwrap_or_default();
    html.cr()?;
    if language == "math" {
        formula::write_block(html, &block.literal)?;
        return Ok(ChildRendering::HTML);
    }
    html.write_str("<pre tabindex=\"0\"><code")?;
    if !language.is_empty() {
        html.write_str(" class=\"language-")?;
        html.escape(language)?;
        html.write_str("\"")?;
    }
    html.write_str(">")?;
    let mut code = String::with_capacity(block.literal.len() * 3);
    highlight(language, &block.literal, &mut code);
    html.write_str(&code)?;
    html.write_str("</code></pre>\n")?;
    Ok(ChildRendering::HTML)
}
