//! What a visitor looks for.

use crate::stems::is_inflected;
use crate::tokens::{Token, tokens};
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
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The word itself.
    Whole(String),
    /// The word, or one that begins with it.
    Beginning(String),
    /// The word, or another form of it. The last word may also be the beginning of another one.
    Inflected { word: String, forms: Vec<String>, is_beginning: bool },
    /// The word, another form of it, or one with a typo.
    Forgiving { word: String, forms: Vec<String> },
    /// Characters of a script without spaces, one after the other.
    Part(Vec<char>),
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
            (Token::Word(word), _) => words.push(Word::Whole(String::from_utf8_lossy(word).into_owned())),
        });
        if let Some(last) = words.last_mut()
            && let Word::Whole(word) = last
        {
            *last = Word::Beginning(std::mem::take(word));
        }
        Ok(Query { words: without_repetitions(words) })
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether there may be a wider query for the same: with other forms of its words, or with typos.
    pub(crate) fn may_be_wider(&self) -> bool {
        let may_be_wider = |word: &Word| match word {
            Word::Whole(word) | Word::Beginning(word) => is_inflected(word) || is_forgiven(word),
            Word::Inflected { word, .. } => is_forgiven(word),
            Word::Forgiving { .. } | Word::Part(_) => false,
        };
        self.words.iter().any(may_be_wider)
    }

    /// The same with the other forms that a vocabulary has of its words; `None` if it has none.
    pub(crate) fn inflected(&self, vocabulary: &Vocabulary) -> Option<Query> {
        let words: Vec<Word> = self.words.iter().map(|word| word.inflected(vocabulary)).collect();
        (words != self.words).then_some(Query { words })
    }

    /// The same with typos; `None` if no word is long enough.
    pub(crate) fn forgiving(&self) -> Option<Query> {
        let words: Vec<Word> = self.words.iter().map(Word::forgiving).collect();
        (words != self.words).then_some(Query { words })
    }
}

impl Word {
    fn inflected(&self, vocabulary: &Vocabulary) -> Word {
        let (word, is_beginning) = match self {
            Word::Whole(word) => (word, false),
            Word::Beginning(word) => (word, true),
            _ => return self.clone(),
        };
        let mut forms = vocabulary.forms(word);
        forms.retain(|form| !(is_beginning && form.starts_with(word)));
        match forms.is_empty() {
            true => self.clone(),
            false => Word::Inflected { word: word.clone(), forms, is_beginning },
        }
    }

    fn forgiving(&self) -> Word {
        let (word, forms) = match self {
            Word::Whole(word) | Word::Beginning(word) => (word, &[][..]),
            Word::Inflected { word, forms, .. } => (word, &forms[..]),
            _ => return self.clone(),
        };
        match is_forgiven(word) {
            true => Word::Forgiving { word: word.clone(), forms: forms.to_vec() },
            false => self.clone(),
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

    #[test]
    fn the_last_word_may_be_a_beginning() {
        let [large, files] = ["large", "files"].map(str::to_owned);
        assert_eq!(words("Large, files"), [Word::Whole(large), Word::Beginning(files)]);
    }

    #[test]
    fn a_repeated_word_counts_once() {
        assert_eq!(words("a b a b c"), words("a b c"));
    }

    #[test]
    fn characters_without_spaces_between_them_belong_together() {
        let part = |text: &str| Word::Part(text.chars().collect());
        assert_eq!(words("東京 タワー"), [part("東京"), part("タワー")]);
        assert_eq!(words("Rust入門"), [Word::Whole("rust".to_owned()), part("入門")]);
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
        assert_eq!(
            forgiving("seven").unwrap().words,
            [Word::Forgiving { word: "seven".to_owned(), forms: vec![] }]
        );
    }
}
