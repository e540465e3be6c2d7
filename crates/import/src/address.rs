//! The URL that `recto push` gives to a file of a folder.

use model::Slug;

use crate::paths::{join, name, normal, parent, stem};

/// In bytes; disks have 255.
const MAX_NAME: usize = 200;

/// Segments that no page outside of `blog/` and `docs/` may begin with: Recto generates paths there.
pub(crate) const RESERVED: [&str; 11] =
    ["api", "assets", "blog", "docs", "feed", "homepage", "mcp", "media", "search", "standalone", "tags"];

/// Where a text goes that stood above the list of posts: that list has none in Recto.
pub(crate) const BLOG_INDEX: &str = "blog-introduction.md";

/// The path of a page: the first folder `blog` or `docs` is its type, the other folders are its section.
/// `None` if its name has no letters and digits.
pub(crate) fn url(path: &str, slug: Option<&str>) -> Option<String> {
    let folders: Vec<&str> = parent(path).split('/').filter(|folder| !folder.is_empty()).collect();
    let (of, folders) = match folders.as_slice() {
        [of @ ("blog" | "docs"), rest @ ..] => (Some(*of), rest),
        all => (None, all),
    };
    let section = section(folders);
    let start = of.map_or_else(String::new, |of| format!("/{of}"));
    if is_index(path) {
        return Some(match (section.as_str(), of) {
            ("", None) => "/".to_owned(),
            ("", Some(_)) => format!("{start}/index"),
            (section, _) => format!("{start}/{section}"),
        });
    }
    let slug = match slug {
        Some(slug) => slug.to_owned(),
        None => Slug::from_title(without_date(stem(path)))?.as_str().to_owned(),
    };
    Some(if section.is_empty() { format!("{start}/{slug}") } else { format!("{start}/{section}/{slug}") })
}

/// `index.md` and `_index.md` are the page at the URL of their folder.
pub(crate) fn is_index(path: &str) -> bool {
    matches!(name(path), "index.md" | "_index.md")
}

fn section(folders: &[&str]) -> String {
    let names = folders.iter().filter_map(|folder| Slug::from_title(folder));
    names.map(|name| name.as_str().to_owned()).collect::<Vec<_>>().join("-")
}

/// `2026-01-02-a-name` without its date.
pub(crate) fn without_date(stem: &str) -> &str {
    match date_of_name(stem) {
        Some(_) if stem.len() > 11 => &stem[11..],
        _ => stem,
    }
}

/// The date with which a name begins.
pub(crate) fn date_of_name(stem: &str) -> Option<&str> {
    let date = stem.get(..10)?;
    let fits = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let ends = stem.len() == 10 || stem.as_bytes()[10] == b'-';
    (fits && ends && date.parse::<jiff::civil::Date>().is_ok()).then_some(date)
}

/// A path that `push` reads: no part begins with `.` or `_`, and every folder has letters or digits. A page outside of
/// `blog/` and `docs/` that would have a reserved URL goes below `docs/`.
pub(crate) fn page_path(path: &str) -> String {
    let path = clean(path);
    match path.as_str() {
        "blog/index.md" | "blog/_index.md" => return BLOG_INDEX.to_owned(),
        "docs/index.md" | "docs/_index.md" => return "docs/introduction.md".to_owned(),
        _ => {}
    }
    let first = path.split('/').next().unwrap_or_default();
    let is_folder = path.contains('/');
    let segment = if is_folder { first } else { stem(&path) };
    let slug = Slug::from_title(segment).map(|slug| slug.as_str().to_owned()).unwrap_or_default();
    let is_typed = is_folder && matches!(first, "blog" | "docs");
    if !is_typed && RESERVED.contains(&slug.as_str()) { format!("docs/{path}") } else { path }
}

/// A path inside of the folder that every disk accepts; names of exports may hold anything.
pub(crate) fn safe(path: &str) -> String {
    let slug = |part: &str| Slug::from_title(part).map(|slug| slug.as_str().to_owned());
    let is_odd =
        |part: &str| part.len() > MAX_NAME || part.chars().any(|char| char.is_control() || char == '\\');
    // Each part is part of a URL, so it needs letters or digits.
    let part = |part: &str| match slug(part) {
        Some(slug) if is_odd(part) => slug,
        Some(_) => part.to_owned(),
        None => "page".to_owned(),
    };
    let path = normal(path).unwrap_or_default();
    let path = path.strip_suffix(".md").unwrap_or(&path);
    format!("{}.md", path.split('/').map(part).collect::<Vec<_>>().join("/"))
}

/// Removes `.` and `_` from the beginning of each part.
pub(crate) fn clean(path: &str) -> String {
    let folders = parent(path).split('/').map(|folder| {
        let folder = folder.trim_start_matches(['.', '_']);
        if folder.is_empty() || folder == "node_modules" { "files" } else { folder }
    });
    let folders = if parent(path).is_empty() { String::new() } else { folders.collect::<Vec<_>>().join("/") };
    let file = if name(path) == "_index.md" { name(path) } else { name(path).trim_start_matches(['.', '_']) };
    join(&folders, if file.is_empty() { "page.md" } else { file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_url_that_push_gives_it() {
        let check = |path: &str, expected: &str| assert_eq!(url(path, None).as_deref(), Some(expected));
        check("index.md", "/");
        check("about.md", "/about");
        check("guides/a.md", "/guides/a");
        check("guides/index.md", "/guides");
        check("blog/2026-01-02-hello.md", "/blog/hello");
        check("blog/2026-01-02.md", "/blog/2026-01-02");
        check("blog/2026-13-02-hello.md", "/blog/2026-13-02-hello");
        check("docs/Guides/Deep One/A_b.md", "/docs/guides-deep-one/a-b");
        check("docs/guides/deep/_index.md", "/docs/guides-deep");
        check("docs/blog/a.md", "/docs/blog/a");
        assert_eq!(url("blog/x/a.md", Some("b")).as_deref(), Some("/blog/x/b"));
        assert_eq!(url("blog/---.md", None), None);
    }

    #[test]
    fn a_path_stays_in_the_folder() {
        let check = |path: &str, expected: &str| assert_eq!(safe(path), expected);
        check("blog/a.md", "blog/a.md");
        check("blog/../a.md", "a.md");
        check("blog/../../../etc/a.md", "page.md");
        check("/etc/a.md", "etc/a.md");
        check("docs/---/a.md", "docs/page/a.md");
        check("blog/a\0b.md", "blog/a-b.md");
        check(&format!("blog/{}.md", "ä".repeat(200)), &format!("blog/{}.md", "a".repeat(100)));
    }

    #[test]
    fn reserved_names_go_below_docs() {
        let check = |path: &str, expected: &str| assert_eq!(page_path(path), expected);
        check("api/a.md", "docs/api/a.md");
        check("search.md", "docs/search.md");
        check("blog.md", "docs/blog.md");
        check("blog/a.md", "blog/a.md");
        check("blog/_index.md", "blog-introduction.md");
        check("docs/index.md", "docs/introduction.md");
        check("_pages/.a.md", "pages/a.md");
        check("tags-and-more/_index.md", "tags-and-more/_index.md");
    }
}
