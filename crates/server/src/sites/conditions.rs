//! Conditional requests and range requests.

use std::ops::Range;

use axum::http::header::{IF_NONE_MATCH, IF_RANGE, RANGE};
use axum::http::{HeaderMap, HeaderValue};

/// Whether `If-None-Match` contains this tag (RFC 9110, section 13.1.2: weak comparison).
pub(super) fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let tag = tag.as_bytes();
    let is_it = |listed: &[u8]| listed == b"*" || listed.strip_prefix(b"W/").unwrap_or(listed) == tag;
    // Recto's tags contain no comma, so splitting at commas is safe.
    let mut lines = headers.get_all(IF_NONE_MATCH).iter();
    lines.any(|line| line.as_bytes().split(|byte| *byte == b',').any(|listed| is_it(listed.trim_ascii())))
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// No range, an invalid range or several ranges: send the whole body.
    Whole,
    Of(Range<u64>),
    /// The range is outside the body.
    Outside,
}

/// The requested range of a body. With `If-Range`, only if the client's tag is current.
pub(super) fn part(headers: &HeaderMap, tag: &HeaderValue, length: u64) -> Part {
    let Some(range) = headers.get(RANGE) else { return Part::Whole };
    if headers.get(IF_RANGE).is_some_and(|known| known != tag) {
        return Part::Whole;
    }
    range.to_str().ok().and_then(|range| parse(range, length)).unwrap_or(Part::Whole)
}

fn parse(range: &str, length: u64) -> Option<Part> {
    let (first, last) = range.strip_prefix("bytes=")?.trim().split_once('-')?;
    let (start, end) = match (number(first)?, number(last)?) {
        (None, None) => return None,
        (None, Some(0)) => return Some(Part::Outside),
        (None, Some(behind)) => (length.saturating_sub(behind), length),
        (Some(start), None) => (start, length),
        (Some(start), Some(last)) if start > last => return None,
        (Some(start), Some(last)) => (start, last.saturating_add(1).min(length)),
    };
    Some(if start < length { Part::Of(start..end) } else { Part::Outside })
}

/// `Some(None)`: the text is empty. A number that is too large becomes `u64::MAX`, which is larger than any body.
fn number(text: &str) -> Option<Option<u64>> {
    match text {
        "" => Some(None),
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Some(text.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(axum::http::HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_static(value));
        }
        headers
    }

    const TAG: HeaderValue = HeaderValue::from_static("\"abc-br\"");

    #[test]
    fn a_known_tag_may_be_weak_or_one_of_many() {
        let check = |lines: &[&'static str], expected: bool| {
            let pairs: Vec<_> = lines.iter().map(|line| (IF_NONE_MATCH, *line)).collect();
            assert_eq!(is_known(&headers(&pairs), &TAG), expected, "{lines:?}");
        };
        check(&["\"abc-br\""], true);
        check(&["W/\"abc-br\""], true);
        check(&["*"], true);
        check(&["\"x\", W/\"y\" ,\"abc-br\""], true);
        check(&["\"x\"", "\"abc-br\""], true);
        check(&[], false);
        check(&[""], false);
        check(&["\"abc\""], false);
        check(&["abc-br"], false);
        check(&["w/\"abc-br\""], false);
    }

    #[test]
    fn a_part_is_one_range_of_bytes() {
        let check = |range: &'static str, expected: Part| {
            assert_eq!(part(&headers(&[(RANGE, range)]), &TAG, 100), expected, "{range}");
        };
        check("bytes=0-0", Part::Of(0..1));
        check("bytes=0-", Part::Of(0..100));
        check("bytes=10-19", Part::Of(10..20));
        check("bytes=90-1000", Part::Of(90..100));
        check("bytes=99-99999999999999999999999", Part::Of(99..100));
        check("bytes=-1", Part::Of(99..100));
        check("bytes=-1000", Part::Of(0..100));
        check("bytes=100-", Part::Outside);
        check("bytes=99999999999999999999999-", Part::Outside);
        check("bytes=-0", Part::Outside);
        for range in ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=+1-2", "items=0-1"] {
            check(range, Part::Whole);
        }
        check("bytes=0-1,5-6", Part::Whole);
    }

    #[test]
    fn a_range_of_an_outdated_body_is_the_whole_body() {
        let check = |known: &'static str, expected: Part| {
            let headers = headers(&[(RANGE, "bytes=1-2"), (IF_RANGE, known)]);
            assert_eq!(part(&headers, &TAG, 100), expected, "{known}");
        };
        check("\"abc-br\"", Part::Of(1..3));
        check("W/\"abc-br\"", Part::Whole);
        check("\"other\"", Part::Whole);
        check("Wed, 21 Oct 2015 07:28:00 GMT", Part::Whole);
    }

    #[test]
    fn an_empty_body_has_no_ranges() {
        assert_eq!(part(&headers(&[(RANGE, "bytes=0-")]), &TAG, 0), Part::Outside);
        assert_eq!(part(&headers(&[(RANGE, "bytes=-5")]), &TAG, 0), Part::Outside);
    }
}
