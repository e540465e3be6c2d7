//! The password form of a protected site. It is submitted to the URL of the page itself.

use axum::http::header::{CONTENT_SECURITY_POLICY, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};

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

    fn message(self) -> &'static str {
        match self {
            Rejection::Wrong => "That is not the password. Please try again.",
            Rejection::TooMany => "Too many attempts. Please wait a minute.",
            Rejection::Busy => "The server is busy. Please try again in a moment.",
            Rejection::NoForm => "That could not be read. Please try again.",
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

pub(super) fn ask() -> SiteResponse {
    page(StatusCode::UNAUTHORIZED, "", "")
}

pub(super) fn again(rejection: Rejection) -> SiteResponse {
    let message = format!("<p class=\"trouble\" id=\"trouble\" role=\"alert\">{}</p>\n", rejection.message());
    let mut response =
        page(rejection.status(), " aria-invalid=\"true\" aria-describedby=\"trouble\"", &message);
    if let Some(seconds) = rejection.retry_after() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn page(status: StatusCode, attributes: &str, message: &str) -> SiteResponse {
    let form = format!(
        "<p>This site is for readers who know its password.</p>\n<form method=\"post\">\n\
         <label for=\"password\">Password</label>\n<input id=\"password\" name=\"password\" type=\"password\" \
         autocomplete=\"current-password\" required autofocus{attributes}>\n{message}\
         <button type=\"submit\">Open the site</button>\n</form>"
    );
    let mut response = notes::note(status, "Please enter the password", &form);
    let headers = response.headers_mut();
    // Only inline styles, no scripts, no other form targets, no frames.
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'",
        ),
    );
    if status == StatusCode::UNAUTHORIZED {
        // HTTP requires it with a 401. Browsers ignore an unknown scheme and show the page.
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Form"));
    }
    response
}
