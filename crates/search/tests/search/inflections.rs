//! Other forms of words, in each language whose forms are known. `inflections.txt` has the forms of some words.
//!
//! Each form is sought on a site that has all forms but this one, each on a page of its own. Recall is the share of the
//! other forms that are found, precision the share of forms of this word among the results.

use std::ops::AddAssign;

use recto_search::{Files, Found, Leaf, Query, Search, Texts, Vocabulary, snippet};

use crate::{Text, page_files, text};

const FORMS: &str = include_str!("inflections.txt");

/// What stems must add to the recall of each language, and the least precision with them.
const GAIN: f64 = 0.1;
const PRECISION: f64 = 0.97;

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    sought: usize,
    found: usize,
    wrong: usize,
}

impl Count {
    fn recall(self) -> f64 {
        self.found as f64 / self.sought as f64
    }

    fn precision(self) -> f64 {
        self.found as f64 / (self.found + self.wrong) as f64
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.sought += other.sought;
        self.found += other.found;
        self.wrong += other.wrong;
    }
}

/// The forms of words in a language, each on a page.
struct Site {
    language: &'static str,
    /// Word and page of each form.
    forms: Vec<(usize, &'static str, Files)>,
}

impl Site {
    /// The counts of two queries for a form: it is not the last word, and it is.
    fn seek(&self, number: usize, language: &str) -> [Count; 2] {
        let (word, form, _) = &self.forms[number];
        let others = || self.forms.iter().filter(|(_, other, _)| other != form);
        let leaves: Vec<Leaf> = others().map(|(_, _, files)| Leaf::open(&files.terms).unwrap()).collect();
        let expected = |url: &str| self.forms[url[1..].parse::<usize>().unwrap()].0 == *word;
        [format!("{form} keeper"), format!("keeper {form}")].map(|query| {
            let urls = urls(find(&leaves, &query, language));
            let found = urls.iter().filter(|url| expected(url)).count();
            let sought = others().filter(|(other, _, _)| other == word).count();
            Count { sought, found, wrong: urls.len() - found }
        })
    }

    fn counts(&self, language: &str) -> [Count; 2] {
        let mut sums = [Count::default(); 2];
        for number in 0..self.forms.len() {
            let counts = self.seek(number, language);
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }
}

/// All results on a site in a language.
fn find(leaves: &[Leaf<'_>], query: &str, language: &str) -> Found {
    let mut vocabulary = Vocabulary::new(language);
    leaves.iter().for_each(|leaf| vocabulary.add(leaf).unwrap());
    let mut search = Search::new(Query::parse(query).unwrap());
    loop {
        leaves.iter().for_each(|leaf| search.add(leaf).unwrap());
        if !search.widen(Some(&vocabulary)) {
            return search.best(usize::MAX).unwrap();
        }
    }
}

fn urls(found: Found) -> Vec<String> {
    found.hits.into_iter().map(|hit| hit.url).collect()
}

fn sites() -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    for (word, line) in FORMS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).enumerate() {
        if let Some(language) = line.strip_prefix('[') {
            sites.push(Site { language: language.trim_end_matches(']'), forms: vec![] });
            continue;
        }
        let forms = &mut sites.last_mut().unwrap().forms;
        for form in line.split(' ') {
            let page = text("Untitled", &format!("The keeper: {form}."));
            forms.push((word, form, page_files(forms.len(), &page)));
        }
    }
    sites
}

#[test]
#[allow(clippy::print_stdout)] // The figures of docs/benchmarks.md.
fn forms_are_found_in_each_language_of_the_stemmer() {
    for site in sites() {
        let [without, with] = ["", site.language].map(|language| site.counts(language));
        for (place, without, with) in [("first", without[0], with[0]), ("last", without[1], with[1])] {
            let shown = |count: Count| format!("{:.2}, {:.2}", count.recall(), count.precision());
            println!("{} {place}: {} without stems, {} with", site.language, shown(without), shown(with));
            assert!(with.recall() >= without.recall() + GAIN, "{} {place}", site.language);
            assert!(with.precision() >= PRECISION, "{} {place}", site.language);
        }
    }
}

/// What a query finds on an English site with these texts, best first.
fn check(texts: &[&str], query: &str, expected: &[&str]) {
    let pages: Vec<Text> = texts.iter().map(|body| text("Untitled", body)).collect();
    let files = crate::leaves(&pages, &[2]);
    let leaves: Vec<Leaf> = files.iter().map(|files| Leaf::open(&files.terms).unwrap()).collect();
    assert_eq!(urls(find(&leaves, query, "en")), expected, "{query}");
}

#[test]
fn other_forms_are_found_if_nothing_matches() {
    let texts = ["to delete the pages", "deleted: a page", "the deletion"];
    check(&texts, "deleting page", &["/1", "/0"]);
    check(&texts, "deleted the", &["/2", "/0"]);
    check(&texts, "deleted page", &["/1"]);
}

#[test]
fn the_last_word_may_be_a_beginning_or_another_form() {
    check(&["the connectors", "the connected"], "the connection", &["/1"]);
    check(&["page connectors", "page connected"], "pages connect", &["/0", "/1"]);
}

#[test]
fn a_typo_is_not_forgiven_if_another_form_matches() {
    let texts = ["a page that is connected", "a page with a konnection"];
    check(&texts, "connection page", &["/0"]);
    check(&texts[1..], "connection page", &["/0"]);
}

#[test]
fn one_word_may_have_another_form_and_one_a_typo() {
    let texts = ["publishing is deleted", "a publisher"];
    check(&texts, "deleting publishnig", &["/0"]);
    check(&texts, "publishnig deleting", &["/0"]);
    // Also one that begins with the last word.
    check(&texts, "publishnig delet", &["/0"]);
    check(&["publishing connections"], "publishnig connect", &["/0"]);
}

#[test]
fn forms_may_begin_differently() {
    for (word, form) in
        [("tries", "try"), ("try", "trying"), ("flies", "fly"), ("dies", "dying"), ("used", "using")]
    {
        check(&[&format!("it is {form}"), "it is something else"], &format!("{word} it"), &["/0"]);
    }
}

#[test]
fn an_excerpt_shows_the_other_form() {
    let body = format!("{} The lamps were deleted. {}", "Before it. ".repeat(50), "After it. ".repeat(50));
    let files = page_files(0, &text("Untitled", &body));
    let found = find(&[Leaf::open(&files.terms).unwrap()], "deleting lamps", "en");
    let shown = snippet(&Texts::open(&files.texts).unwrap(), 0, &found.query).unwrap().excerpt;
    assert!(shown.contains("The lamps were deleted."), "{shown}");
}
