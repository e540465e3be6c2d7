//! The forms of a word, in the language of the site: "connection" and "connected" have the same stem.

use frostem::Stemmer;

/// A shorter word has no other forms. Letters.
const MIN_LETTERS: usize = 3;
/// The beginning of a stem that all forms contain. Letters.
const KEY_LETTERS: usize = 3;

/// Finds the forms of words in a language.
#[derive(Clone, Copy)]
pub(crate) struct Stems(Stemmer);

impl Stems {
    /// `None` if the forms of the language are not known. Those that are gain by it: see the test of inflections.
    pub(crate) fn of(language: &str) -> Option<Stems> {
        let primary = language.split('-').next().unwrap_or_default();
        Stemmer::try_from_name(primary).ok().map(Stems)
    }

    /// The forms among terms, without the word itself.
    pub(crate) fn forms<'t>(&self, word: &str, terms: impl Iterator<Item = &'t [u8]>) -> Vec<String> {
        if !is_inflected(word) {
            return vec![];
        }
        let stem = self.0.stem(word);
        let end = stem.char_indices().nth(KEY_LETTERS).map_or(stem.len(), |(end, _)| end);
        let key = memchr::memmem::Finder::new(&stem[..end]);
        terms
            .filter(|term| key.find(term).is_some())
            .filter_map(|term| str::from_utf8(term).ok())
            .filter(|term| *term != word && is_inflected(term) && self.0.stem(term) == stem)
            .map(str::to_owned)
            .collect()
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
    fn forms_have_the_stem_of_the_word() {
        let terms = ["connect", "connections", "connection", "connected", "convict", "connection2"];
        let forms = Stems::of("en").unwrap().forms("connection", terms.iter().map(|term| term.as_bytes()));
        assert_eq!(forms, ["connect", "connections", "connected"]);
    }

    #[test]
    fn short_words_and_numbers_have_one_form() {
        let english = Stems::of("en").unwrap();
        for word in ["is", "v20", "2024"] {
            assert!(english.forms(word, [&b"i"[..], b"v20s", b"2024s"].into_iter()).is_empty(), "{word}");
        }
    }
}
