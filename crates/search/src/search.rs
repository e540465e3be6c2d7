//! Finds the pages that match a query, in two passes: the first finds them and counts, the second ranks.

use crate::Damaged;
use crate::bytes::Reader;
use crate::leaf::{Impact, Leaf, Listing, MAX_PAGES, Postings, Size, bits};
use crate::query::{Letters, Query, Word};
use crate::rank::{Frequency, Match, Scale, Statistics, Weight};
use crate::stems::Stems;
use crate::typo::{Likeness, compare};
use crate::vocabulary::Vocabulary;

/// The pages that match.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Their number.
    pub total: usize,
    /// The best of them, best first.
    pub hits: Vec<Hit>,
    /// What was found: the query, or if no page matches it, a wider one. For [`snippet`](crate::snippet).
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Index of the leaf, and of the page in it: where its text is.
    pub leaf: usize,
    pub page: usize,
    pub url: String,
    pub title: String,
    pub section: Option<String>,
    pub score: f32,
}

/// Finds the best `limit` pages in all leaves of a site. Other forms of words are not found, as no language is known.
pub fn search(leaves: &[Leaf<'_>], query: &Query, limit: usize) -> Result<Found, Damaged> {
    let mut search = Search::new(query.clone());
    loop {
        leaves.iter().try_for_each(|leaf| search.add(leaf))?;
        if !search.widen(None) {
            return search.best(limit);
        }
    }
}

/// The same in steps. Leaves are added one after the other, so that they need not be in memory together.
pub struct Search {
    query: Query,
    site: Statistics,
    /// Of each word.
    frequencies: Vec<Frequency>,
    /// The terms that each word may stand for, if they are known; otherwise the terms of each leaf are compared.
    alike: Vec<Option<Vec<Vec<u8>>>>,
    /// How each word matches the leaf that is added.
    words: Vec<WordMatches>,
    /// Leaves that were added.
    leaves: usize,
    /// Pages that have all words.
    candidates: Vec<Candidate>,
    /// How each word matches each candidate.
    matches: Vec<Match>,
    /// What is shown of the candidates, one after the other.
    records: Vec<u8>,
}

struct Candidate {
    leaf: u32,
    page: u8,
    size: Size,
    /// The offset of its record.
    record: usize,
}

impl Search {
    pub fn new(query: Query) -> Search {
        Search {
            site: Statistics::default(),
            frequencies: vec![Frequency::default(); query.words.len()],
            alike: vec![None; query.words.len()],
            words: vec![WordMatches::default(); query.words.len()],
            leaves: 0,
            candidates: Vec::new(),
            matches: Vec::new(),
            records: Vec::new(),
            query,
        }
    }

    /// Searches one more leaf.
    pub fn add(&mut self, leaf: &Leaf<'_>) -> Result<(), Damaged> {
        self.site.pages += leaf.len() as u64;
        for page in 0..leaf.len() {
            self.site.tokens += u64::from(leaf.size(page)?.tokens);
        }
        let mut pages = if self.query.words.is_empty() { 0 } else { u64::MAX };
        let words = self.query.words.iter().zip(&self.alike);
        for ((word, alike), (matches, frequency)) in
            words.zip(self.words.iter_mut().zip(&mut self.frequencies))
        {
            matches.find(leaf, word, alike.as_deref())?;
            frequency.exact += matches.exact_pages.count_ones();
            frequency.all += matches.pages.count_ones();
            pages &= matches.pages;
        }
        if pages.checked_shr(leaf.len() as u32).unwrap_or(0) != 0 {
            return Err(Damaged);
        }
        for page in bits(pages) {
            let (leaf_number, record) = (self.leaves as u32, self.records.len());
            let size = leaf.size(page)?;
            self.candidates.push(Candidate { leaf: leaf_number, page: page as u8, size, record });
            self.records.extend_from_slice(leaf.record(page)?);
            self.matches.extend(self.words.iter().map(|matches| matches.of(page)));
        }
        self.leaves += 1;
        Ok(())
    }

    /// Whether [`widen`](Search::widen) may succeed, once all leaves were added. `language` is that of the site, as a
    /// BCP 47 tag.
    pub fn may_be_wider(&self, language: &str) -> bool {
        self.candidates.is_empty() && self.query.may_be_wider(Stems::of(language).is_some())
    }

    /// If no page has been found, begins again with other forms of the words; if these were searched or there are none, with
    /// typos. Without a vocabulary, there are no other forms, and typos take longer. `false`: nothing has changed.
    pub fn widen(&mut self, vocabulary: Option<&Vocabulary>) -> bool {
        if !self.candidates.is_empty() {
            return false;
        }
        if let Some(query) = vocabulary.and_then(|vocabulary| self.query.inflected(vocabulary)) {
            *self = Search::new(query);
            return true;
        }
        let Some(query) = self.query.forgiving() else { return false };
        *self = Search::new(query);
        if let Some(vocabulary) = vocabulary {
            let alike = |word: &Word| match word {
                Word::Letters(letters) if letters.is_forgiving => vocabulary.alike(letters.word.as_bytes()),
                _ => None,
            };
            self.alike = self.query.words.iter().map(alike).collect();
        }
        true
    }

    /// The best `limit` pages, once all leaves were added.
    pub fn best(self, limit: usize) -> Result<Found, Damaged> {
        let weights: Vec<Weight> =
            self.frequencies.iter().map(|frequency| Weight::new(self.site, *frequency)).collect();
        let mut ranked = Vec::with_capacity(self.candidates.len());
        for (index, candidate) in self.candidates.iter().enumerate() {
            let scale = Scale::new(self.site, candidate.size);
            let matches = &self.matches[index * weights.len()..][..weights.len()];
            let score = weights.iter().zip(matches).map(|(weight, found)| scale.score(*weight, *found)).sum();
            ranked.push(Ranked { score, candidate });
        }
        let total = ranked.len();
        // A damaged URL is reported when its page is shown.
        let url =
            |page: &Ranked<'_>| self.record(page.candidate).and_then(Listing::url_bytes).unwrap_or_default();
        let best =
            |a: &Ranked<'_>, b: &Ranked<'_>| b.score.total_cmp(&a.score).then_with(|| url(a).cmp(url(b)));
        if limit < total {
            ranked.select_nth_unstable_by(limit, best);
            ranked.truncate(limit);
        }
        ranked.sort_unstable_by(best);
        let hits = ranked.into_iter().map(|ranked| self.hit(ranked)).collect::<Result<_, _>>()?;
        Ok(Found { total, hits, query: self.query })
    }

    fn record(&self, candidate: &Candidate) -> Result<Reader<'_>, Damaged> {
        Reader::at(&self.records, candidate.record)
    }

    fn hit(&self, Ranked { score, candidate }: Ranked<'_>) -> Result<Hit, Damaged> {
        let Listing { url, title, section, .. } = Listing::read(self.record(candidate)?)?;
        Ok(Hit {
            leaf: candidate.leaf as usize,
            page: usize::from(candidate.page),
            url: url.to_owned(),
            title: title.to_owned(),
            section: (!section.is_empty()).then(|| section.to_owned()),
            score,
        })
    }
}

struct Ranked<'c> {
    score: f32,
    candidate: &'c Candidate,
}

/// How a word matches the pages of a leaf.
#[derive(Clone)]
struct WordMatches {
    exact_pages: u64,
    pages: u64,
    /// Valid for these pages only.
    exact: [Impact; MAX_PAGES],
    all: [Impact; MAX_PAGES],
}

impl Default for WordMatches {
    fn default() -> WordMatches {
        let none = [Impact::default(); MAX_PAGES];
        WordMatches { exact_pages: 0, pages: 0, exact: none, all: none }
    }
}

impl WordMatches {
    fn of(&self, page: usize) -> Match {
        let is_exact = self.exact_pages >> page & 1 == 1;
        Match { exact: if is_exact { self.exact[page] } else { Impact::default() }, all: self.all[page] }
    }

    fn find(&mut self, leaf: &Leaf<'_>, word: &Word, alike: Option<&[Vec<u8>]>) -> Result<(), Damaged> {
        (self.exact_pages, self.pages) = (0, 0);
        match word {
            Word::Letters(letters) => self.find_letters(leaf, letters, alike),
            Word::Part(chars) => self.find_part(leaf, chars),
        }
    }

    /// Each term counts once.
    fn find_letters(
        &mut self,
        leaf: &Leaf<'_>,
        letters: &Letters,
        alike: Option<&[Vec<u8>]>,
    ) -> Result<(), Damaged> {
        let word = letters.word.as_bytes();
        if letters.is_beginning {
            leaf.with_prefix(word, |term, postings| match term.len() == word.len() {
                true => self.add_exact(&postings),
                false => self.add(&postings),
            })?;
        } else if let Some(postings) = leaf.find(word)? {
            self.add_exact(&postings);
        }
        let is_new = |form: &&[u8]| !letters.matches_spelling(form);
        let mut forms = letters.forms.iter().map(String::as_bytes).filter(is_new);
        forms.try_for_each(|form| self.find_term(leaf, form))?;
        if !letters.is_forgiving {
            return Ok(());
        }
        let is_new = |term: &[u8]| is_new(&term) && !letters.forms.iter().any(|form| form.as_bytes() == term);
        match alike {
            Some(terms) => {
                let mut terms = terms.iter().filter(|term| is_new(term));
                terms.try_for_each(|term| self.find_term(leaf, term))
            }
            None => self.find_alike(leaf, word, is_new),
        }
    }

    fn find_term(&mut self, leaf: &Leaf<'_>, term: &[u8]) -> Result<(), Damaged> {
        if let Some(postings) = leaf.find(term)? {
            self.add(&postings);
        }
        Ok(())
    }

    fn find_alike(
        &mut self,
        leaf: &Leaf<'_>,
        word: &[u8],
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<(), Damaged> {
        let mut terms = leaf.terms()?;
        while terms.next()? {
            match compare(terms.term(), word) {
                Likeness::Alike if is_wanted(terms.term()) => self.add(&terms.postings()?),
                Likeness::Alike => {}
                Likeness::Different(depth) => terms.skip_like(depth)?,
            }
        }
        Ok(())
    }

    fn add_exact(&mut self, postings: &Postings<'_>) {
        self.exact_pages = postings.pages;
        postings.impacts().for_each(|(page, impact)| self.exact[page] = impact);
        self.add(postings);
    }

    fn add(&mut self, postings: &Postings<'_>) {
        for (page, impact) in postings.impacts() {
            let before = if self.pages >> page & 1 == 1 { self.all[page] } else { Impact::default() };
            self.all[page] = before.plus(impact);
        }
        self.pages |= postings.pages;
    }

    /// A single character is the beginning of a term. Of several, each two are a term, and these must be at
    /// consecutive positions.
    fn find_part(&mut self, leaf: &Leaf<'_>, chars: &[char]) -> Result<(), Damaged> {
        if let [char] = chars {
            leaf.with_prefix(char.encode_utf8(&mut [0; 4]).as_bytes(), |_, postings| self.add(&postings))?;
        } else {
            self.find_sequence(leaf, chars)?;
        }
        (self.exact_pages, self.exact) = (self.pages, self.all);
        Ok(())
    }

    fn find_sequence(&mut self, leaf: &Leaf<'_>, chars: &[char]) -> Result<(), Damaged> {
        let (mut pairs, mut pages) = (Vec::with_capacity(chars.len()), u64::MAX);
        for pair in chars.windows(2) {
            let Some(postings) = leaf.find(pair.iter().collect::<String>().as_bytes())? else {
                return Ok(());
            };
            pages &= postings.pages;
            pairs.push(postings);
        }
        if pairs.len() > 1 && pages != 0 {
            pages = with_sequence(&pairs, pages)?;
        }
        self.all = [Impact(u8::MAX); MAX_PAGES];
        for (page, impact) in pairs.iter().flat_map(Postings::impacts) {
            self.all[page] = self.all[page].common(impact);
        }
        self.pages = pages;
        Ok(())
    }
}

/// Those of the pages on which the pairs follow each other.
fn with_sequence(pairs: &[Postings<'_>], pages: u64) -> Result<u64, Damaged> {
    let mut starts = places(&pairs[0], pages)?;
    for (distance, pair) in pairs.iter().enumerate().skip(1) {
        let places = places(pair, pages)?;
        let mut places = places.iter().peekable();
        starts.retain(|start| {
            let wanted = start + distance as u32;
            while places.next_if(|place| **place < wanted).is_some() {}
            places.peek() == Some(&&wanted)
        });
    }
    Ok(starts.iter().fold(0, |pages, place| pages | 1 << (place >> PLACE_BITS)))
}

/// A position needs fewer bits, so that the last ones of a page are not next to the first ones of another.
const PLACE_BITS: u32 = 20;

/// Page and position in one number, in order.
fn places(pair: &Postings<'_>, pages: u64) -> Result<Vec<u32>, Damaged> {
    let (mut places, mut positions) = (Vec::new(), pair.positions());
    for page in bits(pair.pages) {
        let is_wanted = pages >> page & 1 == 1;
        positions.next_page(|position| {
            if is_wanted {
                places.push((page as u32) << PLACE_BITS | position);
            }
        })?;
    }
    Ok(places)
}
