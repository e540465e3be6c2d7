//! A further former URL of a page, given by hand.

use percent_encoding::percent_decode_str;

use crate::{Checked, limits};

/// A path as a site looks it up: decoded, with one slash at its beginning and none at its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alias(String);

impl Alias {
    /// Accepts a path as it stands in a browser, `/caf%C3%A9/index.html`.
    pub fn parse(text: &str) -> Checked<Alias> {
        let wrong = |why: &str| {
            let shown: String = text.chars().take(100).collect();
            Err(format!("params.aliases: {shown:?} {why}"))
        };
        if text.chars().count() > limits::ALIAS_CHARS {
            return wrong(&format!("has more than {} characters", limits::ALIAS_CHARS));
        }
        let Ok(path) = percent_decode_str(text).decode_utf8() else {
            return wrong("is not UTF-8 when its percent escapes are decoded");
        };
        if !path.starts_with('/') || path.starts_with("//") {
            return wrong("must be a path that begins with one slash, such as /old/page");
        }
        if path.contains(['?', '#', '\\']) || path.chars().any(char::is_control) {
            return wrong("must be a path without ?, #, backslashes and control characters");
        }
        let path = path.trim_end_matches('/');
        let path = path.strip_suffix("/index.html").unwrap_or(path).trim_end_matches('/');
        if path.is_empty() {
            return wrong("is the homepage, which cannot redirect");
        }
        // The files at paths that begin with a dot are parts of pages.
        if path.starts_with("/.") || path.split('/').any(|segment| matches!(segment, "." | "..")) {
            return wrong("must not begin with a dot or contain the segments . and ..");
        }
        Ok(Alias(path.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_stored_as_a_site_looks_it_up() {
        let check = |text: &str, expected: &str| assert_eq!(Alias::parse(text).unwrap().as_str(), expected);
        check("/old", "/old");
        check("/2019/05/A_Post.html", "/2019/05/A_Post.html");
        check("/old/", "/old");
        check("/old/index.html", "/old");
        check("/caf%C3%A9", "/café");
        check("/a b", "/a b");
        check("/a/.well-known", "/a/.well-known");
        check(&format!("/{}", "é".repeat(499)), &format!("/{}", "é".repeat(499)));
    }

    #[test]
    fn anything_else_is_refused() {
        let long = format!("/{}", "a".repeat(500));
        let wrong = [
            "",
            "/",
            "//",
            "/index.html",
            "old",
            "https://example.com/old",
            "//example.com/old",
            "/a?b",
            "/a#b",
            "/a\\b",
            "/%5c",
            "/a\nb",
            "/%00",
            "/.nav",
            "/%2enav",
            "/a/../b",
            "/a/.",
            "/%ff",
            &long,
        ];
        for text in wrong {
            let message = Alias::parse(text).expect_err(text);
            assert!(message.starts_with("params.aliases: "), "{message}");
        }
    }
}
