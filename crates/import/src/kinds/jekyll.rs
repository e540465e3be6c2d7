//! Jekyll: `_posts`, `_drafts`, collections and pages; permalinks of `_config.yml`; Liquid stays as text.

mod liquid;
mod urls;

use serde_json::{Map, Value};

use self::urls::{Item, Urls};
use crate::address::{date_of_name, page_path, without_date};
use crate::dates;
use crate::error::Error;
use crate::front_matter;
use crate::meta::{Meta, text_of};
use crate::paths::{extension, is_markdown, join, name, parent, stem};
use crate::relink::{Layout, relink};
use crate::site::{Page, Site};
use crate::source::{Source, collect};

const CONFIGS: [&str; 3] = ["_config.yml", "_config.yaml", "_config.toml"];

/// Folders that make the site, and are no part of it.
const NOT_CONTENT: [&str; 6] = ["_includes", "_layouts", "_sass", "_data", "_plugins", "_site"];

pub(super) fn read(source: &Source) -> Result<Site, Error> {
    let config = config(source)?;
    let base =
        config.get("baseurl").and_then(Value::as_str).unwrap_or_default().trim_end_matches('/').to_owned();
    let urls = Urls::of(&config);
    let mut site = Site::default();
    let mut files = vec![];
    for path in source.files() {
        match role(path, &urls) {
            Some(role) if is_text(path) => files.push((path, role)),
            Some(Role::Post | Role::Draft | Role::Collection(_)) => {
                site.note(path, 0, "is left out: only Markdown and HTML are converted");
            }
            _ => {}
        }
    }
    let pages =
        collect(files.into_iter().map(|(path, role)| page(source, &config, &urls, &base, path, &role)))?;
    for page in pages {
        match page {
            Read::Page(page) => site.pages.push(*page),
            Read::NoFrontMatter(path) => {
                site.note(&path, 1, "is left out: without front matter it was no page")
            }
        }
    }
    if site.pages.is_empty() {
        return Err(Error::source(source.root(), "has no pages; is it a Jekyll site?"));
    }
    liquid::convert(&mut site, &config, &base);
    relink(&mut site, source, &Layout { roots: &[""], base: &base, place: &place });
    Ok(site)
}

fn config(source: &Source) -> Result<Map<String, Value>, Error> {
    let Some(file) = source.first(&CONFIGS) else { return Ok(Map::new()) };
    let text = source.text(file)?;
    Ok(match extension(file).as_str() {
        "toml" => front_matter::toml_file(file, &text)?,
        _ => front_matter::yaml_file::<Option<Map<String, Value>>>(file, &text)?.unwrap_or_default(),
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Role {
    Post,
    Draft,
    /// Its name.
    Collection(String),
    Page,
}

fn role(path: &str, urls: &Urls) -> Option<Role> {
    let folders: Vec<&str> = parent(path).split('/').collect();
    if folders.contains(&"_posts") {
        return date_of_name(stem(path)).map(|_| Role::Post);
    }
    if folders.contains(&"_drafts") {
        return Some(Role::Draft);
    }
    let first = folders.first().copied().unwrap_or_default();
    if let Some(collection) = first.strip_prefix('_').filter(|name| urls.has_collection(name)) {
        return Some(Role::Collection(collection.to_owned()));
    }
    let hidden = |part: &str| {
        part.starts_with('_') || part.starts_with('.') || matches!(part, "vendor" | "node_modules")
    };
    if NOT_CONTENT.contains(&first) || path.split('/').any(hidden) {
        return None;
    }
    is_text(path).then_some(Role::Page)
}

fn is_text(path: &str) -> bool {
    is_markdown(path) || matches!(extension(path).as_str(), "html" | "htm")
}

enum Read {
    Page(Box<Page>),
    NoFrontMatter(String),
}

fn page(
    source: &Source,
    config: &Map<String, Value>,
    urls: &Urls,
    base: &str,
    path: &str,
    role: &Role,
) -> Result<Read, Error> {
    let text = source.text(path)?;
    let document = front_matter::read(path, &text)?;
    if !document.has_front_matter && !matches!(role, Role::Post | Role::Draft) {
        return Ok(Read::NoFrontMatter(path.to_owned()));
    }
    let mut fields = defaults(config, path, role);
    fields.extend(document.fields);
    let mut meta = Meta(fields);
    let name_date = date_of_name(stem(path)).filter(|_| *role == Role::Post);
    let when = meta.date("date").or_else(|| dates::parse(name_date?));
    let mut categories = folders_above_posts(path);
    categories.extend(meta.list("categories", &[' ']));
    categories.extend(meta.text("category"));
    let slug = meta.text("slug");
    let item = Item { path, role, when: when.as_ref(), categories: &categories, slug: slug.as_deref() };
    let permalink = meta.text("permalink");
    let own = urls.url(&item, permalink.as_deref());
    let mut page = Page {
        origin: path.to_owned(),
        line: document.line,
        path: target(path, role),
        slug,
        date: when.map(|when| when.iso),
        draft: *role == Role::Draft || meta.flag("published") == Some(false),
        body: document.body.to_owned(),
        ..Page::default()
    };
    page.former.extend(own.iter().map(|url| format!("{base}{url}")));
    // Jekyll writes `/a` as `a.html`, and web servers have it under both names.
    let bare = own.iter().filter(|url| !url.ends_with('/') && extension(url).is_empty());
    page.former.extend(bare.map(|url| format!("{base}{url}.html")));
    page.former.extend(
        meta.list("redirect_from", &[])
            .into_iter()
            .map(|url| format!("{base}/{}", url.trim_start_matches('/'))),
    );
    let tags = meta.list("tags", &[' ', ',']);
    page.add_tags(tags);
    page.add_tags(categories);
    meta.0.remove("layout");
    if let Some(excerpt) = meta.text("excerpt") {
        page.description = Some(excerpt);
    }
    meta.fill(&mut page);
    Ok(Read::Page(Box::new(page)))
}

/// `defaults` of the configuration whose scope fits, later and longer ones last.
fn defaults(config: &Map<String, Value>, path: &str, role: &Role) -> Map<String, Value> {
    let kind = match role {
        Role::Post => "posts",
        Role::Draft => "drafts",
        Role::Collection(name) => name,
        Role::Page => "pages",
    };
    let mut fields = Map::new();
    for entry in config.get("defaults").and_then(Value::as_array).into_iter().flatten() {
        let scope = |key: &str| {
            entry.get("scope").and_then(|scope| scope.get(key)).and_then(text_of).unwrap_or_default()
        };
        let (folder, of) = (scope("path"), scope("type"));
        let fits = folder.is_empty()
            || path == folder
            || path.starts_with(&format!("{}/", folder.trim_end_matches('/')));
        if fits && (of.is_empty() || of == kind) {
            fields.extend(entry.get("values").and_then(Value::as_object).cloned().unwrap_or_default());
        }
    }
    fields
}

/// `a/b/_posts/…` is in the categories `a` and `b`.
fn folders_above_posts(path: &str) -> Vec<String> {
    let above = path.split("_posts/").next().filter(|_| path.contains("_posts/")).unwrap_or_default();
    above.split('/').filter(|folder| !folder.is_empty()).map(str::to_owned).collect()
}

fn target(path: &str, role: &Role) -> String {
    let file = format!("{}.md", stem(path));
    match role {
        Role::Post => format!("blog/{file}"),
        Role::Draft => format!("blog/{}", crate::address::clean(&file)),
        Role::Collection(collection) => {
            let below = parent(path).split_once('/').map_or("", |(_, rest)| rest);
            page_path(&join(&join(collection, below), &file))
        }
        Role::Page => page_path(&join(parent(path), &file)),
    }
}

fn place(file: &str) -> String {
    let (folder, name) = (parent(file), name(file));
    let folders: Vec<&str> = folder
        .split('/')
        .map(|part| if matches!(part, "_posts" | "_drafts") { "blog" } else { part })
        .collect();
    join(&folders.join("/"), name)
}

/// The name of a post without its date, or of any other file.
fn base_name(path: &str) -> &str {
    without_date(stem(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_roles() {
        let config = serde_json::json!({"collections": {"recipes": {"output": true}}});
        let urls = Urls::of(config.as_object().unwrap());
        let check = |path: &str, expected: Option<Role>| assert_eq!(role(path, &urls), expected, "{path}");
        check("_posts/2026-01-02-a.md", Some(Role::Post));
        check("cat/_posts/2026-01-02-a.md", Some(Role::Post));
        check("_posts/notes.md", None);
        check("_drafts/a.md", Some(Role::Draft));
        check("_recipes/x.md", Some(Role::Collection("recipes".into())));
        check("_layouts/default.html", None);
        check("about.md", Some(Role::Page));
        check("css/main.css", None);
    }

    #[test]
    fn files_go_where_push_expects_them() {
        assert_eq!(target("cat/_posts/2026-01-02-a.markdown", &Role::Post), "blog/2026-01-02-a.md");
        assert_eq!(target("_recipes/sweet/x.md", &Role::Collection("recipes".into())), "recipes/sweet/x.md");
        assert_eq!(target("about/index.html", &Role::Page), "about/index.md");
        assert_eq!(target("blog/index.html", &Role::Page), "blog-introduction.md");
    }
}
