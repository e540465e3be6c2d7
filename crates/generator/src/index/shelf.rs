//! Pages in the order their author gave them: by weight, then title, then slug.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use model::PageId;

use crate::Page;

/// The pages of a section of the docs, or of the standalone pages.
#[derive(Default)]
pub(crate) struct Shelf(BTreeSet<Spot>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    weight: i64,
    /// In small letters, so that `apple` comes before `Banana`.
    title: Box<str>,
    slug: Box<str>,
    id: PageId,
}

impl Spot {
    fn of(page: &Page) -> Spot {
        Spot {
            weight: page.params.weight,
            title: page.title.to_lowercase().into(),
            slug: page.key.slug.as_str().into(),
            id: page.id,
        }
    }
}

impl Shelf {
    pub fn insert(&mut self, page: &Page) {
        self.0.insert(Spot::of(page));
    }

    pub fn remove(&mut self, page: &Page) {
        self.0.remove(&Spot::of(page));
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = PageId> {
        self.0.iter().map(|spot| spot.id)
    }

    /// The pages before and after the place of `page`, whether it stands there or not.
    pub fn around(&self, page: &Page) -> (Option<PageId>, Option<PageId>) {
        let spot = Spot::of(page);
        let before = self.0.range(..&spot).next_back();
        let after = self.0.range((Excluded(&spot), Unbounded)).next();
        (before.map(|spot| spot.id), after.map(|spot| spot.id))
    }
}
