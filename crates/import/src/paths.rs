//! Paths with slashes: of files below a source or a folder, and of URLs.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What has a meaning in a link's destination.
const IN_A_LINK: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'(')
    .add(b')')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'`');

/// The folder of a file: empty for one at the top.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

pub(crate) fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The name without its last extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = name(path);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem)
}

/// In lower case; empty without one.
pub(crate) fn extension(path: &str) -> String {
    let name = name(path);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, end)| end).to_lowercase()
}

pub(crate) fn is_markdown(path: &str) -> bool {
    matches!(extension(path).as_str(), "md" | "markdown" | "mdown" | "mkd" | "mdx")
}

/// Joins with one slash; either part may be empty.
pub(crate) fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// Resolves `.` and `..`; `None` if it leads out of the top.
pub(crate) fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The link from one file to another.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let folder: Vec<&str> = parent(from).split('/').filter(|part| !part.is_empty()).collect();
    let target: Vec<&str> = to.split('/').collect();
    let common = folder.iter().zip(&target[..target.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", folder.len() - common);
    let path = up.chain(target[common..].iter().copied()).collect::<Vec<_>>().join("/");
    utf8_percent_encode(&path, IN_A_LINK).to_string()
}

pub(crate) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A URL's path as a site looks it up: decoded, without `/index.html` and a slash at the end. The top is `/`.
pub(crate) fn url_key(url: &str) -> String {
    let path = decoded(url.split(['?', '#']).next().unwrap_or_default());
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/index.html").unwrap_or(path).trim_matches('/');
    format!("/{path}")
}

/// The path of a URL with a host, or of a path: `https://example.com/a/b?c` gives `/a/b`.
pub(crate) fn url_path(url: &str) -> &str {
    let after_scheme = url.split_once("://").map(|(_, rest)| rest);
    let path = match after_scheme {
        Some(rest) => rest.find('/').map_or("/", |start| &rest[start..]),
        None => url,
    };
    path.split(['?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_files_are_relative() {
        let check = |from: &str, to: &str, expected: &str| assert_eq!(relative(from, to), expected);
        check("blog/a.md", "blog/b.md", "b.md");
        check("blog/a.md", "docs/x/b.md", "../docs/x/b.md");
        check("index.md", "blog/b.md", "blog/b.md");
        check("docs/x/y/a.md", "index.md", "../../../index.md");
        check("a.md", "My Files/b (1).png", "My%20Files/b%20%281%29.png");
        check("docs/docs.md", "docs", "../docs");
    }

    #[test]
    fn a_path_does_not_lead_out_of_the_top() {
        assert_eq!(normal("a/./b/../c.md").as_deref(), Some("a/c.md"));
        assert_eq!(normal("a/../../b"), None);
    }

    #[test]
    fn urls_are_compared_as_a_site_looks_them_up() {
        for url in ["/a/b", "/a/b/", "/a/b/index.html", "/a/b/?x=1#y"] {
            assert_eq!(url_key(url), "/a/b", "{url}");
        }
        assert_eq!(url_key("/caf%C3%A9.html"), "/café.html");
        for url in ["/", "", "/index.html"] {
            assert_eq!(url_key(url), "/", "{url}");
        }
        assert_eq!(url_path("https://example.com/a/?b"), "/a/");
        assert_eq!(url_path("https://example.com"), "/");
        assert_eq!(url_path("/a#b"), "/a");
    }
}
