//! The few pages that the server writes itself: where there is no site, nothing in it, or something wrong with us.
//! They say nothing about anybody's site, and nothing about what is wrong.

use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};

use super::{Answer, answer, headers};

/// How long a client may well wait for a database that restarts.
const AWAY_SECONDS: u32 = 5;

pub(super) fn no_site() -> Answer {
    let text = "<p>No site is published at this address.</p>";
    note(StatusCode::NOT_FOUND, "There is no site here", text)
}

pub(super) fn unclear_host() -> Answer {
    note(StatusCode::BAD_REQUEST, "Which site?", "<p>The request does not say which host it is for.</p>")
}

pub(super) fn nothing_published() -> Answer {
    let text = "<p>This site is new. It is here as soon as it has been built for the first time.</p>\
        <p>If it is yours: send a page to the API with <code>\"build\": true</code>, or ask for a build with \
        <code>POST /builds</code>. The API's reference shows how.</p>";
    note(StatusCode::NOT_FOUND, "Nothing is published yet", text)
}

/// Where a site has no such page of its own.
pub(super) fn not_found() -> Answer {
    let text = "<p>There is nothing at this address. <a href=\"/\">Back to the beginning</a></p>";
    note(StatusCode::NOT_FOUND, "Page not found", text)
}

pub(super) fn no_method(protected: bool) -> Answer {
    let mut answer = note(StatusCode::METHOD_NOT_ALLOWED, "This can only be read", "");
    let allowed = if protected { "GET, HEAD, POST" } else { "GET, HEAD" };
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// The operator has suspended the site's account. Why is between the two of them.
pub(super) fn suspended() -> Answer {
    note(StatusCode::SERVICE_UNAVAILABLE, "Not available", "<p>This site is not available at the moment.</p>")
}

pub(super) fn away() -> Answer {
    let text = "<p>The server cannot get at this page right now. Please try again in a moment.</p>";
    let mut answer = note(StatusCode::SERVICE_UNAVAILABLE, "Back in a moment", text);
    answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(AWAY_SECONDS));
    answer
}

pub(super) fn broken() -> Answer {
    let text = "<p>Something went wrong on the server. It has been noted in its log.</p>";
    note(StatusCode::INTERNAL_SERVER_ERROR, "That did not work", text)
}

/// `text` is HTML of ours, never anything that a request or a site brought.
pub(super) fn note(status: StatusCode, title: &str, text: &str) -> Answer {
    let page = page(title, text);
    answer::answer(status, headers::of_note(page.len()), page.into())
}

fn page(title: &str, text: &str) -> String {
    let style = include_str!("notes.css");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
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
        let answer = suspended();
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers()[CACHE_CONTROL], "no-store");
        assert!(!answer.headers().contains_key(RETRY_AFTER));
        let body = answer.into_body().collect().await.expect("in memory").to_bytes();
        let text = str::from_utf8(&body).expect("text");
        assert!(text.contains("<p>This site is not available at the moment.</p>"), "{text}");
        assert!(!text.to_lowercase().contains("suspend") && !text.contains("account"), "{text}");
    }
}
