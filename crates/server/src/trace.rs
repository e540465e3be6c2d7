//! Around every request: an id, one line in the log, the metrics, and the answer for what is our own fault.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use api::InternalError;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt;
use uuid::Uuid;

use crate::error::{Fault, json, json_response};

const REQUEST_ID: &str = "x-request-id";

pub(crate) async fn trace(request: Request, next: Next) -> Response {
    let (id, start) = (Uuid::now_v7(), Instant::now());
    let method = request.method().clone();
    let path = shortened(request.uri().path());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let status = response.status();
    let elapsed = start.elapsed();
    match response.extensions_mut().remove::<Fault>() {
        Some(Fault(error)) if status == StatusCode::INTERNAL_SERVER_ERROR => {
            tracing::error!(request_id = %id, %method, path, error, "internal error");
            replace_body(&mut response, id);
        }
        Some(Fault(error)) => tracing::warn!(request_id = %id, %method, path, error, "answered 503"),
        None => {}
    }
    let ms = elapsed.as_micros() as f64 / 1e3;
    tracing::info!(request_id = %id, %method, path, status = status.as_u16(), ms, "request");
    count(&method, route.as_deref(), status, elapsed.as_secs_f64());
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// A path fills a head if a client likes, and every request is a line of the log.
fn shortened(path: &str) -> String {
    const LONGEST: usize = 300;
    match path.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

/// A panic in a handler costs its own request, which is answered like every other fault of ours.
pub(crate) async fn catch_panic(request: Request, next: Next) -> Response {
    AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
        let mut response = json_response(StatusCode::INTERNAL_SERVER_ERROR, Vec::new());
        response.extensions_mut().insert(Fault("a handler panicked; the panic is above".into()));
        response
    })
}

/// Details went to the log, found by the id that the client gets.
fn replace_body(response: &mut Response, id: Uuid) {
    let body = InternalError {
        error: "internal error",
        message: "something went wrong on our side; the operator finds it in the log by the requestId",
        request_id: id.to_string(),
    };
    *response.body_mut() = json(&body).into();
}

fn count(method: &Method, route: Option<&str>, status: StatusCode, seconds: f64) {
    // Only routes and methods we know become labels: whoever makes some up must not fill the registry.
    let route = route.unwrap_or("other").to_owned();
    let known = [
        Method::GET,
        Method::POST,
        Method::DELETE,
        Method::HEAD,
        Method::PUT,
        Method::PATCH,
        Method::OPTIONS,
    ];
    let method = if known.contains(method) { method.to_string() } else { "other".to_owned() };
    metrics::counter!("recto_http_requests_total", "method" => method.clone(), "route" => route.clone(), "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("recto_http_request_seconds", "method" => method, "route" => route).record(seconds);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_does_not_fill_the_log() {
        assert_eq!(shortened("/api/v1/public/pages"), "/api/v1/public/pages");
        let long = shortened(&"é".repeat(10_000));
        assert_eq!((long.chars().count(), long.ends_with("é…")), (301, true));
    }
}
