//! Routes: which file is at a path.
//!
//! Pages take precedence, then lists, then generated redirects, then former paths of pages, then their aliases. All
//! generated paths begin with a segment that is reserved from standalone pages, or contain a `.`, which slugs cannot.

use model::{ContentType, PageId, Section};

use crate::index::Index;
use crate::index::archive::Archive;
use crate::index::timeline::Timeline;
use crate::make::shard_path;
use crate::url::{Fragment, SearchFile, list_url, llms_url, url};
use crate::{Brand, Page};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Page(PageId),
    /// The Markdown of a page.
    Markdown(PageId),
    /// The home page of a site without a homepage.
    Home,
    Blog,
    BlogSection(Section),
    Tags,
    Tag(String),
    Archive(TimelineKey, Archive),
    Docs,
    SectionList(ContentType, Section),
    Fragment(Fragment),
    Search(SearchFile),
    Redirect(String),
    Atom,
    Rss,
    JsonFeed,
    Sitemap,
    SitemapLists,
    SitemapShard(usize),
    Llms,
    /// The list of a section for language models; see [`llms_url`].
    LlmsOf(ContentType, Section),
    LlmsShard(usize),
    Robots,
    NotFound,
    SearchPage,
    Style,
    Script,
    Icon,
    Brand,
}

/// Names a timeline: a list by time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TimelineKey {
    Blog,
    Section(Section),
    Tag(String),
}

impl TimelineKey {
    pub fn timeline<'i>(&self, index: &'i Index) -> Option<&'i Timeline> {
        match self {
            TimelineKey::Blog => Some(&index.blog),
            TimelineKey::Section(section) => index.blog_sections.get(section),
            TimelineKey::Tag(slug) => index.tags.get(slug).map(|tag| &tag.timeline),
        }
    }

    pub fn url(&self) -> String {
        match self {
            TimelineKey::Blog => "/blog".to_owned(),
            TimelineKey::Section(section) => list_url(ContentType::Blog, section),
            TimelineKey::Tag(slug) => format!("/tags/{slug}"),
        }
    }
}

/// Files that every site has, at fixed paths.
const FIXED: [&str; 15] = [
    "/404.html",
    "/blog",
    "/docs",
    "/feed.json",
    "/feed.xml",
    "/llms.txt",
    "/robots.txt",
    "/rss.xml",
    "/search",
    "/sitemap.xml",
    "/tags",
    "/.foot",
    "/.nav",
    "/.search/leaves",
    Brand::PATH,
];

fn fixed(path: &str) -> Option<Route> {
    Some(match path {
        "/404.html" => Route::NotFound,
        "/blog" => Route::Blog,
        "/docs" => Route::Docs,
        "/feed.json" => Route::JsonFeed,
        "/feed.xml" => Route::Atom,
        "/llms.txt" => Route::Llms,
        "/robots.txt" => Route::Robots,
        "/rss.xml" => Route::Rss,
        "/search" => Route::SearchPage,
        "/sitemap.xml" => Route::Sitemap,
        "/tags" => Route::Tags,
        Brand::PATH => Route::Brand,
        _ => return None,
    })
}

/// The paths that depend on the settings.
pub(crate) struct SettingsPaths<'s> {
    pub style: &'s str,
    pub script: &'s str,
    /// `None` if the owner set an icon.
    pub icon: Option<&'s str>,
}

impl Index {
    pub fn route(&self, path: &str, settings_paths: &SettingsPaths<'_>) -> Option<Route> {
        if let Some(route) = fixed(path) {
            return Some(route);
        }
        if path == settings_paths.style {
            return Some(Route::Style);
        }
        if path == settings_paths.script {
            return Some(Route::Script);
        }
        if Some(path) == settings_paths.icon {
            return Some(Route::Icon);
        }
        match path {
            "/" => return Some(self.homepage().map_or(Route::Home, |page| Route::Page(page.id))),
            "/.md" => return self.homepage().map(|page| Route::Markdown(page.id)),
            "/sitemap.lists.xml" => return (self.shards.count() > 0).then_some(Route::SitemapLists),
            _ => {}
        }
        if let Some(file) = SearchFile::parse(path) {
            return self.has_search_file(file).then_some(Route::Search(file));
        }
        if path.starts_with("/.") {
            return Fragment::parse(path).filter(|fragment| self.has(fragment)).map(Route::Fragment);
        }
        self.at(path).or_else(|| self.redirects_from(path).map(|page| Route::Redirect(self.path_of(page))))
    }

    fn at(&self, path: &str) -> Option<Route> {
        if let Some(page) = path.strip_suffix(".md") {
            return self.markdown(page);
        }
        if let Some(shard) = path.strip_prefix("/sitemap.").and_then(|rest| rest.strip_suffix(".xml")) {
            return self.shard(shard).map(Route::SitemapShard);
        }
        if let Some(shard) = path.strip_prefix("/llms.").and_then(|rest| rest.strip_suffix(".txt")) {
            return self.shard(shard).map(Route::LlmsShard);
        }
        if let Some(list) = path.strip_suffix("/llms.txt") {
            return self.llms_of(list);
        }
        let mut segments = path.strip_prefix('/')?.split('/');
        let (first, second, third) = (segments.next()?, segments.next(), segments.next());
        if segments.next().is_some() {
            return None;
        }
        match (first, second, third) {
            ("tags", Some(tag), archive) => self.tag(tag, archive),
            ("blog", Some(name), archive) => self.post(name, archive),
            ("docs", Some(name), slug) => self.page_or_section_list(ContentType::Docs, name, slug),
            ("homepage", Some(name), slug) => {
                let (section, slug) = pair(name, slug)?;
                self.by_key(ContentType::Homepage, &section, slug).map(|_| Route::Redirect("/".to_owned()))
            }
            ("standalone", Some(name), slug) => {
                let target = self.page_or_section_list(ContentType::Standalone, name, slug)?;
                Some(Route::Redirect(self.standalone_url(&target)))
            }
            (name, slug, None) => self.page_or_section_list(ContentType::Standalone, name, slug),
            _ => None,
        }
    }

    fn markdown(&self, path: &str) -> Option<Route> {
        match self.at(path) {
            Some(Route::Page(id)) => Some(Route::Markdown(id)),
            // A standalone page `index` takes precedence.
            _ if path == "/index" => self.homepage().map(|page| Route::Markdown(page.id)),
            _ => None,
        }
    }

    fn shard(&self, number: &str) -> Option<usize> {
        let shard = number.parse().ok().filter(|shard: &usize| shard.to_string() == number)?;
        (shard < self.shards.count()).then_some(shard)
    }

    fn llms_of(&self, list: &str) -> Option<Route> {
        let (of, section) = match list.strip_prefix('/')? {
            "blog" => {
                return (!self.blog.is_empty()).then(|| Route::LlmsOf(ContentType::Blog, Section::none()));
            }
            "docs" => {
                return (self.docs_len() > 0).then(|| Route::LlmsOf(ContentType::Docs, Section::none()));
            }
            name => match name.strip_prefix("docs/") {
                Some(section) => (ContentType::Docs, section),
                None => (ContentType::Standalone, name),
            },
        };
        let section = Section::parse(section).ok()?;
        self.has_section(of, &section).then_some(Route::LlmsOf(of, section))
    }

    fn standalone_url(&self, target: &Route) -> String {
        match target {
            Route::Page(id) => self.page(*id).map(|page| url(&page.key)).unwrap_or_default(),
            Route::SectionList(of, section) => list_url(*of, section),
            _ => String::new(),
        }
    }

    fn tag(&self, slug: &str, archive: Option<&str>) -> Option<Route> {
        let tag = self.tags.get(slug)?;
        match archive {
            None => Some(Route::Tag(slug.to_owned())),
            Some(archive) => {
                let archive = Archive::parse(archive).filter(|&archive| tag.timeline.has(archive))?;
                Some(Route::Archive(TimelineKey::Tag(slug.to_owned()), archive))
            }
        }
    }

    /// `/blog/<slug>`, `/blog/<section>`, `/blog/<month>`, `/blog/<section>/<slug>`, `/blog/<section>/<month>`
    fn post(&self, name: &str, second: Option<&str>) -> Option<Route> {
        let last = second.unwrap_or(name);
        if let Some(archive) = Archive::parse(last) {
            let key = match second {
                None => TimelineKey::Blog,
                Some(_) => TimelineKey::Section(Section::parse(name).ok()?),
            };
            return key.timeline(self)?.has(archive).then_some(Route::Archive(key, archive));
        }
        let (section, slug) = pair(name, second)?;
        if let Some(page) = self.by_key(ContentType::Blog, &section, slug) {
            return Some(Route::Page(page.id));
        }
        let section = Section::parse(name).ok().filter(|_| second.is_none())?;
        self.blog_sections.contains_key(&section).then_some(Route::BlogSection(section))
    }

    /// The page `[<section>/]<slug>`, or the list of a section.
    fn page_or_section_list(&self, of: ContentType, name: &str, second: Option<&str>) -> Option<Route> {
        let (section, slug) = pair(name, second)?;
        if let Some(page) = self.by_key(of, &section, slug) {
            return Some(Route::Page(page.id));
        }
        let section = Section::parse(name).ok().filter(|_| second.is_none())?;
        self.has_section(of, &section).then_some(Route::SectionList(of, section))
    }

    fn has(&self, fragment: &Fragment) -> bool {
        match fragment {
            Fragment::Nav | Fragment::Foot => true,
            Fragment::Sidebar => self.docs_len() > 0,
            Fragment::SidebarSection(section) => self.has_section(ContentType::Docs, section),
            Fragment::SidebarPart(section, first) => self.sidebar_part(section, first).is_some(),
            Fragment::Crumbs(of, section) => self.has_section(*of, section),
            Fragment::TagCrumbs(slug) => self.tags.get(slug).is_some_and(|tag| !tag.timeline.is_whole()),
            Fragment::List(of, section) => {
                self.has_section(*of, section) && self.section_page(*of, section).is_some_and(shows_list)
            }
            Fragment::HomeList => self.homepage().is_some_and(|page| page.params.list == Some(true)),
        }
    }

    fn has_search_file(&self, file: SearchFile) -> bool {
        match file {
            SearchFile::Leaves => true,
            SearchFile::Terms(leaf) | SearchFile::Texts(leaf) => self.search.has(leaf),
        }
    }

    /// Every path that has a file, sorted.
    pub fn paths(&self, settings_paths: &SettingsPaths<'_>) -> Vec<String> {
        let mut paths: Vec<String> = FIXED.into_iter().map(str::to_owned).collect();
        paths.extend([settings_paths.style, settings_paths.script, "/"].map(str::to_owned));
        paths.extend(settings_paths.icon.map(str::to_owned));
        paths.extend((0..self.shards.count()).map(|shard| format!("/sitemap.{shard}.xml")));
        paths.extend((0..self.shards.count()).map(shard_path));
        paths.extend(self.search.leaves().flat_map(SearchFile::of_leaf).map(|file| file.to_string()));
        self.pages().for_each(|page| page_paths(page, &mut paths));
        self.timeline_paths(&mut paths);
        paths.extend(self.sidebar_parts().map(|part| part.to_string()));
        let former = self.former_paths().cloned();
        let possible = self
            .possible_paths()
            .into_iter()
            .chain(former)
            .filter(|path| self.route(path, settings_paths).is_some());
        paths.extend(possible);
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Paths that may have a file; [`Index::route`] decides.
    fn possible_paths(&self) -> Vec<String> {
        let fixed = ["/.md", "/index.md", "/sitemap.lists.xml", "/blog/llms.txt", "/docs/llms.txt"];
        let mut paths = fixed.map(str::to_owned).to_vec();
        paths.extend([Fragment::Sidebar, Fragment::HomeList].map(|fragment| fragment.to_string()));
        paths.extend(self.tags.all().map(|(slug, _)| Fragment::TagCrumbs(slug.to_owned()).to_string()));
        let types = [ContentType::Docs, ContentType::Standalone].into_iter();
        let ordered = types.flat_map(|of| self.sections_of(of).map(move |(section, _)| (of, section)));
        let blog = self.blog_sections.keys().map(|section| (ContentType::Blog, section));
        for (of, section) in ordered.chain(blog) {
            paths.push(list_url(of, section));
            paths.push(llms_url(of, section));
            paths.push(format!("/standalone/{}", section.as_str()));
            let fragments = [
                Fragment::List(of, section.clone()),
                Fragment::Crumbs(of, section.clone()),
                Fragment::SidebarSection(section.clone()),
            ];
            paths.extend(fragments.map(|fragment| fragment.to_string()));
        }
        paths
    }

    /// The timelines and their archives.
    fn timeline_paths(&self, paths: &mut Vec<String>) {
        let tags = self.tags.all().map(|(slug, _)| TimelineKey::Tag(slug.to_owned()));
        let sections = self.blog_sections.keys().cloned().map(TimelineKey::Section);
        for key in tags.chain(sections).chain([TimelineKey::Blog]) {
            let (base, archives) =
                (key.url(), key.timeline(self).map(Timeline::archives).unwrap_or_default());
            paths.extend(archives.into_iter().map(|archive| format!("{base}/{archive}")));
            paths.push(base);
        }
    }
}

/// The page, its Markdown, and the redirect to it, if any.
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

/// Whether a section page shows the list of its section: unless its params say no.
pub(crate) fn shows_list(page: &Page) -> bool {
    page.params.list != Some(false)
}

/// One segment is a slug without a section; two are a section and a slug.
fn pair<'p>(first: &'p str, second: Option<&'p str>) -> Option<(Section, &'p str)> {
    match second {
        None => Some((Section::none(), first)),
        Some(slug) => Some((Section::parse(first).ok().filter(|section| !section.is_none())?, slug)),
    }
}
