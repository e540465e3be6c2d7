//! The one order of the docs, for navigation, lists and neighbours: the pages without section, then section by section
//! the page that stands for it and its own pages. Pages, and sections, go by weight, then title.

use std::collections::{BTreeMap, BTreeSet};

use model::{ContentType, PageKey, Section};

use super::Index;
use super::marks::Marks;
use crate::Page;
use crate::inline::plain;
use crate::url::url;

/// The sections of the docs.
#[derive(Default)]
pub(crate) struct Sections {
    ranks: BTreeMap<Section, Rank>,
    order: BTreeSet<(Rank, Section)>,
}

/// Weight, and title in small letters, as of a page.
type Rank = (i64, String);

impl Sections {
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Section> {
        self.order.iter().map(|(_, section)| section)
    }

    fn put(&mut self, section: Section, rank: Option<Rank>) {
        if let Some(rank) = self.ranks.remove(&section) {
            self.order.remove(&(rank, section.clone()));
        }
        if let Some(rank) = rank {
            self.order.insert((rank.clone(), section.clone()));
            self.ranks.insert(section, rank);
        }
    }

    fn before(&self, section: &Section) -> Option<&Section> {
        let spot = (self.ranks.get(section)?.clone(), section.clone());
        self.order.range(..spot).next_back().map(|(_, section)| section)
    }

    fn after(&self, section: &Section) -> Option<&Section> {
        let spot = (self.ranks.get(section)?.clone(), section.clone());
        self.order.range(spot..).nth(1).map(|(_, section)| section)
    }
}

/// The section that a page is in, or that one without section stands for, if that exists.
fn section_of(key: &PageKey) -> Section {
    match key.section.is_none() {
        true => Section::parse(key.slug.as_str()).unwrap_or_default(),
        false => key.section.clone(),
    }
}

impl Index {
    /// To be called when a page of the docs has come or gone: its section may have, too, or have another title.
    pub(super) fn rank_section(&mut self, key: &PageKey) {
        let section = section_of(key);
        let exists = self.has_section(ContentType::Docs, &section);
        if key.section.is_none() || self.sections.ranks.contains_key(&section) != exists {
            self.put_section(&section);
        }
    }

    /// Puts a section in its place, if it exists.
    pub(super) fn put_section(&mut self, section: &Section) {
        let rank = self.has_section(ContentType::Docs, section).then(|| {
            let weight = self.front(ContentType::Docs, section).map_or(0, |page| page.params.weight);
            (weight, plain(&self.section_title(ContentType::Docs, section)).to_lowercase())
        });
        self.sections.put(section.clone(), rank);
    }

    /// The pages before and after one of the docs.
    pub(super) fn docs_neighbours(&self, page: &Page) -> (Option<&Page>, Option<&Page>) {
        let section = section_of(&page.key);
        if self.is_front(page) {
            return (self.last_before(&section), self.first_on_shelf(&section));
        }
        if page.key.section.is_none() {
            let (before, after) = self.around_on_shelf(page, |page| !self.is_front(page));
            return (before, after.or_else(|| self.first_of(self.sections.iter().next()?)));
        }
        let (before, after) = self.around_on_shelf(page, |_| true);
        let front = || self.front(ContentType::Docs, &section).or_else(|| self.last_before(&section));
        (before.or_else(front), after.or_else(|| self.first_of(self.sections.after(&section)?)))
    }

    /// Whether a page of the docs stands for a section, and so goes before the pages of that.
    pub fn is_front(&self, page: &Page) -> bool {
        page.key.section.is_none() && self.has_section(ContentType::Docs, &section_of(&page.key))
    }

    fn first_of(&self, section: &Section) -> Option<&Page> {
        self.front(ContentType::Docs, section).or_else(|| self.first_on_shelf(section))
    }

    fn first_on_shelf(&self, section: &Section) -> Option<&Page> {
        self.page(self.shelf(ContentType::Docs, section)?.ids().next()?)
    }

    fn last_on_shelf(&self, section: &Section) -> Option<&Page> {
        self.page(self.shelf(ContentType::Docs, section)?.ids().next_back()?)
    }

    /// What comes before the first page of a section.
    fn last_before(&self, section: &Section) -> Option<&Page> {
        match self.sections.before(section) {
            Some(before) => self.last_on_shelf(before),
            None => {
                let shelf = self.shelf(ContentType::Docs, &Section::none())?;
                self.of(shelf.ids().rev()).find(|page| !self.is_front(page))
            }
        }
    }

    /// The nearest pages of its section before and after one that count.
    fn around_on_shelf(&self, page: &Page, counts: impl Fn(&Page) -> bool) -> (Option<&Page>, Option<&Page>) {
        let Some(shelf) = self.shelf(ContentType::Docs, &page.key.section) else { return (None, None) };
        let counts = |page: &&Page| counts(page);
        (self.of(shelf.ids_before(page)).find(counts), self.of(shelf.ids_after(page)).find(counts))
    }

    /// Marks the pages whose neighbours change because a section comes, goes or moves with `page`: to be called before
    /// the page comes or goes, and after.
    pub(super) fn mark_moved_section(&self, page: &Page, marks: &mut Marks) {
        if !marks.wanted() || page.key.content_type != ContentType::Docs {
            return;
        }
        let section = section_of(&page.key);
        let len = self.shelf(ContentType::Docs, &section).map_or(0, |shelf| shelf.len());
        let front = self.front(ContentType::Docs, &section);
        if !page.key.section.is_none() {
            // With the last page of a section, its front becomes a page like others.
            front.filter(|_| len <= 1).into_iter().for_each(|front| self.mark_with_neighbours(front, marks));
        } else if len > 0 {
            self.mark_ends(&section, marks);
        }
    }

    /// Marks the pages whose neighbours are in other sections, and those.
    pub(super) fn mark_ends(&self, section: &Section, marks: &mut Marks) {
        let ends = [self.first_of(section), self.first_on_shelf(section), self.last_on_shelf(section)];
        ends.into_iter().flatten().for_each(|page| self.mark_with_neighbours(page, marks));
    }

    fn mark_with_neighbours(&self, page: &Page, marks: &mut Marks) {
        let (before, after) = self.neighbours(page);
        [Some(page), before, after].into_iter().flatten().for_each(|page| marks.add(url(&page.key)));
    }
}
