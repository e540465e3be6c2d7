//! The text of a post: blocks, paragraphs without tags, shortcodes, HTML.

use crate::html;

pub(super) fn convert(html: &str, note: &mut dyn FnMut(usize, String)) -> String {
    report_shortcodes(html, note);
    html::report_kept(html, note);
    let is_blocks = html.contains("<!-- wp:");
    let html = without_block_comments(html);
    let html = if is_blocks { html } else { with_paragraphs(&html) };
    html::to_markdown(&html, note)
}

/// `<!-- wp:paragraph {"a": 1} -->`; lines stay where they are.
fn without_block_comments(html: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(start) = rest.find("<!-- ") {
        let Some(end) = rest[start..].find("-->").map(|end| start + end + 3) else { break };
        let comment = &rest[start..end];
        out += &rest[..start];
        if !comment.starts_with("<!-- wp:") && !comment.starts_with("<!-- /wp:") {
            out += comment;
        }
        rest = &rest[end..];
    }
    out + rest
}

/// In texts of the classic editor an empty line separates paragraphs, and a line feed is a line break.
fn with_paragraphs(html: &str) -> String {
    if html.contains("<p>") || html.contains("<p ") {
        return html.to_owned();
    }
    let mut out = String::new();
    for (at, part) in html.split("<pre").enumerate() {
        let (code, text) = match (at, part.find("</pre>")) {
            (0, _) => ("", part),
            (_, Some(end)) => part.split_at(end + 6),
            (_, None) => (part, ""),
        };
        if at > 0 {
            out += &format!("<pre{code}\n");
        }
        for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
            match is_block(paragraph) {
                true => out += paragraph,
                false => out += &format!("<p>{}</p>", paragraph.replace('\n', "<br>")),
            }
            out += "\n\n";
        }
    }
    out
}

fn is_block(html: &str) -> bool {
    const BLOCKS: [&str; 20] = [
        "address",
        "blockquote",
        "details",
        "div",
        "dl",
        "figure",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "iframe",
        "ol",
        "section",
        "table",
        "ul",
        "video",
    ];
    let name = html
        .strip_prefix('<')
        .map(|html| html.split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap_or_default());
    name.is_some_and(|name| BLOCKS.contains(&name.to_ascii_lowercase().as_str()))
}

/// `[gallery ids="1,2"]` and the like stay as text.
fn report_shortcodes(html: &str, note: &mut dyn FnMut(usize, String)) {
    for (number, line) in html.split('\n').enumerate() {
        for (at, _) in line.match_indices('[') {
            let Some(end) = line[at..].find(']').map(|end| at + end) else { continue };
            let inside = &line[at + 1..end];
            let name: String = inside
                .chars()
                .take_while(|char| char.is_ascii_lowercase() || matches!(char, '_' | '-'))
                .collect();
            let rest = &inside[name.len()..];
            const KNOWN: [&str; 6] = ["gallery", "caption", "embed", "audio", "video", "playlist"];
            let is_shortcode =
                name.len() > 1 && (rest.contains('=') || (rest.is_empty() && KNOWN.contains(&name.as_str())));
            if is_shortcode && !line[end..].starts_with("](") {
                note(number, format!("the shortcode [{name}] is left as text"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn converted(html: &str) -> (String, Vec<(usize, String)>) {
        let mut notes = vec![];
        let text = convert(html, &mut |line, message| notes.push((line, message)));
        (text, notes)
    }

    #[test]
    fn blocks_become_markdown() {
        let html = "<!-- wp:heading {\"level\":3} -->\n<h3>A</h3>\n<!-- /wp:heading -->\n\n<!-- wp:paragraph -->\n<p>b</p>\n<!-- /wp:paragraph -->\n<!--more-->";
        assert_eq!(converted(html), ("### A\n\nb".to_owned(), vec![]));
    }

    #[test]
    fn a_classic_text_has_paragraphs() {
        let html = "One\ntwo <b>three</b>\n\n<ul>\n<li>x</li>\n</ul>\n<pre>a\n\nb</pre>\nEnd";
        let expected = "One  \ntwo **three**\n\n- x\n\n```\na\n\nb\n```\n\nEnd";
        assert_eq!(converted(html), (expected.to_owned(), vec![]));
    }

    #[test]
    fn shortcodes_stay_and_are_reported() {
        let (text, notes) = converted("a\n\n[gallery ids=\"1,2\"]\n\n[x](y) [note]");
        assert!(text.contains("gallery ids="), "{text}");
        assert_eq!(notes, [(2, "the shortcode [gallery] is left as text".to_owned())]);
    }

    proptest! {
        #[test]
        fn no_html_panics(html in "(<!-- /?wp:|-->|<pre|</pre>|<p>|\\[|\\]|[a-z=\"\n é]){0,40}") {
            converted(&html);
        }
    }
}
