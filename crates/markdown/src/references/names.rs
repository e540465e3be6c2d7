//! What is meant by a name as it is written. comrak knows all entities, so it is asked, where there is something to ask.

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};

/// In a destination or word of Markdown: without backslash escapes and entities.
pub(super) fn in_markdown(written: &str) -> String {
    match written.contains(['\\', '&']) {
        true => decoded(written),
        false => written.to_owned(),
    }
}

/// In HTML and autolinks: without entities. A backslash is itself.
pub(super) fn in_html(written: &str) -> String {
    if !written.contains('&') {
        return written.to_owned();
    }
    let mut escaped = String::with_capacity(written.len());
    for char in written.chars() {
        if matches!(char, '\\' | '<' | '>') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    decoded(&escaped)
}

fn decoded(destination: &str) -> String {
    let arena = Arena::new();
    let root = parse_document(&arena, &format!("[](<{destination}>)"), &Options::default());
    let url = root.descendants().find_map(|node| match &node.data().value {
        NodeValue::Link(link) => Some(link.url.clone()),
        _ => None,
    });
    url.unwrap_or_else(|| destination.to_owned())
}
