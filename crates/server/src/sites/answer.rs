//! What is sent of a file: all of it, a part of it, or that the client has it already.

use std::ops::Range;

use axum::http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, LOCATION, RANGE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{Either, Full};

use super::conditions::{self, Part};
use super::file::Body;
use super::{Answer, headers};
use crate::encoding::{self, Encoding};

/// The answer to a request for what is there.
pub(super) async fn whole(body: &Body, method: &Method, asked: &HeaderMap) -> Answer {
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
        Part::Whole => answer(StatusCode::OK, form.headers.clone(), form.bytes.clone()),
        Part::Of(range) => {
            let length = form.bytes.len() as u64;
            let headers = headers_of_part(form.headers.clone(), &range, length);
            let bytes = form.bytes.slice(range.start as usize..range.end as usize);
            answer(StatusCode::PARTIAL_CONTENT, headers, bytes)
        }
        Part::Outside => outside(form.headers.clone(), form.bytes.len() as u64),
    }
}

/// What a site says of a path that it does not have. It is nothing to be asked about again, or in parts.
pub(super) async fn missing(body: &Body, asked: &HeaderMap) -> Answer {
    let form = body.form(encoding::choose(asked, &Encoding::ALL)).await;
    let mut headers = form.headers.clone();
    headers.remove(ETAG);
    headers.remove(ACCEPT_RANGES);
    answer(StatusCode::NOT_FOUND, headers, form.bytes.clone())
}

/// `target` is a path on the same site, encoded; the query goes along.
pub(super) fn moved(status: StatusCode, target: &str, asked: &Uri) -> Answer {
    // Two slashes would begin another host's name.
    let target = format!("/{}", target.trim_start_matches(['/', '\\']));
    let location = match asked.query() {
        Some(query) if !target.contains(['?', '#']) => format!("{target}?{query}"),
        _ => target,
    };
    let mut headers = headers::fresh(0);
    if let Ok(location) = HeaderValue::try_from(location) {
        headers.insert(LOCATION, location);
    }
    answer(status, headers, Bytes::new())
}

pub(super) fn unchanged(mut headers: HeaderMap) -> Answer {
    headers.remove(CONTENT_LENGTH);
    answer(StatusCode::NOT_MODIFIED, headers, Bytes::new())
}

/// The headers of a part of a body that has so many bytes.
pub(super) fn headers_of_part(mut headers: HeaderMap, range: &Range<u64>, length: u64) -> HeaderMap {
    let (first, last) = (range.start, range.end - 1);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
    headers.insert(CONTENT_RANGE, content_range(&format!("bytes {first}-{last}/{length}")));
    headers
}

pub(super) fn outside(mut headers: HeaderMap, length: u64) -> Answer {
    headers.remove(CONTENT_TYPE);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(0));
    headers.insert(CONTENT_RANGE, content_range(&format!("bytes */{length}")));
    answer(StatusCode::RANGE_NOT_SATISFIABLE, headers, Bytes::new())
}

fn content_range(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("letters and digits are a header")
}

pub(super) fn answer(status: StatusCode, headers: HeaderMap, body: Bytes) -> Answer {
    let mut answer = Answer::new(Either::Left(Full::new(body)));
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}
