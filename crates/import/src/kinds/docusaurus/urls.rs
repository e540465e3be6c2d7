//! The URLs and the files of docs and posts.

use super::{Config, without_extension};
use crate::address::{date_of_name, page_path, without_date};
use crate::dates;
use crate::paths::{join, parent, stem};
use crate::site::Page;

/// Returns the URL of a page of the docs.
pub(super) fn doc(
    page: &mut Page,
    config: &Config,
    below: &str,
    id: Option<&str>,
    slug: Option<&str>,
) -> String {
    let folders: Vec<(Option<i64>, &str)> =
        parent(below).split('/').filter(|part| !part.is_empty()).map(number).collect();
    let (position, name) = number(stem(below));
    if let Some(position) = position {
        page.params.entry("weight").or_insert_with(|| position.into());
    }
    let folder = folders.iter().map(|(_, name)| *name).collect::<Vec<_>>().join("/");
    let is_index = is_index(name, folders.last().map(|(_, name)| *name));
    page.path = match is_index {
        true => page_path(&join("docs", &join(&folder, "index.md"))),
        false => join("docs", &join(&folder, &format!("{name}.md"))),
    };
    let own = id.unwrap_or(name);
    page.slug = id.filter(|_| !is_index).map(str::to_owned);
    let start = format!("/{}", config.docs);
    match slug {
        Some(slug) if slug.starts_with('/') => format!("{start}{slug}"),
        Some(slug) => format!("{start}/{}", join(&folder, slug)),
        None if is_index && id.is_none() => format!("{start}/{folder}/"),
        None => format!("{start}/{}", join(&folder, own)),
    }
}

/// `index`, `README`, or the name of the folder.
fn is_index(name: &str, folder: Option<&str>) -> bool {
    matches!(name.to_lowercase().as_str(), "index" | "readme")
        || folder.is_some_and(|folder| folder.eq_ignore_ascii_case(name))
}

/// `01-intro` is `intro` at position 1.
pub(super) fn number(name: &str) -> (Option<i64>, &str) {
    let digits = name.len() - name.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let rest = name[digits..].trim_start_matches([' ', '-', '_', '.']);
    let has_separator = rest.len() < name.len() - digits;
    // A date is no position, and neither is a version.
    let is_position = digits > 0
        && has_separator
        && !rest.is_empty()
        && !rest.starts_with(|char: char| char.is_ascii_digit());
    if is_position { (name[..digits].parse().ok(), rest) } else { (None, name) }
}

/// Returns the URL of a post.
pub(super) fn post(page: &mut Page, config: &Config, below: &str, slug: Option<&str>) -> String {
    let whole = without_extension(below);
    let whole = whole.strip_suffix("/index").unwrap_or(&whole);
    // `2021/08/26/name`, `2021-08-26-name`, `2021-08-26/name`
    let joined = whole.replace('/', "-");
    let date = date_of_name(&joined);
    let name = match date {
        Some(date) => whole.get(date.len() + 1..).filter(|rest| !rest.is_empty()).unwrap_or(whole),
        None => whole,
    };
    if page.date.is_none() {
        page.date = date.and_then(dates::parse).map(|when| when.iso);
    }
    page.path = format!("blog/{}.md", joined);
    let start = format!("/{}", config.blog);
    let own = match (slug, date) {
        (Some(slug), _) => format!("{start}/{}", slug.trim_start_matches('/')),
        (None, Some(date)) => format!("{start}/{}/{name}", date.replace('-', "/")),
        (None, None) => format!("{start}/{name}"),
    };
    page.slug = slug.and_then(|slug| slug.rsplit('/').find(|part| !part.is_empty())).map(str::to_owned);
    let is_plain = page.slug.as_deref().is_none_or(|slug| slug == without_date(&joined));
    if is_plain {
        page.slug = None;
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        Config { base: String::new(), docs: "docs".into(), blog: "blog".into() }
    }

    #[test]
    fn docs_have_their_urls() {
        let check = |below: &str, id: Option<&str>, slug: Option<&str>, path: &str, url: &str| {
            let mut page = Page::default();
            assert_eq!(doc(&mut page, &config(), below, id, slug), url);
            assert_eq!(page.path, path);
        };
        check("intro.md", None, None, "docs/intro.md", "/docs/intro");
        check("02-guides/01-first.md", None, None, "docs/guides/first.md", "/docs/guides/first");
        check("guides/README.md", None, None, "docs/guides/index.md", "/docs/guides/");
        check("guides/guides.md", None, None, "docs/guides/index.md", "/docs/guides/");
        check("guides/a.md", Some("b"), None, "docs/guides/a.md", "/docs/guides/b");
        check("guides/a.md", None, Some("/start"), "docs/guides/a.md", "/docs/start");
        check("guides/a.md", None, Some("c"), "docs/guides/a.md", "/docs/guides/c");
        assert_eq!(number("2024-01-02-a"), (None, "2024-01-02-a"));
        assert_eq!(number("1.5 release"), (None, "1.5 release"));
    }

    #[test]
    fn posts_have_their_urls() {
        let check = |below: &str, slug: Option<&str>, path: &str, url: &str| {
            let mut page = Page::default();
            assert_eq!(post(&mut page, &config(), below, slug), url);
            assert_eq!(page.path, path);
        };
        check("2021-08-26-hi.md", None, "blog/2021-08-26-hi.md", "/blog/2021/08/26/hi");
        check("2021-08-26-hi/index.mdx", None, "blog/2021-08-26-hi.md", "/blog/2021/08/26/hi");
        check("2021/08/26/hi.md", None, "blog/2021-08-26-hi.md", "/blog/2021/08/26/hi");
        check("2021-08-26-hi.md", Some("welcome"), "blog/2021-08-26-hi.md", "/blog/welcome");
        check("hi.md", None, "blog/hi.md", "/blog/hi");
    }
}
