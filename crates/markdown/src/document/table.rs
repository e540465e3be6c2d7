//! Tables, each in a box that scrolls, because a phone is narrower than most of them.

use std::fmt::Write;

use comrak::Node;
use comrak::html::{ChildRendering, format_node_default};
use comrak::nodes::{NodeValue, TableAlignment};

use super::node::{Html, Written};

/// The box can be scrolled by keyboard, and no two boxes of a page have one name.
pub(super) fn write(html: &mut Html, node: Node<'_>, entering: bool) -> Written {
    if entering {
        html.user.excerpt.mute();
        html.user.tables += 1;
        html.cr()?;
        html.write_str("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table")?;
        if html.user.tables > 1 {
            let number = html.user.tables;
            write!(html, " {number}")?;
        }
        html.write_str("\">")?;
        format_node_default(html, node, entering)?;
    } else {
        html.user.excerpt.unmute();
        format_node_default(html, node, entering)?;
        html.write_str("</div>\n")?;
    }
    Ok(ChildRendering::HTML)
}

pub(super) fn write_row(html: &mut Html, node: Node<'_>, entering: bool) -> Written {
    html.user.column = 0;
    format_node_default(html, node, entering)
}

pub(super) fn write_cell(html: &mut Html, node: Node<'_>, entering: bool) -> Written {
    let tag = tag(node);
    if entering {
        html.cr()?;
        let class = match alignment(node, html.user.column) {
            TableAlignment::Left => " class=\"left\"",
            TableAlignment::Center => " class=\"center\"",
            TableAlignment::Right => " class=\"right\"",
            TableAlignment::None => "",
        };
        html.user.column += 1;
        write!(html, "<{tag}{class}>")?;
    } else {
        write!(html, "</{tag}>")?;
    }
    Ok(ChildRendering::HTML)
}

/// A corner of the header that says nothing is no header of anything.
fn tag(cell: Node<'_>) -> &'static str {
    let in_header = cell.parent().is_some_and(|row| matches!(row.data().value, NodeValue::TableRow(true)));
    if in_header && cell.first_child().is_some() { "th" } else { "td" }
}

fn alignment(cell: Node<'_>, column: usize) -> TableAlignment {
    let table = cell.parent().and_then(|row| row.parent());
    table.map_or(TableAlignment::None, |table| match &table.data().value {
        NodeValue::Table(table) => table.alignments.get(column).copied().unwrap_or(TableAlignment::None),
        _ => TableAlignment::None,
    })
}
