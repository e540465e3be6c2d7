//! What holds for all sites and all queries.

use std::collections::BTreeMap;

use model::PageId;
use proptest::prelude::*;
use recto_search::{
    Files, Leaf, LeafName, Partition, Query, Search, Texts, Vocabulary, merge, search, snippet,
};

use crate::{Text, find, id, leaves, page_files};

/// Few different words, so that queries match.
fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[ab]{1,3}",
        1 => "(publish|publisher|server|servers)",
        2 => "[甲乙丙]{1,5}",
        1 => "[กขิ]{1,4}",
        1 => "(É|é|가나|x_y|1)",
    ];
    let between = prop_oneof![Just(" "), Just("\n"), Just(". "), Just("")];
    prop::collection::vec((word, between), 0..12)
        .prop_map(|words| words.into_iter().flat_map(|(word, between)| [word, between.to_owned()]).collect())
}

fn page() -> impl Strategy<Value = Text> {
    let sections = prop::collection::vec((words(), words()), 0..3);
    (words(), words(), sections).prop_map(|(title, text, sections)| {
        let below = |(heading, text): (String, String)| format!("## {}\n{text}", heading.replace('\n', " "));
        Text { title, text: [text].into_iter().chain(sections.into_iter().map(below)).collect() }
    })
}

fn query() -> impl Strategy<Value = String> {
    prop_oneof![
        words(),
        "[ab]{1,2} [甲乙丙]{1,4}",
        "[甲乙丙]{1,4}",
        "(pubilsh|servrs|publihser) [ab]?",
        "[กขิ]{1,3}"
    ]
    .prop_map(|query| query.chars().take(200).collect())
}

fn add_all(search: &mut Search, leaves: &[Files]) {
    leaves.iter().for_each(|files| search.add(&Leaf::open(&files.terms).unwrap()).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn leaves_of_any_size_give_the_results_and_scores_of_one_index(
        pages in prop::collection::vec(page(), 1..40),
        sizes in prop::collection::vec(1..20_usize, 1..4),
        queries in prop::collection::vec(query(), 1..6),
    ) {
        let (one, many) = (leaves(&pages, &[64]), leaves(&pages, &sizes));
        for query in queries {
            let [one, many] = [find(&one, &query, 10), find(&many, &query, 10)].map(|found| {
                let hits: Vec<_> = found.hits.into_iter().map(|hit| (hit.url, hit.title, hit.score)).collect();
                (found.total, hits, found.query)
            });
            prop_assert_eq!(one, many, "{}", query);
        }
    }

    /// Also if the vocabulary has the terms of pages that are gone.
    #[test]
    fn a_vocabulary_changes_no_result(
        pages in prop::collection::vec(page(), 1..40),
        former in page(),
        query in "(pubilsh|servrs|publihser|publsh|erver) (serer|[ab]|pblisher)?",
    ) {
        let files = leaves(&pages, &[7]);
        let former = leaves(&[former], &[1]);
        let mut vocabulary = Vocabulary::default();
        for files in files.iter().chain(&former) {
            vocabulary.add(&Leaf::open(&files.terms).unwrap()).unwrap();
        }
        let mut search = Search::new(Query::parse(&query).unwrap());
        add_all(&mut search, &files);
        if search.widen(Some(&vocabulary)) {
            add_all(&mut search, &files);
        }
        prop_assert_eq!(search.best(10).unwrap(), find(&files, &query, 10));
    }

    /// Pages are added, changed and removed; after each step the changed leaves are made of the old ones and of the
    /// changed page, and equal those of a clean build.
    #[test]
    fn changed_leaves_are_those_of_a_clean_build(
        first in prop::collection::vec(page(), 60..70),
        steps in prop::collection::vec((0..80_usize, prop::option::of(page())), 1..8),
    ) {
        let mut site = Site::default();
        first.iter().enumerate().for_each(|(number, page)| site.change(number, Some(page)));
        for (number, page) in steps {
            site.change(number, page.as_ref());
            prop_assert_eq!(&site.leaves, &site.built_from_scratch());
        }
    }

    #[test]
    fn every_substring_of_a_script_without_spaces_is_found(
        text in "[甲乙丙丁戊ぁあ가나다กขิ]{1,60}", from in 0..60_usize, length in 1..10_usize,
    ) {
        let part: String = text.chars().skip(from % text.chars().count()).take(length).collect();
        let pages = [crate::text("Other", "甲 乙 丙 가나 ก"), crate::text("This", &text)];
        let found = find(&leaves(&pages, &[2]), &part, 10);
        prop_assert!(found.hits.iter().any(|hit| hit.url == "/1"), "{} in {}", part, text);
    }

    #[test]
    fn what_does_not_contain_the_substring_is_not_found(text in "[甲乙丙]{0,12}", part in "[甲乙丙]{1,6}") {
        let pages = [crate::text("Other", &text)];
        prop_assert_eq!(find(&leaves(&pages, &[1]), &part, 10).total, usize::from(text.contains(&part)));
    }

    #[test]
    fn damaged_bytes_are_an_error_or_other_results(
        pages in prop::collection::vec(page(), 1..20),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        query in query(),
    ) {
        let [files] = &leaves(&pages, &[64])[..] else { panic!("one leaf") };
        let damaged = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            damage.iter().for_each(|(at, byte)| { let at = at.index(bytes.len()); bytes[at] = *byte; });
            if cut.index(4) == 0 {
                bytes.truncate(cut.index(bytes.len()));
            }
            bytes
        };
        let files = Files { terms: damaged(&files.terms), texts: damaged(&files.texts) };
        let _ = use_all(&files, &query);
        let ids: Vec<PageId> = (0..pages.len()).map(id).collect();
        let _ = merge(&[&files], &ids);
        let _ = merge(&[&files, &page_files(0, &pages[0])], &ids);
    }
}

/// Does everything that the bytes are for.
fn use_all(files: &Files, query: &str) -> Result<(), recto_search::Damaged> {
    let found = search(&[Leaf::open(&files.terms)?], &Query::parse(query).unwrap(), 50)?;
    let texts = Texts::open(&files.texts)?;
    found.hits.iter().try_for_each(|hit| snippet(&texts, hit.page, &found.query).map(drop))
}

/// A site as a build keeps it.
#[derive(Default)]
struct Site {
    pages: BTreeMap<usize, Text>,
    partition: Partition,
    leaves: BTreeMap<LeafName, Files>,
}

impl Site {
    fn change(&mut self, number: usize, page: Option<&Text>) {
        let mut changed = match page {
            Some(_) => self.partition.insert(id(number)),
            None => self.partition.remove(id(number)),
        };
        match page {
            Some(page) => self.pages.insert(number, page.clone()),
            None => self.pages.remove(&number),
        };
        changed.insert(self.partition.leaf(id(number)));
        let old: Vec<Files> = changed.iter().filter_map(|leaf| self.leaves.remove(leaf)).collect();
        let new = page.map(|page| page_files(number, page));
        let parts: Vec<&Files> = old.iter().chain(&new).collect();
        for leaf in changed {
            let ids = self.partition.ids(leaf);
            if !ids.is_empty() && self.partition.leaf(ids[0]) == leaf {
                self.leaves.insert(leaf, merge(&parts, &ids).unwrap());
            }
        }
    }

    fn built_from_scratch(&self) -> BTreeMap<LeafName, Files> {
        let files: BTreeMap<PageId, Files> =
            self.pages.iter().map(|(number, page)| (id(*number), page_files(*number, page))).collect();
        let partition: Partition = files.keys().copied().collect();
        let leaf = |name| {
            let ids = partition.ids(name);
            (name, merge(&ids.iter().map(|id| &files[id]).collect::<Vec<_>>(), &ids).unwrap())
        };
        partition.leaves().map(leaf).collect()
    }
}
