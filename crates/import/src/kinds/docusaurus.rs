//! Docusaurus: `docs/` with sidebar positions and number prefixes, `blog/`, `src/pages/`, admonitions; MDX stays as text.

mod mdx;
mod urls;

use std::collections::HashMap;

use serde_json::{Map, Value};

use self::urls::{doc, number, post};
use crate::address::page_path;
use crate::alerts;
use crate::error::Error;
use crate::front_matter;
use crate::meta::Meta;
use crate::paths::{extension, is_markdown, join, name, parent, stem, url_path};
use crate::relink::{Layout, relink};
use crate::site::{Page, Site};
use crate::source::{Source, collect};

const CONFIGS: [&str; 4] =
    ["docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"];

pub(super) fn read(source: &Source) -> Result<Site, Error> {
    let Some(config) = source.first(&CONFIGS) else {
        return Err(Error::source(
            source.root(),
            "has no docusaurus.config.js or .ts; is it a Docusaurus site?",
        ));
    };
    let config = Config::of(&source.text(config)?);
    let authors = authors(source)?;
    let mut site = Site::default();
    let is_page = |path: &&str| is_markdown(path) && !path.split('/').any(|part| part.starts_with('_'));
    let files: Vec<&str> = source.files().filter(is_page).collect();
    let pages = files.iter().filter_map(|path| {
        let (folder, below) = split(path)?;
        Some(page(source, &config, &authors, path, folder, below))
    });
    site.pages = collect(pages)?;
    if site.pages.is_empty() {
        return Err(Error::source(source.root(), "has no pages in docs/, blog/ or src/pages/"));
    }
    for folder in ["i18n", "versioned_docs"] {
        if source.below(folder).next().is_some() {
            site.note(
                &format!("{folder}/"),
                0,
                "is left out: only the current version in the main language is imported",
            );
        }
    }
    categories(source, &config, &mut site)?;
    let Site { pages, notes, .. } = &mut site;
    for page in pages.iter_mut() {
        page.convert(notes, |text, note| {
            mdx::report(text, note);
            mdx::without_truncation(text)
        });
    }
    relink(&mut site, source, &Layout { roots: &["static", "docs"], base: &config.base, place: &place });
    let Site { pages, notes, .. } = &mut site;
    for page in pages {
        page.convert(notes, alerts::colons);
    }
    Ok(site)
}

/// What can be read from a configuration that is a program.
struct Config {
    base: String,
    /// The first segment of docs' URLs; often `docs`.
    docs: String,
    blog: String,
}

impl Config {
    fn of(text: &str) -> Config {
        let quoted = |text: &str| {
            let rest = text.trim_start_matches([':', ' ']);
            let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"' | '`'))?;
            Some(rest[1..].split(quote).next()?.to_owned())
        };
        let base = text.split_once("baseUrl").and_then(|(_, rest)| quoted(rest)).unwrap_or_default();
        // The options of `docs` come before those of `blog` in every template.
        let route = |after: &str, default: &str| {
            let options = text.split_once(after).map(|(_, rest)| rest).unwrap_or_default();
            let options = options.split("blog:").next().unwrap_or_default();
            let path = options.split_once("routeBasePath").and_then(|(_, rest)| quoted(rest));
            path.unwrap_or_else(|| default.to_owned()).trim_matches('/').to_owned()
        };
        Config {
            base: url_path(&base).trim_end_matches('/').to_owned(),
            docs: route("docs:", "docs"),
            blog: route("blog:", "blog"),
        }
    }
}

/// The top folder of a page, and its path below.
fn split(path: &str) -> Option<(&'static str, &str)> {
    ["docs", "blog", "src/pages"]
        .into_iter()
        .find_map(|folder| Some((folder, path.strip_prefix(folder)?.strip_prefix('/')?)))
}

fn page(
    source: &Source,
    config: &Config,
    authors: &HashMap<String, String>,
    path: &str,
    folder: &str,
    below: &str,
) -> Result<Page, Error> {
    let text = source.text(path)?;
    let document = front_matter::read(path, &text)?;
    let mut meta = Meta(document.fields);
    let mut page = Page {
        origin: path.to_owned(),
        line: document.line,
        body: document.body.to_owned(),
        ..Page::default()
    };
    let when = meta.date("date");
    page.date = when.map(|when| when.iso);
    if let Some(position) = meta.weight("sidebar_position") {
        page.params.insert("weight".to_owned(), position.into());
    }
    if let Some(label) = meta.text("sidebar_label") {
        page.params.insert("linkTitle".to_owned(), label.into());
    }
    page.draft = meta.flag("unlisted").unwrap_or(false);
    let (id, slug) = (meta.text("id"), meta.text("slug"));
    let own = match folder {
        "docs" => doc(&mut page, config, below, id.as_deref(), slug.as_deref()),
        "blog" => post(&mut page, config, below, slug.as_deref()),
        _ => {
            page.path = page_path(&format!("{}.md", without_extension(below)));
            let url = without_extension(below);
            format!("/{}", url.strip_suffix("index").unwrap_or(&url))
        }
    };
    page.former.push(format!("{}{}", config.base, own.replace("//", "/")));
    names(&mut meta, &mut page, authors);
    meta.fill(&mut page);
    Ok(page)
}

fn without_extension(path: &str) -> String {
    join(parent(path), stem(path))
}

/// `authors.yml` by key.
fn authors(source: &Source) -> Result<HashMap<String, String>, Error> {
    let Some(file) = source.first(&["blog/authors.yml", "blog/authors.yaml"]) else {
        return Ok(HashMap::new());
    };
    let all: Option<Map<String, Value>> = front_matter::yaml_file(file, &source.text(file)?)?;
    let name = |(key, author): (String, Value)| Some((key, author.get("name")?.as_str()?.to_owned()));
    Ok(all.unwrap_or_default().into_iter().filter_map(name).collect())
}

/// Keys of `authors.yml` become names.
fn names(meta: &mut Meta, page: &mut Page, authors: &HashMap<String, String>) {
    let Some(value) = meta.0.remove("authors") else { return };
    let named = |value: Value| match value.as_str().and_then(|key| authors.get(key)) {
        Some(name) => name.as_str().into(),
        None => value,
    };
    let names = match value {
        Value::Array(all) => all.into_iter().map(named).collect(),
        one => vec![named(one)],
    };
    page.params.insert("authors".to_owned(), names.into());
}

/// `_category_.json` gives a folder its title and position: a page at the section's URL.
fn categories(source: &Source, config: &Config, site: &mut Site) -> Result<(), Error> {
    let files: Vec<(&str, &str)> =
        source.below("docs").filter(|(_, below)| stem(below) == "_category_").collect();
    for (path, below) in files {
        if !matches!(extension(below).as_str(), "json" | "yml" | "yaml") {
            continue;
        }
        let fields: Option<Map<String, Value>> = front_matter::yaml_file(path, &source.text(path)?)?;
        let mut meta = Meta(fields.unwrap_or_default());
        let parts: Vec<&str> = parent(below).split('/').map(|part| number(part).1).collect();
        let folder = parts.join("/");
        let index = page_path(&format!("docs/{folder}/index.md"));
        let position = meta.weight("position").or_else(|| number(name(parent(below))).0);
        let label = meta.text("label").unwrap_or_else(|| name(&folder).to_owned());
        let link = meta.0.get("link").cloned().unwrap_or_default();
        let text = |key: &str| link.get(key).and_then(Value::as_str).map(str::to_owned);
        if !site.pages.iter().any(|page| page.path == index) {
            let slug = text("slug")
                .unwrap_or_else(|| format!("/category/{}", label.to_lowercase().replace(' ', "-")));
            site.pages.push(Page {
                origin: path.to_owned(),
                line: 1,
                path: index.clone(),
                title: text("title").or(Some(label)),
                description: text("description"),
                former: vec![format!("{}/{}{slug}", config.base, config.docs)],
                ..Page::default()
            });
        }
        if let (Some(position), Some(page)) =
            (position, site.pages.iter_mut().find(|page| page.path == index))
        {
            page.params.entry("weight").or_insert_with(|| position.into());
        }
    }
    Ok(())
}

fn place(file: &str) -> String {
    match file.strip_prefix("docs/") {
        Some(below) => {
            let folders: Vec<&str> = parent(below).split('/').map(|part| number(part).1).collect();
            join("docs", &join(&folders.join("/"), name(below)))
        }
        None => file.strip_prefix("static/").unwrap_or(file).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_is_read_as_text() {
        let config =
            Config::of("{ baseUrl: '/site/', presets: [{ docs: { routeBasePath: '/' }, blog: {} }] }");
        assert_eq!((config.base.as_str(), config.docs.as_str(), config.blog.as_str()), ("/site", "", "blog"));
    }
}
