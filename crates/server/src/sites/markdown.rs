//! The Markdown of a page instead of its HTML, for clients that prefer it: `Accept: text/markdown`.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};
use memchr::memmem;

use super::path;
use crate::encoding::quality;

/// The path of the Markdown that belongs to a page, if it has any.
pub(super) fn path_of(page: &str) -> String {
    // `/.md` is the Markdown of the home page; `/index.md` may be that of a page named `index`.
    format!("{page}.md")
}

/// The `Link` header of a file: from a page to its Markdown and to the list of all Markdown, and back to the page. It is
/// made when a file enters the cache.
pub(super) fn link(content_type: &str, path: &str, bytes: &[u8]) -> Option<HeaderValue> {
    let link = if content_type.starts_with("text/html") {
        let url = linked_markdown(bytes)?;
        format!(
            "<{url}>; rel=\"alternate\"; type=\"text/markdown\", </llms.txt>; rel=\"describedby\"; type=\"text/plain\""
        )
    } else if content_type.starts_with("text/markdown") {
        let page = path.strip_suffix(".md")?;
        format!("<{}>; rel=\"canonical\"", path::encode(page))
    } else {
        return None;
    };
    HeaderValue::try_from(link).ok()
}

/// The URL of the Markdown that a page names in its head. Lists have none.
fn linked_markdown(page: &[u8]) -> Option<&str> {
    // The theme writes it like this, before everything that may be long.
    const LINK: &[u8] = b"type=\"text/markdown\" href=\"";
    const HEAD: usize = 16 << 10;
    let head = &page[..page.len().min(HEAD)];
    let rest = &head[memmem::find(head, LINK)? + LINK.len()..];
    let url = &rest[..memchr::memchr(b'"', rest)?];
    str::from_utf8(url).ok().filter(|url| !url.contains(['<', '>', '&']))
}

/// Whether Markdown is named, with a quality at least as high as that of HTML. `*/*` alone means HTML.
pub(super) fn is_preferred(headers: &HeaderMap) -> bool {
    let (mut markdown, mut html, mut text, mut any) = (None, None, None, None);
    for line in headers.get_all(ACCEPT) {
        for element in line.to_str().unwrap_or_default().split(',') {
            let mut parts = element.split(';');
            let name = parts.next().unwrap_or_default().trim();
            let quality_parameter = parts.find(|part| part.trim_start().starts_with(['q', 'Q']));
            let Some(quality) = quality(quality_parameter.unwrap_or_default()) else { continue };
            for (known, found) in [
                ("text/markdown", &mut markdown),
                ("text/html", &mut html),
                ("text/*", &mut text),
                ("*/*", &mut any),
            ] {
                if name.eq_ignore_ascii_case(known) {
                    *found = Some(quality);
                }
            }
        }
    }
    let html = html.or(text).or(any).unwrap_or(0);
    markdown.is_some_and(|markdown| markdown > 0 && markdown >= html)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn markdown_must_be_named_and_not_less_welcome_than_html() {
        let check = |accept: &'static str, expected: bool| {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
            assert_eq!(is_preferred(&headers), expected, "{accept}");
        };
        check("text/markdown", true);
        check("Text/Markdown; charset=utf-8", true);
        check("text/markdown, text/html", true);
        check("text/html, text/markdown", true);
        check("text/html;q=0.8, text/markdown;q=0.9", true);
        check("text/html, text/markdown;q=0.9", false);
        check("text/markdown;variant=GFM;q=0.5, text/html;q=0.6", false);
        check("text/markdown;q=0.5, */*;q=0.1", true);
        check("text/markdown;q=0.5, text/*;q=0.6", false);
        check("text/markdown;q=0", false);
        check("*/*", false);
        check("text/*", false);
        check("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false);
        check("", false);
        assert!(!is_preferred(&HeaderMap::new()));
    }
}
