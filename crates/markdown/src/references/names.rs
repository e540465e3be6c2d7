//! Decodes a name as written in the text. The parser knows all entities, so it is used for names that may contain one.

use pulldown_cmark::{Event, Parser, Tag};

/// For a destination or word in Markdown: decodes backslash escapes and entities.
pub(super) fn in_markdown(written: &str) -> String {
    match written.contains(['\\', '&']) {
        true => decoded(written),
        false => written.to_owned(),
    }
}

/// For HTML and autolinks: decodes entities. A backslash is literal.
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
