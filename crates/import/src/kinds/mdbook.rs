//! mdBook: `SUMMARY.md` gives order and nesting; includes are inlined.

mod includes;
mod summary;

use std::collections::HashMap;

use serde_json::Value;

use self::summary::Chapter;
use crate::address::page_path;
use crate::error::Error;
use crate::front_matter;
use crate::paths::{is_markdown, join, name, parent, stem, url_path};
use crate::relink::{Layout, relink};
use crate::site::{Page, Site};
use crate::source::{Source, collect};

pub(super) fn read(source: &Source) -> Result<Site, Error> {
    if !source.has("book.toml") {
        return Err(Error::source(source.root(), "has no book.toml; is it an mdBook?"));
    }
    let config = Value::Object(front_matter::toml_file("book.toml", &source.text("book.toml")?)?);
    let folder = config["book"]["src"].as_str().unwrap_or("src").trim_matches('/').to_owned();
    let folder = if folder == "." { String::new() } else { folder };
    let base =
        config["output"]["html"]["site-url"].as_str().map_or("", url_path).trim_end_matches('/').to_owned();
    let summary = join(&folder, "SUMMARY.md");
    if !source.has(&summary) {
        return Err(Error::source(source.root(), format!("has no {summary}")));
    }
    let mut site = Site::default();
    let chapters =
        summary::parse(&source.text(&summary)?, &mut |line, message| site.note(&summary, line + 1, message));
    let targets = targets(&chapters);
    let mut pages = vec![];
    for (at, chapter) in chapters.iter().enumerate() {
        let origin = join(&folder, &chapter.file);
        if !source.has(&origin) {
            site.note(&summary, chapter.line + 1, format!("{} does not exist", chapter.file));
        } else if !pages.iter().any(|(_, known, _)| *known == origin) {
            pages.push((at, origin, chapter));
        }
    }
    site.pages = collect(pages.iter().map(|(at, origin, chapter)| {
        let body = source.text(origin)?;
        let mut page =
            Page { origin: origin.clone(), line: 1, path: targets[*at].clone(), body, ..Page::default() };
        page.former = urls(&base, &chapter.file, *at == 0);
        title(&mut page, &chapter.title);
        page.set_weight(at + 1);
        Ok(page)
    }))?;
    not_in_summary(source, &folder, &mut site);
    relink(
        &mut site,
        source,
        &Layout { roots: &[&folder], base: &base, place: &|file: &str| place(file, &folder) },
    );
    includes::convert(&mut site, source);
    Ok(site)
}

/// The first chapter is at `/index.html`, too.
fn urls(base: &str, file: &str, is_first: bool) -> Vec<String> {
    let path = match stem(file) {
        "README" | "index" => join(parent(file), "index.html"),
        stem => join(parent(file), &format!("{stem}.html")),
    };
    let mut urls = vec![format!("{base}/{path}")];
    if is_first {
        urls.push(format!("{base}/index.html"));
    }
    urls
}

/// The title of the summary is the short one, if the chapter has its own.
fn title(page: &mut Page, title: &str) {
    let heading =
        page.body.lines().find_map(|line| line.strip_prefix("# ")).map(|line| line.trim().to_owned());
    match heading {
        None => page.title = Some(title.to_owned()),
        Some(heading) if heading != title => drop(page.params.insert("linkTitle".to_owned(), title.into())),
        Some(_) => {}
    }
}

/// A chapter with chapters below it is the page of a section, whose folder has its name.
fn targets(chapters: &[Chapter]) -> Vec<String> {
    let mut folders: Vec<String> = vec![];
    let mut targets = vec![];
    for (at, chapter) in chapters.iter().enumerate() {
        folders.truncate(chapter.depth);
        let is_index = matches!(stem(&chapter.file), "README" | "index");
        if at == 0 && is_index && parent(&chapter.file).is_empty() {
            folders.push(String::new());
            targets.push("index.md".to_owned());
            continue;
        }
        let own = if is_index { name(parent(&chapter.file)) } else { stem(&chapter.file) };
        let own = if own.is_empty() { "introduction" } else { own };
        let folder =
            folders.iter().filter(|folder| !folder.is_empty()).cloned().collect::<Vec<_>>().join("/");
        let has_children = chapters.get(at + 1).is_some_and(|next| next.depth > chapter.depth);
        let path = if has_children {
            join(&folder, &format!("{own}/index.md"))
        } else {
            join(&folder, &format!("{own}.md"))
        };
        targets.push(page_path(&format!("docs/{path}")));
        folders.push(own.to_owned());
    }
    targets
}

/// mdBook does not write them, so they are no pages.
fn not_in_summary(source: &Source, folder: &str, site: &mut Site) {
    let known: HashMap<&str, ()> = site.pages.iter().map(|page| (page.origin.as_str(), ())).collect();
    let left: Vec<String> = source
        .below(folder)
        .filter(|(path, below)| is_markdown(path) && *below != "SUMMARY.md" && !known.contains_key(path))
        .map(|(path, _)| path.to_owned())
        .collect();
    for path in left {
        site.note(&path, 0, "is left out: SUMMARY.md does not name it");
    }
}

fn place(file: &str, folder: &str) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/');
    format!("docs/{below}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_nested_as_in_the_summary() {
        let text = "# Summary\n\n[Intro](README.md)\n- [A](ch1.md)\n  - [B](ch1-1.md)\n    - [C](x/c.md)\n- [D](d/README.md)\n";
        let chapters = summary::parse(text, &mut |_, note| panic!("{note}"));
        let expected =
            ["index.md", "docs/ch1/index.md", "docs/ch1/ch1-1/index.md", "docs/ch1/ch1-1/c.md", "docs/d.md"];
        assert_eq!(targets(&chapters), expected);
    }

    #[test]
    fn urls_end_in_html() {
        assert_eq!(urls("/book", "a/b.md", false), ["/book/a/b.html"]);
        assert_eq!(urls("", "a/README.md", true), ["/a/index.html", "/index.html"]);
    }
}
