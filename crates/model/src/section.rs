//! The group of a page within its content type.

use crate::slug::is_label_byte;
use crate::text::check_length;
use crate::{Checked, limits};

/// Lower-case letters, digits and single hyphens, at most 100 characters; empty means "no section".
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(String);

impl Section {
    pub fn none() -> Section {
        Section::default()
    }

    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses user input: capitals are converted to lower case, and the original spelling is returned if there were
    /// any.
    pub fn parse_typed(text: &str) -> Checked<(Section, Option<String>)> {
        let section = Section::parse(&text.to_ascii_lowercase())?;
        let spelling = (section.as_str() != text).then(|| text.to_owned());
        Ok((section, spelling))
    }

    /// Exactly the rule of the specification, "Page", which allows a hyphen at either end.
    pub fn parse(text: &str) -> Checked<Section> {
        check_length("section", text, limits::SECTION_CHARS)?;
        if !text.bytes().all(is_label_byte) {
            return Err("section may contain only lowercase letters, digits and hyphens".to_owned());
        }
        if text.contains("--") {
            return Err("section must not contain consecutive hyphens".to_owned());
        }
        Ok(Section(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_letters_digits_and_single_hyphens() {
        let check =
            |text: &str| assert_eq!(Section::parse(text).map(|section| section.0), Ok(text.to_owned()));
        check("guides");
        check("2026-01");
        check("-");
        check("-a-");
        check(&"a".repeat(100));
    }

    #[test]
    fn an_empty_section_is_none() {
        assert_eq!(Section::parse(""), Ok(Section::none()));
        assert!(Section::none().is_none());
        assert!(!Section::parse("a").unwrap().is_none());
    }

    #[test]
    fn a_typed_section_may_have_capitals() {
        let check = |text: &str, section: &str, spelling: Option<&str>| {
            let expected = (Section(section.to_owned()), spelling.map(str::to_owned));
            assert_eq!(Section::parse_typed(text), Ok(expected));
        };
        check("Guides", "guides", Some("Guides"));
        check("FreeBSD-14", "freebsd-14", Some("FreeBSD-14"));
        check("guides", "guides", None);
        check("", "", None);
        for text in ["É", "A B", "A--B", "A/B"] {
            assert!(Section::parse_typed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_a_section() {
        let check =
            |text: &str, expected: &str| assert_eq!(Section::parse(text), Err(expected.into()), "{text}");
        for text in ["Guides", "a b", " ", "a/b", "..", "a_b", "é", "a\0"] {
            check(text, "section may contain only lowercase letters, digits and hyphens");
        }
        check("a--b", "section must not contain consecutive hyphens");
        check("--", "section must not contain consecutive hyphens");
        check(&"a".repeat(101), "section must be at most 100 characters, got 101");
    }
}
