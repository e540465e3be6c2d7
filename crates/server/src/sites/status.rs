//! Health checks of the sites listener. A load balancer and `recto doctor` ask by address, which is no site's host.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, Request, StatusCode};

use super::{SiteResponse, headers, host, notes, response};
use crate::Health;
use crate::error::json;

/// `None`: it is not a health check.
pub(super) async fn respond<B>(health: &Health, request: &Request<B>) -> Option<SiteResponse> {
    let path = request.uri().path();
    if !is_check(path) || !is_by_address(request) || !reads(request) {
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

/// Whether the path is that of a health check, if it is asked for by address.
pub(super) fn is_check(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz")
}

fn reads<B>(request: &Request<B>) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

fn is_by_address<B>(request: &Request<B>) -> bool {
    host::text(request).ok().flatten().and_then(host::address).is_some()
}

fn ok(body: Vec<u8>) -> SiteResponse {
    let mut headers = headers::of_note(body.len());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response::build(StatusCode::OK, headers, body.into())
}
