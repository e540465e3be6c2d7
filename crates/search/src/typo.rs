//! Whether two words differ by one typo: a letter that is wrong, missing or too many, or two that changed places.

/// The result of comparing a term with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// They differ by at most one typo.
    Alike,
    /// They differ by more, and so does every term with the same first bytes, this many.
    Different(usize),
}

pub(crate) fn compare(term: &[u8], word: &[u8]) -> Likeness {
    let same = common(term, word);
    if same == term.len() && same == word.len() {
        return Likeness::Alike;
    }
    // Both have the same bytes before it, so it is the beginning of a letter in both.
    let start = letter_start(if same < word.len() { word } else { term }, same);
    let (in_term, in_word) = (letter(term, start), letter(word, start));
    // Each: where the rest must be equal, in the term and in the word.
    let wrong = (start + in_term, start + in_word);
    let extra = (start + in_term, start);
    let missing = (start, start + in_word);
    let mut different = same + 1;
    for (term_at, word_at) in [wrong, extra, missing] {
        let equal = common(&term[term_at..], &word[word_at..]);
        if term_at + equal == term.len() && word_at + equal == word.len() {
            return Likeness::Alike;
        }
        different = different.max(term_at + equal + 1);
    }
    match swapped(&term[start..], &word[start..]) {
        Likeness::Alike => Likeness::Alike,
        Likeness::Different(depth) => Likeness::Different(different.max(start + depth)),
    }
}

/// Whether the first two letters changed places, and the rest is equal.
fn swapped(term: &[u8], word: &[u8]) -> Likeness {
    let first = letter(word, 0);
    let second = letter(word, first);
    if second == 0 {
        return Likeness::Different(0);
    }
    let expected = word[first..first + second].iter().chain(&word[..first]).chain(&word[first + second..]);
    let equal = term.iter().zip(expected).take_while(|(a, b)| a == b).count();
    match equal == term.len() && equal == word.len() {
        true => Likeness::Alike,
        false => Likeness::Different(equal + 1),
    }
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The beginning of the letter that a byte is part of.
fn letter_start(word: &[u8], at: usize) -> usize {
    (0..=at).rev().find(|&at| !is_inside(word.get(at))).unwrap_or(0)
}

/// The length of the letter at an offset; 0 at the end.
fn letter(word: &[u8], at: usize) -> usize {
    match at < word.len() {
        true => 1 + word[at + 1..].iter().take_while(|byte| is_inside(Some(byte))).count(),
        false => 0,
    }
}

/// Whether a byte continues a letter, in UTF-8.
fn is_inside(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte & 0xc0 == 0x80)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_alike(term: &str, word: &str) -> bool {
        compare(term.as_bytes(), word.as_bytes()) == Likeness::Alike
    }

    /// By trying every typo.
    fn is_alike_by_trial(term: &str, word: &str) -> bool {
        let (term, word): (Vec<char>, Vec<char>) = (term.chars().collect(), word.chars().collect());
        let without = |chars: &[char], at: usize| [&chars[..at], &chars[at + 1..]].concat();
        let missing = (0..word.len()).any(|at| without(&word, at) == term);
        let extra = (0..term.len()).any(|at| without(&term, at) == word);
        let wrong = term.len() == word.len() && term.iter().zip(&word).filter(|(a, b)| a != b).count() <= 1;
        let swapped = (1..word.len()).any(|at| {
            let mut swapped = word.clone();
            swapped.swap(at - 1, at);
            swapped == term
        });
        missing || extra || wrong || swapped
    }

    #[test]
    fn one_typo_anywhere_is_forgiven() {
        for typo in
            ["xublish", "publisx", "pubxish", "pblish", "ublish", "publis", "publiish", "upblish", "publihs"]
        {
            assert!(is_alike("publish", typo), "{typo}");
            assert!(is_alike(typo, "publish"), "{typo}");
        }
        assert!(!is_alike("publish", "pulbihs"));
        assert!(!is_alike("publish", "publ"));
        assert!(is_alike("программа", "прогромма"));
        assert!(is_alike("программа", "програма"));
    }

    proptest! {
        #[test]
        fn words_are_compared_as_by_trial(term in "[abдж]{0,6}", word in "[abдж]{0,6}") {
            prop_assert_eq!(is_alike(&term, &word), is_alike_by_trial(&term, &word));
        }

        #[test]
        fn what_begins_differently_is_different(term in "[abд]{0,6}", word in "[abд]{0,6}", other in "[abд]{0,4}") {
            if let Likeness::Different(depth) = compare(term.as_bytes(), word.as_bytes())
                && let Some(begin) = term.get(..depth)
            {
                prop_assert!(!is_alike(&[begin, &other].concat(), &word));
            }
        }
    }
}
