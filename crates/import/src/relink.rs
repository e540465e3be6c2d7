//! Links of the old site lead to the files of the folder; files that pages refer to are copied.

use std::collections::{HashMap, HashSet};

use crate::finish::{FIXED, settle};
use crate::paths::{decoded, join, normal, parent, relative, url_key};
use crate::site::{Note, Page, Site};
use crate::source::Source;
use crate::{address, links, paths};

/// Where the files of a source are.
pub(crate) struct Layout<'l> {
    /// Folders whose files the old site has at its root, such as `static`.
    pub roots: &'l [&'l str],
    /// The old site's own path, such as `/docs` of `https://example.com/docs/`; often empty.
    pub base: &'l str,
    /// The path in the folder for a file of the source.
    pub place: &'l dyn Fn(&str) -> String,
}

/// The pages get their final paths first.
pub(crate) fn relink(site: &mut Site, source: &Source, layout: &Layout<'_>) {
    settle(site);
    let targets = Targets::of(&site.pages);
    let mut files = vec![];
    for page in &mut site.pages {
        let mut notes = vec![];
        let body = links::rewrite(&page.body, |line, link| {
            let (target, rest) = link.split_at(link.find(['#', '?']).unwrap_or(link.len()));
            if is_elsewhere(target) {
                return None;
            }
            match find(page, target, &targets, source, layout) {
                Some(Target::Page(path)) => Some(relative(&page.path, &path) + rest),
                Some(Target::File(file)) => {
                    let path = targets.free(address::clean(&(layout.place)(&file)));
                    let link = relative(&page.path, &path) + rest;
                    files.push((path, file));
                    Some(link)
                }
                None if is_list(target) => None,
                None => {
                    let message = format!("the link {link} leads to no page or file of the source");
                    notes.push(Note { file: page.origin.clone(), line: page.line + line, message });
                    None
                }
            }
        });
        page.body = body;
        site.notes.extend(notes);
    }
    for (path, file) in files {
        if let Some(real) = source.path(&file) {
            site.files.insert(path, real.to_owned());
        }
    }
}

/// Not a path: another host, a scheme, an anchor, a template.
fn is_elsewhere(link: &str) -> bool {
    let scheme = link.split_once(':').map(|(scheme, _)| scheme);
    let has_scheme =
        scheme.is_some_and(|scheme| scheme.chars().all(|char| char.is_ascii_alphanumeric() || char == '+'));
    link.is_empty() || link.starts_with("//") || has_scheme || link.contains("{{") || link.contains("{%")
}

/// Lists that every Recto site has.
fn is_list(link: &str) -> bool {
    FIXED.contains(&url_key(link).as_str()) || link.starts_with("/tags/")
}

/// The pages by their files and by their URLs.
struct Targets {
    by_origin: HashMap<String, String>,
    by_url: HashMap<String, String>,
    paths: HashSet<String>,
}

impl Targets {
    fn of(pages: &[Page]) -> Targets {
        let by_origin = pages.iter().map(|page| (page.origin.clone(), page.path.clone())).collect();
        let mut by_url = HashMap::new();
        for page in pages {
            for url in &page.former {
                by_url.entry(url_key(url)).or_insert_with(|| page.path.clone());
            }
        }
        Targets { by_origin, by_url, paths: pages.iter().map(|page| page.path.clone()).collect() }
    }

    /// A copied file must not replace a page, nor become one.
    fn free(&self, path: String) -> String {
        let is_page = self.paths.contains(&path) || paths::is_markdown(&path);
        if is_page { format!("files/{path}.txt") } else { path }
    }
}

enum Target {
    /// Its path in the folder.
    Page(String),
    /// Its path in the source.
    File(String),
}

fn find(page: &Page, link: &str, targets: &Targets, source: &Source, layout: &Layout<'_>) -> Option<Target> {
    let link = decoded(link);
    let is_absolute = link.starts_with('/');
    let files = as_files(page, &link, layout);
    let by_file = files.iter().find_map(|file| targets.by_origin.get(file));
    if let Some(path) = by_file {
        return Some(Target::Page(path.clone()));
    }
    if !is_absolute && let Some(file) = files.iter().find(|file| source.has(file)) {
        return Some(Target::File(file.clone()));
    }
    let url = if is_absolute { link } else { against(page.former.first()?, &link)? };
    let with_base = format!("{}{url}", layout.base);
    let keys = [url_key(&url), url_key(&with_base)];
    // Programs write URLs in lower case, and people link as they please.
    let lower = keys.each_ref().map(|key| key.to_lowercase());
    let by_url = keys.iter().chain(&lower).find_map(|key| targets.by_url.get(key));
    if let Some(path) = by_url {
        return Some(Target::Page(path.clone()));
    }
    let below = url.strip_prefix(layout.base).unwrap_or(&url);
    let below = normal(below)?;
    layout.roots.iter().map(|root| join(root, &below)).find(|file| source.has(file)).map(Target::File)
}

/// The files of the source that a link can mean.
fn as_files(page: &Page, link: &str, layout: &Layout<'_>) -> Vec<String> {
    if let Some(path) = link.strip_prefix("@site/") {
        return normal(path).into_iter().collect();
    }
    if link.starts_with('/') {
        return layout
            .roots
            .iter()
            .filter_map(|root| normal(&join(root, link.trim_start_matches('/'))))
            .collect();
    }
    normal(&join(parent(&page.origin), link)).into_iter().collect()
}

/// Resolves a relative link as a browser does.
fn against(url: &str, link: &str) -> Option<String> {
    let folder = &url[..url.rfind('/')?];
    Some(format!("/{}", normal(&format!("{folder}/{link}"))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relinked(link: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        for file in
            ["content/posts/a.md", "content/posts/pic 1.png", "static/img/x.png", "content/posts/b/c.png"]
        {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let page = |origin: &str, path: &str, url: &str, body: &str| Page {
            origin: origin.into(),
            line: 1,
            path: path.into(),
            former: vec![url.into()],
            body: body.into(),
            ..Page::default()
        };
        let body = format!("[x]({link})");
        let mut site = Site {
            pages: vec![
                page("content/posts/a.md", "blog/a.md", "/base/posts/a/", &body),
                page("content/posts/b.md", "blog/b.md", "/base/posts/b/", ""),
                page("content/docs/z.md", "docs/deep/z.md", "/base/docs/z/", ""),
            ],
            ..Site::default()
        };
        let source = Source::open(folder.path()).unwrap();
        let place = |file: &str| file.replace("content/posts/", "blog/").replace("static/", "");
        relink(&mut site, &source, &Layout { roots: &["static", "content"], base: "/base", place: &place });
        let files: Vec<&String> = site.files.keys().collect();
        let notes: Vec<String> = site.notes.iter().map(ToString::to_string).collect();
        format!("{} {files:?} {notes:?}", site.pages[0].body)
    }

    #[test]
    fn a_link_is_found_as_a_file_or_as_a_url() {
        let check = |link: &str, expected: &str| assert_eq!(relinked(link), format!("{expected} [] []"));
        check("b.md", "[x](b.md)");
        check("../docs/z.md#top", "[x](../docs/deep/z.md#top)");
        check("/docs/z/?q", "[x](../docs/deep/z.md?q)");
        check("/base/docs/z", "[x](../docs/deep/z.md)");
        check("/Docs/Z/", "[x](../docs/deep/z.md)");
        check("../b/", "[x](b.md)");
        check("https://example.com/a.md", "[x](https://example.com/a.md)");
        check("mailto:a@example.com", "[x](mailto:a@example.com)");
        check("#top", "[x](#top)");
    }

    #[test]
    fn files_are_copied_where_links_find_them() {
        assert_eq!(relinked("pic%201.png"), r#"[x](pic%201.png) ["blog/pic 1.png"] []"#);
        assert_eq!(relinked("/img/x.png"), r#"[x](../img/x.png) ["img/x.png"] []"#);
        assert_eq!(relinked("/base/img/x.png"), r#"[x](../img/x.png) ["img/x.png"] []"#);
        assert_eq!(relinked("b/c.png"), r#"[x](b/c.png) ["blog/b/c.png"] []"#);
    }

    #[test]
    fn a_link_to_nothing_stays_and_is_reported() {
        let expected = |link: &str| {
            let note =
                format!("content/posts/a.md:1: the link {link} leads to no page or file of the source");
            format!("[x]({link}) [] [{note:?}]")
        };
        for link in ["missing.png", "/nowhere/", "../../../../etc/passwd"] {
            assert_eq!(relinked(link), expected(link));
        }
    }
}
