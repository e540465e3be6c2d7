//! Hugo: `content/` with bundles and sections, `static/`, permalinks and menus of the configuration.

mod config;
mod shortcodes;

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use self::config::{Config, url_name};
use crate::address::page_path;
use crate::error::Error;
use crate::front_matter;
use crate::listings;
use crate::meta::Meta;
use crate::paths::{extension, is_markdown, join, name, parent, stem, url_key};
use crate::permalink;
use crate::relink::{Layout, relink};
use crate::site::{Page, Site};
use crate::source::{Source, collect};

/// Sections that hold posts in most themes.
const BLOGS: [&str; 5] = ["blog", "posts", "post", "news", "articles"];

pub(super) fn read(source: &Source) -> Result<Site, Error> {
    let mut site = Site::default();
    let config = Config::read(source, &mut site)?;
    let content = config.content.as_str();
    let bundles: HashSet<&str> = source
        .below(content)
        .filter(|(_, below)| name(below).starts_with("index.") && is_text(below))
        .map(|(_, below)| parent(below))
        .collect();
    let mut files = vec![];
    for (path, below) in source.below(content) {
        match role(below, &bundles) {
            Role::Page => files.push((path, below)),
            Role::Resource => site.note(path, 0, "is left out: a resource of a bundle, not a page"),
            Role::OtherFormat => site.note(path, 0, "is left out: only Markdown and HTML are converted"),
            Role::File => {}
        }
    }
    let pages = collect(files.into_iter().map(|(path, below)| page(source, &config, path, below)))?;
    for (page, notes) in pages {
        for message in notes {
            site.note(&page.origin, 1, message);
        }
        site.pages.push(page);
    }
    if site.pages.is_empty() {
        return Err(Error::source(source.root(), format!("has no pages in {content}/; is it a Hugo site?")));
    }
    menus(&mut site, &config);
    lists(&mut site, &config);
    shortcodes::convert(&mut site, content);
    let place = |file: &str| place(file, content);
    let roots = ["static", "assets", content];
    relink(&mut site, source, &Layout { roots: &roots, base: &config.base, place: &place });
    Ok(site)
}

enum Role {
    Page,
    /// A Markdown file inside of a leaf bundle.
    Resource,
    /// AsciiDoc, Org, Pandoc, reStructuredText.
    OtherFormat,
    File,
}

fn role(below: &str, bundles: &HashSet<&str>) -> Role {
    if matches!(extension(below).as_str(), "ad" | "adoc" | "asciidoc" | "org" | "pdc" | "pandoc" | "rst") {
        return Role::OtherFormat;
    }
    if !is_text(below) {
        return Role::File;
    }
    let is_own = name(below).starts_with("index.") || name(below).starts_with("_index.");
    let folders = || {
        std::iter::successors(Some(parent(below)), |folder| {
            Some(parent(folder)).filter(|_| !folder.is_empty())
        })
    };
    let inside = folders().any(|folder| !folder.is_empty() && bundles.contains(folder));
    if inside && !is_own { Role::Resource } else { Role::Page }
}

fn is_text(path: &str) -> bool {
    is_markdown(path) || matches!(extension(path).as_str(), "html" | "htm")
}

/// A page, and what is to be noted about it.
fn page(source: &Source, config: &Config, path: &str, below: &str) -> Result<(Page, Vec<String>), Error> {
    let text = source.text(path)?;
    let document = front_matter::read(path, &text)?;
    let mut meta = Meta(document.fields);
    let (below, language) = config.without_language(below);
    let when = ["date", "publishDate", "lastmod"].into_iter().find_map(|key| meta.date(key));
    let mut page = Page {
        origin: path.to_owned(),
        line: document.line,
        path: target(&below),
        date: when.as_ref().map(|when| when.iso.clone()),
        body: document.body.to_owned(),
        ..Page::default()
    };
    let mut notes = vec![];
    for key in ["expiryDate", "cascade"] {
        if meta.0.contains_key(key) {
            notes.push(format!("{key} has no effect in Recto; it is kept in the params"));
        }
    }
    if meta.flag("headless") == Some(true) {
        page.draft = true;
        notes.push("a headless bundle was not a page of its own; it is a draft".to_owned());
    }
    let (url, slug) = (meta.text("url"), meta.text("slug"));
    let title = meta.0.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
    let parts = config::UrlParts { below: &below, slug: slug.as_deref(), title: &title, when: when.as_ref() };
    let own = url.map_or_else(|| config.url(&parts), |url| format!("/{}", url.trim_start_matches('/')));
    let prefix = language.as_deref().map_or_else(String::new, |language| format!("/{language}"));
    page.former.push(format!("{}{prefix}{own}", config.base));
    let folder = parent(own.trim_end_matches('/')).to_owned();
    page.former.extend(meta.list("aliases", &[]).into_iter().map(|alias| match alias.starts_with('/') {
        true => format!("{}{alias}", config.base),
        false => format!("{}{folder}/{alias}", config.base),
    }));
    page.slug = slug.filter(|_| !crate::address::is_index(&page.path));
    if let Some(language) = language {
        page.path = format!("{language}/{}", page.path);
        page.params.insert("lang".to_owned(), language.into());
    }
    page_menu(&mut meta, &mut page);
    let categories = meta.list("categories", &[',']);
    meta.fill(&mut page);
    page.add_tags(categories.clone());
    if !categories.is_empty() {
        page.params.insert("categories".to_owned(), categories.into());
    }
    Ok((page, notes))
}

/// A leaf bundle `a/index.md` is the page `a.md`, a section's `_index.md` stays one.
fn target(below: &str) -> String {
    let (folder, stem) = (parent(below), stem(below));
    let path = match stem {
        "_index" => return section_target(folder),
        "index" if folder.is_empty() => return "index.md".to_owned(),
        "index" => format!("{folder}.md"),
        stem => join(folder, &format!("{stem}.md")),
    };
    page_path(&in_type(&path))
}

/// A list of posts that was not at `/blog` is a page of its own.
fn section_target(folder: &str) -> String {
    match folder {
        "" => "index.md".to_owned(),
        blog if blog != "blog" && BLOGS.contains(&blog) => page_path(&format!("{blog}.md")),
        folder => page_path(&in_type(&format!("{folder}/_index.md"))),
    }
}

/// Sections of posts are below `blog/`.
fn in_type(path: &str) -> String {
    match path.split_once('/') {
        Some((first, rest)) if BLOGS.contains(&first) => format!("blog/{rest}"),
        _ => path.to_owned(),
    }
}

fn place(file: &str, content: &str) -> String {
    let below_content = file.strip_prefix(content).and_then(|rest| rest.strip_prefix('/'));
    match below_content {
        Some(below) => in_type(below),
        None => file.split_once('/').map_or(file, |(_, rest)| rest).to_owned(),
    }
}

/// `menu: main`, or `menus: {main: {weight: 1, name: Short}}`.
fn page_menu(meta: &mut Meta, page: &mut Page) {
    let Some(menu) = meta.0.remove("menu").or_else(|| meta.0.remove("menus")) else { return };
    if !page.path.starts_with("docs/") && !page.path.starts_with("blog/") {
        page.params.insert("nav".to_owned(), true.into());
    }
    let entries = menu.as_object().into_iter().flat_map(|menus| menus.values());
    for entry in entries {
        if let Some(weight) = entry.get("weight").and_then(Value::as_i64)
            && !meta.0.contains_key("weight")
        {
            page.params.insert("weight".to_owned(), weight.into());
        }
        if let Some(name) = entry.get("name").and_then(Value::as_str) {
            page.params.insert("linkTitle".to_owned(), name.into());
        }
    }
}

/// The order of the menus in the configuration becomes the weight of pages without one.
fn menus(site: &mut Site, config: &Config) {
    for (at, entry) in config.menu.iter().enumerate() {
        let key = url_key(&format!("{}{}", config.base, entry.url));
        let found =
            site.pages.iter_mut().find(|page| page.former.first().is_some_and(|url| url_key(url) == key));
        let Some(page) = found else { continue };
        page.set_weight(entry.weight.unwrap_or(at + 1));
        if !page.path.starts_with("docs/") && !page.path.starts_with("blog/") && page.path != "index.md" {
            page.params.insert("nav".to_owned(), json!(true));
        }
    }
}

/// Lists that Hugo generates and that Recto has elsewhere: sections of posts, categories.
fn lists(site: &mut Site, config: &Config) {
    for blog in BLOGS.into_iter().filter(|blog| *blog != "blog") {
        let prefix = format!("{}/{blog}/", config.content);
        if site.pages.iter().any(|page| page.origin.starts_with(&prefix)) {
            let title = blog[..1].to_uppercase() + &blog[1..];
            listings::posts(site, &format!("{blog}.md"), &title, &format!("{}/{blog}/", config.base));
        }
    }
    for page in
        site.pages.iter_mut().filter(|page| BLOGS.contains(&stem(&page.path)) && page.body.trim().is_empty())
    {
        page.body = "[All posts](/blog)\n".to_owned();
    }
    if config.has_categories {
        let categories: BTreeMap<String, String> = site
            .pages
            .iter()
            .filter(|page| !page.draft)
            .flat_map(|page| page.params.get("categories").and_then(Value::as_array).into_iter().flatten())
            .filter_map(Value::as_str)
            .map(|category| (url_name(category), category.to_owned()))
            .collect();
        listings::terms(site, "categories", "Categories", &config.base, &categories);
    }
    for page in &mut site.pages {
        page.params.remove("categories");
    }
    tag_notes(site);
}

/// A tag whose list has another URL than before.
fn tag_notes(site: &mut Site) {
    let tags: HashSet<String> = site.pages.iter().flat_map(|page| page.tags.iter().cloned()).collect();
    for tag in tags {
        let now = model::Slug::from_title(&tag).map(|slug| slug.as_str().to_owned()).unwrap_or_default();
        if url_name(&tag) != now {
            let message = format!("the list of the tag {tag:?} moved to /tags/{now} and does not redirect");
            site.note(&format!("/tags/{}/", url_name(&tag)), 0, message);
        }
    }
}

/// The parts of a URL that come from the page.
fn token(name: &str, parts: &config::UrlParts<'_>, section: &str) -> Option<String> {
    let file = match stem(parts.below) {
        "index" | "_index" => crate::paths::name(parent(parts.below)),
        stem => stem,
    };
    let title = || if parts.title.is_empty() { file } else { parts.title };
    Some(match name {
        "section" => section.to_owned(),
        "sections" => parent(parts.below).to_owned(),
        "title" => url_name(title()),
        "slug" => url_name(parts.slug.unwrap_or_else(title)),
        "filename" | "contentbasename" => url_name(file),
        "slugorfilename" | "slugorcontentbasename" => url_name(parts.slug.unwrap_or(file)),
        name => return permalink::of_date(name, parts.when?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_where_push_expects_them() {
        let check = |below: &str, expected: &str| assert_eq!(target(below), expected);
        check("_index.md", "index.md");
        check("about.md", "about.md");
        check("about/index.md", "about.md");
        check("posts/a.md", "blog/a.md");
        check("posts/2024/b/index.md", "blog/2024/b.md");
        check("posts/_index.md", "posts.md");
        check("docs/_index.md", "docs/introduction.md");
        check("docs/guides/_index.md", "docs/guides/_index.md");
        check("projects/x.html", "projects/x.md");
        check("api/x.md", "docs/api/x.md");
    }

    #[test]
    fn a_markdown_file_in_a_bundle_is_no_page() {
        let bundles = HashSet::from(["posts/b"]);
        assert!(matches!(role("posts/b/index.md", &bundles), Role::Page));
        assert!(matches!(role("posts/b/part.md", &bundles), Role::Resource));
        assert!(matches!(role("posts/b/x/part.md", &bundles), Role::Resource));
        assert!(matches!(role("posts/c.md", &bundles), Role::Page));
        assert!(matches!(role("posts/c.org", &bundles), Role::OtherFormat));
        assert!(matches!(role("posts/c.png", &bundles), Role::File));
    }
}
