//! Recto's index, in memory, as a server that has it cached.

use std::collections::HashMap;

use anyhow::Result;
use model::PageId;
use search::{
    Files, Indexer, Leaf, LeafName, Page, Partition, Query, Search, Section, Texts, Vocabulary, merge,
    snippet,
};
use uuid::Uuid;

use super::queries::Answer;
use super::{Engine, Text};
use crate::timing::{median, ms_since, time};

const CHANGES: usize = 100;
const LIMIT: usize = 20;
/// Of the corpus.
const LANGUAGE: &str = "en";

pub struct Ours {
    partition: Partition,
    names: Vec<LeafName>,
    leaves: Vec<Files>,
    /// Empty until the first query that finds nothing.
    vocabulary: Vocabulary,
}

impl Ours {
    /// The index, and the milliseconds it took.
    pub fn new(texts: &[Text]) -> Result<(Ours, f64)> {
        let start = std::time::Instant::now();
        let mut indexer = Indexer::default();
        let pages: HashMap<PageId, Files> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| (id(number), index(&mut indexer, number, text)))
            .collect();
        let partition: Partition = pages.keys().copied().collect();
        let names: Vec<LeafName> = partition.leaves().collect();
        let leaf = |name: &LeafName| {
            let ids = partition.ids(*name);
            merge(&ids.iter().map(|id| &pages[id]).collect::<Vec<_>>(), &ids)
        };
        let leaves = names.iter().map(leaf).collect::<Result<Vec<_>, _>>()?;
        Ok((Ours { partition, names, leaves, vocabulary: Vocabulary::default() }, ms_since(start)))
    }

    /// The milliseconds that one changed page takes: its terms, and its leaf.
    pub fn change(&mut self, texts: &[Text]) -> Result<f64> {
        let mut indexer = Indexer::default();
        let change = |number: usize| {
            let name = self.partition.leaf(id(number));
            let place = self.names.binary_search(&name).expect("the page has a leaf");
            time(|| {
                let page = index(&mut indexer, number, &texts[number]);
                let ids = self.partition.ids(name);
                self.leaves[place] = merge(&[&self.leaves[place], &page], &ids)?;
                Ok(())
            })
        };
        let numbers = (0..CHANGES).map(|step| step * 7919 % texts.len());
        Ok(median(numbers.map(change).collect::<Result<_>>()?))
    }

    pub fn megabytes(&self) -> f64 {
        let bytes = |files: &Files| files.terms.len() + files.texts.len();
        self.leaves.iter().map(bytes).sum::<usize>() as f64 / 1e6
    }

    pub fn describe(&self) -> String {
        let mean =
            |of: fn(&Files) -> usize| self.leaves.iter().map(of).sum::<usize>() / self.leaves.len() / 1024;
        format!(
            "{} leaves with {} KB of terms and {} KB of texts each",
            self.leaves.len(),
            mean(|files| files.terms.len()),
            mean(|files| files.texts.len())
        )
    }
}

impl Engine for Ours {
    /// With excerpts, as a server answers.
    fn answer(&mut self, query: &str) -> Result<Answer> {
        let start = std::time::Instant::now();
        let leaves: Vec<Leaf> =
            self.leaves.iter().map(|files| Leaf::open(&files.terms)).collect::<Result<_, _>>()?;
        let mut search = Search::new(Query::parse(query)?);
        loop {
            leaves.iter().try_for_each(|leaf| search.add(leaf))?;
            if search.may_be_wider(LANGUAGE) && self.vocabulary.weight() == 0 {
                self.vocabulary = Vocabulary::new(LANGUAGE);
                leaves.iter().try_for_each(|leaf| self.vocabulary.add(leaf))?;
            }
            if !search.widen(Some(&self.vocabulary)) {
                break;
            }
        }
        let found = search.best(LIMIT)?;
        for hit in &found.hits {
            snippet(&Texts::open(&self.leaves[hit.leaf].texts)?, hit.page, &found.query)?;
        }
        let ms = ms_since(start);
        Ok(Answer { ms, total: found.total, urls: found.hits.into_iter().map(|hit| hit.url).collect() })
    }
}

fn id(number: usize) -> PageId {
    PageId(Uuid::from_u128(number as u128))
}

fn index(indexer: &mut Indexer, number: usize, text: &Text) -> Files {
    let sections = text.rendered.sections().map(|(heading, text)| {
        let (anchor, heading) = heading.map_or(("", ""), |heading| (&heading.id, &heading.text));
        Section { anchor, heading, text }
    });
    let (url, title) = (text.page.url(), &text.page.title);
    let page = Page { url: &url, title, section: Some(&text.page.section), sections: sections.collect() };
    indexer.index(id(number), &page)
}
