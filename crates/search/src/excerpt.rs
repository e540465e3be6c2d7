//! What a result shows: the section that matches best, and its text around a match.

use crate::Damaged;
use crate::page::Section;
use crate::query::{Query, Word};
use crate::texts::Texts;
use crate::tokens::{Token, tokens};

/// Characters of an excerpt, with the ellipses.
const MAX_CHARS: usize = 300;
/// Bytes before the match, at most.
const LEAD: usize = 80;
/// Bytes that the words of a match should be within.
const SPAN: usize = 200;
/// Matches of a section that are looked at.
const MAX_MATCHES: usize = 500;

/// A part of a page that matches a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Of the heading above it, without `#`.
    pub anchor: Option<String>,
    /// Plain text of at most 300 characters; empty only if the page has no text.
    pub excerpt: String,
}

/// The best part of a page of a leaf. `query` is [`Found::query`](crate::Found::query).
pub fn snippet(texts: &Texts<'_>, page: usize, query: &Query) -> Result<Snippet, Damaged> {
    let text = texts.text(page)?;
    let sections = text.sections().collect::<Result<Vec<Section<'_>>, Damaged>>()?;
    let mut best = Rating::default();
    for (index, section) in sections.iter().enumerate() {
        let rating = Rating::new(index, section, query);
        if (rating.words.count_ones(), rating.in_heading) > (best.words.count_ones(), best.in_heading) {
            best = rating;
        }
    }
    let from = &sections[best.section.min(sections.len())..];
    let anchor = from.first().map(|section| section.anchor).filter(|anchor| !anchor.is_empty());
    let shown = from.iter().map(|section| section.text.trim()).find(|text| !text.is_empty());
    let excerpt = match from.first().filter(|section| !section.text.trim().is_empty()) {
        Some(section) => around(section.text, best.start),
        None => around(shown.unwrap_or_default(), 0),
    };
    Ok(Snippet { anchor: anchor.map(str::to_owned), excerpt })
}

/// How well a section matches.
#[derive(Default)]
struct Rating {
    section: usize,
    /// The set of words that occur in it.
    words: u32,
    in_heading: u32,
    /// Where most of the words are, in the text.
    start: usize,
}

impl Rating {
    fn new(index: usize, section: &Section<'_>, query: &Query) -> Rating {
        let words_of = |matches: &[(usize, u32)]| matches.iter().fold(0, |words, (_, word)| words | word);
        let (heading, text) = (matches(section.heading, query), matches(section.text, query));
        let densest = (0..text.len()).max_by_key(|&first| {
            let near = text[first..].iter().take_while(|(at, _)| *at < text[first].0 + SPAN);
            let words = near.fold(0_u32, |words, (_, word)| words | word);
            // Of several, the first.
            (words.count_ones(), std::cmp::Reverse(first))
        });
        Rating {
            section: index,
            words: words_of(&heading) | words_of(&text),
            in_heading: words_of(&heading).count_ones(),
            start: densest.map_or(0, |first| text[first].0),
        }
    }
}

/// The offset of each word of the query in a text, and which word: one bit each.
fn matches(text: &str, query: &Query) -> Vec<(usize, u32)> {
    let (mut found, mut run) = (Vec::new(), Vec::new());
    tokens(text, |at, token| {
        if let Token::Char { char, follows } = token {
            if !follows {
                run.clear();
            }
            run.push((at, char));
        }
        if found.len() < MAX_MATCHES {
            let words = query.words.iter().enumerate();
            found.extend(words.filter_map(|(index, word)| Some((start(word, at, token, &run)?, 1 << index))));
        }
    });
    found
}

/// Where a word of the query begins, if it ends with this token.
fn start(word: &Word, at: usize, token: Token<'_>, run: &[(usize, char)]) -> Option<usize> {
    match (word, token) {
        (Word::Letters(letters), Token::Word(token)) => letters.matches(token).then_some(at),
        (Word::Part(chars), Token::Char { .. }) => {
            let last = &run[run.len().checked_sub(chars.len())?..];
            last.iter().map(|(_, char)| char).eq(chars).then(|| last[0].0)
        }
        _ => None,
    }
}

/// The text around an offset, on one line.
fn around(text: &str, offset: usize) -> String {
    let start = beginning(text, offset);
    let mut excerpt = if start > 0 { "…".to_owned() } else { String::new() };
    let mut length = excerpt.chars().count();
    for word in text[start..].split_whitespace() {
        let space = usize::from(length > usize::from(start > 0));
        let chars = word.chars().count();
        if length + space + chars >= MAX_CHARS {
            let free = MAX_CHARS - 1 - length.min(MAX_CHARS - 1);
            // A word that is longer than this is a text without spaces.
            if chars > LEAD && free > LEAD {
                excerpt.extend(" ".repeat(space).chars().chain(word.chars()).take(free));
            }
            excerpt.push('…');
            break;
        }
        excerpt.push_str(&" "[..space]);
        excerpt.push_str(word);
        length += space + chars;
    }
    excerpt
}

/// Some words before the match; in a text without spaces, some characters.
fn beginning(text: &str, offset: usize) -> usize {
    if offset <= LEAD {
        return 0;
    }
    let earliest = text.ceil_char_boundary(offset - LEAD);
    match text[earliest..offset].find(char::is_whitespace) {
        Some(space) => earliest + space,
        None => earliest,
    }
}

#[cfg(test)]
mod tests {
    use model::PageId;
    use uuid::Uuid;

    use super::*;
    use crate::{Indexer, Page};

    fn snippet_of(sections: &[(&str, &str)], query: &str) -> (Option<String>, String) {
        let anchors: Vec<String> = (0..sections.len()).map(|number| format!("s{number}")).collect();
        let section = |(anchor, (heading, text))| Section {
            anchor: if str::is_empty(heading) { "" } else { anchor },
            heading,
            text,
        };
        let sections =
            anchors.iter().map(String::as_str).zip(sections.iter().copied()).map(section).collect();
        let page = Page { sections, ..Page::default() };
        let files = Indexer::default().index(PageId(Uuid::nil()), &page);
        let snippet = snippet(&Texts::open(&files.texts).unwrap(), 0, &Query::parse(query).unwrap()).unwrap();
        (snippet.anchor, snippet.excerpt)
    }

    fn check(sections: &[(&str, &str)], query: &str, anchor: Option<&str>, excerpt: &str) {
        assert_eq!(snippet_of(sections, query), (anchor.map(str::to_owned), excerpt.to_owned()), "{query}");
    }

    #[test]
    fn the_section_with_most_words_is_shown() {
        let sections = [("", "Install it."), ("Use", "Start the server."), ("Stop", "Stop the old server.")];
        check(&sections, "server", Some("s1"), "Start the server.");
        check(&sections, "old server", Some("s2"), "Stop the old server.");
        check(&sections, "install", None, "Install it.");
        check(&sections, "stop", Some("s2"), "Stop the old server.");
    }

    #[test]
    fn a_page_without_a_match_in_its_text_shows_its_beginning() {
        check(&[("", ""), ("Use", "Start.")], "title", None, "Start.");
        check(&[("Use", ""), ("More", "Start.")], "use", Some("s0"), "Start.");
        check(&[], "title", None, "");
    }

    #[test]
    fn an_excerpt_begins_shortly_before_the_match() {
        let text = format!("{}needle in\nthe hay", "hay ".repeat(100));
        let (_, excerpt) = snippet_of(&[("", &text)], "needle");
        assert!(excerpt.starts_with("…hay hay") && excerpt.ends_with("hay needle in the hay"), "{excerpt}");
    }

    #[test]
    fn an_excerpt_has_at_most_300_characters() {
        for text in ["word ".repeat(500), "語".repeat(1000), "x".repeat(1000), "é".repeat(299) + " 語"] {
            for query in ["word", "京", "x"] {
                let (_, excerpt) = snippet_of(&[("", &text)], query);
                assert!((200..=300).contains(&excerpt.chars().count()), "{excerpt}");
            }
        }
    }

    #[test]
    fn words_that_are_close_together_are_preferred() {
        let text = format!("red. {} red green", "x ".repeat(300));
        assert!(snippet_of(&[("", &text)], "red green").1.ends_with("red green"));
    }

    #[test]
    fn characters_are_found_in_a_text_without_spaces() {
        let text = format!("{}東京タワー{}", "あ".repeat(200), "い".repeat(200));
        let (_, excerpt) = snippet_of(&[("", &text)], "京タ");
        assert!(excerpt.contains("東京タワー") && excerpt.starts_with("…あ"), "{excerpt}");
    }
}
