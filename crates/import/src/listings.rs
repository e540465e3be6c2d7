//! Lists of the old site that Recto has elsewhere: a page at the former URL links to the list.

use std::collections::BTreeMap;

use model::Slug;

use crate::site::{Page, Site};

/// A list of all posts that was not at `/blog`.
pub(crate) fn posts(site: &mut Site, path: &str, title: &str, former: &str) {
    let body = "[All posts](/blog)\n".to_owned();
    add(site, path, title, former, body);
}

/// The list of all terms of a taxonomy such as `categories`, and one list for each term. Recto lists pages by tag.
pub(crate) fn terms(
    site: &mut Site,
    folder: &str,
    title: &str,
    base: &str,
    terms: &BTreeMap<String, String>,
) {
    add(
        site,
        &format!("{folder}/_index.md"),
        title,
        &format!("{base}/{folder}/"),
        "[All tags](/tags)\n".to_owned(),
    );
    for (segment, name) in terms {
        let Some(slug) = Slug::from_title(name) else { continue };
        let body = format!("[Pages with the tag {name}](/tags/{})\n", slug.as_str());
        let path = format!("{folder}/{}.md", slug.as_str());
        add(site, &path, name, &format!("{base}/{folder}/{segment}/"), body);
    }
}

fn add(site: &mut Site, path: &str, title: &str, former: &str, body: String) {
    // The source has a page of its own there.
    if site.pages.iter().any(|page| page.path == path) {
        return;
    }
    site.pages.push(Page {
        origin: former.to_owned(),
        line: 1,
        path: path.to_owned(),
        title: Some(title.to_owned()),
        former: vec![former.to_owned()],
        body,
        ..Page::default()
    });
}
