//! Which parts of the docs' navigation change when pages do.
//!
//! How a section is cut depends on all of its pages, so it is looked at before a set of changes and after it, and not
//! page by page.

use std::collections::{BTreeMap, BTreeSet};

use model::{ContentType, Section};

use super::Index;
use super::marks::Marks;
use super::shelf::Spot;
use crate::Page;
use crate::url::Fragment;

/// The sections that changes touch, as they are before.
pub(crate) struct Sides(BTreeMap<Section, Side>);

struct Side {
    exists: bool,
    /// Where each part begins and ends. The first page of the next one may move and still be that, so this is its spot.
    parts: BTreeSet<(Spot, Option<Spot>)>,
}

impl Index {
    /// Of pages as they were and as they will be. Also marks the parts that they are in: those that are cut in the same
    /// way afterwards differ all the same.
    pub fn sides_before<'p>(&self, pages: impl Iterator<Item = &'p Page>, marks: &mut Marks) -> Sides {
        let mut sides = BTreeMap::new();
        for page in pages.filter(|page| page.key.content_type == ContentType::Docs) {
            marks.add_all(self.part_of(page));
            for section in [&page.key.section, &Section::none()] {
                sides.entry(section.clone()).or_insert_with(|| self.side(section));
            }
        }
        Sides(sides)
    }

    /// Marks the parts that are cut in another way now.
    pub fn mark_sides(&self, before: Sides, marks: &mut Marks) {
        for (section, before) in before.0 {
            let after = self.side(&section);
            for (first, _) in before.parts.symmetric_difference(&after.parts) {
                marks.add(part(&section, first));
            }
            // The page that stands for a section is not listed among the others.
            if before.exists != after.exists {
                marks.add_all(self.front(ContentType::Docs, &section).and_then(|front| self.part_of(front)));
            }
        }
    }

    /// Every part of the docs' navigation.
    pub fn side_parts(&self) -> impl Iterator<Item = Fragment> {
        self.docs_shelves
            .iter()
            .flat_map(move |(section, shelf)| shelf.parts().iter().map(move |first| part(section, first)))
    }

    /// The pages of a part.
    pub fn side_part(&self, section: &Section, first: &str) -> Option<impl Iterator<Item = &Page>> {
        let first = self.by_key(ContentType::Docs, section, first)?;
        Some(self.of(self.shelf(ContentType::Docs, section)?.part(first)?))
    }

    fn side(&self, section: &Section) -> Side {
        let shelf = self.shelf(ContentType::Docs, section);
        let parts = shelf.map(|shelf| shelf.parts()).unwrap_or_default();
        let next = parts.iter().skip(1).cloned().map(Some).chain([None]);
        Side { exists: shelf.is_some(), parts: parts.iter().cloned().zip(next).collect() }
    }

    /// The part of the docs' navigation that lists a page.
    fn part_of(&self, page: &Page) -> Option<Fragment> {
        if page.key.content_type != ContentType::Docs {
            return None;
        }
        let shelf = self.shelf(ContentType::Docs, &page.key.section)?;
        Some(part(&page.key.section, shelf.part_of(page)?))
    }
}

/// The part that begins there.
fn part(section: &Section, first: &Spot) -> Fragment {
    Fragment::SidePart(section.clone(), first.slug().to_owned())
}
