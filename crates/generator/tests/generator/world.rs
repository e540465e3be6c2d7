//! A site with its texts, built in the same way as by the publisher.

use std::collections::{BTreeMap, HashMap};

use model::{ApiEndpoint, ContentType, PageId, PageKey, Section, Slug, Timestamp};
use recto_generator::{Changes, File, Need, Page, PageParams, SearchFile, Settings, Site, Source};
use search::{Indexer, Leaf, LeafName, Query};
use uuid::Uuid;

pub const ORIGIN: &str = "https://example.com";

pub fn id(n: u128) -> PageId {
    PageId(Uuid::from_u128(n))
}

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse_iso(text).unwrap()
}

/// A page at `[<section>/]<slug>` of a type, titled as its slug.
pub fn page(n: u128, content_type: ContentType, path: &str) -> Page {
    let (section, slug) = path.split_once('/').unwrap_or(("", path));
    Page {
        id: id(n),
        key: PageKey {
            content_type,
            section: Section::parse(section).unwrap(),
            slug: Slug::parse(slug).unwrap(),
        },
        section_spelling: None,
        title: slug.to_owned(),
        description: None,
        tags: vec![],
        published_at: at("2026-05-14T08:30:00Z"),
        updated_at: at("2026-05-15"),
        api_endpoint: None,
        params: PageParams::default(),
        content: None,
        summary: String::new(),
        feed_bytes: 0,
    }
}

pub fn blog(n: u128, path: &str) -> Page {
    page(n, ContentType::Blog, path)
}

pub fn docs(n: u128, path: &str) -> Page {
    page(n, ContentType::Docs, path)
}

pub fn standalone(n: u128, path: &str) -> Page {
    page(n, ContentType::Standalone, path)
}

pub fn homepage(n: u128, path: &str) -> Page {
    page(n, ContentType::Homepage, path)
}

pub trait With: Sized {
    fn with(self, change: impl FnOnce(&mut Page)) -> Page;
    fn titled(self, title: &str) -> Page {
        self.with(|page| page.title = title.to_owned())
    }
    fn tagged(self, tags: &[&str]) -> Page {
        self.with(|page| page.tags = tags.iter().map(|&tag| tag.to_owned()).collect())
    }
    fn dated(self, date: &str) -> Page {
        self.with(|page| page.published_at = at(date))
    }
    fn in_section(self, spelling: &str) -> Page {
        self.with(|page| page.section_spelling = Some(spelling.to_owned()))
    }
    fn weighing(self, weight: i64) -> Page {
        self.with(|page| page.params.weight = weight)
    }
    fn params(self, json: &str) -> Page {
        self.with(|page| page.params = PageParams::read(Some(json)))
    }
    fn endpoint(self, text: &str) -> Page {
        self.with(|page| page.api_endpoint = ApiEndpoint::parse(text).unwrap())
    }
}

impl With for Page {
    fn with(mut self, change: impl FnOnce(&mut Page)) -> Page {
        change(&mut self);
        self
    }
}

pub type Files = BTreeMap<String, File>;

/// A site, its texts, and the files after the last build.
pub struct World {
    pub site: Site,
    pub texts: HashMap<PageId, String>,
    pub files: Files,
}

impl World {
    pub fn new() -> World {
        World::with_settings(Settings::default())
    }

    pub fn with_settings(settings: Settings) -> World {
        let mut world =
            World { site: Site::new(ORIGIN, settings, "acme"), texts: HashMap::new(), files: Files::new() };
        let fixed = world.site.all_paths();
        world.build(fixed);
        world
    }

    pub fn of(pages: impl IntoIterator<Item = Page>) -> World {
        let mut world = World::new();
        world.publish(pages);
        world
    }

    pub fn publish(&mut self, pages: impl IntoIterator<Item = Page>) -> Vec<String> {
        let pages = pages.into_iter().map(|page| (page.id, Some(page))).collect();
        self.apply(Changes { pages, former: vec![] })
    }

    pub fn delete(&mut self, n: u128) -> Vec<String> {
        self.apply(Changes { pages: vec![(id(n), None)], former: vec![] })
    }

    pub fn apply(&mut self, changes: Changes) -> Vec<String> {
        let dirty = self.site.apply(changes);
        self.build(dirty.clone());
        dirty
    }

    /// Pages first, then lists and the search index.
    pub fn build(&mut self, dirty: Vec<String>) {
        let old = self.leaves_at(&dirty);
        let (mut found, mut indexer) = (HashMap::new(), Indexer::default());
        let (pages, rest): (Vec<_>, Vec<_>) =
            dirty.into_iter().partition(|path| matches!(self.site.need(path), Need::Page(_)));
        for path in pages {
            let Need::Page(id) = self.site.need(&path) else { unreachable!() };
            let content = self.texts.get(&id).map(String::as_str).unwrap_or_default();
            let made = self.site.make(&path, Some(&Source::new(content))).unwrap().unwrap();
            if let Some(summary) = made.summary {
                self.site.summarise(id, summary);
            }
            if let Some(text) = made.search {
                found.insert(id, text.index(id, &mut indexer));
            }
            self.files.insert(path, made.file);
        }
        for path in rest {
            if let Need::Leaf(leaf) = self.site.need(&path) {
                self.merge(leaf, &old, &found);
                continue;
            }
            match self.site.make(&path, None).unwrap() {
                Some(made) => self.files.insert(path, made.file),
                None => self.files.remove(&path),
            };
        }
    }

    /// The leaves of the last build among these paths.
    fn leaves_at(&self, paths: &[String]) -> Vec<(LeafName, search::Files)> {
        let leaf = |path: &String| match SearchFile::parse(path) {
            Some(SearchFile::Terms(leaf)) if self.files.contains_key(path) => Some((leaf, self.leaf(leaf))),
            _ => None,
        };
        paths.iter().filter_map(leaf).collect()
    }

    /// The files of a leaf.
    pub fn leaf(&self, leaf: LeafName) -> search::Files {
        let [terms, texts] = SearchFile::of_leaf(leaf).map(|file| match &self.files[&file.to_string()] {
            File::Bytes(bytes) => bytes.clone(),
            File::Redirect(to) => panic!("a redirect to {to}"),
        });
        search::Files { terms, texts }
    }

    fn merge(
        &mut self,
        leaf: LeafName,
        old: &[(LeafName, search::Files)],
        found: &HashMap<PageId, search::Files>,
    ) {
        let ids = self.site.leaf_pages(leaf);
        let old = old.iter().filter(|(other, _)| leaf.overlaps(*other)).map(|(_, files)| files);
        let parts: Vec<_> = old.chain(ids.iter().filter_map(|id| found.get(id))).collect();
        let files = search::merge(&parts, &ids).unwrap();
        let [terms, texts] = SearchFile::of_leaf(leaf).map(|file| file.to_string());
        self.files.insert(terms, File::Bytes(files.terms));
        self.files.insert(texts, File::Bytes(files.texts));
    }

    /// The URLs of the pages that a search finds, best first.
    pub fn search(&self, query: &str) -> Vec<String> {
        let names = self.raw("/.search/leaves");
        let files: Vec<_> = names.lines().map(|name| self.leaf(LeafName::parse(name).unwrap())).collect();
        let leaves: Vec<_> = files.iter().map(|files| Leaf::open(&files.terms).unwrap()).collect();
        let found = search::search(&leaves, &Query::parse(query).unwrap(), 1000).unwrap();
        found.hits.into_iter().map(|hit| hit.url).collect()
    }

    /// The file as stored.
    pub fn raw(&self, path: &str) -> String {
        match self.files.get(path) {
            Some(File::Bytes(bytes)) => String::from_utf8(bytes.clone()).unwrap(),
            other => panic!("{path} is {other:?}"),
        }
    }

    /// The file as served.
    pub fn get(&self, path: &str) -> String {
        let joined = recto_generator::join(self.raw(path).as_bytes(), |path| match self.files.get(path) {
            Some(File::Bytes(bytes)) => Some(bytes.clone()),
            _ => None,
        });
        String::from_utf8(joined).unwrap()
    }

    /// `page`, `-> /target` or `nothing`: the response to a visitor.
    pub fn finds(&self, path: &str) -> String {
        match self.files.get(path) {
            Some(File::Bytes(_)) => "page".to_owned(),
            Some(File::Redirect(to)) => format!("-> {to}"),
            None => "nothing".to_owned(),
        }
    }

    /// The links of a list, in order: those in `<main>`, without navigation.
    pub fn links(&self, path: &str) -> Vec<String> {
        let html = self.get(path);
        let main = html.split_once("<main").unwrap().1.split_once("</main>").unwrap().0;
        let hrefs = main.split(" href=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0.to_owned());
        hrefs.collect()
    }
}

/// Whether a file is part of the search index, and not a text.
pub fn is_search_file(path: &str) -> bool {
    SearchFile::parse(path).is_some()
}

/// The text between two delimiters, for each occurrence.
pub fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).filter_map(|rest| rest.split_once(end).map(|(inner, _)| inner)).collect()
}
