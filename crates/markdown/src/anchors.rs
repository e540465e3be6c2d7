//! The ids of headings, generated as on GitHub, so that existing links keep working.

use std::collections::hash_map::Entry;

use finl_unicode::categories::CharacterCategories;
use rustc_hash::FxHashMap;

/// The id that the page template uses. Its other ids contain a colon, which anchors never do.
const TEMPLATE_ID: &str = "main";

/// For a heading without letters or digits.
const DEFAULT_ANCHOR: &str = "section";

/// The anchors of one page.
pub(crate) struct Anchors {
    /// Each anchor in use, with the number to try next for another heading of the same name.
    taken: FxHashMap<String, usize>,
}

impl Anchors {
    pub(crate) fn new() -> Anchors {
        Anchors { taken: FxHashMap::from_iter([(TEMPLATE_ID.to_owned(), 1)]) }
    }

    /// The anchor of the next heading: its name, with a number appended if that is in use.
    pub(crate) fn claim(&mut self, heading: &str) -> String {
        self.claim_id(name(heading))
    }

    /// An anchor chosen by the author, with a number appended if it is in use.
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
    if name.is_empty() { DEFAULT_ANCHOR.to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_the_same_as_on_github() {
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
    fn headings_with_the_same_name_are_numbered() {
        let mut anchors = Anchors::new();
        let claimed: Vec<_> = ["A", "a", "A-1", "a", "a-1"].map(|heading| anchors.claim(heading)).into();
        assert_eq!(claimed, ["a", "a-1", "a-1-1", "a-2", "a-1-2"]);
    }

    #[test]
    fn the_id_of_the_template_is_reserved() {
        assert_eq!(Anchors::new().claim("Main"), "main-1");
    }
}
