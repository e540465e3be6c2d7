//! Pages that the server generates itself, mostly errors. They reveal nothing about sites or about causes.

use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};

use super::{SiteResponse, headers, response};

/// About the time that a database needs to restart.
const RETRY_SECONDS: u32 = 5;

pub(super) fn no_site() -> SiteResponse {
    let text = "<p>No site is published at this address.</p>";
    note(StatusCode::NOT_FOUND, "There is no site here", text)
}

pub(super) fn ambiguous_host() -> SiteResponse {
    note(StatusCode::BAD_REQUEST, "Which site?", "<p>The request does not say which host it is for.</p>")
}

pub(super) fn nothing_published() -> SiteResponse {
    let text = "<p>This site is new. It appears here after its first build.</p>\
        <p>If it is yours: send a page to the API with <code>\"build\": true</code>, or queue a build with \
        <code>POST /builds</code>. See the API reference.</p>";
    note(StatusCode::NOT_FOUND, "Nothing is published yet", text)
}

/// For a preview: the page is loaded again after the first build.
pub(crate) fn not_built_yet() -> SiteResponse {
    let text = "<p>The folder is being read. The site appears here after its first build.</p>";
    let mut response = note(StatusCode::SERVICE_UNAVAILABLE, "One moment", text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(1));
    response
}

pub(super) fn bad_search() -> SiteResponse {
    let text = "<p>Search for at most 200 characters. <a href=\"/search\">Back to the search</a></p>";
    note(StatusCode::BAD_REQUEST, "The search cannot be read", text)
}

/// The address of a preview is valid for a while.
pub(super) fn no_preview() -> SiteResponse {
    let text = "<p>Write on: the preview appears with the next change.</p>";
    let mut response = note(StatusCode::NOT_FOUND, "No preview", text);
    headers::in_sandbox(response.headers_mut());
    response
}

/// For a release without a 404 page.
pub(super) fn not_found() -> SiteResponse {
    let text = "<p>There is nothing at this address. <a href=\"/\">Back to the home page</a></p>";
    note(StatusCode::NOT_FOUND, "Page not found", text)
}

pub(super) fn no_method(protected: bool) -> SiteResponse {
    let mut response = note(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed", "");
    let allowed = if protected { "GET, HEAD, POST" } else { "GET, HEAD" };
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// The site's account is suspended. The page does not mention that.
pub(super) fn suspended() -> SiteResponse {
    note(StatusCode::SERVICE_UNAVAILABLE, "Not available", "<p>This site is not available at the moment.</p>")
}

pub(super) fn unavailable() -> SiteResponse {
    let text = "<p>This page is temporarily unavailable. Please try again in a moment.</p>";
    let mut response = note(StatusCode::SERVICE_UNAVAILABLE, "Temporarily unavailable", text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
    response
}

pub(super) fn internal_error() -> SiteResponse {
    let text = "<p>Something went wrong on the server. The error is in the server's log.</p>";
    note(StatusCode::INTERNAL_SERVER_ERROR, "Internal error", text)
}

/// `text` is trusted HTML: never anything from a request or a site.
pub(super) fn note(status: StatusCode, title: &str, text: &str) -> SiteResponse {
    note_in("lang=\"en\"", status, title, text)
}

/// In another language: `attributes` are those of the `html` element.
pub(super) fn note_in(attributes: &str, status: StatusCode, title: &str, text: &str) -> SiteResponse {
    let page = page(attributes, title, text);
    response::build(status, headers::of_note(page.len()), page.into())
}

fn page(attributes: &str, title: &str, text: &str) -> String {
    let style = include_str!("notes.css");
    format!(
        "<!doctype html>\n<html {attributes}>\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n<style>\n{style}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n{text}\n</main>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use axum::http::header::CACHE_CONTROL;
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_suspended_site_says_neither_why_nor_until_when() {
        let response = suspended();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[CACHE_CONTROL], "no-store");
        assert!(!response.headers().contains_key(RETRY_AFTER));
        let body = response.into_body().collect().await.expect("in memory").to_bytes();
        let text = str::from_utf8(&body).expect("text");
        assert!(text.contains("<p>This site is not available at the moment.</p>"), "{text}");
        assert!(!text.to_lowercase().contains("suspend") && !text.contains("account"), "{text}");
    }
}
