//! The headers of a site's responses.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use publisher::HostedSite;

/// The release that a response is from; 0 before the first.
pub(super) const RELEASE: HeaderName = HeaderName::from_static("x-recto-release");

/// Caches must revalidate each time, so that a new release is visible at once.
const FRESH: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");
const PRIVATE_FRESH: HeaderValue = HeaderValue::from_static("private, max-age=0, must-revalidate");
/// For files with a hash in their names, which never change.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const PRIVATE_FOREVER: HeaderValue = HeaderValue::from_static("private, max-age=31536000, immutable");
pub(super) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

pub(super) const ASSETS: &str = "/assets/";
const FONTS: &str = "/assets/fonts/";

/// For a file of a release.
pub(super) fn of_path(path: &str) -> HeaderMap {
    let mut headers = basic();
    headers.insert(CACHE_CONTROL, if path.starts_with(ASSETS) { FOREVER } else { FRESH });
    if path.starts_with(FONTS) {
        // Previews have an origin of their own, and browsers ask before they use a font of another one.
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
    headers
}

/// For a file that never changes under its URL.
pub(super) fn forever() -> HeaderMap {
    let mut headers = basic();
    headers.insert(CACHE_CONTROL, FOREVER);
    headers
}

/// For a file that stands for another one, which will be under its URL.
pub(super) fn forget_soon(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, FRESH);
}

/// For a response that is not a file of the release.
pub(super) fn fresh(length: usize) -> HeaderMap {
    let mut headers = basic();
    headers.insert(CACHE_CONTROL, FRESH);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    headers
}

/// For a page that the server generates itself. It must not be cached.
pub(super) fn of_note(length: usize) -> HeaderMap {
    let mut headers = fresh(length);
    headers.insert(CACHE_CONTROL, NO_STORE);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers
}

/// For a preview: it may be in a frame of the dashboard, whose address the sites do not know, but has an origin of its
/// own, runs no script and sends no form.
pub(super) fn in_sandbox(headers: &mut HeaderMap) {
    const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src * data:; media-src *; \
        font-src *; form-action 'none'; base-uri 'none'";
    headers.remove(X_FRAME_OPTIONS);
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
}

/// No type sniffing, no full referrer to other hosts, no frames on other sites.
fn basic() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    headers
}

/// The release, and `private` instead of `public` for a protected site: shared caches must not store it.
pub(super) fn add_site_headers(headers: &mut HeaderMap, site: &HostedSite) {
    if !headers.contains_key(RELEASE) {
        headers.insert(RELEASE, HeaderValue::from(site.release.unwrap_or(0)));
    }
    if site.protection.is_some()
        && let Some(value) = headers.get_mut(CACHE_CONTROL)
    {
        if *value == FRESH {
            *value = PRIVATE_FRESH;
        } else if *value == FOREVER {
            *value = PRIVATE_FOREVER;
        }
    }
}
