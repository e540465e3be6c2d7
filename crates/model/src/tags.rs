//! The tags of a page.

use crate::text::{check_length, check_nul};
use crate::{Checked, limits};

/// Trimmed, not empty, without duplicates, in the order sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tags(Vec<String>);

impl Tags {
    /// Count and lengths are checked before trimming and before duplicates are removed.
    pub fn parse(sent: Vec<String>) -> Checked<Tags> {
        if sent.len() > limits::TAGS_PER_PAGE {
            return Err(format!(
                "a page may have at most {} tags, got {}",
                limits::TAGS_PER_PAGE,
                sent.len()
            ));
        }
        let mut tags = Vec::with_capacity(sent.len());
        for text in sent {
            let tag = parse_tag(text)?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Ok(Tags(tags))
    }

    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// A JSON array, without white space.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("a list of strings is JSON")
    }
}

fn parse_tag(text: String) -> Checked<String> {
    check_length("a tag", &text, limits::TAG_CHARS)?;
    check_nul("a tag", &text)?;
    match text.trim() {
        "" => Err("a tag must not be empty".to_owned()),
        tag if tag.len() == text.len() => Ok(text),
        tag => Ok(tag.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(tags: &[&str]) -> Checked<Tags> {
        Tags::parse(tags.iter().map(|&tag| tag.to_owned()).collect())
    }

    #[test]
    fn tags_are_trimmed_and_kept_in_order_each_once() {
        let check = |sent: &[&str], expected: &str| assert_eq!(parse(sent).unwrap().to_json(), expected);
        check(&[], "[]");
        check(&["b", "a"], r#"["b","a"]"#);
        check(&[" b ", "a", "b", "\ta\n"], r#"["b","a"]"#);
        check(&["Rust", "rust"], r#"["Rust","rust"]"#);
        check(&["a \"b\"", "é 🦀"], r#"["a \"b\"","é 🦀"]"#);
        check(&["a"; 20], r#"["a"]"#);
        check(&["é".repeat(30).as_str()], &format!("[\"{}\"]", "é".repeat(30)));
    }

    #[test]
    fn tags_are_checked_as_sent() {
        let check = |sent: &[&str], expected: &str| assert_eq!(parse(sent), Err(expected.into()));
        check(&["a"; 21], "a page may have at most 20 tags, got 21");
        check(&[&"a".repeat(31)], "a tag must be at most 30 characters, got 31");
        check(&[&format!("{}a", " ".repeat(30))], "a tag must be at most 30 characters, got 31");
        check(&["a", ""], "a tag must not be empty");
        check(&["a", " \t"], "a tag must not be empty");
        check(&["a\0"], "a tag must not contain U+0000");
    }
}
