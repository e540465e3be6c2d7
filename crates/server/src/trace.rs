//! For every request: an id, a log line, metrics, and the body of an internal error.

use std::panic::AssertUnwindSafe;
use std::sync::LazyLock;
use std::time::Instant;

use api::InternalError;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt;
use prometheus::{HistogramVec, IntCounterVec, register_histogram_vec, register_int_counter_vec};
use uuid::Uuid;

use crate::error::{Fault, json, json_response};

const REQUEST_ID: &str = "x-request-id";

static REQUESTS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    let labels = &["method", "route", "status"];
    register_int_counter_vec!("recto_http_requests_total", "Requests to the API.", labels)
        .expect("registered once")
});

static SECONDS: LazyLock<HistogramVec> = LazyLock::new(|| {
    let most = vec![0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
    let about = "How long requests to the API took.";
    register_histogram_vec!("recto_http_request_seconds", about, &["method", "route"], most)
        .expect("registered once")
});

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
        Some(Fault(error)) => tracing::warn!(request_id = %id, %method, path, error, "service unavailable"),
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

/// A path may be as long as a request's head, and every request is logged.
fn shortened(path: &str) -> String {
    const MAX_CHARS: usize = 300;
    match path.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

/// A panic in a handler fails only its own request, with a 500.
pub(crate) async fn catch_panic(request: Request, next: Next) -> Response {
    AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
        let mut response = json_response(StatusCode::INTERNAL_SERVER_ERROR, Vec::new());
        response.extensions_mut().insert(Fault("a handler panicked; the panic is logged above".into()));
        response
    })
}

/// The details are in the log, under the id that the client gets.
fn replace_body(response: &mut Response, id: Uuid) {
    let body = InternalError {
        error: "internal error",
        message: "internal error of the server; the operator can find it in the log by the requestId",
        request_id: id.to_string(),
    };
    *response.body_mut() = json(&body).into();
}

fn count(method: &Method, route: Option<&str>, status: StatusCode, seconds: f64) {
    // Only known routes and methods become labels: clients must not be able to create new ones.
    let route = route.unwrap_or("other");
    let known = [
        Method::GET,
        Method::POST,
        Method::DELETE,
        Method::HEAD,
        Method::PUT,
        Method::PATCH,
        Method::OPTIONS,
    ];
    let method = if known.contains(method) { method.as_str() } else { "other" };
    REQUESTS.with_label_values(&[method, route, status.as_str()]).inc();
    SECONDS.with_label_values(&[method, route]).observe(seconds);
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
