//! What is meant by a name as it is written. The parser knows all entities, so it is asked, where there is something to ask.

use pulldown_cmark::{Event, Parser, Tag};

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
    let link = format!("[](<{destination}>)");
    let url = Parser::new(&link).find_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    url.unwrap_or_else(|| destination.to_owned())
}
