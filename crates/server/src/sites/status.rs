//! Health checks of the sites listener. A load balancer and `recto doctor` ask by address, which is no site's host.

use std::net::IpAddr;

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, Request, StatusCode};

use super::{SiteResponse, headers, host, notes, response};
use crate::Health;
use crate::error::json;

/// `None`: it is not a health check.
pub(super) async fn respond<B>(health: &Health, request: &Request<B>) -> Option<SiteResponse> {
    let path = request.uri().path();
    if !matches!(path, "/healthz" | "/readyz") || !is_by_address(request) || !reads(request) {
        return None;
    }
    if path == "/healthz" {
        return Some(ok(b"{\"status\":\"ok\"}".to_vec()));
    }
    Some(match health.check().await {
        Ok(ready) => ok(json(&ready)),
        Err(_) => notes::unavailable(),
    })
}

fn reads<B>(request: &Request<B>) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// `localhost`, `10.0.0.1` or `[::1]`, with or without a port.
fn is_by_address<B>(request: &Request<B>) -> bool {
    let Ok(Some(host)) = host::text(request) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !host.ends_with(']') && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

fn ok(body: Vec<u8>) -> SiteResponse {
    let mut headers = headers::of_note(body.len());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response::build(StatusCode::OK, headers, body.into())
}

#[cfg(test)]
mod tests {
    use axum::http::header::HOST;

    use super::*;

    #[test]
    fn a_request_by_address_is_for_no_site() {
        let check = |host: &str, expected: bool| {
            let request = Request::builder().uri("/readyz").header(HOST, host).body(()).expect("a request");
            assert_eq!(is_by_address(&request), expected, "{host}");
        };
        check("127.0.0.1:8081", true);
        check("10.1.2.3", true);
        check("[::1]", true);
        check("[fd00::1]:8081", true);
        check("localhost:8081", true);
        check("acme.localhost:8081", false);
        check("acme.example.com", false);
        check("10.1.2.3.example.com", false);
    }
}
