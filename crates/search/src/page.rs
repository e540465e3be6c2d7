//! Turns a page into a leaf of one page.

use model::PageId;

use crate::Files;
use crate::leaf::{Impact, Listing, MAX_POSITION, PageRecord, Size, Writer, first_bytes, put_positions};
use crate::texts::{Compressor, TextsWriter};
use crate::tokens::{Token, tokens};

/// Words of a page; further ones are not found.
const MAX_WORDS: usize = 200_000;
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
    words: Words,
    chars: Chars,
    compressor: Compressor,
}

impl Default for Indexer {
    fn default() -> Indexer {
        Indexer { words: Words::default(), chars: Chars::default(), compressor: Compressor::new() }
    }
}

impl Indexer {
    /// The leaf that has only this page.
    pub fn index(&mut self, id: PageId, page: &Page<'_>) -> Files {
        self.words.clear();
        self.chars.clear();
        let title = self.add(page.title, Impact::TITLE);
        let mut count = title;
        for section in &page.sections {
            count += self.add(section.heading, Impact::HEADING);
            count += self.add(section.text, Impact::TEXT);
        }
        let size = Size { tokens: count, title: title.min(255) as u8 };
        let listing = Listing {
            id,
            url: cut(page.url, MAX_LISTING),
            title: cut(page.title, MAX_LISTING),
            section: cut(page.section.unwrap_or_default(), MAX_LISTING),
        };
        let mut texts = TextsWriter::default();
        texts.put(&self.compressor.frame(&page.sections));
        let terms = self.terms().finish(&[PageRecord::new(size, &listing)]);
        Files { terms, texts: texts.finish() }
    }

    /// Adds the tokens of a text, and returns their number.
    fn add(&mut self, text: &str, impact: Impact) -> u32 {
        let (words, chars, mut count) = (&mut self.words, &mut self.chars, 0);
        tokens(text, |_, token| {
            count += 1;
            match token {
                Token::Word(word) => words.add(word, impact),
                Token::Char { char, follows } => chars.add(char, follows, impact),
            }
        });
        self.chars.end();
        count
    }

    /// Words and pairs of characters, in order.
    fn terms(&mut self) -> Writer {
        let (pairs, positions) = self.chars.terms();
        let mut writer = Writer::with_capacity(self.words.bytes.len() + 2 * positions.len());
        let mut pairs = pairs.iter().peekable();
        self.words.each(|word, impact| {
            while let Some(pair) = pairs.next_if(|pair| pair.term() < word) {
                writer.put_single(pair.term(), pair.impact, pair.positions(&positions));
            }
            writer.put_single(word, impact, &[]);
        });
        for pair in pairs {
            writer.put_single(pair.term(), pair.impact, pair.positions(&positions));
        }
        writer
    }
}

/// The words of a page, each as often as it occurs.
#[derive(Default)]
struct Words {
    bytes: Vec<u8>,
    words: Vec<WordEntry>,
}

struct WordEntry {
    first: u64,
    offset: u32,
    length: u8,
    impact: Impact,
}

impl Words {
    fn clear(&mut self) {
        self.bytes.clear();
        self.words.clear();
    }

    fn add(&mut self, word: &[u8], impact: Impact) {
        if self.words.len() < MAX_WORDS {
            let (offset, length) = (self.bytes.len() as u32, word.len() as u8);
            self.words.push(WordEntry { first: first_bytes(word), offset, length, impact });
            self.bytes.extend_from_slice(word);
        }
    }

    /// Calls `each` with each word once, in order. Sorting all of them is faster than counting in a map.
    fn each(&mut self, mut each: impl FnMut(&[u8], Impact)) {
        let (bytes, words) = (&self.bytes, &mut self.words);
        let rest = |word: &WordEntry| {
            &bytes[word.offset as usize..][usize::from(word.length.min(8))..usize::from(word.length)]
        };
        words.sort_unstable_by(|a, b| {
            a.first.cmp(&b.first).then_with(|| match a.length <= 8 && b.length <= 8 {
                true => a.length.cmp(&b.length),
                false => rest(a).cmp(rest(b)),
            })
        });
        for same in words.chunk_by(|a, b| a.first == b.first && a.length == b.length && rest(a) == rest(b)) {
            let impact = same.iter().fold(Impact::default(), |impact, word| impact.plus(word.impact));
            each(&bytes[same[0].offset as usize..][..usize::from(same[0].length)], impact);
        }
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
    /// In UTF-8; a text of many pairs would need much memory for as many strings.
    bytes: [u8; 8],
    length: u8,
    impact: Impact,
    positions: std::ops::Range<u32>,
}

impl Pair {
    fn term(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Its part of the bytes of all positions.
    fn positions<'p>(&self, all: &'p [u8]) -> &'p [u8] {
        &all[self.positions.start as usize..self.positions.end as usize]
    }
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
            let start = bytes.len() as u32;
            positions.clear();
            positions.extend(group.iter().map(|pair| (pair >> 2) as u32 & 0xf_ffff));
            put_positions(&mut bytes, &positions);
            let impacts = group.iter().map(|pair| impact(pair & 3));
            let (term, length) = term(group[0] >> 22);
            terms.push(Pair {
                bytes: term,
                length,
                impact: impacts.fold(Impact::default(), Impact::plus),
                positions: start..bytes.len() as u32,
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

/// The characters of a pair in UTF-8, and how many bytes that are.
fn term(pair: u64) -> ([u8; 8], u8) {
    let (mut bytes, mut length) = ([0; 8], 0);
    let chars = [pair >> 21, pair & 0x1f_ffff].into_iter().filter(|char| *char != 0);
    for char in chars.filter_map(|char| char::from_u32(char as u32)) {
        length += char.encode_utf8(&mut bytes[length..]).len();
    }
    (bytes, length as u8)
}

/// The beginning of a text with at most so many bytes.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    &text[..text.floor_char_boundary(max)]
}
