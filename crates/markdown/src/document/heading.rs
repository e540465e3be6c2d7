//! Headings, each with a link to itself.

use std::fmt::{self, Write};

use comrak::Node;
use comrak::html::ChildRendering;

use super::node::{Html, Written};
use super::plain::text_of;
use crate::Heading;

pub(super) fn write(html: &mut Html, node: Node<'_>, level: u8, entering: bool) -> Written {
    if entering {
        html.user.excerpt.mute();
        let level = html.user.outline.level(level);
        let text = text_of(node).trim().to_owned();
        let id = html.user.anchors.claim(&text);
        html.cr()?;
        write!(html, "<h{level} id=\"{id}\">")?;
        html.user.heading = Some(Heading { level, id, text });
    } else {
        html.user.excerpt.unmute();
        if let Some(heading) = html.user.heading.take() {
            write_end(html, &heading)?;
            html.user.headings.extend(Some(heading).filter(|heading| !heading.text.is_empty()));
        }
    }
    Ok(ChildRendering::HTML)
}

/// The link comes last and after a space: one hears the heading first, and then where the link leads.
fn write_end(html: &mut Html, Heading { level, id, .. }: &Heading) -> fmt::Result {
    write!(html, " <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this section\">¶</a></h{level}>")?;
    html.write_str("\n")
}
