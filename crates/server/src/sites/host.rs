//! The host that a request is for.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};

use axum::http::header::HOST;
use axum::http::{Request, Version};

/// Since HTTP 1.1 a request must name exactly one host.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AmbiguousHost;

/// Normalised: lower case, without port and trailing dot. `None`: no site can have this host.
pub(super) fn of<B>(request: &Request<B>) -> Result<Option<Cow<'_, str>>, AmbiguousHost> {
    Ok(text(request)?.and_then(normalize_host))
}

/// The host as it was sent.
pub(super) fn text<B>(request: &Request<B>) -> Result<Option<&str>, AmbiguousHost> {
    // A request for a whole URL is for that URL's host (RFC 9112, section 3.2.2).
    if let Some(authority) = request.uri().authority() {
        return Ok(Some(authority.as_str()));
    }
    let mut lines = request.headers().get_all(HOST).iter();
    match (lines.next(), lines.next()) {
        (Some(line), None) => Ok(line.to_str().ok()),
        (None, _) if request.version() < Version::HTTP_11 => Ok(None),
        _ => Err(AmbiguousHost),
    }
}

/// The address that a host is, if it is no name: `localhost`, `10.0.0.1` or `[::1]`, with or without a port.
pub(super) fn address(host: &str) -> Option<IpAddr> {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    if name.eq_ignore_ascii_case("localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    bare.unwrap_or(name).parse().ok()
}

/// The longest possible host name.
const MAX_HOST_BYTES: usize = 253;

pub(crate) fn normalize_host(text: &str) -> Option<Cow<'_, str>> {
    let name = match text.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) => return None,
        None => text,
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    let of_names = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if name.is_empty() || name.len() > MAX_HOST_BYTES || !name.bytes().all(of_names) {
        return None;
    }
    Some(match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_without_port_and_last_dot_in_lower_case() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(normalize_host(text).as_deref(), expected, "{text}")
        };
        check("acme.localhost", Some("acme.localhost"));
        check("acme.localhost:8081", Some("acme.localhost"));
        check("acme.localhost:", Some("acme.localhost"));
        check("ACME.LocalHost.:80", Some("acme.localhost"));
        check("127.0.0.1:80", Some("127.0.0.1"));
        check("[::1]:80", None);
        check("acme.localhost..", Some("acme.localhost."));
        check("user@acme.localhost", None);
        check("acme.localhost:80:80", None);
        check("acme.localhost:x", None);
        check("acme/x", None);
        check("acmé.localhost", None);
        check("", None);
        check(".", None);
        check(":80", None);
        check(&"a".repeat(253), Some(&"a".repeat(253)));
        check(&"a".repeat(254), None);
    }

    #[test]
    fn a_host_may_be_an_address() {
        let check = |host: &str, expected: Option<&str>| {
            assert_eq!(address(host), expected.map(|text| text.parse().expect("an address")), "{host}");
        };
        check("127.0.0.1:8081", Some("127.0.0.1"));
        check("10.1.2.3", Some("10.1.2.3"));
        check("[::1]", Some("::1"));
        check("[fd00::1]:8081", Some("fd00::1"));
        check("LocalHost:8081", Some("127.0.0.1"));
        check("acme.localhost:8081", None);
        check("10.1.2.3.example.com", None);
        check("localhost.evil.com:8081", None);
    }

    fn request(uri: &str, version: Version, hosts: &[&str]) -> Request<()> {
        let mut request = Request::builder().uri(uri).version(version);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        request.body(()).expect("a request")
    }

    #[test]
    fn a_request_names_one_host() {
        let check = |uri: &str,
                     version: Version,
                     hosts: &[&str],
                     expected: Result<Option<&str>, AmbiguousHost>| {
            let request = request(uri, version, hosts);
            let host = of(&request);
            assert_eq!(host.as_ref().map(Option::as_deref), expected.as_ref().copied(), "{uri} {hosts:?}");
        };
        check("/", Version::HTTP_11, &["a"], Ok(Some("a")));
        check("/", Version::HTTP_11, &[], Err(AmbiguousHost));
        check("/", Version::HTTP_11, &["a", "a"], Err(AmbiguousHost));
        check("/", Version::HTTP_10, &[], Ok(None));
        check("/", Version::HTTP_10, &["a"], Ok(Some("a")));
        check("http://b:80/", Version::HTTP_11, &["a"], Ok(Some("b")));
        check("http://B./x", Version::HTTP_11, &[], Ok(Some("b")));
        check("http://me@b/", Version::HTTP_11, &["a"], Ok(None));
    }
}
