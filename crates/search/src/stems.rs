//! The forms of a word, in the language of the site: "connection" and "connected" have the same stem.

use std::borrow::Cow;

use frostem::Stemmer;

/// A shorter word has no other forms. Letters.
const MIN_LETTERS: usize = 2;

/// Finds the stems of words in a language.
#[derive(Clone, Copy)]
pub(crate) struct Stems(Stemmer);

impl Stems {
    /// `None` if the stems of the language are not known. In each language whose stems are, more is found with them, which
    /// the test of inflections checks.
    pub(crate) fn of(language: &str) -> Option<Stems> {
        let primary = language.split('-').next().unwrap_or_default();
        Stemmer::try_from_name(primary).ok().map(Stems)
    }

    /// `None`: the word has no other forms.
    pub(crate) fn stem<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        is_inflected(word).then(|| self.0.stem(word))
    }
}

/// Whether a word may have several forms: it has some letters, and no digits.
pub(crate) fn is_inflected(word: &str) -> bool {
    word.chars().count() >= MIN_LETTERS && word.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_a_tag() {
        assert!(["en", "en-GB", "pt-BR", "ar"].iter().all(|tag| Stems::of(tag).is_some()));
        assert!(["", "ja", "zh-Hans", "tlh"].iter().all(|tag| Stems::of(tag).is_none()));
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let english = Stems::of("en").unwrap();
        let stem = |word| english.stem(word).unwrap();
        for words in [&["connection", "connect", "connections", "connected"][..], &["try", "tries", "trying"]]
        {
            assert!(words.iter().all(|word| stem(word) == stem(words[0])), "{words:?}");
        }
        assert_ne!(stem("connection"), stem("convict"));
    }

    #[test]
    fn letters_and_words_with_digits_have_no_stem() {
        let english = Stems::of("en").unwrap();
        assert!(["s", "covid19s", "2024"].iter().all(|word| english.stem(word).is_none()));
        // It would have one.
        assert_eq!(english.0.stem("covid19s"), "covid19");
    }
}
