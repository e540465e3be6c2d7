//! What a visitor looks for.

use crate::stems::is_inflected;
use crate::tokens::{Token, tokens};
use crate::typo::{Likeness, compare};
use crate::vocabulary::Vocabulary;

/// Characters of a query.
pub const MAX_QUERY: usize = 200;
/// Words of a query; further ones are ignored.
const MAX_WORDS: usize = 32;
/// Letters of a word in which one typo is forgiven.
const FORGIVEN_LETTERS: usize = 5;

/// All words must occur on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(crate) words: Vec<Word>,
    width: Width,
}

/// What else the words stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Nothing,
    OtherForms,
    Typos,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Letters(Letters),
    /// Characters of a script without spaces, one after the other.
    Part(Vec<char>),
}

/// A word, and what it stands for besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Letters {
    pub(crate) word: String,
    /// Words that begin with it: it is the last one, which may be incomplete.
    pub(crate) is_beginning: bool,
    /// These other forms of it.
    pub(crate) forms: Vec<String>,
    /// Words that differ by one typo.
    pub(crate) is_forgiving: bool,
}

/// The query has more than [`MAX_QUERY`] characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a query has at most {MAX_QUERY} characters")]
pub struct TooLong;

impl Query {
    pub fn parse(text: &str) -> Result<Query, TooLong> {
        if text.chars().nth(MAX_QUERY).is_some() {
            return Err(TooLong);
        }
        let mut words = Vec::new();
        tokens(text, |_, token| match (token, words.last_mut()) {
            (Token::Char { char, follows: true }, Some(Word::Part(chars))) => chars.push(char),
            (Token::Char { char, .. }, _) => words.push(Word::Part(vec![char])),
            (Token::Word(word), _) => words.push(Word::Letters(Letters::new(word))),
        });
        if let Some(Word::Letters(last)) = words.last_mut() {
            last.is_beginning = true;
        }
        Ok(Query { words: without_repetitions(words), width: Width::Nothing })
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether there may be a wider query for the same. `has_stems`: other forms of words are known.
    pub(crate) fn may_be_wider(&self, has_stems: bool) -> bool {
        let mut words = self.letters();
        match self.width {
            Width::Nothing => {
                words.any(|letters| has_stems && is_inflected(&letters.word) || is_forgiven(&letters.word))
            }
            Width::OtherForms => words.any(|letters| is_forgiven(&letters.word)),
            Width::Typos => false,
        }
    }

    /// The same with the other forms that a vocabulary has of its words; `None` if it has none.
    pub(crate) fn inflected(&self, vocabulary: &Vocabulary) -> Option<Query> {
        let widen = |letters: &mut Letters| {
            letters.forms = vocabulary.forms(&letters.word);
            !letters.forms.is_empty()
        };
        if self.width == Width::Nothing { self.wider(Width::OtherForms, widen) } else { None }
    }

    /// The same with typos; `None` if no word is long enough.
    pub(crate) fn forgiving(&self) -> Option<Query> {
        let widen = |letters: &mut Letters| {
            letters.is_forgiving = is_forgiven(&letters.word);
            letters.is_forgiving
        };
        if self.width == Width::Typos { None } else { self.wider(Width::Typos, widen) }
    }

    fn wider(&self, width: Width, widen: impl Fn(&mut Letters) -> bool) -> Option<Query> {
        let (mut query, mut is_wider) = (Query { width, ..self.clone() }, false);
        for word in &mut query.words {
            if let Word::Letters(letters) = word {
                is_wider |= widen(letters);
            }
        }
        is_wider.then_some(query)
    }

    fn letters(&self) -> impl Iterator<Item = &Letters> {
        self.words.iter().filter_map(|word| match word {
            Word::Letters(letters) => Some(letters),
            Word::Part(_) => None,
        })
    }
}

impl Letters {
    fn new(word: &[u8]) -> Letters {
        let word = String::from_utf8_lossy(word).into_owned();
        Letters { word, is_beginning: false, forms: vec![], is_forgiving: false }
    }

    /// Whether a term is the word, or what the word stands for.
    pub(crate) fn matches(&self, term: &[u8]) -> bool {
        let is_form = |form: &String| form.as_bytes() == term;
        self.matches_spelling(term)
            || self.forms.iter().any(is_form)
            || self.is_forgiving && compare(term, self.word.as_bytes()) == Likeness::Alike
    }

    /// Whether a term is the word, or begins with it if that is enough.
    pub(crate) fn matches_spelling(&self, term: &[u8]) -> bool {
        match self.is_beginning {
            true => term.starts_with(self.word.as_bytes()),
            false => term == self.word.as_bytes(),
        }
    }
}

fn is_forgiven(word: &str) -> bool {
    word.chars().filter(|char| char.is_alphabetic()).count() >= FORGIVEN_LETTERS
}

fn without_repetitions(words: Vec<Word>) -> Vec<Word> {
    let mut once: Vec<Word> = Vec::new();
    for word in words {
        if !once.contains(&word) && once.len() < MAX_WORDS {
            once.push(word);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        Query::parse(text).unwrap().words
    }

    fn letters(word: &str) -> Letters {
        Letters::new(word.as_bytes())
    }

    #[test]
    fn the_last_word_may_be_a_beginning() {
        let last = Letters { is_beginning: true, ..letters("files") };
        assert_eq!(words("Large, files"), [Word::Letters(letters("large")), Word::Letters(last)]);
    }

    #[test]
    fn a_repeated_word_counts_once() {
        assert_eq!(words("a b a b c"), words("a b c"));
    }

    #[test]
    fn characters_without_spaces_between_them_belong_together() {
        let part = |text: &str| Word::Part(text.chars().collect());
        assert_eq!(words("東京 タワー"), [part("東京"), part("タワー")]);
        assert_eq!(words("Rust入門"), [Word::Letters(letters("rust")), part("入門")]);
    }

    #[test]
    fn a_query_has_at_most_200_characters() {
        assert!(Query::parse(&"語".repeat(200)).is_ok());
        assert_eq!(Query::parse(&"a".repeat(201)), Err(TooLong));
    }

    #[test]
    fn a_query_without_words_is_empty() {
        assert!(["", "  ", "?!", "---"].iter().all(|text| Query::parse(text).unwrap().is_empty()));
    }

    #[test]
    fn many_words_are_bounded() {
        let text: String = (0..60).map(|number| format!("{number} ")).collect();
        assert_eq!(words(&text).len(), 32);
    }

    #[test]
    fn only_long_words_are_forgiven() {
        let forgiving = |text| Query::parse(text).unwrap().forgiving();
        assert_eq!(forgiving("four 2024 v1234567 東京"), None);
        let forgiven = Letters { is_beginning: true, is_forgiving: true, ..letters("seven") };
        assert_eq!(
            forgiving("four seven").unwrap().words,
            [Word::Letters(letters("four")), Word::Letters(forgiven)]
        );
    }

    #[test]
    fn a_query_may_be_wider_if_its_words_have_forms_or_are_long() {
        let query = |text| Query::parse(text).unwrap();
        assert!(query("seven").may_be_wider(false));
        assert!(!query("four").may_be_wider(false));
        assert!(query("four").may_be_wider(true));
        assert!(!query("2024 東京").may_be_wider(true));
        assert!(!query("four seven").forgiving().unwrap().may_be_wider(true));
    }
}
