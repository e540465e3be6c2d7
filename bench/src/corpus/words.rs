//! Words, and tags and sections made from them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::dice::Dice;

pub const SECTIONS_PER_TYPE: usize = 20;
const TAG_COUNT: usize = 300;
const WORD_COUNT: usize = 3000;

const SYLLABLES: [&str; 32] = [
    "ba", "cor", "del", "em", "fi", "gan", "hol", "in", "jo", "kir", "la", "mer", "nu", "or", "pas", "que",
    "ril", "so", "tan", "ur", "vel", "wi", "xan", "ye", "zol", "bri", "cla", "dro", "fle", "gri", "ple",
    "ster",
];

/// Function words between the others.
pub const SMALL: [&str; 32] = [
    "the", "of", "and", "a", "to", "in", "is", "that", "for", "it", "with", "as", "on", "be", "by", "this",
    "are", "from", "or", "page", "when", "which", "one", "each", "site", "then", "into", "only", "more",
    "if", "not", "its",
];

pub static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let (mut dice, mut seen) = (Dice::new(7), HashSet::new());
    let mut words = Vec::with_capacity(WORD_COUNT);
    while words.len() < WORD_COUNT {
        let word: String = (0..dice.between(2, 4)).map(|_| *dice.pick(&SYLLABLES)).collect();
        if seen.insert(word.clone()) {
            words.push(word);
        }
    }
    words
});

/// Every third has two words.
pub static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag = |number: usize| match number.is_multiple_of(3) {
        true => format!("{}-{}", WORDS[number], WORDS[number + TAG_COUNT]),
        false => WORDS[number].clone(),
    };
    (0..TAG_COUNT).map(tag).collect()
});

pub static SECTIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let section = |number: usize| format!("{}-{}", WORDS[1000 + number], WORDS[2000 + number]);
    (0..2 * SECTIONS_PER_TYPE).map(section).collect()
});
