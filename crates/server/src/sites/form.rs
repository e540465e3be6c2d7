//! The page that asks for a protected site's password. It is sent to wherever it was shown.

use axum::http::header::{CONTENT_SECURITY_POLICY, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};

use super::{Answer, notes};

/// Why the visitor is asked once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    Wrong,
    TooMany,
    /// Too many others are being checked.
    Busy,
    /// What was sent is not what the form sends.
    NoForm,
}

impl Trouble {
    fn status(self) -> StatusCode {
        match self {
            Trouble::Wrong => StatusCode::UNAUTHORIZED,
            Trouble::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Trouble::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Trouble::NoForm => StatusCode::BAD_REQUEST,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Trouble::Wrong => "That is not the password. Please try again.",
            Trouble::TooMany => "Too many tries. Please wait a minute.",
            Trouble::Busy => "The server is busy. Please try again in a moment.",
            Trouble::NoForm => "That could not be read. Please try again.",
        }
    }

    fn retry_after(self) -> Option<u32> {
        match self {
            Trouble::TooMany => Some(60),
            Trouble::Busy => Some(5),
            Trouble::Wrong | Trouble::NoForm => None,
        }
    }
}

pub(super) fn ask() -> Answer {
    page(StatusCode::UNAUTHORIZED, "", "")
}

pub(super) fn again(trouble: Trouble) -> Answer {
    let words = format!("<p class=\"trouble\" id=\"trouble\" role=\"alert\">{}</p>\n", trouble.words());
    let mut answer = page(trouble.status(), " aria-invalid=\"true\" aria-describedby=\"trouble\"", &words);
    if let Some(seconds) = trouble.retry_after() {
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}

fn page(status: StatusCode, state: &str, words: &str) -> Answer {
    let form = format!(
        "<p>This site is for readers who know its password.</p>\n<form method=\"post\">\n\
         <label for=\"password\">Password</label>\n<input id=\"password\" name=\"password\" type=\"password\" \
         autocomplete=\"current-password\" required autofocus{state}>\n{words}\
         <button type=\"submit\">Open the site</button>\n</form>"
    );
    let mut answer = notes::note(status, "Please say the password", &form);
    let headers = answer.headers_mut();
    // Nothing but its own style, no script, sent nowhere else, shown in nobody's frame.
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'",
        ),
    );
    if status == StatusCode::UNAUTHORIZED {
        // HTTP wants it with every 401; a scheme that browsers do not know makes them show the page.
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Form"));
    }
    answer
}
