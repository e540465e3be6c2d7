//! How well a page matches: BM25 over the whole site, plus what a term in the title or in a heading adds.

use crate::leaf::{Impact, Size};

/// How quickly further occurrences of a word count less, and how much the length of a page matters: the usual values.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// What a word adds by being in a title of one word, and in a heading. However often it is in the text, that adds less
/// than 1.
const TITLE: f32 = 3.0;
const HEADING: f32 = 1.0;
/// The weight of a word that only begins with the one sought, or has a typo.
const LOOSE: f32 = 0.4;

/// Of the whole site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    pub(crate) pages: u64,
    pub(crate) tokens: u64,
}

/// How a word matches a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match {
    /// Of the word itself.
    pub(crate) exact: Impact,
    /// Of the word and all others that match.
    pub(crate) all: Impact,
}

/// On how many pages a word is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frequency {
    pub(crate) exact: u32,
    pub(crate) all: u32,
}

/// The score of pages with a certain length and title.
pub(crate) struct Scale {
    saturation: f32,
    title: f32,
}

impl Scale {
    pub(crate) fn new(site: Statistics, page: Size) -> Scale {
        let mean = (site.tokens as f32 / site.pages as f32).max(1.0);
        Scale {
            saturation: K1 * (1.0 - B + B * page.tokens as f32 / mean),
            title: TITLE / f32::from(page.title.max(1)).sqrt(),
        }
    }

    pub(crate) fn score(&self, weight: Weight, found: Match) -> f32 {
        (weight.exact * self.of(found.exact)).max(weight.all * self.of(found.all))
    }

    fn of(&self, impact: Impact) -> f32 {
        let count = f32::from(impact.count());
        let title = if impact.is_in_title() { self.title } else { 0.0 };
        let heading = if impact.is_in_heading() { HEADING } else { 0.0 };
        count / (count + self.saturation) + title + heading
    }
}

/// What a word contributes: more if it is rare.
#[derive(Clone, Copy)]
pub(crate) struct Weight {
    exact: f32,
    all: f32,
}

impl Weight {
    pub(crate) fn new(site: Statistics, frequency: Frequency) -> Weight {
        let rarity = |pages: u32| {
            let pages = pages as f32;
            (1.0 + (site.pages as f32 - pages + 0.5) / (pages + 0.5)).ln()
        };
        Weight { exact: rarity(frequency.exact), all: LOOSE * rarity(frequency.all) }
    }
}
