//! What stands at a path.
//!
//! Pages first, then lists, then redirects of our own, then the addresses that pages formerly had. All generated
//! paths begin with a segment that no standalone page may take, or contain a `.`, which no slug can.

use model::{ContentType, PageId, Section};

use crate::Page;
use crate::index::Index;
use crate::index::cut::Cut;
use crate::index::timeline::Timeline;
use crate::url::{Fragment, list_url, url};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Page(PageId),
    /// The Markdown of a page.
    Markdown(PageId),
    /// The front page of a site without a homepage.
    Home,
    Blog,
    BlogSection(Section),
    Tags,
    Tag(String),
    Cut(Line, Cut),
    Docs,
    Shelf(ContentType, Section),
    Fragment(Fragment),
    Redirect(String),
    Atom,
    Rss,
    JsonFeed,
    Sitemap,
    SitemapLists,
    SitemapShard(usize),
    Llms,
    Robots,
    NotFound,
    Style,
    Icon,
}

/// A list by time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Blog,
    Section(Section),
    Tag(String),
}

impl Line {
    pub fn of<'i>(&self, index: &'i Index) -> Option<&'i Timeline> {
        match self {
            Line::Blog => Some(&index.blog),
            Line::Section(section) => index.blog_sections.get(section),
            Line::Tag(slug) => index.tags.get(slug).map(|tag| &tag.timeline),
        }
    }

    pub fn url(&self) -> String {
        match self {
            Line::Blog => "/blog".to_owned(),
            Line::Section(section) => list_url(ContentType::Blog, section),
            Line::Tag(slug) => format!("/tags/{slug}"),
        }
    }
}

/// The files that every site has, at paths that never change.
const FIXED: [&str; 12] = [
    "/404.html",
    "/blog",
    "/docs",
    "/feed.json",
    "/feed.xml",
    "/llms.txt",
    "/robots.txt",
    "/rss.xml",
    "/sitemap.xml",
    "/tags",
    "/.foot",
    "/.nav",
];

fn fixed(path: &str) -> Option<Place> {
    Some(match path {
        "/404.html" => Place::NotFound,
        "/blog" => Place::Blog,
        "/docs" => Place::Docs,
        "/feed.json" => Place::JsonFeed,
        "/feed.xml" => Place::Atom,
        "/llms.txt" => Place::Llms,
        "/robots.txt" => Place::Robots,
        "/rss.xml" => Place::Rss,
        "/sitemap.xml" => Place::Sitemap,
        "/tags" => Place::Tags,
        _ => return None,
    })
}

/// The paths that depend on the settings.
pub(crate) struct Own<'s> {
    pub style: &'s str,
    /// `None` when the owner has an icon.
    pub icon: Option<&'s str>,
}

impl Index {
    pub fn place(&self, path: &str, own: &Own<'_>) -> Option<Place> {
        if let Some(place) = fixed(path) {
            return Some(place);
        }
        if path == own.style {
            return Some(Place::Style);
        }
        if Some(path) == own.icon {
            return Some(Place::Icon);
        }
        match path {
            "/" => return Some(self.homepage().map_or(Place::Home, |page| Place::Page(page.id))),
            "/.md" => return self.homepage().map(|page| Place::Markdown(page.id)),
            "/sitemap.lists.xml" => return (self.shards.count() > 0).then_some(Place::SitemapLists),
            _ => {}
        }
        if path.starts_with("/.") {
            return Fragment::parse(path).filter(|fragment| self.has(fragment)).map(Place::Fragment);
        }
        self.at(path).or_else(|| self.former(path).map(|page| Place::Redirect(self.path_of(page))))
    }

    fn at(&self, path: &str) -> Option<Place> {
        if let Some(page) = path.strip_suffix(".md") {
            return self.markdown(page);
        }
        if let Some(shard) = path.strip_prefix("/sitemap.").and_then(|rest| rest.strip_suffix(".xml")) {
            let number = shard.parse().ok().filter(|&number: &usize| number.to_string() == shard)?;
            return (number < self.shards.count()).then_some(Place::SitemapShard(number));
        }
        let mut segments = path.strip_prefix('/')?.split('/');
        let (first, second, third) = (segments.next()?, segments.next(), segments.next());
        if segments.next().is_some() {
            return None;
        }
        match (first, second, third) {
            ("tags", Some(tag), cut) => self.tag(tag, cut),
            ("blog", Some(name), cut) => self.post(name, cut),
            ("docs", Some(name), slug) => self.on_shelf(ContentType::Docs, name, slug),
            ("homepage", Some(name), slug) => {
                let (section, slug) = pair(name, slug)?;
                self.by_key(ContentType::Homepage, &section, slug).map(|_| Place::Redirect("/".to_owned()))
            }
            ("standalone", Some(name), slug) => {
                let target = self.on_shelf(ContentType::Standalone, name, slug)?;
                Some(Place::Redirect(self.standalone_url(&target)))
            }
            (name, slug, None) => self.on_shelf(ContentType::Standalone, name, slug),
            _ => None,
        }
    }

    fn markdown(&self, path: &str) -> Option<Place> {
        match self.at(path) {
            Some(Place::Page(id)) => Some(Place::Markdown(id)),
            // A standalone page `index` goes before.
            _ if path == "/index" => self.homepage().map(|page| Place::Markdown(page.id)),
            _ => None,
        }
    }

    fn standalone_url(&self, target: &Place) -> String {
        match target {
            Place::Page(id) => self.page(*id).map(|page| url(&page.key)).unwrap_or_default(),
            Place::Shelf(of, section) => list_url(*of, section),
            _ => String::new(),
        }
    }

    fn tag(&self, slug: &str, cut: Option<&str>) -> Option<Place> {
        let tag = self.tags.get(slug)?;
        match cut {
            None => Some(Place::Tag(slug.to_owned())),
            Some(cut) => {
                let cut = Cut::parse(cut).filter(|&cut| tag.timeline.has(cut))?;
                Some(Place::Cut(Line::Tag(slug.to_owned()), cut))
            }
        }
    }

    /// `/blog/<slug>`, `/blog/<section>`, `/blog/<month>`, `/blog/<section>/<slug>`, `/blog/<section>/<month>`
    fn post(&self, name: &str, second: Option<&str>) -> Option<Place> {
        let last = second.unwrap_or(name);
        if let Some(cut) = Cut::parse(last) {
            let line = match second {
                None => Line::Blog,
                Some(_) => Line::Section(Section::parse(name).ok()?),
            };
            return line.of(self)?.has(cut).then_some(Place::Cut(line, cut));
        }
        let (section, slug) = pair(name, second)?;
        if let Some(page) = self.by_key(ContentType::Blog, &section, slug) {
            return Some(Place::Page(page.id));
        }
        let section = Section::parse(name).ok().filter(|_| second.is_none())?;
        self.blog_sections.contains_key(&section).then_some(Place::BlogSection(section))
    }

    /// The page `[<section>/]<slug>`, or the list of a section.
    fn on_shelf(&self, of: ContentType, name: &str, second: Option<&str>) -> Option<Place> {
        let (section, slug) = pair(name, second)?;
        if let Some(page) = self.by_key(of, &section, slug) {
            return Some(Place::Page(page.id));
        }
        let section = Section::parse(name).ok().filter(|_| second.is_none())?;
        self.has_section(of, &section).then_some(Place::Shelf(of, section))
    }

    fn has(&self, fragment: &Fragment) -> bool {
        match fragment {
            Fragment::Nav | Fragment::Foot => true,
            Fragment::Side => self.docs_len() > 0,
            Fragment::SideSection(section) => self.has_section(ContentType::Docs, section),
            Fragment::SidePart(section, first) => self.side_part(section, first).is_some(),
            Fragment::Crumbs(of, section) => self.has_section(*of, section),
            Fragment::TagCrumbs(slug) => self.tags.get(slug).is_some_and(|tag| !tag.timeline.is_whole()),
            Fragment::List(of, section) => {
                self.has_section(*of, section) && self.front(*of, section).is_some_and(shows_list)
            }
            Fragment::HomeList => self.homepage().is_some_and(|page| page.params.list == Some(true)),
        }
    }

    /// Every path at which there is a file, sorted.
    pub fn paths(&self, own: &Own<'_>) -> Vec<String> {
        let mut paths: Vec<String> = FIXED.into_iter().map(str::to_owned).collect();
        paths.extend([own.style.to_owned(), "/".to_owned()]);
        paths.extend(own.icon.map(str::to_owned));
        paths.extend((0..self.shards.count()).map(|shard| format!("/sitemap.{shard}.xml")));
        paths.extend(self.former_paths().cloned());
        self.pages().for_each(|page| page_paths(page, &mut paths));
        self.cut_paths(&mut paths);
        paths.extend(self.side_parts().map(|part| part.to_string()));
        let perhaps = self.paths_perhaps().into_iter().filter(|path| self.place(path, own).is_some());
        paths.extend(perhaps);
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Paths that have a file under conditions that only [`Index::place`] knows.
    fn paths_perhaps(&self) -> Vec<String> {
        let mut paths = ["/.md", "/index.md", "/sitemap.lists.xml"].map(str::to_owned).to_vec();
        paths.extend([Fragment::Side, Fragment::HomeList].map(|fragment| fragment.to_string()));
        paths.extend(self.tags.all().map(|(slug, _)| Fragment::TagCrumbs(slug.to_owned()).to_string()));
        let of_shelves = [ContentType::Docs, ContentType::Standalone].into_iter();
        let shelves =
            of_shelves.flat_map(|of| self.shelf_sections(of).map(move |(section, _)| (of, section)));
        let blog = self.blog_sections.keys().map(|section| (ContentType::Blog, section));
        for (of, section) in shelves.chain(blog) {
            paths.push(list_url(of, section));
            paths.push(format!("/standalone/{}", section.as_str()));
            let fragments = [
                Fragment::List(of, section.clone()),
                Fragment::Crumbs(of, section.clone()),
                Fragment::SideSection(section.clone()),
            ];
            paths.extend(fragments.map(|fragment| fragment.to_string()));
        }
        paths
    }

    /// The lists by time, and what they are cut into.
    fn cut_paths(&self, paths: &mut Vec<String>) {
        let tags = self.tags.all().map(|(slug, _)| Line::Tag(slug.to_owned()));
        let sections = self.blog_sections.keys().cloned().map(Line::Section);
        for line in tags.chain(sections).chain([Line::Blog]) {
            let (base, cuts) = (line.url(), line.of(self).map(Timeline::cuts).unwrap_or_default());
            paths.extend(cuts.into_iter().map(|cut| format!("{base}/{cut}")));
            paths.push(base);
        }
    }
}

/// The page, its Markdown, and the redirect to a page that stands elsewhere.
fn page_paths(page: &Page, paths: &mut Vec<String>) {
    let path = url(&page.key);
    if page.key.content_type == ContentType::Standalone {
        paths.push(format!("/standalone{path}"));
    }
    if page.key.content_type != ContentType::Homepage {
        paths.push(format!("{path}.md"));
    }
    paths.push(path);
}

/// Whether a page in front of a section shows its list below: unless it says no.
pub(crate) fn shows_list(page: &Page) -> bool {
    page.params.list != Some(false)
}

/// One segment is a slug without section; two are a section and a slug.
fn pair<'p>(first: &'p str, second: Option<&'p str>) -> Option<(Section, &'p str)> {
    match second {
        None => Some((Section::none(), first)),
        Some(slug) => Some((Section::parse(first).ok().filter(|section| !section.is_none())?, slug)),
    }
}
