//! Which parts of the docs' sidebar change with their pages.
//!
//! How a section is split depends on all of its pages, so it is compared before and after a set of changes, not page by
//! page.

use std::collections::{BTreeMap, BTreeSet};

use model::{ContentType, Section};

use super::Index;
use super::dirty::DirtyPaths;
use super::ordered_pages::OrderKey;
use crate::Page;
use crate::url::Fragment;

/// The affected sections, in their state before the changes.
pub(crate) struct SidebarState(BTreeMap<Section, SidebarSection>);

struct SidebarSection {
    exists: bool,
    /// The first key of each part, and of the part after it. (The first page of the next part may change its key and
    /// still be the first, so pages are not enough.)
    parts: BTreeSet<(OrderKey, Option<OrderKey>)>,
}

impl Index {
    /// For the old and new versions of pages. Also marks the parts that they are in: these change even if they are
    /// split in the same way.
    pub fn sidebar_before<'p>(
        &self,
        pages: impl Iterator<Item = &'p Page>,
        dirty: &mut DirtyPaths,
    ) -> SidebarState {
        let mut sections = BTreeMap::new();
        for page in pages.filter(|page| page.key.content_type == ContentType::Docs) {
            dirty.add_all(self.part_of(page));
            for section in [&page.key.section, &Section::none()] {
                sections.entry(section.clone()).or_insert_with(|| self.sidebar_section(section));
            }
        }
        SidebarState(sections)
    }

    /// Marks the parts that are split differently now.
    pub fn mark_sidebar(&self, before: SidebarState, dirty: &mut DirtyPaths) {
        for (section, before) in before.0 {
            let after = self.sidebar_section(&section);
            for (first, _) in before.parts.symmetric_difference(&after.parts) {
                dirty.add(part(&section, first));
            }
            // A section page is not listed among the other pages.
            if before.exists != after.exists {
                dirty.add_all(
                    self.section_page(ContentType::Docs, &section)
                        .and_then(|section_page| self.part_of(section_page)),
                );
            }
        }
    }

    /// Every part of the docs' sidebar.
    pub fn sidebar_parts(&self) -> impl Iterator<Item = Fragment> {
        self.docs_by_section.iter().flat_map(move |(section, ordered_pages)| {
            ordered_pages.parts().iter().map(move |first| part(section, first))
        })
    }

    /// The pages of a part.
    pub fn sidebar_part(&self, section: &Section, first: &str) -> Option<impl Iterator<Item = &Page>> {
        let first = self.by_key(ContentType::Docs, section, first)?;
        Some(self.pages_with_ids(self.ordered_pages(ContentType::Docs, section)?.part(first)?))
    }

    fn sidebar_section(&self, section: &Section) -> SidebarSection {
        let ordered_pages = self.ordered_pages(ContentType::Docs, section);
        let parts = ordered_pages.map(|ordered_pages| ordered_pages.parts()).unwrap_or_default();
        let next = parts.iter().skip(1).cloned().map(Some).chain([None]);
        SidebarSection { exists: ordered_pages.is_some(), parts: parts.iter().cloned().zip(next).collect() }
    }

    /// The part of the docs' sidebar that lists a page.
    fn part_of(&self, page: &Page) -> Option<Fragment> {
        if page.key.content_type != ContentType::Docs {
            return None;
        }
        let ordered_pages = self.ordered_pages(ContentType::Docs, &page.key.section)?;
        Some(part(&page.key.section, ordered_pages.part_of(page)?))
    }
}

/// The part that begins with this key.
fn part(section: &Section, first: &OrderKey) -> Fragment {
    Fragment::SidebarPart(section.clone(), first.slug().to_owned())
}
