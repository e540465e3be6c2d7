//! Rewrites relative links to Markdown files as links to the pages of these files.
//!
//! Other links stay unchanged. A page links to its own source by an absolute link that ends in `.md`.

use model::Slug;
use percent_encoding::percent_decode_str;

/// File names that stand for their folder.
const INDEXES: [&str; 3] = ["index", "_index", "readme"];

/// The URL for `link` on the page at `path`, relative to it as in a browser; `None` unless it is a relative link to a
/// `.md` file.
pub(crate) fn resolve(link: &str, path: &str) -> Option<String> {
    let (file, suffix) = link.split_at(link.find(['?', '#']).unwrap_or(link.len()));
    let (file, extension) = file.rsplit_once('.')?;
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    let is_absolute = file.starts_with('/') || file.split('/').next()?.contains(':');
    if is_absolute || name.is_empty() || !extension.eq_ignore_ascii_case("md") {
        return None;
    }
    let mut segments: Vec<String> =
        path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
    segments.pop();
    for folder in folders.split('/') {
        match folder {
            "" | "." => {}
            ".." => drop(segments.pop()),
            folder => segments.push(segment(folder)?),
        }
    }
    if !INDEXES.iter().any(|index| index.eq_ignore_ascii_case(name)) {
        segments.push(segment(name)?);
    }
    Some(format!("/{}{suffix}", segments.join("/")))
}

/// The path on the same site that `link` leads to, on the page at `path`, without query and fragment. `None` for links to
/// other hosts, within the page, to uploads, and to files other than pages, which all have an extension.
pub fn local_target(link: &str, path: &str) -> Option<String> {
    let link = resolve(link, path).unwrap_or_else(|| link.to_owned());
    let file = &link[..link.find(['?', '#']).unwrap_or(link.len())];
    let is_elsewhere = file.is_empty() || file.starts_with("//") || file.split('/').next()?.contains(':');
    let file = percent_decode_str(file).decode_utf8().ok()?;
    let mut segments: Vec<&str> = match file.starts_with('/') {
        true => Vec::new(),
        false => path.split('/').filter(|segment| !segment.is_empty()).collect(),
    };
    if !file.starts_with('/') {
        segments.pop();
    }
    for segment in file.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    let is_file =
        segments.last().is_some_and(|last| last.contains('.')) || segments.first() == Some(&"media");
    (!is_elsewhere && !is_file).then(|| format!("/{}", segments.join("/")))
}

/// The URL segment for a file or folder name: in lower case, and turned into a slug if it is not one.
fn segment(name: &str) -> Option<String> {
    let name = percent_decode_str(name).decode_utf8().ok()?.to_ascii_lowercase();
    match name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        true => Some(name),
        false => Slug::from_title(&name).map(|slug| slug.as_str().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_link_to_a_file_leads_to_its_page() {
        let check = |link, expected: &str| {
            assert_eq!(resolve(link, "/docs/guides/install").as_deref(), Some(expected), "{link}");
        };
        check("other.md", "/docs/guides/other");
        check("./other.md#an-anchor", "/docs/guides/other#an-anchor");
        check("../api/other.md?a=b.md#c", "/docs/api/other?a=b.md#c");
        check("../other.md", "/docs/other");
        check("../../about.md", "/about");
        check("../../../../about.md", "/about");
        check("sub//other.MD", "/docs/guides/sub/other");
        check("Other.md", "/docs/guides/other");
        check("../Getting%20Started/Über_uns.md", "/docs/getting-started/uber-uns");
        check("v1.2.md", "/docs/guides/v1-2");
    }

    #[test]
    fn an_index_leads_to_its_folder() {
        let check = |link, path, expected: &str| {
            assert_eq!(resolve(link, path).as_deref(), Some(expected), "{link} {path}");
        };
        check("index.md", "/docs/guides/install", "/docs/guides");
        check("./README.md#top", "/docs/guides/install", "/docs/guides#top");
        check("../_index.md", "/docs/guides/install", "/docs");
        check("../api/Readme.md", "/docs/guides/install", "/docs/api");
        check("index.md", "/about", "/");
        check("docs/index.md", "/", "/docs");
        check("blog/a.md", "/", "/blog/a");
    }

    #[test]
    fn a_link_within_the_site_has_a_target() {
        let check = |link, expected: Option<&str>| {
            assert_eq!(local_target(link, "/docs/guides/install").as_deref(), expected, "{link}");
        };
        check("other.md#a", Some("/docs/guides/other"));
        check("../api/", Some("/docs/api"));
        check("other?a=b", Some("/docs/guides/other"));
        check("/", Some("/"));
        check("/caf%C3%A9", Some("/café"));
        for link in
            ["#a", "https://example.com/a", "//example.com", "mailto:a@b.c", "/feed.xml", "/media/a/b"]
        {
            check(link, None);
        }
    }

    #[test]
    fn other_links_stay_unchanged() {
        for link in [
            "",
            "#a.md",
            "?a.md",
            "other",
            "other.html",
            "other.md/",
            ".md",
            "a/.md",
            "/docs/other.md",
            "//example.com/other.md",
            "https://example.com/other.md",
            "mailto:a@example.md",
            "!!!.md",
            "%ff.md",
        ] {
            assert_eq!(resolve(link, "/docs/guides/install"), None, "{link}");
        }
    }
}
