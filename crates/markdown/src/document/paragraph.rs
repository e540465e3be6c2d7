//! Paragraphs, and what becomes of one that holds a single image or formula.

use std::fmt::Write;

use comrak::Node;
use comrak::html::ChildRendering;
use comrak::nodes::NodeValue;

use super::footnote;
use super::node::{Html, Written};

pub(super) fn write(html: &mut Html, node: Node<'_>, entering: bool) -> Written {
    match (kind(node), entering) {
        (Kind::Tight, true) if follows_paragraph(node) => html.write_str("\n")?,
        (Kind::Tight | Kind::Formula, _) => {}
        (Kind::Text, true) => {
            html.cr()?;
            html.write_str("<p>")?;
        }
        (Kind::Text, false) => {
            footnote::link_back_from(html, node)?;
            html.write_str("</p>\n")?;
        }
        (Kind::Figure, true) => {
            html.cr()?;
            html.write_str("<figure>")?;
        }
        (Kind::Figure, false) => html.write_str("</figure>\n")?,
    }
    Ok(ChildRendering::HTML)
}

#[derive(PartialEq)]
pub(super) enum Kind {
    Text,
    /// In a list without blank lines: no element of its own.
    Tight,
    /// An image alone.
    Figure,
    /// A formula on lines of its own, alone.
    Formula,
}

pub(super) fn kind(paragraph: Node<'_>) -> Kind {
    if is_tight(paragraph) {
        return Kind::Tight;
    }
    let (Some(first), Some(last)) = (paragraph.first_child(), paragraph.last_child()) else {
        return Kind::Text;
    };
    // The last paragraph of a footnote holds its links back.
    if !first.same_node(last) || is_in_footnote(paragraph) {
        return Kind::Text;
    }
    match &first.data().value {
        NodeValue::Image(_) => Kind::Figure,
        NodeValue::Math(math) if math.display_math => Kind::Formula,
        _ => Kind::Text,
    }
}

fn is_tight(paragraph: Node<'_>) -> bool {
    let Some(parent) = paragraph.parent() else { return false };
    if matches!(parent.data().value, NodeValue::DescriptionTerm) {
        return true;
    }
    parent.parent().is_some_and(|list| match &list.data().value {
        NodeValue::List(list) => list.tight,
        NodeValue::DescriptionItem(item) => item.tight,
        _ => false,
    })
}

fn is_in_footnote(paragraph: Node<'_>) -> bool {
    paragraph.parent().is_some_and(|parent| matches!(parent.data().value, NodeValue::FootnoteDefinition(_)))
}

fn follows_paragraph(node: Node<'_>) -> bool {
    node.previous_sibling().is_some_and(|before| matches!(before.data().value, NodeValue::Paragraph))
}
