//! The hash by which a client sees whether its copy of a page differs from the stored one.

use std::fmt;

use crate::{TextHash, Timestamp, sha256};

/// The fields of a page that its hash covers. The API's description says how clients compute it: a change here is a
/// change of the API.
#[derive(Debug, Clone, Copy)]
pub struct HashedPage<'a> {
    pub content_type: &'a str,
    /// Empty for none, like the other texts.
    pub section: &'a str,
    pub slug: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    pub draft: bool,
    pub published_at: Timestamp,
    pub api_endpoint: &'a str,
    /// `None` for no content.
    pub content: Option<TextHash>,
    /// [`crate::Params::hash`]; `None` for no params.
    pub params: Option<TextHash>,
}

/// Part of the hashed text, so that a later form has other hashes.
const FORM: &str = "page 1";

impl HashedPage<'_> {
    /// The SHA-256 of all fields in this order, each followed by U+0000, which none of them can contain.
    pub fn hash<S: AsRef<str>>(&self, tags: impl IntoIterator<Item = S>) -> PageHash {
        let mut hashed = String::new();
        let mut add = |text: &str| {
            hashed.push_str(text);
            hashed.push('\0');
        };
        add(FORM);
        for text in [self.content_type, self.section, self.slug, self.title, self.description] {
            add(text);
        }
        add(if self.draft { "true" } else { "false" });
        add(self.published_at.text().as_str());
        add(self.api_endpoint);
        for hash in [self.content, self.params] {
            add(&hash.map(|TextHash(bytes)| PageHash(bytes).to_string()).unwrap_or_default());
        }
        tags.into_iter().for_each(|tag| add(tag.as_ref()));
        PageHash(sha256(hashed))
    }
}

/// Shown in hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageHash([u8; 32]);

impl fmt::Display for PageHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Thousands of pages are compared at a time, and formatting each byte would take longer than hashing.
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]));
        f.write_str(&digits.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    const PAGE: HashedPage = HashedPage {
        content_type: "docs",
        section: "guides",
        slug: "install",
        title: "Install",
        description: "",
        draft: false,
        published_at: Timestamp::MIN,
        api_endpoint: "",
        content: None,
        params: None,
    };

    /// Computed by Python: `hashlib.sha256("page 1\0docs\0…\0a\0b\0".encode()).hexdigest()`.
    #[test]
    fn the_hash_is_the_documented_one() {
        let expected = "f1b25821c212d1b4acc6790e16a951b3993c18ec8f43faac238c3fdf54065f9e";
        assert_eq!(PAGE.hash(["a", "b"]).to_string(), expected);
    }

    #[test]
    fn every_field_changes_it() {
        let text = Some(TextHash::of("text"));
        let params = Some(Params::parse("{\"a\":1}").unwrap().hash());
        let others = [
            PAGE,
            HashedPage { content_type: "blog", ..PAGE },
            HashedPage { section: "", ..PAGE },
            HashedPage { slug: "other", ..PAGE },
            HashedPage { title: "Other", ..PAGE },
            HashedPage { description: "Other", ..PAGE },
            HashedPage { draft: true, ..PAGE },
            HashedPage { published_at: Timestamp::MAX, ..PAGE },
            HashedPage { api_endpoint: "GET /", ..PAGE },
            HashedPage { content: text, ..PAGE },
            HashedPage { params: text, ..PAGE },
            HashedPage { params, ..PAGE },
        ];
        let mut hashes: Vec<String> = others.iter().map(|page| page.hash(["a"]).to_string()).collect();
        hashes.push(PAGE.hash(["a", "b"]).to_string());
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
