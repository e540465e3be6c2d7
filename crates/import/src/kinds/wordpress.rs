//! WordPress: an export in XML (WXR) with posts, pages, categories and tags.

mod text;
mod wxr;

use std::collections::BTreeMap;
use std::path::Path;

use model::Slug;

use self::wxr::Item;
use crate::address::page_path;
use crate::dates;
use crate::error::Error;
use crate::finish::settle;
use crate::listings;
use crate::paths::url_path;
use crate::site::{Page, Site};
use crate::uploads;

/// Where WordPress keeps files; beside the export, they are imported, too.
const UPLOADS: &str = "wp-content/uploads/";

pub(super) fn read(source: &Path) -> Result<Site, Error> {
    let export = wxr::read(source)?;
    let file = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut site = Site::default();
    let (mut categories, mut tags) = (BTreeMap::new(), BTreeMap::new());
    let mut attachments = vec![];
    for item in &export.items {
        match item.get("wp:post_type") {
            "attachment" => attachments.push((item.line, item.get("wp:attachment_url"))),
            "nav_menu_item" | "revision" | "wp_global_styles" | "wp_navigation" | "wp_template"
            | "custom_css" => {
                site.note(
                    &file,
                    item.line,
                    format!("the {} {:?} is left out", item.get("wp:post_type"), item.get("title")),
                );
            }
            _ if item.get("wp:status") == "trash" => {
                site.note(&file, item.line, format!("{:?} is in the trash, and left out", item.get("title")))
            }
            _ => {
                let page = page(item, &file, &mut site);
                if !page.draft {
                    categories.extend(item.terms("category"));
                    tags.extend(item.terms("post_tag"));
                }
                site.pages.push(page);
            }
        }
    }
    // The path of a WordPress that is not at the top of its host.
    let base = url_path(&export.url).trim_end_matches('/').to_owned();
    for (folder, title, terms) in [("category", "Categories", categories), ("tag", "Tags", tags)] {
        if !terms.is_empty() {
            listings::terms(&mut site, folder, title, &base, &terms);
        }
    }
    settle(&mut site);
    let home = export.url.trim_end_matches('/').to_owned();
    let internal = |url: &str| url.strip_prefix(&home).map(|path| path.to_owned());
    relink_pages(&mut site, internal);
    uploads::relink(&mut site, source, UPLOADS, upload);
    for (line, url) in attachments {
        if upload(url).is_none_or(|path| !site.files.contains_key(path)) {
            site.note(&file, line, format!("the attachment {url} is not part of the folder"));
        }
    }
    Ok(site)
}

fn upload(url: &str) -> Option<&str> {
    url.find(UPLOADS).map(|at| &url[at..])
}

/// Links to other pages of the site lead to their files.
fn relink_pages(site: &mut Site, internal: impl Fn(&str) -> Option<String>) {
    let by_url: BTreeMap<String, String> = site
        .pages
        .iter()
        .flat_map(|page| page.former.iter().map(|url| (crate::paths::url_key(url), page.path.clone())))
        .collect();
    for page in &mut site.pages {
        let path = page.path.clone();
        page.body = crate::links::rewrite(&page.body, |_, link| {
            let (url, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
            let to = by_url.get(&crate::paths::url_key(&internal(url).filter(|url| !url.contains('?'))?))?;
            Some(crate::paths::relative(&path, to) + anchor)
        });
    }
}

fn page(item: &Item, file: &str, site: &mut Site) -> Page {
    let (kind, status) = (item.get("wp:post_type"), item.get("wp:status"));
    let link = item.get("link");
    let url = (!link.contains('?')).then(|| url_path(link)).filter(|path| *path != "/" || kind == "page");
    let slug = Some(crate::paths::decoded(item.get("wp:post_name"))).filter(|name| !name.is_empty());
    let name = slug.or_else(|| Some(Slug::from_title(item.get("title"))?.as_str().to_owned()));
    let name = name.unwrap_or_else(|| item.get("wp:post_id").to_owned());
    if !item.get("wp:post_password").is_empty() || status == "private" {
        site.note(file, item.line, format!("{:?} was protected; it is a draft", item.get("title")));
    }
    if item.comments > 0 {
        site.note(
            file,
            item.line,
            format!("{} comments on {:?} are left out", item.comments, item.get("title")),
        );
    }
    let date = [item.get("wp:post_date_gmt"), item.get("wp:post_date")].into_iter().find_map(dates::parse);
    let mut page = Page {
        origin: file.to_owned(),
        line: item.content_line,
        path: target(kind, &name, url),
        title: Some(item.get("title").to_owned()).filter(|title| !title.trim().is_empty()),
        date: date.map(|date| date.iso),
        draft: !matches!(status, "publish" | "future" | "inherit")
            || !item.get("wp:post_password").is_empty(),
        former: url.map(str::to_owned).into_iter().collect(),
        body: item.get("content:encoded").to_owned(),
        ..Page::default()
    };
    let excerpt = item.get("excerpt:encoded").trim();
    if !excerpt.is_empty() {
        page.description = Some(crate::html::to_text(excerpt));
    }
    if !item.get("dc:creator").is_empty() {
        page.params.insert("author".to_owned(), item.get("dc:creator").into());
    }
    page.add_tags(item.terms("post_tag").chain(item.terms("category")).map(|(_, name)| name));
    page.convert(&mut site.notes, text::convert);
    page
}

/// Posts are below `blog/`, pages where they were: `/parent/child/` is `parent/child.md`.
fn target(kind: &str, name: &str, url: Option<&str>) -> String {
    let name = name.replace('/', "-");
    match (kind, url.map(|url| url.trim_matches('/'))) {
        ("post", _) => format!("blog/{name}.md"),
        ("page", Some("")) => "index.md".to_owned(),
        ("page", Some(path)) => page_path(&format!("{}.md", crate::paths::decoded(path))),
        ("page", None) => page_path(&format!("{name}.md")),
        (kind, _) => page_path(&format!("{kind}/{name}.md")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_go_where_push_expects_them() {
        let check =
            |kind: &str, url: Option<&str>, expected: &str| assert_eq!(target(kind, "a", url), expected);
        check("post", Some("/2026/01/a/"), "blog/a.md");
        check("page", Some("/parent/a/"), "parent/a.md");
        check("page", Some("/"), "index.md");
        check("page", None, "a.md");
        check("page", Some("/search/"), "docs/search.md");
        check("recipe", Some("/recipe/a/"), "recipe/a.md");
    }
}
