//! One node of the tree: what we write ourselves, and what comrak writes well.

use std::fmt::{self, Write};

use comrak::Node;
use comrak::html::{ChildRendering, Context, format_node_default};
use comrak::nodes::NodeValue;

use super::page::Page;
use super::{alert, code, footnote, formula, heading, image, list, paragraph, table};

/// Where a node is written to.
pub(super) type Html<'o, 'c> = Context<'o, 'c, Page>;

/// Whether, and how, a node's children are written.
pub(super) type Written = Result<ChildRendering, fmt::Error>;

/// Called twice for each node, before its children and after them.
pub(super) fn write(html: &mut Html, node: Node<'_>, entering: bool) -> Written {
    match &node.data().value {
        NodeValue::Text(text) if entering => html.user.excerpt.text(text),
        NodeValue::Code(code) if entering => html.user.excerpt.text(&code.literal),
        NodeValue::SoftBreak | NodeValue::LineBreak => html.user.excerpt.space(),
        NodeValue::Link(_) => html.user.in_link = entering,
        value if value.block() => html.user.excerpt.space(),
        _ => {}
    }
    match &node.data().value {
        NodeValue::Paragraph => paragraph::write(html, node, entering),
        NodeValue::Heading(heading) => heading::write(html, node, heading.level, entering),
        NodeValue::Image(link) => image::write(html, node, link, entering),
        NodeValue::CodeBlock(block) => code::write(html, block, entering),
        NodeValue::Math(math) => formula::write(html, node, math, entering),
        NodeValue::Table(_) => table::write(html, node, entering),
        NodeValue::TableCell => table::write_cell(html, node, entering),
        NodeValue::TableRow(_) => table::write_row(html, node, entering),
        NodeValue::TaskItem(item) => list::write_task(html, item.symbol, entering),
        NodeValue::Alert(alert) => alert::write(html, alert, entering),
        NodeValue::FootnoteReference(reference) => footnote::write_reference(html, reference, entering),
        NodeValue::FootnoteDefinition(definition) => footnote::write(html, definition, entering),
        NodeValue::Document => footnote::write_end(html, entering),
        NodeValue::LineBreak => write_void(html, "<br>\n", entering),
        NodeValue::ThematicBreak => {
            html.cr()?;
            write_void(html, "<hr>\n", entering)
        }
        _ => format_node_default(html, node, entering),
    }
}

/// comrak writes a slash in these, of which the W3C's validator complains.
fn write_void(html: &mut Html, tag: &str, entering: bool) -> Written {
    if entering {
        html.write_str(tag)?;
    }
    Ok(ChildRendering::HTML)
}
