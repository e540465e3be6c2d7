//! The index: everything about the pages of a site that is needed for lists, navigation and paths.
//!
//! A page is added ([`Index::insert`]), removed ([`Index::remove`]) or changed in its text only
//! ([`Index::update_text`]); each of these records the dirty paths, whose files may differ now. Recording too many
//! costs time, too few is a bug: `tests/oracle.rs` compares each step with a clean build.

pub(crate) mod archive;
mod contents;
pub(crate) mod dirty;
pub(crate) mod mark;
pub(crate) mod ordered_pages;
pub(crate) mod shards;
pub(crate) mod sidebar;
mod spellings;
pub(crate) mod tag;
pub(crate) mod timeline;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{ContentType, PageId, PageKey, Section, Slug, Timestamp};
use search::Partition;

use crate::url::SearchFile;
use crate::{Page, Settings, url};
use contents::Sections;
use dirty::DirtyPaths;
use ordered_pages::OrderedPages;
use shards::Shards;
use spellings::Spellings;
use tag::Tags;
use timeline::Timeline;

#[derive(Default)]
pub(crate) struct Index {
    pages: HashMap<PageId, Page>,
    keys: HashMap<PageKey, PageId>,
    /// All posts.
    pub blog: Timeline,
    /// The posts of each section of the blog.
    pub blog_sections: BTreeMap<Section, Timeline>,
    /// The pages of each section of the docs; pages without a section are under the empty one.
    docs_by_section: BTreeMap<Section, OrderedPages>,
    /// The same for standalone pages.
    standalone_by_section: BTreeMap<Section, OrderedPages>,
    docs: usize,
    /// The sections of the docs, in order.
    sections: Sections,
    spellings: Spellings,
    /// Standalone pages with `nav: true`, linked in the masthead.
    pub nav: OrderedPages,
    /// Candidates; the first one is the homepage.
    homepages: BTreeSet<HomepageRank>,
    pub tags: Tags,
    pub shards: Shards,
    /// The pages that a search finds, in leaves.
    pub search: Partition,
    /// Whether the settings exclude all pages from searches.
    noindex: bool,
    former: HashMap<String, PageId>,
    former_of: HashMap<PageId, BTreeSet<String>>,
    /// The pages that claim a path by `aliases`; the first one gets it.
    aliases: HashMap<String, BTreeSet<PageId>>,
}

/// How homepages are ranked: slug `index` first, then those without a section, then the last published.
type HomepageRank = (bool, Section, Reverse<Timestamp>, Reverse<PageId>);

fn homepage_rank(page: &Page) -> HomepageRank {
    let is_index = page.key.slug.as_str() == "index";
    let section = if is_index { page.key.section.clone() } else { Section::none() };
    (!is_index, section, Reverse(page.published_at), Reverse(page.id))
}

impl Index {
    pub fn new(settings: &Settings) -> Index {
        let sections = Sections::in_order(&settings.sections);
        Index { noindex: settings.noindex, sections, ..Index::default() }
    }

    pub fn page(&self, id: PageId) -> Option<&Page> {
        self.pages.get(&id)
    }

    pub fn page_mut(&mut self, id: PageId) -> Option<&mut Page> {
        self.pages.get_mut(&id)
    }

    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.values()
    }

    /// The pages with these ids, in the same order.
    pub fn pages_with_ids(&self, ids: impl IntoIterator<Item = PageId>) -> impl Iterator<Item = &Page> {
        ids.into_iter().filter_map(|id| self.page(id))
    }

    pub fn by_key(&self, content_type: ContentType, section: &Section, slug: &str) -> Option<&Page> {
        let key = PageKey { content_type, section: section.clone(), slug: Slug::parse(slug).ok()? };
        self.page(*self.keys.get(&key)?)
    }

    /// The page that replaces the list of a section at its URL.
    pub fn section_page(&self, content_type: ContentType, section: &Section) -> Option<&Page> {
        self.by_key(content_type, &Section::none(), section.as_str())
    }

    pub fn has_section(&self, content_type: ContentType, section: &Section) -> bool {
        match content_type {
            ContentType::Blog => self.blog_sections.contains_key(section),
            ContentType::Homepage => false,
            _ => !section.is_none() && self.ordered_pages(content_type, section).is_some(),
        }
    }

    pub fn ordered_pages(&self, content_type: ContentType, section: &Section) -> Option<&OrderedPages> {
        self.by_section(content_type)?.get(section)
    }

    fn by_section(&self, content_type: ContentType) -> Option<&BTreeMap<Section, OrderedPages>> {
        match content_type {
            ContentType::Docs => Some(&self.docs_by_section),
            ContentType::Standalone => Some(&self.standalone_by_section),
            _ => None,
        }
    }

    /// The sections of the docs, in order.
    pub fn docs_sections(&self) -> impl Iterator<Item = (&Section, &OrderedPages)> {
        self.sections.iter().filter_map(|section| Some((section, self.docs_by_section.get(section)?)))
    }

    /// The sections of the docs or of the standalone pages, in no particular order.
    pub fn sections_of(&self, content_type: ContentType) -> impl Iterator<Item = (&Section, &OrderedPages)> {
        self.by_section(content_type).into_iter().flatten().filter(|(section, _)| !section.is_none())
    }

    /// The name of a section: the title of its section page, if there is one.
    pub fn section_title(&self, content_type: ContentType, section: &Section) -> String {
        match self.section_page(content_type, section) {
            Some(page) => page.short_title().to_owned(),
            None => self.spelt_section(content_type, section),
        }
    }

    pub fn docs_len(&self) -> usize {
        self.docs
    }

    pub fn homepage(&self) -> Option<&Page> {
        let (_, _, _, Reverse(id)) = self.homepages.first()?;
        self.page(*id)
    }

    /// Whether a search of the site finds this page.
    pub fn is_found(&self, page: &Page) -> bool {
        let is_shown = page.key.content_type != ContentType::Homepage
            || self.homepage().is_some_and(|homepage| homepage.id == page.id);
        is_shown && !page.params.noindex && !self.noindex
    }

    /// The path of a page; homepages that are not shown have the path of the one that is.
    pub fn path_of(&self, page: &Page) -> String {
        match page.key.content_type {
            ContentType::Homepage => "/".to_owned(),
            _ => url(&page.key),
        }
    }

    /// The page whose former path is `path`.
    fn former(&self, path: &str) -> Option<&Page> {
        self.page(*self.former.get(path)?)
    }

    /// The page that redirects from `path`: its former path, or one of its aliases.
    pub fn redirects_from(&self, path: &str) -> Option<&Page> {
        self.former(path).or_else(|| self.page(*self.aliases.get(path)?.first()?))
    }

    pub fn former_paths(&self) -> impl Iterator<Item = &String> {
        let former = self.former.iter().filter(|(_, id)| self.pages.contains_key(id)).map(|(path, _)| path);
        former.chain(self.aliases.keys())
    }

    /// The pages before and after this one; for posts the newer and the older one.
    pub fn neighbours(&self, page: &Page) -> (Option<&Page>, Option<&Page>) {
        match page.key.content_type {
            ContentType::Blog => {
                let (time, id) = (page.published_at, page.id);
                let (newer, older) = (self.blog.newer(time, id), self.blog.older(time, id));
                (newer.and_then(|id| self.page(id)), older.and_then(|id| self.page(id)))
            }
            ContentType::Docs => self.docs_neighbours(page),
            _ => (None, None),
        }
    }
}

/// Changes of the index; each records the paths it makes dirty.
impl Index {
    pub fn insert(&mut self, page: Page, dirty: &mut DirtyPaths) {
        let homepage = self.homepage().map(|page| page.id);
        self.mark_moved_section(&page, dirty);
        self.keys.insert(page.key.clone(), page.id);
        match page.key.content_type {
            ContentType::Blog => self.insert_post(&page, dirty),
            ContentType::Homepage => {
                self.homepages.insert(homepage_rank(&page));
            }
            ContentType::Docs => self.insert_docs(&page, dirty),
            ContentType::Standalone => self.insert_standalone(&page, dirty),
        }
        if page.key.content_type != ContentType::Homepage {
            page.tags.iter().for_each(|tag| self.tags.insert(tag, &page, dirty));
            if page.is_for_search() {
                self.shards.insert(page.id);
            }
        }
        for path in &page.params.aliases {
            self.aliases.entry(path.clone()).or_default().insert(page.id);
            dirty.add(path);
        }
        let (id, key, spelling) = (page.id, page.key.clone(), page.section_spelling.clone());
        self.pages.insert(id, page);
        if key.content_type == ContentType::Docs {
            self.rank_section(&key);
        }
        self.add_spelling(&key, spelling.as_deref(), dirty);
        self.update_search(id, homepage, dirty);
        self.mark_listing(id, dirty);
    }

    pub fn remove(&mut self, id: PageId, dirty: &mut DirtyPaths) {
        // While the page is still there: its neighbours, and everything that lists it.
        self.mark_listing(id, dirty);
        let homepage = self.homepage().map(|page| page.id);
        let spelt = self.page(id).map(|page| (page.key.clone(), page.section_spelling.clone()));
        if let Some((key, spelling)) = spelt {
            self.remove_spelling(&key, spelling.as_deref(), dirty);
        }
        let Some(page) = self.pages.remove(&id) else { return };
        if self.keys.get(&page.key) == Some(&id) {
            self.keys.remove(&page.key);
        }
        match page.key.content_type {
            ContentType::Blog => self.remove_post(&page, dirty),
            ContentType::Homepage => {
                self.homepages.remove(&homepage_rank(&page));
            }
            ContentType::Docs => self.remove_docs(&page, dirty),
            ContentType::Standalone => self.remove_standalone(&page, dirty),
        }
        if page.key.content_type != ContentType::Homepage {
            page.tags.iter().for_each(|tag| self.tags.remove(tag, &page, dirty));
            self.shards.remove(id);
        }
        if page.key.content_type == ContentType::Docs {
            self.rank_section(&page.key);
        }
        self.remove_aliases(&page, dirty);
        self.mark_moved_section(&page, dirty);
        self.mark_archives(&page, dirty);
        self.mark_sitemap(&page, dirty);
        self.mark_shards(dirty);
        self.update_search(id, homepage, dirty);
    }

    fn remove_aliases(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        for path in &page.params.aliases {
            dirty.add(path);
            let Some(pages) = self.aliases.get_mut(path) else { continue };
            pages.remove(&page.id);
            if pages.is_empty() {
                self.aliases.remove(path);
            }
        }
    }

    /// Replaces a page whose listing stays the same: see [`Page::same_listing`].
    pub fn update_text(&mut self, page: Page, dirty: &mut DirtyPaths) {
        let id = page.id;
        self.pages.insert(id, page);
        self.mark_text(id, dirty);
    }

    /// Reserves capacity for this many more pages.
    pub fn reserve(&mut self, pages: usize) {
        self.pages.reserve(pages);
        self.keys.reserve(pages);
    }

    pub fn add_former(&mut self, path: String, id: PageId, dirty: &mut DirtyPaths) {
        dirty.add(&path);
        if let Some(other) = self.former.insert(path.clone(), id)
            && let Some(paths) = self.former_of.get_mut(&other)
        {
            paths.remove(&path);
        }
        self.former_of.entry(id).or_default().insert(path);
    }

    /// A page was added or removed. `homepage` is the homepage before that: another one may be shown now.
    fn update_search(&mut self, id: PageId, homepage: Option<PageId>, dirty: &mut DirtyPaths) {
        let shown = self.homepage().map(|page| page.id);
        self.update_leaf(id, dirty);
        if shown != homepage {
            [homepage, shown].into_iter().flatten().for_each(|homepage| self.update_leaf(homepage, dirty));
        }
    }

    /// Adds the page to its leaf, or removes it.
    fn update_leaf(&mut self, id: PageId, dirty: &mut DirtyPaths) {
        let is_found = self.page(id).is_some_and(|page| self.is_found(page));
        let changed = match is_found {
            true if !dirty.is_recording() => return self.search.extend([id]),
            true => self.search.insert(id),
            false => self.search.remove(id),
        };
        if !changed.is_empty() {
            dirty.add(SearchFile::Leaves);
        }
        changed.into_iter().for_each(|leaf| dirty.add_all(SearchFile::of_leaf(leaf)));
    }

    fn insert_post(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        if self.blog.is_empty() {
            self.mark_type(dirty);
        }
        self.blog.insert(page.published_at, page.id);
        if page.key.section.is_none() {
            return;
        }
        if let Some(timeline) = self.blog_sections.get_mut(&page.key.section) {
            timeline.insert(page.published_at, page.id);
            return;
        }
        let mut timeline = Timeline::default();
        timeline.insert(page.published_at, page.id);
        self.blog_sections.insert(page.key.section.clone(), timeline);
        self.mark_section(ContentType::Blog, &page.key.section, dirty);
    }

    fn remove_post(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        self.blog.remove(page.published_at, page.id);
        if self.blog.is_empty() {
            self.mark_type(dirty);
        }
        let Some(timeline) = self.blog_sections.get_mut(&page.key.section) else { return };
        timeline.remove(page.published_at, page.id);
        if timeline.is_empty() {
            self.blog_sections.remove(&page.key.section);
            self.mark_section(ContentType::Blog, &page.key.section, dirty);
        }
    }

    fn insert_docs(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        if insert_into_section(&mut self.docs_by_section, page) {
            self.mark_section(ContentType::Docs, &page.key.section, dirty);
        }
        self.docs += 1;
        if self.docs == 1 {
            self.mark_type(dirty);
        }
    }

    fn remove_docs(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        if remove_from_section(&mut self.docs_by_section, page) {
            self.mark_section(ContentType::Docs, &page.key.section, dirty);
        }
        self.docs -= 1;
        if self.docs == 0 {
            self.mark_type(dirty);
        }
    }

    fn insert_standalone(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        if insert_into_section(&mut self.standalone_by_section, page) {
            self.mark_section(ContentType::Standalone, &page.key.section, dirty);
        }
        if page.params.nav {
            self.nav.insert(page);
            self.mark_type(dirty);
        }
    }

    fn remove_standalone(&mut self, page: &Page, dirty: &mut DirtyPaths) {
        if remove_from_section(&mut self.standalone_by_section, page) {
            self.mark_section(ContentType::Standalone, &page.key.section, dirty);
        }
        if page.params.nav {
            self.nav.remove(page);
            self.mark_type(dirty);
        }
    }
}

/// Returns whether the page is the first of its section.
fn insert_into_section(sections: &mut BTreeMap<Section, OrderedPages>, page: &Page) -> bool {
    if let Some(ordered_pages) = sections.get_mut(&page.key.section) {
        ordered_pages.insert(page);
        return false;
    }
    let mut ordered_pages = OrderedPages::default();
    ordered_pages.insert(page);
    sections.insert(page.key.section.clone(), ordered_pages);
    true
}

/// Returns whether the page was the last of its section.
fn remove_from_section(sections: &mut BTreeMap<Section, OrderedPages>, page: &Page) -> bool {
    let Some(ordered_pages) = sections.get_mut(&page.key.section) else { return false };
    ordered_pages.remove(page);
    if !ordered_pages.is_empty() {
        return false;
    }
    sections.remove(&page.key.section);
    true
}
