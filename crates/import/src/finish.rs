//! The last steps for all kinds: URLs that differ, slugs, aliases, limits.

use std::collections::{HashMap, HashSet};

use model::{Alias, Slug, limits};

use crate::address::{BLOG_INDEX, is_index, safe, url, without_date};
use crate::error::{Error, Fault};
use crate::paths::{join, parent, stem, url_key};
use crate::site::{Page, Site};

/// Fixed paths of every site, which answer in any case.
pub(crate) const FIXED: [&str; 5] = ["/", "/blog", "/docs", "/search", "/tags"];

/// Gives every page a URL and a path of its own. Links between pages depend on both, so this comes before them.
pub(crate) fn settle(site: &mut Site) {
    let mut taken = Taken::default();
    for at in 0..site.pages.len() {
        settle_page(site, at, &mut taken);
    }
}

/// Turns former URLs into aliases; returns how many redirect.
pub(crate) fn finish(site: &mut Site) -> Result<usize, Error> {
    if site.pages.is_empty() {
        let message = "there is no page to import".to_owned();
        return Err(Fault { file: ".".to_owned(), line: 1, message }.into());
    }
    let urls: HashSet<String> = site.pages.iter().filter_map(own_url).collect();
    let mut claimed = HashSet::new();
    for at in 0..site.pages.len() {
        let aliases = aliases(site, at, &urls, &mut claimed);
        site.pages[at].aliases = aliases;
        check_limits(site, at);
    }
    Ok(claimed.len())
}

fn own_url(page: &Page) -> Option<String> {
    url(&page.path, page.slug.as_deref())
}

/// The URLs and paths of the pages so far, with the page that has them.
#[derive(Default)]
struct Taken {
    urls: HashMap<String, usize>,
    /// In lower case: some disks do not distinguish capitals.
    paths: HashMap<String, usize>,
}

impl Taken {
    fn by(&self, page: &Page) -> Option<usize> {
        let by_url = own_url(page).and_then(|url| self.urls.get(&url));
        by_url.or_else(|| self.paths.get(&page.path.to_lowercase())).copied()
    }

    fn add(&mut self, page: &Page, at: usize) {
        self.urls.insert(own_url(page).unwrap_or_default(), at);
        self.paths.insert(page.path.to_lowercase(), at);
    }
}

/// Gives a page a slug, and another name if its URL is taken.
fn settle_page(site: &mut Site, at: usize, taken: &mut Taken) {
    let page = &mut site.pages[at];
    page.path = safe(&page.path);
    if page.path == BLOG_INDEX && !page.draft {
        page.draft = true;
        let origin = page.origin.clone();
        site.note(&origin, 0, "the list of posts has no text of its own in Recto; this text is a draft");
    }
    let page = &mut site.pages[at];
    if !is_index(&page.path) {
        let own = page.slug.take().unwrap_or_else(|| without_date(stem(&page.path)).to_owned());
        let slug = Slug::from_title(&own).or_else(|| Slug::from_title(page.title.as_deref()?));
        page.slug = Some(slug.map_or_else(|| "page".to_owned(), |slug| slug.as_str().to_owned()));
    }
    if let Some(other) = taken.by(&site.pages[at]) {
        rename(&mut site.pages[at], taken);
        let (first, page) = (site.pages[other].origin.clone(), &site.pages[at]);
        let (origin, new) = (page.origin.clone(), own_url(page).unwrap_or_default());
        site.note(&origin, 0, format!("has the same URL or name as {first}; it is at {new} now"));
    }
    let page = &mut site.pages[at];
    // The file's own name says the same.
    if page.slug.as_deref() == Some(without_date(stem(&page.path))) {
        page.slug = None;
    }
    taken.add(page, at);
}

/// The first number that makes the page different from those before.
fn rename(page: &mut Page, taken: &Taken) {
    if is_index(&page.path) {
        let folder = parent(&page.path).to_owned();
        page.path = if folder.is_empty() { "index-page.md".to_owned() } else { format!("{folder}.md") };
        page.slug = Slug::from_title(stem(&page.path)).map(|slug| slug.as_str().to_owned());
    }
    let (path, slug) = (page.path.clone(), page.slug.clone().unwrap_or_default());
    for number in 2.. {
        page.path = join(parent(&path), &format!("{}-{number}.md", stem(&path)));
        page.slug = Some(format!("{slug}-{number}"));
        if taken.by(page).is_none() {
            return;
        }
    }
}

/// The former URLs that have to redirect: not the page's own one, and not what another page has now.
fn aliases(site: &mut Site, at: usize, urls: &HashSet<String>, claimed: &mut HashSet<String>) -> Vec<String> {
    let page = &site.pages[at];
    let own = url(&page.path, page.slug.as_deref()).unwrap_or_default();
    let (mut aliases, mut notes) = (vec![], vec![]);
    for former in page.former.iter().map(|former| url_key(former)) {
        if former == own || FIXED.contains(&former.as_str()) || aliases.contains(&former) {
            continue;
        }
        if urls.contains(&former) {
            notes.push(format!("the former URL {former} is another page's URL now, and does not redirect"));
        } else if claimed.contains(&former) {
            notes.push(format!("the former URL {former} redirects to another page that had it, too"));
        } else if Alias::parse(&former).is_err() || aliases.len() == limits::ALIASES_PER_PAGE {
            notes.push(format!("the former URL {former} cannot redirect"));
        } else {
            claimed.insert(former.clone());
            aliases.push(former);
        }
    }
    let origin = page.origin.clone();
    for message in notes {
        site.note(&origin, 0, message);
    }
    aliases
}

/// Nothing is cut: the owner decides what to shorten before a push.
fn check_limits(site: &mut Site, at: usize) {
    let page = &site.pages[at];
    let over = |name: &str, length: usize, limit: usize| {
        (length > limit)
            .then(|| format!("{name} has {length} characters, and a push accepts {limit}: shorten it"))
    };
    let chars = |text: &Option<String>| text.as_deref().map_or(0, |text| text.chars().count());
    let mut notes: Vec<String> = [
        over("the title", chars(&page.title), limits::TITLE_CHARS),
        over("the description", chars(&page.description), limits::DESCRIPTION_CHARS),
        over("the path of its folders", section_chars(&page.path), limits::SECTION_CHARS),
        over("the text", page.body.chars().count(), limits::CONTENT_CHARS),
    ]
    .into_iter()
    .flatten()
    .collect();
    notes.extend(page.tags.iter().filter_map(|tag| over("a tag", tag.chars().count(), limits::TAG_CHARS)));
    if page.tags.len() > limits::TAGS_PER_PAGE {
        notes.push(format!("has {} tags, and a push accepts {}", page.tags.len(), limits::TAGS_PER_PAGE));
    }
    let path = page.path.clone();
    for message in notes {
        site.note(&path, 0, message);
    }
}

/// Without the type: push makes the section of the other folders.
fn section_chars(path: &str) -> usize {
    let folders = parent(path);
    let below = folders.strip_prefix("docs/").or_else(|| folders.strip_prefix("blog/")).unwrap_or(folders);
    below.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(pages: &[(&str, &[&str])]) -> Site {
        let page = |(path, former): &(&str, &[&str])| Page {
            origin: (*path).into(),
            path: (*path).into(),
            former: former.iter().map(|url| (*url).into()).collect(),
            ..Page::default()
        };
        let mut site = Site { pages: pages.iter().map(page).collect(), ..Site::default() };
        settle(&mut site);
        finish(&mut site).unwrap();
        site
    }

    #[test]
    fn former_urls_become_aliases_unless_a_page_is_there() {
        let site = finished(&[
            ("blog/a.md", &["/2026/a.html", "/blog/a/", "/2026/a.html", "/about", "/"]),
            ("about.md", &["/about/", "/2026/a.html"]),
        ]);
        assert_eq!(site.pages[0].aliases, ["/2026/a.html"]);
        assert_eq!(site.pages[1].aliases, Vec::<String>::new());
        let notes: Vec<String> = site.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [
                "blog/a.md: the former URL /about is another page's URL now, and does not redirect",
                "about.md: the former URL /2026/a.html redirects to another page that had it, too",
            ]
        );
    }

    #[test]
    fn two_files_for_one_url_get_different_ones() {
        let site = finished(&[("docs/a.md", &[]), ("docs/a/index.md", &["/a/"]), ("docs/A.md", &[])]);
        let paths: Vec<&str> = site.pages.iter().map(|page| page.path.as_str()).collect();
        assert_eq!(paths, ["docs/a.md", "docs/a-2.md", "docs/A-3.md"]);
        let slugs: Vec<Option<&str>> = site.pages.iter().map(|page| page.slug.as_deref()).collect();
        assert_eq!(slugs, [None, None, Some("a-3")]);
        assert_eq!(site.notes.len(), 2);
    }

    #[test]
    fn what_is_too_long_is_reported_and_kept() {
        let mut site = Site::default();
        site.pages.push(Page { path: "a.md".into(), title: Some("a".repeat(201)), ..Page::default() });
        settle(&mut site);
        finish(&mut site).unwrap();
        assert_eq!(site.pages[0].title.as_deref().map(str::len), Some(201));
        assert!(site.notes[0].message.starts_with("the title has 201 characters"));
    }
}
