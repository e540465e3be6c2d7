//! The client's address, as reported by proxies that the operator trusts.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Anybody can send a `Forwarded` header; only the entries that trusted proxies added are reliable. So the list is read
/// from its end, for as long as the address that added an entry is trusted.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|net| net.contains(&address));
    let mut client = peer.to_canonical();
    if !is_trusted(client) {
        return client;
    }
    for element in elements(headers).iter().rev() {
        let Some(address) = element else { break };
        client = address.to_canonical();
        if !is_trusted(client) {
            break;
        }
    }
    client
}

/// Whether a trusted proxy reports that the client used https. The last entry is the one that the nearest proxy added.
pub(crate) fn is_https(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> bool {
    let peer = peer.to_canonical();
    if !trusted.iter().any(|net| net.contains(&peer)) {
        return false;
    }
    let last_line = |name| headers.get_all(name).iter().next_back().and_then(|line| line.to_str().ok());
    let proto = match last_line(X_FORWARDED_PROTO) {
        Some(line) => line.rsplit(',').next(),
        None => last_line(FORWARDED)
            .and_then(|line| split_unquoted(line, ',').last())
            .and_then(|element| forwarded_value(element, "proto")),
    };
    proto.is_some_and(|proto| proto.trim().eq_ignore_ascii_case("https"))
}

/// The addresses in the order in which the proxies added them; `None` for an entry without a valid address.
///
/// Most proxies write `X-Forwarded-For` and pass on a `Forwarded` header from the client: if both are there, only
/// `X-Forwarded-For` is reliable.
fn elements(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lines = |name| headers.get_all(name).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    if headers.contains_key(X_FORWARDED_FOR) {
        lines(X_FORWARDED_FOR).flat_map(|line| x_forwarded_for(&line)).collect()
    } else {
        lines(FORWARDED).flat_map(|line| forwarded(&line)).collect()
    }
}

fn x_forwarded_for(line: &str) -> Vec<Option<IpAddr>> {
    line.split(',').map(|element| address(element.trim())).collect()
}

fn forwarded(line: &str) -> Vec<Option<IpAddr>> {
    // An open quote from the client would hide the entries that proxies added after it.
    if line.matches('"').count() % 2 == 1 {
        return vec![None];
    }
    split_unquoted(line, ',').map(forwarded_for).collect()
}

fn forwarded_for(element: &str) -> Option<IpAddr> {
    address(forwarded_value(element, "for")?)
}

/// The value of the parameter `wanted` in one element of a `Forwarded` header (RFC 7239, section 4).
fn forwarded_value<'e>(element: &'e str, wanted: &str) -> Option<&'e str> {
    split_unquoted(element, ';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case(wanted).then(|| unquoted(value.trim()))
    })
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// An address, with or without brackets and port. `None` for `unknown` and the obfuscated identifiers of RFC 7239.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok();
    text.parse()
        .ok()
        .or_else(|| bracketed().map(IpAddr::V6))
        .or_else(|| with_port().map(|socket| socket.ip()))
}

fn split_unquoted(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |letter| {
        quoted ^= letter == '"';
        letter == separator && !quoted
    })
}

/// The key for rate limits: an IPv4 address, or the /64 network of an IPv6 address, which one household shares.
pub(crate) fn limit_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the peer `10.0.0.1`; `10.0.0.0/8` and `fd00::/8` are trusted.
    fn check(headers: &[(&'static str, &str)], expected: &str) {
        check_peer("10.0.0.1", headers, expected);
    }

    fn check_peer(peer: &str, headers: &[(&'static str, &str)], expected: &str) {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().expect("a net"));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        let client = client_address(peer.parse().expect("an address"), &map, &trusted);
        assert_eq!(client.to_string(), expected, "{peer} {headers:?}");
    }

    #[test]
    fn headers_of_an_untrusted_peer_are_ignored() {
        check_peer("192.0.2.9", &[("x-forwarded-for", "198.51.100.1")], "192.0.2.9");
        check_peer("192.0.2.9", &[("forwarded", "for=198.51.100.1")], "192.0.2.9");
        check_peer("::ffff:192.0.2.9", &[], "192.0.2.9");
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_trusted() {
        check(&[], "10.0.0.1");
        check(&[("x-forwarded-for", "198.51.100.1")], "198.51.100.1");
        check(&[("x-forwarded-for", "203.0.113.7, 198.51.100.1")], "198.51.100.1");
        check(&[("x-forwarded-for", "203.0.113.7,198.51.100.1 , 10.0.0.2, fd00::1")], "198.51.100.1");
        check(&[("x-forwarded-for", "10.0.0.3, 10.0.0.2")], "10.0.0.3");
        check_peer("::ffff:10.0.0.1", &[("x-forwarded-for", "::ffff:10.0.0.2")], "10.0.0.2");
    }

    #[test]
    fn several_lines_are_one_list() {
        check(&[("x-forwarded-for", "203.0.113.7"), ("x-forwarded-for", "198.51.100.1")], "198.51.100.1");
        check(&[("x-forwarded-for", "198.51.100.1"), ("x-forwarded-for", "10.0.0.2")], "198.51.100.1");
    }

    #[test]
    fn ports_and_brackets_are_understood() {
        check(&[("x-forwarded-for", "198.51.100.1:4711")], "198.51.100.1");
        check(&[("x-forwarded-for", "[2001:db8::1]:4711")], "2001:db8::1");
        check(&[("x-forwarded-for", "[2001:db8::1]")], "2001:db8::1");
        check(&[("x-forwarded-for", "2001:db8::1")], "2001:db8::1");
    }

    #[test]
    fn forwarded_is_read_as_rfc_7239_writes_it() {
        check(&[("forwarded", "for=198.51.100.1")], "198.51.100.1");
        check(&[("forwarded", "proto=https;For=\"198.51.100.1:4711\";by=10.0.0.1")], "198.51.100.1");
        check(&[("forwarded", "For=\"[2001:db8:cafe::17]:4711\"")], "2001:db8:cafe::17");
        check(&[("forwarded", "for=203.0.113.7, for=\"[2001:db8::1]\" ; proto=http")], "2001:db8::1");
        check(&[("forwarded", "for=198.51.100.1, for=10.0.0.2;host=\"a,b;for=1.2.3.4\"")], "198.51.100.1");
    }

    #[test]
    fn a_forwarded_header_from_the_client_does_not_override_the_proxy() {
        check(&[("forwarded", "for=198.51.100.1"), ("x-forwarded-for", "203.0.113.7")], "203.0.113.7");
    }

    #[test]
    fn reading_stops_at_an_invalid_entry() {
        check(&[("x-forwarded-for", "")], "10.0.0.1");
        check(&[("x-forwarded-for", "198.51.100.1, what, 10.0.0.2")], "10.0.0.2");
        check(&[("x-forwarded-for", "198.51.100.1, , 10.0.0.2")], "10.0.0.2");
        check(&[("x-forwarded-for", "198.51.100.1, ä, 10.0.0.2")], "10.0.0.2");
        check(&[("forwarded", "for=198.51.100.1, for=unknown, for=10.0.0.2")], "10.0.0.2");
        check(&[("forwarded", "for=198.51.100.1, for=_hidden")], "10.0.0.1");
        check(&[("forwarded", "for=198.51.100.1, proto=https")], "10.0.0.1");
    }

    #[test]
    fn a_client_cannot_hide_its_address_behind_a_quote() {
        check(&[("forwarded", "for=203.0.113.7;a=\", for=198.51.100.1")], "10.0.0.1");
        check(&[("forwarded", "for=203.0.113.7;a=\", for=\"[2001:db8::1]\"")], "10.0.0.1");
        check(&[("forwarded", "for=203.0.113.7;a=\"\\\", for=\"[2001:db8::1]\"")], "2001:db8::1");
        check(&[("x-forwarded-for", "203.0.113.7;\", 198.51.100.1")], "198.51.100.1");
    }

    #[test]
    fn only_a_trusted_proxy_can_say_https() {
        let check = |peer: &str, header: (&'static str, &str), expected: bool| {
            let mut headers = HeaderMap::new();
            headers.append(header.0, header.1.parse().expect("a header"));
            let trusted = ["10.0.0.0/8".parse().expect("a net")];
            let https = is_https(peer.parse().expect("an address"), &headers, &trusted);
            assert_eq!(https, expected, "{peer} {header:?}");
        };
        check("10.0.0.1", ("x-forwarded-proto", "https"), true);
        check("::ffff:10.0.0.1", ("x-forwarded-proto", "http, HTTPS"), true);
        check("10.0.0.1", ("x-forwarded-proto", "https, http"), false);
        check("10.0.0.1", ("forwarded", "for=192.0.2.1;proto=https"), true);
        check("10.0.0.1", ("forwarded", "proto=https, for=192.0.2.1"), false);
        check("10.0.0.1", ("x-other", "https"), false);
        check("192.0.2.1", ("x-forwarded-proto", "https"), false);
    }

    #[test]
    fn ipv6_clients_count_by_their_64_bit_network() {
        let check = |address: &str, expected: &str| {
            let address = address.parse().expect("an address");
            assert_eq!(limit_key(address).to_string(), expected);
        };
        check("198.51.100.1", "198.51.100.1");
        check("::ffff:198.51.100.1", "198.51.100.1");
        check("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::");
        check("2001:db8:1:2::", "2001:db8:1:2::");
    }
}
