//! HTML to Markdown.

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, Options};
use htmd::{Element, HtmlToMarkdown, HtmlToMarkdownBuilder};

/// The conversion is recursive; texts of people are not nested this deep.
const MAX_DEPTH: usize = 200;

/// Elements without a counterpart in Markdown, which are kept as they are.
const KEPT: [&str; 9] = ["audio", "embed", "form", "iframe", "object", "script", "style", "svg", "video"];

const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// HTML that is nested too deep, or cannot be converted, stays HTML.
pub(crate) fn to_markdown(html: &str, note: &mut dyn FnMut(usize, String)) -> String {
    if depth(html) > MAX_DEPTH {
        note(0, "the HTML is nested too deep to be converted".to_owned());
        return html.to_owned();
    }
    let converter =
        builder().add_handler(KEPT.to_vec(), keep).add_handler(HEADINGS.to_vec(), heading).build();
    converter.convert(&with_code(html)).unwrap_or_else(|error| {
        note(0, format!("the HTML could not be converted: {error}"));
        html.to_owned()
    })
}

/// The text of a short piece of HTML, without any markup.
pub(crate) fn to_text(html: &str) -> String {
    if depth(html) > MAX_DEPTH {
        return html.to_owned();
    }
    let inside = |handlers: &dyn Handlers, element: Element| Some(handlers.walk_children(element.node));
    let converter = builder().add_handler(vec!["a", "b", "code", "em", "i", "strong"], inside).build();
    let text = converter.convert(html).unwrap_or_else(|_| html.to_owned());
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        // Escapes of Markdown.
        if char != '\\' || !chars.peek().is_some_and(char::is_ascii_punctuation) {
            out.push(char);
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn builder() -> HtmlToMarkdownBuilder {
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    HtmlToMarkdown::builder().options(options)
}

/// Reports, by line from 0, the elements that are kept.
pub(crate) fn report_kept(html: &str, note: &mut dyn FnMut(usize, String)) {
    let lower = html.to_ascii_lowercase();
    for tag in KEPT {
        for (at, _) in lower.match_indices(&format!("<{tag}")) {
            note(html[..at].matches('\n').count(), format!("<{tag}> is kept as HTML"));
        }
    }
}

/// The converter takes `<pre>` for a code block only with `<code>` in it.
fn with_code(html: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(html.len()), html);
    while let Some(start) = rest.find("<pre") {
        let Some(inside) = rest[start..].find('>').map(|end| start + end + 1) else { break };
        let Some(end) = rest[inside..].find("</pre>").map(|end| inside + end) else { break };
        let code = &rest[inside..end];
        out += &rest[..inside];
        match code.contains("<code") {
            true => out += code,
            false => out += &format!("<code>{code}</code>"),
        }
        rest = &rest[end..];
    }
    out + rest
}

fn keep(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let attributes: String = element
        .attrs
        .iter()
        .map(|attribute| format!(" {}=\"{}\"", attribute.name.local, attribute.value.replace('"', "&quot;")))
        .collect();
    let inside = handlers.walk_children(element.node).content;
    let tag = element.tag;
    Some(format!("\n\n<{tag}{attributes}>{}</{tag}>\n\n", inside.trim()).into())
}

/// A heading with an id keeps it, because links lead to it: `## Title {#id}`.
fn heading(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    let id = element.attrs.iter().find(|attribute| &*attribute.name.local == "id");
    let id = id.map(|id| id.value.to_string()).filter(|id| is_anchor(id));
    let heading = handlers.fallback(element)?;
    let Some(id) = id.filter(|_| !heading.content.trim().is_empty()) else { return Some(heading) };
    Some(format!("\n\n{} {{#{id}}}\n\n", heading.content.trim_matches('\n')).into())
}

fn is_anchor(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char))
}

/// An upper bound of the nesting, from the tags alone. Elements that are often left open do not nest.
fn depth(html: &str) -> usize {
    const FLAT: [&str; 22] = [
        "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
        "option", "p", "param", "source", "td", "th", "tr", "track", "wbr",
    ];
    let (mut depth, mut most) = (0_usize, 0);
    for part in html.split('<').skip(1) {
        let name: String =
            part.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if name.is_empty() || FLAT.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        if part.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else {
            depth += 1;
            most = most.max(depth);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn converted(html: &str) -> (String, Vec<(usize, String)>) {
        let mut notes = vec![];
        let mut note = |line, message| notes.push((line, message));
        report_kept(html, &mut note);
        let text = to_markdown(html, &mut note);
        (text, notes)
    }

    #[test]
    fn elements_become_markdown() {
        let check = |html: &str, expected: &str| assert_eq!(converted(html), (expected.to_owned(), vec![]));
        check("<h2>A</h2><p>b <em>c</em> <a href=\"/d\">e</a></p>", "## A\n\nb *c* [e](/d)");
        check("<ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>", "- a\n- b\n\n1. c");
        check("<pre><code class=\"language-rust\">fn a() {}\n</code></pre>", "```rust\nfn a() {}\n```");
        check("<figure><img src=\"a.png\" alt=\"b\"><figcaption>c</figcaption></figure>", "![b](a.png)\n\nc");
        check("<h3 id=\"x.y\">A</h3>", "### A {#x.y}");
        check("<pre>a\n\n*b*</pre>", "```\na\n\n*b*\n```");
        check("<p>2 * 3 * 4, [x]</p>", "2 \\* 3 \\* 4, \\[x\\]");
    }

    #[test]
    fn a_text_has_no_markup() {
        assert_eq!(
            to_text("<p>A <b>short</b>\n<a href=\"/x\">text</a> &amp; 2 * 3</p>"),
            "A short text & 2 * 3"
        );
    }

    #[test]
    fn what_markdown_cannot_express_is_kept_and_reported() {
        let html = "<p>a</p>\n<iframe src=\"https://example.com/?a=1&amp;b=2\" width=\"3\"></iframe>";
        let (text, notes) = converted(html);
        assert_eq!(text, "a\n\n<iframe src=\"https://example.com/?a=1&b=2\" width=\"3\"></iframe>");
        assert_eq!(notes, [(1, "<iframe> is kept as HTML".to_owned())]);
    }

    #[test]
    fn deep_html_stays_html() {
        let html = format!("{}x{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let (text, notes) = converted(&html);
        assert_eq!((text.len(), notes.len()), (html.len(), 1));
    }

    proptest! {
        #[test]
        fn no_html_panics(html in "(</?(p|b|ul|li|table|tr|td|pre|code|a|img|iframe|svg)( [a-z]=\"?)?>?|[a-z&;<>\"\n é]){0,40}") {
            converted(&html);
        }
    }
}
