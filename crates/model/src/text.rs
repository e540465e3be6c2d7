//! The free texts of a page, and the two rules for every text: a maximum length, and no U+0000.

use memchr::memchr;

use crate::{Checked, limits};

/// Rejects a text of more than `limit` characters.
pub(crate) fn check_length(field: &str, text: &str, limit: usize) -> Checked<()> {
    // A text has at most as many characters as bytes, so most need not be counted.
    if text.len() <= limit {
        return Ok(());
    }
    match text.chars().count() {
        count if count > limit => Err(format!("{field} must be at most {limit} characters, got {count}")),
        _ => Ok(()),
    }
}

/// Rejects U+0000, which PostgreSQL cannot store.
pub(crate) fn check_nul(field: &str, text: &str) -> Checked<()> {
    if memchr(0, text.as_bytes()).is_some() {
        return Err(format!("{field} must not contain U+0000"));
    }
    Ok(())
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident, $field:literal, $limit:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            pub fn parse(text: impl Into<String>) -> Checked<$name> {
                let text = text.into();
                check_length($field, &text, $limit)?;
                check_nul($field, &text)?;
                Ok($name(text))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn into_string(self) -> String {
                self.0
            }
        }
    )+};
}

texts! {
    /// A page's title, as sent.
    Title, "title", limits::TITLE_CHARS;
    /// A page's meta description; may be empty.
    Description, "description", limits::DESCRIPTION_CHARS;
    /// A page's Markdown.
    Content, "content", limits::CONTENT_CHARS;
}

impl Title {
    /// Only white space, which counts as no title.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_counts_characters_not_bytes() {
        let check = |text: String, expected: Result<(), &str>| {
            assert_eq!(Title::parse(text).map(|_| ()), expected.map_err(str::to_owned));
        };
        check("a".repeat(200), Ok(()));
        check("é".repeat(200), Ok(()));
        check("🦀".repeat(200), Ok(()));
        check("a".repeat(201), Err("title must be at most 200 characters, got 201"));
        check("🦀".repeat(201), Err("title must be at most 200 characters, got 201"));
    }

    #[test]
    fn each_text_has_its_own_limit() {
        let too_long = "a".repeat(100_001);
        assert_eq!(
            Description::parse(too_long.as_str()),
            Err("description must be at most 500 characters, got 100001".into())
        );
        assert_eq!(
            Content::parse(too_long),
            Err("content must be at most 100000 characters, got 100001".into())
        );
        assert!(Content::parse("a".repeat(100_000)).is_ok());
    }

    #[test]
    fn u_0000_is_refused() {
        assert_eq!(Title::parse("a\0b"), Err("title must not contain U+0000".into()));
        assert_eq!(Description::parse("\0"), Err("description must not contain U+0000".into()));
        assert_eq!(Content::parse("\0"), Err("content must not contain U+0000".into()));
    }

    #[test]
    fn a_text_is_stored_as_sent() {
        assert_eq!(Title::parse("  Hello \n").unwrap().into_string(), "  Hello \n");
        assert_eq!(Description::parse("").unwrap().as_str(), "");
    }

    #[test]
    fn a_title_of_white_space_is_blank() {
        let check = |text: &str, expected| assert_eq!(Title::parse(text).unwrap().is_blank(), expected);
        check("", true);
        check(" \t\n\u{a0}\u{3000}", true);
        check(" a ", false);
    }
}
