//! The short way: a response that was sent before, with its head as bytes. It is the same as that of the long way, which
//! decides everything else: a test compares them.

use std::sync::atomic::Ordering;

use axum::http::HeaderMap;
use bytes::{BufMut, Bytes, BytesMut};
use httparse::{Header, Request};

use super::file::FileContent;
use super::path::{self, Path};
use super::{Parts, normalize_host, status};
use crate::encoding::{self, Encoding};
use crate::listen::AtHand;

impl Parts {
    pub(super) fn at_hand(&self, request: &Request<'_, '_>) -> Option<AtHand> {
        if request.method != Some("GET") || request.version != Some(1) {
            return None;
        }
        // A query is for a search, or stays in a redirect.
        let is_plain = |path: &&str| path.starts_with('/') && !path.contains('?') && !status::is_check(path);
        let asked = request.path.filter(is_plain)?;
        let headers = Headers::read(request.headers)?;
        let site = self.publisher.known_site(&normalize_host(headers.host?)?)?;
        if site.suspended || site.protection.is_some() {
            return None;
        }
        let Path::Canonical(path) = path::normalize(asked) else { return None };
        let file = self.files.cached(site.id, site.release?, &path)?;
        let FileContent::Body(body) = &file.content else { return None };
        if !body.is_at_hand.load(Ordering::Relaxed) {
            return None;
        }
        let form = body.made_form(headers.encoding)?;
        Some(AtHand { head: form.head().clone(), body: form.bytes.clone() })
    }
}

/// What a response at hand depends on.
struct Headers<'r> {
    host: Option<&'r str>,
    encoding: Option<Encoding>,
}

impl<'r> Headers<'r> {
    /// `None`: the response may depend on more than the page and its encoding.
    fn read(headers: &'r [Header<'r>]) -> Option<Headers<'r>> {
        let mut host = None;
        for Header { name, value } in headers {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            if is("host") {
                if host.is_some() {
                    return None;
                }
                host = Some(str::from_utf8(value).ok()?);
            } else if is("accept") {
                // Perhaps it is preferred to HTML.
                if value.windows(8).any(|part| part.eq_ignore_ascii_case(b"markdown")) {
                    return None;
                }
            } else if is("connection") {
                if !value.eq_ignore_ascii_case(b"keep-alive") {
                    return None;
                }
            } else if DECISIVE.iter().any(|known| is(known)) {
                return None;
            }
        }
        let encodings = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("accept-encoding"));
        let lines = encodings.map(|header| str::from_utf8(header.value).ok().filter(|line| line.is_ascii()));
        Some(Headers {
            host,
            encoding: encoding::choose_by(lines.map(Option::unwrap_or_default), &Encoding::ALL),
        })
    }
}

/// The other headers that a response to a GET of a public page may depend on, and those of a request with a body.
const DECISIVE: [&str; 11] = [
    "content-length",
    "expect",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "range",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The head of a response with status 200, without its date and its end.
pub(super) fn encode(headers: &HeaderMap) -> Bytes {
    let mut head = BytesMut::from("HTTP/1.1 200 OK\r\n");
    for (name, value) in headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            head.put_slice(part);
        }
    }
    head.freeze()
}
