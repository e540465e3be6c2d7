//! For requests from this machine: a list of the sites and how to open them. Not every program resolves names under
//! `.localhost`; `http://127.0.0.1:8081/` always works.
//!
//! The list must not be visible to others. A proxy on this machine forwards their requests, and nginx by default sends
//! its own upstream address as the host. So all of these conditions must hold: the configuration is a local setup
//! (`SitesSettings::list_sites`), the peer is this machine, the host is a loopback address, and no header was added by a
//! proxy.

use std::net::SocketAddr;

use axum::http::header::{CONTENT_SECURITY_POLICY, FORWARDED, VIA};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use publisher::Publisher;

use super::{SiteResponse, host, notes};

/// The list is for people.
const MAX_LISTED: usize = 100;

const PROXY_HEADERS: [HeaderName; 6] = [
    FORWARDED,
    VIA,
    HeaderName::from_static("x-real-ip"),
    HeaderName::from_static("x-client-ip"),
    HeaderName::from_static("true-client-ip"),
    HeaderName::from_static("cf-connecting-ip"),
];

/// The loopback host of a request, if it comes from this machine.
pub(super) fn address<B>(peer: SocketAddr, request: &Request<B>) -> Option<&str> {
    let here = peer.ip().to_canonical().is_loopback() && !is_forwarded(request.headers());
    host::text(request).ok()?.filter(|text| here && is_loopback(text))
}

fn is_loopback(host: &str) -> bool {
    host::address(host).is_some_and(|address| address.is_loopback())
}

fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with("x-forwarded") || PROXY_HEADERS.contains(name))
}

/// `address` is the host of the request.
pub(super) async fn list(publisher: &Publisher, address: &str) -> SiteResponse {
    let sites = match publisher.oldest_sites(MAX_LISTED + 1).await {
        Ok(sites) => sites,
        Err(error) => {
            tracing::warn!(%error, "listing the sites failed");
            return notes::unavailable();
        }
    };
    let mut text = match sites.is_empty() {
        true => "<p>There are no sites yet. <code>recto account create NAME</code> creates an account with a site.</p>",
        false => {
            "<p>Names under <code>.localhost</code> open in Chrome, Edge and Firefox. Safari, wget, Python and Node may \
             not resolve them: add <code>127.0.0.1 NAME.localhost</code> to the hosts file, or send the Host header as shown.</p>"
        }
    }
    .to_owned();
    for site in sites.iter().take(MAX_LISTED) {
        let url = escape(&publisher.settings().deploy_url(&site.name));
        let name = url.split_once("://").map_or(url.as_str(), |(_, name)| name);
        text += &format!(
            "\n<p><a href=\"{url}\">{name}</a><br>\n<code>curl -H 'Host: {name}' http://{address}/</code></p>"
        );
    }
    if sites.len() > MAX_LISTED {
        text += "\n<p>There are more: <code>recto site list</code> shows all.</p>";
    }
    let mut response = notes::note(StatusCode::OK, "Sites on this server", &text);
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'";
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// The configured URL pattern may contain anything.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_peers_are_local() {
        let check = |peer: &str, expected: Option<&str>| {
            let request =
                Request::builder().uri("/").header("host", "127.0.0.1:8081").body(()).expect("a request");
            assert_eq!(
                address(SocketAddr::new(peer.parse().expect("an address"), 1), &request),
                expected,
                "{peer}"
            );
        };
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            check(peer, Some("127.0.0.1:8081"));
        }
        for peer in ["192.0.2.1", "10.0.0.1", "2001:db8::1", "::ffff:192.0.2.1"] {
            check(peer, None);
        }
    }

    #[test]
    fn loopback_hosts_are_recognised() {
        for host in
            ["localhost", "LocalHost:8081", "127.0.0.1", "127.0.0.1:1", "127.1.2.3", "[::1]", "[::1]:8081"]
        {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "acme.localhost",
            "localhost.evil.com",
            "10.0.0.1",
            "[::2]",
            "0.0.0.0",
            "127.0.0.1.nip.io",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
        for host in ["127.0.0.1:80:80", "localhost:x", "x@localhost", "[::1", "127.0.0.1/<b>"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
