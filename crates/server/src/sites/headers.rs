//! The headers of a site's answers.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use publisher::Visit;

/// The release that an answer is of; 0 before the first.
pub(super) const RELEASE: HeaderName = HeaderName::from_static("x-recto-release");

/// A copy is asked about each time it is used, so that a new release is seen at once.
const FRESH: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");
const PRIVATE_FRESH: HeaderValue = HeaderValue::from_static("private, max-age=0, must-revalidate");
/// Their names tell what is in them: under one name they never change.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const PRIVATE_FOREVER: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");
pub(super) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(super) const ASSETS: &str = "/assets/";

/// What the answer to a request for `path` begins with.
pub(super) fn of_path(path: &str) -> HeaderMap {
    let mut headers = basic();
    headers.insert(CACHE_CONTROL, if path.starts_with(ASSETS) { FOREVER } else { FRESH });
    headers
}

/// Of what never changes under its address.
pub(super) fn forever() -> HeaderMap {
    let mut headers = basic();
    headers.insert(CACHE_CONTROL, FOREVER);
    headers
}

/// Of an answer that has no body of its own in the release.
pub(super) fn fresh(length: usize) -> HeaderMap {
    let mut headers = basic();
    headers.insert(CACHE_CONTROL, FRESH);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    headers
}

/// Of a page that the server writes itself. It is about this moment only.
pub(super) fn of_note(length: usize) -> HeaderMap {
    let mut headers = fresh(length);
    headers.insert(CACHE_CONTROL, NO_STORE);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers
}

/// A browser does not guess types, does not tell other hosts which page it came from, and shows the site in no
/// frame of another.
fn basic() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    headers
}

/// What every answer of a site carries; of a protected site nothing is kept by caches that others use too.
pub(super) fn seal(headers: &mut HeaderMap, visit: &Visit) {
    if !headers.contains_key(RELEASE) {
        headers.insert(RELEASE, HeaderValue::from(visit.release.unwrap_or(0)));
    }
    if visit.protection.is_some()
        && let Some(value) = headers.get_mut(CACHE_CONTROL)
    {
        if *value == FRESH {
            *value = PRIVATE_FRESH;
        } else if *value == FOREVER {
            *value = PRIVATE_FOREVER;
        }
    }
}
