//! Which characters are part of a word, and how they are compared: without case and accents.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// What a character is to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folded {
    /// A part of a word, in lower case, without accents.
    Letter(char),
    /// A character of a script that is written without spaces, or in which words are found by their parts.
    Unspaced(char),
    /// Neither part of a word nor its end: an accent, a soft hyphen.
    Nothing,
    /// Ends a word.
    Other,
}

/// Most characters become one, some several, such as a ligature.
pub(crate) fn fold(char: char, mut each: impl FnMut(Folded)) {
    if is_unspaced(char) {
        return each(Folded::Unspaced(char));
    }
    if is_ignored(char) {
        return each(Folded::Nothing);
    }
    decompose_compatible(char, |part| {
        if is_unspaced(part) {
            return each(Folded::Unspaced(part));
        }
        if is_ignored(part) {
            return each(Folded::Nothing);
        }
        if !part.is_alphanumeric() && !is_combining_mark(part) {
            return each(Folded::Other);
        }
        part.to_lowercase().for_each(|lower| match plain_letters(lower) {
            Some(letters) => letters.chars().for_each(|letter| each(Folded::Letter(letter))),
            None if is_ignored(lower) => {}
            None => each(Folded::Letter(lower)),
        });
    });
}

/// Letters that Unicode does not decompose although readers see a plain letter with an addition, and variants.
fn plain_letters(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'ħ' => "h",
        'ı' => "i",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ς' => "σ",
        _ => return None,
    })
}

/// Accents of Latin, Greek and Cyrillic letters, points of Hebrew and Arabic, and characters that are not visible.
/// The vowel signs of other scripts are part of the word.
fn is_ignored(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{feff}')
}

/// Thai, Lao, Burmese, Khmer, Chinese, Japanese and Korean.
fn is_unspaced(char: char) -> bool {
    is_han_or_kana(char)
        || matches!(char,
            '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ecf}' | '\u{1000}'..='\u{103f}'
            | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}' | '\u{3099}'..='\u{309a}'
            | '\u{3105}'..='\u{312f}' | '\u{ac00}'..='\u{d7a3}')
}

/// A line break between two of these is not shown as a space.
pub(crate) fn is_han_or_kana(char: char) -> bool {
    matches!(char,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309e}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30fe}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{20000}'..='\u{2f7ff}' | '\u{30000}'..='\u{3ffff}')
}

/// Whether a character may combine with the one before it: voicing marks of kana, and parts of a Korean syllable.
pub(crate) fn combines(char: char) -> bool {
    matches!(char, '\u{3099}'..='\u{309a}' | '\u{1161}'..='\u{11ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        for char in text.chars() {
            fold(char, |folded| match folded {
                Folded::Letter(char) | Folded::Unspaced(char) => out.push(char),
                Folded::Nothing => {}
                Folded::Other => out.push('|'),
            });
        }
        out
    }

    #[test]
    fn case_and_accents_do_not_matter() {
        assert_eq!(folded("ÉCOLE"), folded("école"));
        assert_eq!(folded("e\u{301}cole"), folded("école"));
        assert_eq!(folded("Straße"), folded("STRASSE"));
        assert_eq!(folded("Łódź Ærø"), "lodz|aero");
        assert_eq!(folded("İstanbul ısı"), "istanbul|isi");
        assert_eq!(folded("ΟΔΟΣ"), folded("οδός"));
        assert_eq!(folded("Ёлка"), "елка");
        assert_eq!(folded("ﬁnance Ａ①"), "finance|a1");
    }

    #[test]
    fn points_of_hebrew_and_arabic_do_not_matter() {
        assert_eq!(folded("שָׁלוֹם"), folded("שלום"));
        assert_eq!(folded("مُحَمَّد"), folded("محمد"));
    }

    #[test]
    fn vowel_signs_that_are_part_of_a_word_remain() {
        assert_eq!(folded("हिन्दी"), "हिन्दी");
        assert_eq!(folded("ที่นี่"), "ที่นี่");
    }

    #[test]
    fn forms_of_one_character_are_the_same() {
        assert_eq!(folded("ｶﾅ"), "カナ");
        assert_eq!(folded("\u{f900}"), "\u{8c48}");
        assert_eq!(folded("がパ한"), "がパ한");
    }
}
