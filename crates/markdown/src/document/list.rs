//! Items of task lists.

use std::fmt::Write;

use comrak::html::ChildRendering;

use super::node::{Html, Written};

/// The box has a name of its own: the text beside it may hold links and lists, which a `<label>` may not.
pub(super) fn write_task(html: &mut Html, mark: Option<char>, entering: bool) -> Written {
    if entering {
        html.cr()?;
        html.write_str("<li class=\"task\"><input type=\"checkbox\" disabled")?;
        html.write_str(match mark {
            Some(_) => " checked aria-label=\"Completed task\"> ",
            None => " aria-label=\"Incomplete task\"> ",
        })?;
    } else {
        html.write_str("</li>\n")?;
    }
    Ok(ChildRendering::HTML)
}
