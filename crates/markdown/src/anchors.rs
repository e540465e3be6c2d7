//! The ids of headings, made as GitHub makes them, so that links people already wrote keep working.

use std::collections::hash_map::Entry;

use finl_unicode::categories::CharacterCategories;
use rustc_hash::FxHashMap;

/// What a page's frame calls its own elements. Its other ids, if any, contain a colon, which no anchor does.
const OF_THE_FRAME: &str = "main";

/// For a heading without a letter or digit.
const NAMELESS: &str = "section";

/// The anchors of one page.
pub(crate) struct Anchors {
    /// Each anchor given out, with the number to try next for another heading of that name.
    taken: FxHashMap<String, usize>,
}

impl Anchors {
    pub(crate) fn new() -> Anchors {
        Anchors { taken: FxHashMap::from_iter([(OF_THE_FRAME.to_owned(), 1)]) }
    }

    /// The anchor of the next heading: its name, and a number if there was one of that name before.
    pub(crate) fn claim(&mut self, heading: &str) -> String {
        self.claim_id(name(heading))
    }

    /// An anchor that its author chose, and a number if it is taken.
    pub(crate) fn claim_id(&mut self, name: String) -> String {
        if let Entry::Vacant(entry) = self.taken.entry(name.clone()) {
            entry.insert(1);
            return name;
        }
        let mut number = self.taken[&name];
        let anchor = loop {
            let anchor = format!("{name}-{number}");
            number += 1;
            if !self.taken.contains_key(&anchor) {
                break anchor;
            }
        };
        self.taken.insert(name, number);
        self.taken.insert(anchor.clone(), 1);
        anchor
    }
}

/// Lower case; letters, marks, digits, hyphens and underscores of any script; a hyphen for each space.
fn name(heading: &str) -> String {
    let mut name = String::with_capacity(heading.len());
    for char in heading.trim().chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => name.push(char.to_ascii_lowercase()),
            _ if char.is_whitespace() => name.push('-'),
            _ if char.is_ascii() => {}
            _ if char.is_letter() || char.is_mark() || char.is_number() => name.extend(char.to_lowercase()),
            _ => {}
        }
    }
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_what_github_makes_of_a_heading() {
        let check = |heading, anchor: &str| assert_eq!(Anchors::new().claim(heading), anchor);
        check("Request", "request");
        check("  Getting started ", "getting-started");
        check("What's new in 2.0?", "whats-new-in-20");
        check("Ships & boats", "ships--boats");
        check("snake_case", "snake_case");
        check("Überschrift für Größe", "überschrift-für-größe");
        check("Привет, мир", "привет-мир");
        check("日本語の見出し", "日本語の見出し");
        check("हिन्दी", "हिन्दी");
        check("🎉 Party", "-party");
        check("…", "section");
        check("", "section");
    }

    #[test]
    fn headings_of_one_name_are_numbered() {
        let mut anchors = Anchors::new();
        let claimed: Vec<_> = ["A", "a", "A-1", "a", "a-1"].map(|heading| anchors.claim(heading)).into();
        assert_eq!(claimed, ["a", "a-1", "a-1-1", "a-2", "a-1-2"]);
    }

    #[test]
    fn the_id_of_the_frame_is_taken() {
        assert_eq!(Anchors::new().claim("Main"), "main-1");
    }
}
