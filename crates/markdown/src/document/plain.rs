//! The words of a part of the tree, without markup.

use comrak::Node;
use comrak::nodes::NodeValue;

/// What a table of contents shows of a heading, and an `alt` of an image.
pub(super) fn text_of(node: Node<'_>) -> String {
    let mut text = String::new();
    for node in node.descendants() {
        match &node.data().value {
            NodeValue::Text(piece) => text.push_str(piece),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::Math(math) => text.push_str(&math.literal),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            _ => {}
        }
    }
    text
}
