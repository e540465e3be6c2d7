//! Everything about the pages of one site that lists, navigation and addresses are made of.
//!
//! A page is put in ([`Index::insert`]), taken out ([`Index::remove`]) or given another text ([`Index::retell`]);
//! each of these marks the paths whose files may now differ. To mark too much costs time, to mark too little is a
//! bug: `tests/oracle.rs` holds each step against a clean build.

mod contents;
pub(crate) mod cut;
mod hash;
pub(crate) mod mark;
pub(crate) mod marks;
pub(crate) mod shards;
pub(crate) mod shelf;
pub(crate) mod sides;
mod spellings;
pub(crate) mod tag;
pub(crate) mod timeline;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{ContentType, PageId, PageKey, Section, Slug, Timestamp};

use crate::{Page, url};
use contents::Sections;
use marks::Marks;
use shards::Shards;
use shelf::Shelf;
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
    /// The pages of each section of the docs; those without section have the empty one.
    docs_shelves: BTreeMap<Section, Shelf>,
    /// Likewise the standalone pages.
    standalone_shelves: BTreeMap<Section, Shelf>,
    docs: usize,
    /// Those of the docs, in order.
    sections: Sections,
    spellings: Spellings,
    /// Standalone pages that ask for a place in the masthead.
    pub nav: Shelf,
    /// The first one is the homepage.
    homepages: BTreeSet<Claim>,
    pub tags: Tags,
    pub shards: Shards,
    former: HashMap<String, PageId>,
    former_of: HashMap<PageId, BTreeSet<String>>,
}

/// The claim of a homepage to be the one: slug `index` first, without a section before others, then published last.
type Claim = (bool, Section, Reverse<Timestamp>, Reverse<PageId>);

fn claim(page: &Page) -> Claim {
    let is_index = page.key.slug.as_str() == "index";
    let section = if is_index { page.key.section.clone() } else { Section::none() };
    (!is_index, section, Reverse(page.published_at), Reverse(page.id))
}

impl Index {
    pub fn page(&self, id: PageId) -> Option<&Page> {
        self.pages.get(&id)
    }

    pub fn page_mut(&mut self, id: PageId) -> Option<&mut Page> {
        self.pages.get_mut(&id)
    }

    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.values()
    }

    /// The pages of those ids, in that order.
    pub fn of(&self, ids: impl IntoIterator<Item = PageId>) -> impl Iterator<Item = &Page> {
        ids.into_iter().filter_map(|id| self.page(id))
    }

    pub fn by_key(&self, content_type: ContentType, section: &Section, slug: &str) -> Option<&Page> {
        let key = PageKey { content_type, section: section.clone(), slug: Slug::parse(slug).ok()? };
        self.page(*self.keys.get(&key)?)
    }

    /// The page that stands where the list of a section would.
    pub fn front(&self, content_type: ContentType, section: &Section) -> Option<&Page> {
        self.by_key(content_type, &Section::none(), section.as_str())
    }

    pub fn has_section(&self, content_type: ContentType, section: &Section) -> bool {
        match content_type {
            ContentType::Blog => self.blog_sections.contains_key(section),
            ContentType::Homepage => false,
            _ => !section.is_none() && self.shelf(content_type, section).is_some(),
        }
    }

    pub fn shelf(&self, content_type: ContentType, section: &Section) -> Option<&Shelf> {
        self.shelves(content_type)?.get(section)
    }

    fn shelves(&self, content_type: ContentType) -> Option<&BTreeMap<Section, Shelf>> {
        match content_type {
            ContentType::Docs => Some(&self.docs_shelves),
            ContentType::Standalone => Some(&self.standalone_shelves),
            _ => None,
        }
    }

    /// The sections of the docs, in order.
    pub fn docs_sections(&self) -> impl Iterator<Item = (&Section, &Shelf)> {
        self.sections.iter().filter_map(|section| Some((section, self.docs_shelves.get(section)?)))
    }

    /// The sections of the docs or of the standalone pages, in no meaningful order.
    pub fn shelf_sections(&self, content_type: ContentType) -> impl Iterator<Item = (&Section, &Shelf)> {
        self.shelves(content_type).into_iter().flatten().filter(|(section, _)| !section.is_none())
    }

    /// What a section is called: as the page that stands for it, if there is one.
    pub fn section_title(&self, content_type: ContentType, section: &Section) -> String {
        match self.front(content_type, section) {
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

    /// Where a page is found; the homepages that are not shown are found at the one that is.
    pub fn path_of(&self, page: &Page) -> String {
        match page.key.content_type {
            ContentType::Homepage => "/".to_owned(),
            _ => url(&page.key),
        }
    }

    /// The page that stood at `path` formerly.
    pub fn former(&self, path: &str) -> Option<&Page> {
        self.page(*self.former.get(path)?)
    }

    pub fn former_paths(&self) -> impl Iterator<Item = &String> {
        self.former.iter().filter(|(_, id)| self.pages.contains_key(id)).map(|(path, _)| path)
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

/// What changes the index, and marks what that touches.
impl Index {
    pub fn insert(&mut self, page: Page, marks: &mut Marks) {
        self.mark_moved_section(&page, marks);
        self.keys.insert(page.key.clone(), page.id);
        match page.key.content_type {
            ContentType::Blog => self.insert_post(&page, marks),
            ContentType::Homepage => {
                self.homepages.insert(claim(&page));
            }
            ContentType::Docs => self.insert_docs(&page, marks),
            ContentType::Standalone => self.insert_standalone(&page, marks),
        }
        if page.key.content_type != ContentType::Homepage {
            page.tags.iter().for_each(|tag| self.tags.insert(tag, &page, marks));
            if page.is_for_search() {
                self.shards.insert(page.id);
            }
        }
        let (id, key, spelling) = (page.id, page.key.clone(), page.section_spelling.clone());
        self.pages.insert(id, page);
        if key.content_type == ContentType::Docs {
            self.rank_section(&key);
        }
        self.add_spelling(&key, spelling.as_deref(), marks);
        self.mark_place(id, marks);
    }

    pub fn remove(&mut self, id: PageId, marks: &mut Marks) {
        // While it is still there: what it stood next to, and what told of it.
        self.mark_place(id, marks);
        let spelt = self.page(id).map(|page| (page.key.clone(), page.section_spelling.clone()));
        if let Some((key, spelling)) = spelt {
            self.remove_spelling(&key, spelling.as_deref(), marks);
        }
        let Some(page) = self.pages.remove(&id) else { return };
        if self.keys.get(&page.key) == Some(&id) {
            self.keys.remove(&page.key);
        }
        match page.key.content_type {
            ContentType::Blog => self.remove_post(&page, marks),
            ContentType::Homepage => {
                self.homepages.remove(&claim(&page));
            }
            ContentType::Docs => self.remove_docs(&page, marks),
            ContentType::Standalone => self.remove_standalone(&page, marks),
        }
        if page.key.content_type != ContentType::Homepage {
            page.tags.iter().for_each(|tag| self.tags.remove(tag, &page, marks));
            self.shards.remove(id);
        }
        if page.key.content_type == ContentType::Docs {
            self.rank_section(&page.key);
        }
        self.mark_moved_section(&page, marks);
        self.mark_cuts(&page, marks);
        self.mark_sitemap(&page, marks);
        self.mark_shards(marks);
    }

    /// Another text, the same place: see [`Page::same_place`].
    pub fn retell(&mut self, page: Page, marks: &mut Marks) {
        let id = page.id;
        self.pages.insert(id, page);
        self.mark_text(id, marks);
    }

    /// Room for so many more pages.
    pub fn reserve(&mut self, pages: usize) {
        self.pages.reserve(pages);
        self.keys.reserve(pages);
    }

    pub fn add_former(&mut self, path: String, id: PageId, marks: &mut Marks) {
        marks.add(&path);
        if let Some(other) = self.former.insert(path.clone(), id)
            && let Some(paths) = self.former_of.get_mut(&other)
        {
            paths.remove(&path);
        }
        self.former_of.entry(id).or_default().insert(path);
    }

    fn insert_post(&mut self, page: &Page, marks: &mut Marks) {
        if self.blog.is_empty() {
            self.mark_type(marks);
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
        self.mark_section(ContentType::Blog, &page.key.section, marks);
    }

    fn remove_post(&mut self, page: &Page, marks: &mut Marks) {
        self.blog.remove(page.published_at, page.id);
        if self.blog.is_empty() {
            self.mark_type(marks);
        }
        let Some(timeline) = self.blog_sections.get_mut(&page.key.section) else { return };
        timeline.remove(page.published_at, page.id);
        if timeline.is_empty() {
            self.blog_sections.remove(&page.key.section);
            self.mark_section(ContentType::Blog, &page.key.section, marks);
        }
    }

    fn insert_docs(&mut self, page: &Page, marks: &mut Marks) {
        if insert_on_shelf(&mut self.docs_shelves, page) {
            self.mark_section(ContentType::Docs, &page.key.section, marks);
        }
        self.docs += 1;
        if self.docs == 1 {
            self.mark_type(marks);
        }
    }

    fn remove_docs(&mut self, page: &Page, marks: &mut Marks) {
        if remove_from_shelf(&mut self.docs_shelves, page) {
            self.mark_section(ContentType::Docs, &page.key.section, marks);
        }
        self.docs -= 1;
        if self.docs == 0 {
            self.mark_type(marks);
        }
    }

    fn insert_standalone(&mut self, page: &Page, marks: &mut Marks) {
        if insert_on_shelf(&mut self.standalone_shelves, page) {
            self.mark_section(ContentType::Standalone, &page.key.section, marks);
        }
        if page.params.nav {
            self.nav.insert(page);
            self.mark_type(marks);
        }
    }

    fn remove_standalone(&mut self, page: &Page, marks: &mut Marks) {
        if remove_from_shelf(&mut self.standalone_shelves, page) {
            self.mark_section(ContentType::Standalone, &page.key.section, marks);
        }
        if page.params.nav {
            self.nav.remove(page);
            self.mark_type(marks);
        }
    }
}

/// Whether the page is the first of its section.
fn insert_on_shelf(shelves: &mut BTreeMap<Section, Shelf>, page: &Page) -> bool {
    if let Some(shelf) = shelves.get_mut(&page.key.section) {
        shelf.insert(page);
        return false;
    }
    let mut shelf = Shelf::default();
    shelf.insert(page);
    shelves.insert(page.key.section.clone(), shelf);
    true
}

/// Whether the page was the last of its section.
fn remove_from_shelf(shelves: &mut BTreeMap<Section, Shelf>, page: &Page) -> bool {
    let Some(shelf) = shelves.get_mut(&page.key.section) else { return false };
    shelf.remove(page);
    if !shelf.is_empty() {
        return false;
    }
    shelves.remove(&page.key.section);
    true
}
