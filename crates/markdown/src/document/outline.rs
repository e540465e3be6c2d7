//! The levels of a page's headings, so that the page has one `h1`: its title.

use comrak::Node;
use comrak::nodes::NodeValue;

use super::plain::text_of;

pub(super) enum Outline {
    AsWritten,
    /// Below a title that the page shows already.
    Below,
    /// The same, after a `#` of the text: everything is a level deeper.
    BelowHeading,
}

impl Outline {
    pub(super) fn as_written() -> Outline {
        Outline::AsWritten
    }

    /// Takes a first heading away that only repeats the title.
    pub(super) fn below(title: &str, root: Node<'_>) -> Outline {
        if let Some(first) = root.first_child()
            && is_first_level(first)
            && is_same(&text_of(first), title)
        {
            first.detach();
        }
        Outline::Below
    }

    /// The level at which the next heading is shown.
    pub(super) fn level(&mut self, written: u8) -> u8 {
        if matches!(self, Outline::Below) && written == 1 {
            *self = Outline::BelowHeading;
        }
        match self {
            Outline::AsWritten | Outline::Below => written,
            Outline::BelowHeading => (written + 1).min(6),
        }
    }
}

fn is_first_level(node: Node<'_>) -> bool {
    matches!(&node.data().value, NodeValue::Heading(heading) if heading.level == 1)
}

/// In any case, with any spaces.
fn is_same(heading: &str, title: &str) -> bool {
    heading.to_lowercase().split_whitespace().eq(title.to_lowercase().split_whitespace())
}
