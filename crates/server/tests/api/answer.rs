//! A response of the API, and rules that are checked for every response.

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    /// Null if there is no body.
    pub body: Value,
}

impl Answer {
    pub async fn read(response: reqwest::Response) -> Answer {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = match text.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).unwrap_or_else(|_| panic!("{status} is not JSON: {text}")),
        };
        let answer = Answer { status, headers, text, body };
        answer.check_common_rules();
        answer
    }

    fn check_common_rules(&self) {
        for name in ["x-ratelimit-limit", "x-ratelimit-remaining"] {
            assert!(self.number(name).is_some(), "every answer carries {name}: {self:?}");
        }
        assert_eq!(self.header("retry-after").is_some(), self.status == 429, "only 429 says when: {self:?}");
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{self:?}");
        assert_eq!(self.header("cache-control"), Some("no-store"), "{self:?}");
        let json = self.header("content-type") == Some("application/json");
        assert_eq!(json, self.status != 204, "every answer is JSON: {self:?}");
        if self.status < 400 {
            return;
        }
        assert!(self.body["error"].is_string(), "a failure has an error: {self:?}");
        let index_map = self.body["error"] == "validation failed";
        assert_eq!(self.body.get("pages").is_some(), index_map, "`pages` is the index map: {self:?}");
        match self.status {
            401 => {
                assert_eq!(self.text, r#"{"error":"invalid or revoked token"}"#);
                assert_eq!(self.header("www-authenticate"), Some("Bearer"));
            }
            405 => assert!(self.header("allow").is_some(), "405 says what is allowed: {self:?}"),
            _ => {}
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.parse().ok()
    }

    /// The limit and the remaining requests in the headers.
    pub fn window(&self) -> (u64, u64) {
        (self.number("x-ratelimit-limit").unwrap(), self.number("x-ratelimit-remaining").unwrap())
    }

    pub fn retry_after(&self) -> u64 {
        self.number("retry-after").unwrap()
    }

    #[track_caller]
    pub fn is(&self, status: u16, body: Value) {
        assert_eq!((self.status, &self.body), (status, &body), "{self:?}");
    }

    /// `{error, message}` and nothing else; the message is returned.
    #[track_caller]
    pub fn is_failure(&self, status: u16) -> &str {
        let Value::Object(body) = &self.body else { panic!("{self:?}") };
        let keys: Vec<&str> = body.keys().map(String::as_str).collect();
        assert_eq!((self.status, keys), (status, vec!["error", "message"]), "{self:?}");
        let message = self.body["message"].as_str().unwrap();
        assert!(!message.is_empty(), "{self:?}");
        message
    }

    /// `validation failed`, with the messages that the specification leaves open as `"…"`.
    #[track_caller]
    pub fn is_invalid(&self, expected: Value) {
        let mut pages = self.body.get("pages").unwrap_or_else(|| panic!("{self:?}")).clone();
        for (index, fields) in pages.as_object_mut().unwrap() {
            for (field, message) in fields.as_object_mut().unwrap() {
                assert!(message.as_str().is_some_and(|text| !text.is_empty()), "{index}: {field}: {self:?}");
                if expected[index][field] == "…" {
                    *message = json!("…");
                }
            }
        }
        let body = json!({"error": self.body["error"], "pages": pages});
        assert_eq!(self.body.as_object().unwrap().len(), 2, "{self:?}");
        assert_eq!((self.status, body), (400, json!({"error": "validation failed", "pages": expected})));
    }
}

pub const TITLE_REQUIRED: &str = "title is required for new pages";
pub const ID_NOT_FOUND: &str = "page not found for the provided id";
pub const CONTENT_TYPE_INVALID: &str =
    "invalid contentType; must be one of: blog, docs, homepage, standalone";
pub const SLUG_TAKEN: &str = "slug is already in use in this content type and section";
