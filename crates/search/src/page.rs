//! Turns a page into a leaf of one page.

use model::PageId;
use rustc_hash::FxHashMap;

use crate::Files;
use crate::leaf::{Impact, Listing, MAX_POSITION, NewPostings, PageRecord, Writer, put_positions};
use crate::texts::{Compressor, TextsWriter};
use crate::tokens::{Token, tokens};

/// Different words of a page; further ones are not found.
const MAX_WORDS: usize = 20_000;
/// Bytes of a URL, a title or a section that are kept.
const MAX_LISTING: usize = 4096;

/// What the index holds of a page.
#[derive(Clone, Debug, Default)]
pub struct Page<'p> {
    pub url: &'p str,
    pub title: &'p str,
    /// The section of the site that the page is in.
    pub section: Option<&'p str>,
    /// The text, in order.
    pub sections: Vec<Section<'p>>,
}

/// The part of a page below a heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Section<'p> {
    /// The heading's, without `#`; empty before the first heading.
    pub anchor: &'p str,
    pub heading: &'p str,
    /// Plain text. An empty line separates blocks.
    pub text: &'p str,
}

/// Indexes pages, one after the other. Has memory that is used again, so one for each thread is best.
pub struct Indexer {
    words: FxHashMap<Box<str>, Impact>,
    chars: Chars,
    compressor: Compressor,
}

impl Default for Indexer {
    fn default() -> Indexer {
        Indexer { words: FxHashMap::default(), chars: Chars::default(), compressor: Compressor::new() }
    }
}

impl Indexer {
    /// The leaf that has only this page.
    pub fn index(&mut self, id: PageId, page: &Page<'_>) -> Files {
        self.words.clear();
        self.chars.clear();
        let title_words = self.add(page.title, Impact::TITLE);
        let mut count = title_words;
        for section in &page.sections {
            count += self.add(section.heading, Impact::HEADING);
            count += self.add(section.text, Impact::TEXT);
        }
        let listing = Listing {
            id,
            title_words: title_words.min(255) as u8,
            url: cut(page.url, MAX_LISTING),
            title: cut(page.title, MAX_LISTING),
            section: cut(page.section.unwrap_or_default(), MAX_LISTING),
        };
        let mut texts = TextsWriter::default();
        texts.put(&self.compressor.frame(&page.sections));
        let terms = self.terms().finish(&[PageRecord::new(count, &listing)]);
        Files { terms, texts: texts.finish() }
    }

    /// Adds the tokens of a text, and returns their number.
    fn add(&mut self, text: &str, impact: Impact) -> u32 {
        let (words, chars, mut count) = (&mut self.words, &mut self.chars, 0);
        tokens(text, |_, token| {
            count += 1;
            match token {
                Token::Word(word) => add_word(words, word, impact),
                Token::Char { char, follows } => chars.add(char, follows, impact),
            }
        });
        self.chars.end();
        count
    }

    fn terms(&mut self) -> Writer {
        let (pairs, positions) = self.chars.terms();
        let mut terms: Vec<(&str, Impact, &[u8])> = Vec::with_capacity(self.words.len() + pairs.len());
        terms.extend(self.words.iter().map(|(word, impact)| (&**word, *impact, &[][..])));
        terms.extend(pairs.iter().map(|pair| (&*pair.term, pair.impact, &positions[pair.positions.clone()])));
        terms.sort_unstable_by_key(|(term, ..)| *term);
        let mut writer = Writer::default();
        for (term, impact, positions) in terms {
            writer.put(term.as_bytes(), &mut NewPostings::of_one_page(impact, positions));
        }
        writer
    }
}

fn add_word(words: &mut FxHashMap<Box<str>, Impact>, word: &str, impact: Impact) {
    if let Some(before) = words.get_mut(word) {
        *before = before.plus(impact);
    } else if words.len() < MAX_WORDS {
        words.insert(word.into(), impact);
    }
}

/// The characters of a page that are found in pairs, with their positions.
///
/// Each character is a term together with the next one. The last of a sequence is a term alone, so that a single
/// character is found as the beginning of a term.
#[derive(Default)]
struct Chars {
    /// First and second character (0: none), position and field in one number: sorted, they are in the order of the
    /// terms.
    pairs: Vec<u64>,
    /// Of the next character.
    position: u32,
    before: Option<(char, Impact)>,
}

/// A pair of characters, or a single one.
struct Pair {
    term: String,
    impact: Impact,
    positions: std::ops::Range<usize>,
}

impl Chars {
    fn clear(&mut self) {
        self.pairs.clear();
        (self.position, self.before) = (0, None);
    }

    fn add(&mut self, char: char, follows: bool, impact: Impact) {
        match self.before {
            Some((first, _)) if follows => self.push(first, Some(char), impact),
            _ => self.end(),
        }
        self.before = Some((char, impact));
    }

    /// The next character does not follow the last one.
    fn end(&mut self) {
        if let Some((last, impact)) = self.before.take() {
            self.push(last, None, impact);
            // The next position is not behind this one.
            self.position += 1;
        }
    }

    fn push(&mut self, first: char, second: Option<char>, impact: Impact) {
        if self.position <= MAX_POSITION {
            let second = second.map_or(0, u64::from);
            let pair = u64::from(first) << 21 | second;
            self.pairs.push(pair << 22 | u64::from(self.position) << 2 | field(impact));
            self.position += 1;
        }
    }

    /// The terms in order, and the bytes of their positions.
    fn terms(&mut self) -> (Vec<Pair>, Vec<u8>) {
        self.pairs.sort_unstable();
        let (mut terms, mut bytes, mut positions) = (Vec::new(), Vec::new(), Vec::new());
        for group in self.pairs.chunk_by(|a, b| a >> 22 == b >> 22) {
            let start = bytes.len();
            positions.clear();
            positions.extend(group.iter().map(|pair| (pair >> 2) as u32 & 0xf_ffff));
            put_positions(&mut bytes, &positions);
            let impacts = group.iter().map(|pair| impact(pair & 3));
            terms.push(Pair {
                term: term(group[0] >> 22),
                impact: impacts.fold(Impact::default(), Impact::plus),
                positions: start..bytes.len(),
            });
        }
        (terms, bytes)
    }
}

fn field(impact: Impact) -> u64 {
    match impact {
        Impact::TITLE => 0,
        Impact::HEADING => 1,
        _ => 2,
    }
}

fn impact(field: u64) -> Impact {
    [Impact::TITLE, Impact::HEADING, Impact::TEXT][field as usize]
}

fn term(pair: u64) -> String {
    let chars = [pair >> 21, pair & 0x1f_ffff];
    chars.into_iter().filter(|char| *char != 0).filter_map(|char| char::from_u32(char as u32)).collect()
}

/// The beginning of a text with at most so many bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    &text[..text.floor_char_boundary(max)]
}
