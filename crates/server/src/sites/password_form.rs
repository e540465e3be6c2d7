//! The password form of a protected site, in the visitor's language. It is submitted to the URL of the page itself.

mod words;

use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};

use self::words::Words;
use super::{SiteResponse, notes};

/// Why the form is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejection {
    Wrong,
    TooMany,
    /// Too many passwords are being checked.
    Busy,
    /// The request is not a submitted form.
    NoForm,
}

impl Rejection {
    fn status(self) -> StatusCode {
        match self {
            Rejection::Wrong => StatusCode::UNAUTHORIZED,
            Rejection::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Rejection::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Rejection::NoForm => StatusCode::BAD_REQUEST,
        }
    }

    fn message(self, words: &'static Words) -> &'static str {
        match self {
            Rejection::Wrong => words.wrong,
            Rejection::TooMany => words.too_many,
            Rejection::Busy => words.busy,
            Rejection::NoForm => words.unreadable,
        }
    }

    fn retry_after(self) -> Option<u32> {
        match self {
            Rejection::TooMany => Some(60),
            Rejection::Busy => Some(5),
            Rejection::Wrong | Rejection::NoForm => None,
        }
    }
}

/// `request` is the head of the request that is answered.
pub(super) fn ask(request: &HeaderMap) -> SiteResponse {
    page(StatusCode::UNAUTHORIZED, Words::preferred(request), "", "")
}

pub(super) fn again(request: &HeaderMap, rejection: Rejection) -> SiteResponse {
    let words = Words::preferred(request);
    let message =
        format!("<p class=\"trouble\" id=\"trouble\" role=\"alert\">{}</p>\n", rejection.message(words));
    let attributes = " aria-invalid=\"true\" aria-describedby=\"trouble\"";
    let mut response = page(rejection.status(), words, attributes, &message);
    if let Some(seconds) = rejection.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn page(status: StatusCode, words: &Words, attributes: &str, message: &str) -> SiteResponse {
    let Words { title, lead, label, button, .. } = words;
    let form = format!(
        "<p>{lead}</p>\n<form method=\"post\">\n\
         <label for=\"password\">{label}</label>\n<input id=\"password\" name=\"password\" type=\"password\" \
         autocomplete=\"current-password\" required autofocus{attributes}>\n{message}\
         <button type=\"submit\">{button}</button>\n</form>"
    );
    let mut response = notes::note_in(&words.attributes(), status, title, &form);
    let headers = response.headers_mut();
    // Only inline styles, no scripts, no other form targets, no frames.
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'",
        ),
    );
    headers.append(VARY, HeaderValue::from(ACCEPT_LANGUAGE));
    if status == StatusCode::UNAUTHORIZED {
        // HTTP requires it with a 401. Browsers ignore an unknown scheme and show the page.
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Form"));
    }
    response
}
