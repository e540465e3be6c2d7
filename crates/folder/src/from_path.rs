//! The URL of a page, from the path of its file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use model::{Checked, ContentType, PageKey, Section, Slug, Timestamp};

use crate::Problem;
use crate::page::{Page, Source};

/// Where a file belongs, if its front matter says nothing else.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FromPath {
    pub content_type: ContentType,
    pub section: Section,
    /// `None`: the name has no letters or digits.
    pub slug: Option<Slug>,
    /// A date at the beginning of the name.
    pub date: Option<Timestamp>,
    /// The name without date and extension.
    pub name: String,
    /// It is the index of a list that no page can replace.
    pub replaces_list: bool,
}

/// `all`: the content type of all pages, if one was given.
pub(crate) fn from_path(file: &str, all: Option<ContentType>) -> Checked<FromPath> {
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    let mut folders: Vec<&str> = folders.split('/').filter(|folder| !folder.is_empty()).collect();
    let content_type = all.unwrap_or(match folders.first() {
        Some(&"blog") => ContentType::Blog,
        Some(&"docs") => ContentType::Docs,
        _ => ContentType::Standalone,
    });
    let is_typed = all.is_none() && content_type != ContentType::Standalone;
    if is_typed {
        folders.remove(0);
    }
    let section = section(&folders)?;
    let stem = &name[..name.len() - ".md".len()];
    let is_index = matches!(stem, "index" | "_index");
    let (date, name) = split_date(stem);
    let derived = FromPath {
        content_type,
        slug: Slug::from_title(name),
        section,
        date,
        name: name.to_owned(),
        replaces_list: false,
    };
    if !is_index {
        return Ok(derived);
    }
    Ok(match derived.section.is_none() {
        // The page at the section's URL.
        false => {
            FromPath { slug: Slug::parse(derived.section.as_str()).ok(), section: Section::none(), ..derived }
        }
        true if all.is_none() && !is_typed => {
            FromPath { content_type: ContentType::Homepage, slug: index(), ..derived }
        }
        true => FromPath { slug: index(), replaces_list: true, ..derived },
    })
}

fn index() -> Option<Slug> {
    Slug::parse("index").ok()
}

/// The folders, joined by hyphens, each cleaned as a slug is.
fn section(folders: &[&str]) -> Checked<Section> {
    let parts = folders.iter().map(|folder| {
        let slug = Slug::from_title(folder);
        slug.map(|slug| slug.as_str().to_owned())
            .ok_or_else(|| format!("the folder {folder:?} has no letters or digits for a URL; rename it"))
    });
    let joined = parts.collect::<Checked<Vec<String>>>()?.join("-");
    Section::parse(&joined).map_err(|message| format!("its folders make no section: {message}"))
}

/// `2026-01-02-name`
fn split_date(stem: &str) -> (Option<Timestamp>, &str) {
    let is_date = |date: &str| {
        date.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    };
    let split = stem.split_at_checked(10).filter(|(date, _)| is_date(date));
    let rest =
        split.and_then(|(date, rest)| Some((Timestamp::parse_iso(date).ok()?, rest.strip_prefix('-')?)));
    match rest.filter(|(_, name)| !name.is_empty()) {
        Some((date, name)) => (Some(date), name),
        None => (None, stem),
    }
}

/// Files that would have the same URL. A site may have several homepages, of which it shows one.
pub(crate) fn collisions(sources: &[Arc<Source>]) -> Vec<Problem> {
    let mut first: HashMap<(String, Option<&PageKey>), &str> = HashMap::new();
    let mut problems = Vec::new();
    for source in sources {
        let Page { file, key, .. } = &source.page;
        let homepage = (key.content_type == ContentType::Homepage).then_some(key);
        match first.entry((key.path(), homepage)) {
            Entry::Vacant(free) => drop(free.insert(file)),
            Entry::Occupied(other) => {
                let (other, url) = (other.get(), key.path());
                let message = format!("has the same URL as {other}: {url}; give one of them another slug");
                problems.push(Problem::of(file, message));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, all: Option<ContentType>, expected: &str) {
        let derived = from_path(file, all).unwrap();
        let key = PageKey {
            content_type: derived.content_type,
            section: derived.section,
            slug: derived.slug.unwrap(),
        };
        let shown = format!("{} {}", key.content_type.as_str(), key.path());
        assert_eq!(shown, expected, "{file}");
    }

    #[test]
    fn the_first_folder_is_the_content_type_and_the_others_are_the_section() {
        check("about.md", None, "standalone /about");
        check("company/team.md", None, "standalone /company/team");
        check("docs/install.md", None, "docs /docs/install");
        check("docs/guides/Getting Started.md", None, "docs /docs/guides/getting-started");
        check("docs/A B/c/d.md", None, "docs /docs/a-b-c/d");
        check("blog/2026/post.MD", None, "blog /blog/2026/post");
        check("blog.md", None, "standalone /blog");
    }

    #[test]
    fn an_index_is_the_page_of_its_folder() {
        check("index.md", None, "homepage /");
        check("_index.md", None, "homepage /");
        check("docs/guides/index.md", None, "docs /docs/guides");
        check("docs/a/b/_index.md", None, "docs /docs/a-b");
        check("company/index.md", None, "standalone /company");
        check("docs/index.md", None, "docs /docs/index");
        assert!(from_path("docs/index.md", None).unwrap().replaces_list);
    }

    #[test]
    fn a_given_type_makes_all_folders_sections() {
        check("docs/a.md", Some(ContentType::Docs), "docs /docs/docs/a");
        check("a.md", Some(ContentType::Blog), "blog /blog/a");
        check("guides/index.md", Some(ContentType::Docs), "docs /docs/guides");
        check("index.md", Some(ContentType::Docs), "docs /docs/index");
    }

    #[test]
    fn a_date_before_the_name_is_not_part_of_the_slug() {
        let check = |stem: &str, date: Option<&str>, name: &str| {
            assert_eq!(split_date(stem), (date.map(|date| Timestamp::parse_iso(date).unwrap()), name));
        };
        check("2026-01-02-hello", Some("2026-01-02"), "hello");
        check("2026-01-02", None, "2026-01-02");
        check("2026-01-02-", None, "2026-01-02-");
        check("2026-13-02-hello", None, "2026-13-02-hello");
        check("2026-01-0é-hello", None, "2026-01-0é-hello");
    }

    #[test]
    fn a_name_without_letters_has_no_slug() {
        assert_eq!(from_path("docs/!!!.md", None).unwrap().slug, None);
        assert!(from_path("docs/???/a.md", None).unwrap_err().contains("???"));
        assert!(from_path(&format!("docs/{}/{}/a.md", "a".repeat(60), "b".repeat(60)), None).is_err());
    }
}
