//! The response for a file: the whole file, a range of it, or 304 Not Modified.

use std::ops::Range;

use axum::http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, LOCATION, RANGE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{Either, Full};

use super::conditions::{self, Part};
use super::file::Body;
use super::{SiteResponse, headers};
use crate::encoding::{self, Encoding};

/// For a file that exists.
pub(super) async fn whole(body: &Body, method: &Method, asked: &HeaderMap) -> SiteResponse {
    let part = match *method == Method::GET && asked.contains_key(RANGE) {
        true => conditions::part(asked, &body.plain.headers[ETAG], body.plain.bytes.len() as u64),
        false => Part::Whole,
    };
    let form = match part {
        Part::Whole => body.form(encoding::choose(asked, &Encoding::ALL)).await,
        Part::Of(_) | Part::Outside => &body.plain,
    };
    if conditions::is_known(asked, &form.headers[ETAG]) {
        return unchanged(form.headers.clone());
    }
    match part {
        Part::Whole => build(StatusCode::OK, form.headers.clone(), form.bytes.clone()),
        Part::Of(range) => {
            let length = form.bytes.len() as u64;
            let headers = headers_of_part(form.headers.clone(), &range, length);
            let bytes = form.bytes.slice(range.start as usize..range.end as usize);
            build(StatusCode::PARTIAL_CONTENT, headers, bytes)
        }
        Part::Outside => outside(form.headers.clone(), form.bytes.len() as u64),
    }
}

/// The site's 404 page. Conditional and range requests do not apply to it.
pub(super) async fn missing(body: &Body, asked: &HeaderMap) -> SiteResponse {
    let form = body.form(encoding::choose(asked, &Encoding::ALL)).await;
    let mut headers = form.headers.clone();
    headers.remove(ETAG);
    headers.remove(ACCEPT_RANGES);
    build(StatusCode::NOT_FOUND, headers, form.bytes.clone())
}

/// A page while it is written.
pub(super) fn preview(html: Bytes) -> SiteResponse {
    let mut headers = headers::of_note(html.len());
    headers::in_sandbox(&mut headers);
    build(StatusCode::OK, headers, html)
}

/// `target` is an encoded path on the same site; the query is kept.
pub(super) fn moved(status: StatusCode, target: &str, asked: &Uri) -> SiteResponse {
    // Two slashes at the beginning would lead to another host.
    let target = format!("/{}", target.trim_start_matches(['/', '\\']));
    let location = match asked.query() {
        Some(query) if !target.contains(['?', '#']) => format!("{target}?{query}"),
        _ => target,
    };
    let mut headers = headers::fresh(0);
    if let Ok(location) = HeaderValue::try_from(location) {
        headers.insert(LOCATION, location);
    }
    build(status, headers, Bytes::new())
}

pub(super) fn unchanged(mut headers: HeaderMap) -> SiteResponse {
    headers.remove(CONTENT_LENGTH);
    build(StatusCode::NOT_MODIFIED, headers, Bytes::new())
}

/// The headers of a range of a body; `length` is that of the whole body.
pub(super) fn headers_of_part(mut headers: HeaderMap, range: &Range<u64>, length: u64) -> HeaderMap {
    let (first, last) = (range.start, range.end - 1);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
    headers.insert(CONTENT_RANGE, content_range(&format!("bytes {first}-{last}/{length}")));
    headers
}

pub(super) fn outside(mut headers: HeaderMap, length: u64) -> SiteResponse {
    headers.remove(CONTENT_TYPE);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
    headers.insert(CONTENT_RANGE, content_range(&format!("bytes */{length}")));
    build(StatusCode::RANGE_NOT_SATISFIABLE, headers, Bytes::new())
}

fn content_range(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("letters and digits are a valid header value")
}

pub(super) fn build(status: StatusCode, headers: HeaderMap, body: Bytes) -> SiteResponse {
    let mut response = SiteResponse::new(Either::Left(Full::new(body)));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
