//! The order of the docs, for navigation, lists and neighbours: the pages without a section, then for each section its
//! section page and its pages. Pages and sections are ordered by weight, then title; the sections that the owner has
//! ordered come first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{ContentType, PageKey, Section};

use super::Index;
use super::dirty::DirtyPaths;
use crate::Page;
use crate::inline::plain;
use crate::url::url;

/// The sections of the docs.
#[derive(Default)]
pub(crate) struct Sections {
    /// The position of each section that the owner has ordered.
    chosen: HashMap<String, usize>,
    ranks: BTreeMap<Section, Rank>,
    order: BTreeSet<(Rank, Section)>,
}

/// The position that the owner has chosen, then weight and lower-case title, as for a page.
type Rank = (usize, i64, String);

impl Sections {
    pub fn in_order(chosen: &[String]) -> Sections {
        // Of a section that is named twice, the first position counts.
        let chosen = chosen.iter().enumerate().rev().map(|(at, section)| (section.clone(), at)).collect();
        Sections { chosen, ..Sections::default() }
    }

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
        let position = (self.ranks.get(section)?.clone(), section.clone());
        self.order.range(..position).next_back().map(|(_, section)| section)
    }

    fn after(&self, section: &Section) -> Option<&Section> {
        let position = (self.ranks.get(section)?.clone(), section.clone());
        self.order.range(position..).nth(1).map(|(_, section)| section)
    }
}

/// The section that a page is in, or for a page without a section, the one whose section page it is, if that exists.
fn section_of(key: &PageKey) -> Section {
    match key.section.is_none() {
        true => Section::parse(key.slug.as_str()).unwrap_or_default(),
        false => key.section.clone(),
    }
}

impl Index {
    /// Must be called after a page of the docs was added or removed: its section may have been, too, or have another
    /// title.
    pub(super) fn rank_section(&mut self, key: &PageKey) {
        let section = section_of(key);
        let exists = self.has_section(ContentType::Docs, &section);
        if key.section.is_none() || self.sections.ranks.contains_key(&section) != exists {
            self.put_section(&section);
        }
    }

    /// Inserts a section at its position, if it exists.
    pub(super) fn put_section(&mut self, section: &Section) {
        let rank = self.has_section(ContentType::Docs, section).then(|| {
            let weight = self.section_page(ContentType::Docs, section).map_or(0, |page| page.params.weight);
            let position = self.sections.chosen.get(section.as_str()).copied().unwrap_or(usize::MAX);
            (position, weight, plain(&self.section_title(ContentType::Docs, section)).to_lowercase())
        });
        self.sections.put(section.clone(), rank);
    }

    /// The pages before and after one of the docs.
    pub(super) fn docs_neighbours(&self, page: &Page) -> (Option<&Page>, Option<&Page>) {
        let section = section_of(&page.key);
        if self.is_section_page(page) {
            return (self.last_before(&section), self.first_in_section(&section));
        }
        if page.key.section.is_none() {
            let (before, after) = self.around_in_section(page, |page| !self.is_section_page(page));
            return (before, after.or_else(|| self.first_of(self.sections.iter().next()?)));
        }
        let (before, after) = self.around_in_section(page, |_| true);
        let section_page =
            || self.section_page(ContentType::Docs, &section).or_else(|| self.last_before(&section));
        (before.or_else(section_page), after.or_else(|| self.first_of(self.sections.after(&section)?)))
    }

    /// Whether a page of the docs is a section page, and so comes before the pages of that section.
    pub fn is_section_page(&self, page: &Page) -> bool {
        page.key.section.is_none() && self.has_section(ContentType::Docs, &section_of(&page.key))
    }

    fn first_of(&self, section: &Section) -> Option<&Page> {
        self.section_page(ContentType::Docs, section).or_else(|| self.first_in_section(section))
    }

    fn first_in_section(&self, section: &Section) -> Option<&Page> {
        self.page(self.ordered_pages(ContentType::Docs, section)?.ids().next()?)
    }

    fn last_in_section(&self, section: &Section) -> Option<&Page> {
        self.page(self.ordered_pages(ContentType::Docs, section)?.ids().next_back()?)
    }

    /// The last page before the first page of a section.
    fn last_before(&self, section: &Section) -> Option<&Page> {
        match self.sections.before(section) {
            Some(before) => self.last_in_section(before),
            None => {
                let ordered_pages = self.ordered_pages(ContentType::Docs, &Section::none())?;
                self.pages_with_ids(ordered_pages.ids().rev()).find(|page| !self.is_section_page(page))
            }
        }
    }

    /// The nearest pages before and after a page in its section for which `counts` holds.
    fn around_in_section(
        &self,
        page: &Page,
        counts: impl Fn(&Page) -> bool,
    ) -> (Option<&Page>, Option<&Page>) {
        let Some(ordered_pages) = self.ordered_pages(ContentType::Docs, &page.key.section) else {
            return (None, None);
        };
        let counts = |page: &&Page| counts(page);
        (
            self.pages_with_ids(ordered_pages.ids_before(page)).find(counts),
            self.pages_with_ids(ordered_pages.ids_after(page)).find(counts),
        )
    }

    /// Marks the pages whose neighbours change because a section is added, removed or moved with `page`: must be called
    /// before and after the change.
    pub(super) fn mark_moved_section(&self, page: &Page, dirty: &mut DirtyPaths) {
        if !dirty.is_recording() || page.key.content_type != ContentType::Docs {
            return;
        }
        let section = section_of(&page.key);
        let len =
            self.ordered_pages(ContentType::Docs, &section).map_or(0, |ordered_pages| ordered_pages.len());
        let section_page = self.section_page(ContentType::Docs, &section);
        if !page.key.section.is_none() {
            // With the last page of a section, its section page becomes an ordinary page.
            section_page
                .filter(|_| len <= 1)
                .into_iter()
                .for_each(|section_page| self.mark_with_neighbours(section_page, dirty));
        } else if len > 0 {
            self.mark_ends(&section, dirty);
        }
    }

    /// Marks the first and last page of a section, and their neighbours in other sections.
    pub(super) fn mark_ends(&self, section: &Section, dirty: &mut DirtyPaths) {
        let ends = [self.first_of(section), self.first_in_section(section), self.last_in_section(section)];
        ends.into_iter().flatten().for_each(|page| self.mark_with_neighbours(page, dirty));
    }

    fn mark_with_neighbours(&self, page: &Page, dirty: &mut DirtyPaths) {
        let (before, after) = self.neighbours(page);
        [Some(page), before, after].into_iter().flatten().for_each(|page| dirty.add(url(&page.key)));
    }
}
