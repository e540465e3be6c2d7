//! MkDocs: `mkdocs.yml` with `nav`, admonitions, `use_directory_urls`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::address::page_path;
use crate::alerts;
use crate::error::Error;
use crate::fences::map_lines;
use crate::front_matter;
use crate::meta::Meta;
use crate::paths::{is_markdown, join, name, parent, stem, url_path};
use crate::relink::{Layout, relink};
use crate::site::{Page, Site};
use crate::source::{Source, collect};

pub(super) fn read(source: &Source) -> Result<Site, Error> {
    let Some(file) = source.first(&["mkdocs.yml", "mkdocs.yaml"]) else {
        return Err(Error::source(source.root(), "has no mkdocs.yml; is it a MkDocs site?"));
    };
    let config: Map<String, Value> = front_matter::yaml_file(file, &source.text(file)?)?;
    let text = |key: &str| config.get(key).and_then(Value::as_str);
    let docs = text("docs_dir").unwrap_or("docs").trim_matches('/').to_owned();
    let base = text("site_url").map_or("", url_path).trim_end_matches('/').to_owned();
    let has_directories = config.get("use_directory_urls").is_none_or(|flag| flag != false);
    let files: Vec<(&str, &str)> = source.below(&docs).filter(|(path, _)| is_markdown(path)).collect();
    let pages = collect(files.iter().map(|(path, below)| {
        let mut page = page(source, path, below)?;
        page.former.push(format!("{base}{}", url(below, has_directories)));
        Ok(page)
    }))?;
    if pages.is_empty() {
        return Err(Error::source(source.root(), format!("has no pages in {docs}/")));
    }
    let mut site = Site { pages, ..Site::default() };
    let mut order = 0;
    if let Some(nav) = config.get("nav") {
        navigate(&mut site, &docs, nav, &mut order);
    }
    let Site { pages, notes, .. } = &mut site;
    for page in pages {
        page.convert(notes, |text, note| {
            report(text, note);
            text.to_owned()
        });
    }
    let place = |file: &str| match file.strip_prefix(&format!("{docs}/")) {
        Some(below) => format!("docs/{below}"),
        None => format!("docs/{file}"),
    };
    relink(&mut site, source, &Layout { roots: &[&docs], base: &base, place: &place });
    let Site { pages, notes, .. } = &mut site;
    for page in pages {
        page.convert(notes, alerts::exclamations);
    }
    Ok(site)
}

fn page(source: &Source, path: &str, below: &str) -> Result<Page, Error> {
    let text = source.text(path)?;
    let document = front_matter::read(path, &text)?;
    let mut meta = Meta(document.fields);
    let when = meta.date("date");
    let mut page = Page {
        origin: path.to_owned(),
        line: document.line,
        path: target(below),
        date: when.map(|when| when.iso),
        body: document.body.to_owned(),
        ..Page::default()
    };
    meta.fill(&mut page);
    Ok(page)
}

fn is_index(below: &str) -> bool {
    matches!(stem(below), "index" | "README")
}

/// The page at the top is the homepage, the others are docs.
fn target(below: &str) -> String {
    match is_index(below) {
        true if parent(below).is_empty() => "index.md".to_owned(),
        true => page_path(&join("docs", &join(parent(below), "index.md"))),
        false => page_path(&join("docs", &join(parent(below), &format!("{}.md", stem(below))))),
    }
}

fn url(below: &str, has_directories: bool) -> String {
    let path = join(parent(below), stem(below));
    match (is_index(below), has_directories) {
        (true, true) => format!("/{}/", parent(below)).replace("//", "/"),
        (true, false) => format!("/{}", join(parent(below), "index.html")),
        (false, true) => format!("/{path}/"),
        (false, false) => format!("/{path}.html"),
    }
}

/// The order of `nav` becomes weights, its titles those of pages without one; returns the files of this part.
fn navigate(site: &mut Site, docs: &str, nav: &Value, order: &mut usize) -> Vec<String> {
    let mut files = vec![];
    for entry in nav.as_array().into_iter().flatten() {
        let (title, value) = match entry {
            Value::Object(entry) => entry
                .iter()
                .next()
                .map_or((None, &Value::Null), |(title, value)| (Some(title.as_str()), value)),
            value => (None, value),
        };
        match value {
            Value::String(file) if !is_markdown(file) => {}
            Value::String(file) => {
                *order += 1;
                enter(site, &join(docs, file), title, *order);
                files.push(file.clone());
            }
            Value::Array(_) => {
                *order += 1;
                let at = *order;
                let inside = navigate(site, docs, value, order);
                section(site, title.unwrap_or_default(), &inside, at);
                files.extend(inside);
            }
            _ => {}
        }
    }
    files
}

fn enter(site: &mut Site, origin: &str, title: Option<&str>, order: usize) {
    let Some(page) = site.pages.iter_mut().find(|page| page.origin == origin) else { return };
    page.set_weight(order);
    let Some(title) = title else { return };
    let heading = page.body.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    match page.title.as_deref().or(heading) {
        None => page.title = Some(title.to_owned()),
        Some(own) if own != title => drop(page.params.insert("linkTitle".to_owned(), title.into())),
        Some(_) => {}
    }
}

/// A part of the navigation whose pages are in one folder is that folder's section: with its title and position.
fn section(site: &mut Site, title: &str, files: &[String], order: usize) {
    let folders: HashSet<&str> = files.iter().map(|file| parent(file)).collect();
    let [folder] = folders.into_iter().collect::<Vec<_>>()[..] else { return };
    if folder.is_empty() {
        return;
    }
    let path = page_path(&format!("docs/{folder}/index.md"));
    if let Some(page) = site.pages.iter_mut().find(|page| page.path == path) {
        page.params.insert("weight".to_owned(), order.into());
        return;
    }
    let title = Some(if title.is_empty() { name(folder) } else { title }.to_owned());
    let mut page = Page { origin: "nav".to_owned(), line: 1, path, title, ..Page::default() };
    page.set_weight(order);
    site.pages.push(page);
}

/// Extensions of Markdown that stay as text.
fn report(text: &str, note: &mut dyn FnMut(usize, String)) {
    map_lines(text, |number, line| {
        let text = line.trim();
        let what = match text {
            text if text.starts_with("=== \"") => "the content tab",
            text if text.starts_with("--8<--") => "the snippet",
            text if text.starts_with("{:") || text.starts_with("{ .") || text.starts_with("{ #") => {
                "the attribute list"
            }
            text if text.starts_with("::: ") => "the block",
            text if text.starts_with("*[") && text.contains("]:") => "the abbreviation",
            _ => return None,
        };
        note(number, format!("{what} {text} is left as text"));
        None
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pages_have_their_urls_and_files() {
        let check = |below: &str, path: &str, with: &str, without: &str| {
            assert_eq!((target(below).as_str(), url(below, true).as_str()), (path, with));
            assert_eq!(url(below, false), without);
        };
        check("index.md", "index.md", "/", "/index.html");
        check("README.md", "index.md", "/", "/index.html");
        check("a.md", "docs/a.md", "/a/", "/a.html");
        check("b/index.md", "docs/b/index.md", "/b/", "/b/index.html");
        check("b/c d.md", "docs/b/c d.md", "/b/c d/", "/b/c d.html");
    }

    #[test]
    fn nav_gives_order_and_titles() {
        let page = |below: &str, body: &str| Page {
            origin: format!("docs/{below}"),
            path: target(below),
            body: body.into(),
            ..Page::default()
        };
        let pages =
            vec![page("a.md", "# A\n"), page("g/x.md", ""), page("g/y.md", "# Y\n"), page("index.md", "")];
        let mut site = Site { pages, ..Site::default() };
        let nav = json!(["index.md", {"Guides": [{"Why": "g/y.md"}, "g/x.md", {"Web": "https://example.com"}]}, {"A": "a.md"}]);
        navigate(&mut site, "docs", &nav, &mut 0);
        let weight = |path: &str| {
            let page = site.pages.iter().find(|page| page.path == path).unwrap();
            (page.params.get("weight").cloned().unwrap_or_default(), page.title.clone())
        };
        assert_eq!(weight("index.md"), (json!(1), None));
        assert_eq!(weight("docs/g/index.md"), (json!(2), Some("Guides".to_owned())));
        assert_eq!(weight("docs/g/y.md"), (json!(3), None));
        assert_eq!(weight("docs/g/x.md"), (json!(4), None));
        assert_eq!(weight("docs/a.md"), (json!(5), None));
        assert_eq!(site.pages[2].params["linkTitle"], "Why");
    }
}
