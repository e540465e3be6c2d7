//! The HTML of a page for readers elsewhere: in a feed.

use crate::raw_html::with_attributes;

/// HTML rendered for the page at `path`, with absolute URLs and without the links of headings to themselves.
pub fn for_feed(html: &str, origin: &str, path: &str) -> String {
    let html = without_anchors(html);
    let replaced = with_attributes(&html, |attribute, value| match attribute {
        "href" | "src" | "poster" => absolute(value.trim_ascii(), origin, path),
        "srcset" => {
            let candidates = value.split(',').map(str::trim);
            let absolute =
                candidates.map(|url| absolute(url, origin, path).unwrap_or_else(|| url.to_owned()));
            Some(absolute.collect::<Vec<_>>().join(", "))
        }
        _ => None,
    });
    replaced.unwrap_or(html)
}

/// The absolute URL for a URL on a page; `None` if it is absolute.
fn absolute(url: &str, origin: &str, path: &str) -> Option<String> {
    let folder = &path[..=path.rfind('/').unwrap_or_default()];
    let has_scheme = || {
        let scheme = url.split(['/', '?', '#']).next().unwrap_or_default();
        scheme.contains(':')
    };
    match url.as_bytes() {
        [b'/', b'/', ..] => None,
        [b'/', ..] => Some(format!("{origin}{url}")),
        [] | [b'#' | b'?', ..] => Some(format!("{origin}{path}{url}")),
        _ if has_scheme() => None,
        _ => Some(format!("{origin}{folder}{url}")),
    }
}

fn without_anchors(html: &str) -> String {
    let mut parts = html.split(" <a class=\"anchor\"");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push_str(part.split_once("</a>").map_or("", |(_, after)| after));
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_absolute() {
        let check = |html: &str, expected: &str| {
            assert_eq!(for_feed(html, "https://a.b", "/blog/s/c"), expected, "{html}");
        };
        check("<a href=\"/x?y\">", "<a href=\"https://a.b/x?y\">");
        check("<a href=\"#x\">", "<a href=\"https://a.b/blog/s/c#x\">");
        check("<a href='d'>", "<a href='https://a.b/blog/s/d'>");
        check("<img src=../e.png alt=\"/f\">", "<img src=https://a.b/blog/s/../e.png alt=\"/f\">");
        check(
            "<img srcset=\"/a.webp 640w, /b.webp 960w\">",
            "<img srcset=\"https://a.b/a.webp 640w, https://a.b/b.webp 960w\">",
        );
        for same in
            ["<a href=\"https://c.d/e\">", "<a href=\"//c.d\">", "<a href=\"mailto:a@b.c\">", "href=\"/x\""]
        {
            check(same, same);
        }
    }

    #[test]
    fn headings_have_no_links_to_themselves() {
        let html = crate::render("## A\n\nText.", crate::Style::default()).unwrap().html;
        assert_eq!(for_feed(&html, "https://a.b", "/c"), "<h2 id=\"a\">A</h2>\n<p>Text.</p>\n");
    }
}
