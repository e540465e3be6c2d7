//! Marks a page as the reference of an API endpoint.

use crate::text::{check_length, check_nul};
use crate::{Checked, limits};

/// A method in capitals, optionally followed by one space and a free-form path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiEndpoint(String);

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

impl ApiEndpoint {
    /// An empty text, or only white space, means no endpoint.
    pub fn parse(text: &str) -> Checked<Option<ApiEndpoint>> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        check_length("apiEndpoint", text, limits::API_ENDPOINT_CHARS)?;
        check_nul("apiEndpoint", text)?;
        let (word, path) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let method =
            METHODS.into_iter().find(|method| method.eq_ignore_ascii_case(word)).ok_or_else(|| {
                format!("apiEndpoint must start with one of {}, alone or before a space", METHODS.join(", "))
            })?;
        Ok(Some(match path.trim() {
            "" => ApiEndpoint(method.to_owned()),
            path => ApiEndpoint(format!("{method} {path}")),
        }))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn method(&self) -> &str {
        self.0.split_once(' ').map_or(&self.0, |(method, _)| method)
    }

    pub fn path(&self) -> Option<&str> {
        self.0.split_once(' ').map(|(_, path)| path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_method_is_uppercased_and_the_path_trimmed() {
        let check = |text: &str, method: &str, path: Option<&str>| {
            let endpoint = ApiEndpoint::parse(text).unwrap().unwrap();
            assert_eq!((endpoint.method(), endpoint.path()), (method, path), "{text}");
        };
        check("GET /users", "GET", Some("/users"));
        check("get /users", "GET", Some("/users"));
        check("Options", "OPTIONS", None);
        check("delete ", "DELETE", None);
        check("patch \t /users/{id}  of  an account ", "PATCH", Some("/users/{id}  of  an account"));
        check("put\n/a", "PUT", Some("/a"));
        check("head\u{a0}x", "HEAD", Some("x"));
        check(&format!("POST {}", "é".repeat(195)), "POST", Some(&"é".repeat(195)));
    }

    #[test]
    fn an_empty_text_clears_the_marking() {
        for text in ["", " ", "\n\t"] {
            assert_eq!(ApiEndpoint::parse(text), Ok(None));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let check = |text: &str, expected: &str| assert_eq!(ApiEndpoint::parse(text), Err(expected.into()));
        let method = "apiEndpoint must start with one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, \
                      alone or before a space";
        for text in ["/users", "GETS /users", "GET/users", "TRACE /", " GET /users", "ＧＥＴ /"] {
            check(text, method);
        }
        check("GET /\0", "apiEndpoint must not contain U+0000");
        check(&format!("GET {}", "a".repeat(197)), "apiEndpoint must be at most 200 characters, got 201");
        check(&format!("GET{}", " ".repeat(198)), "apiEndpoint must be at most 200 characters, got 201");
    }

    proptest! {
        #[test]
        fn parsing_a_stored_value_does_not_change_it(
            text in "(?i:get|post|options)(\\s{1,3}.{0,20}\\s{0,3})?"
        ) {
            let stored = ApiEndpoint::parse(&text);
            // Most must be valid: proptest fails if it rejects too many.
            prop_assume!(matches!(stored, Ok(Some(_))));
            let again = stored.as_ref().map(|stored| ApiEndpoint::parse(stored.as_ref().unwrap().as_str()));
            prop_assert_eq!(again.unwrap(), stored);
        }
    }
}
