//! CORS: any origin may call the API. This is safe because a request needs a token, and cookies are ignored.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::guard::api_path;

/// The same for every path; a method that a path does not support gets a 405 from the request itself.
const PREFLIGHT: [(HeaderName, &str); 3] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, PUT, PATCH, DELETE"),
    // `*` does not cover Authorization, and old browsers do not support it.
    (ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, Content-Encoding, *"),
    // A day; browsers may shorten it.
    (ACCESS_CONTROL_MAX_AGE, "86400"),
];

const EXPOSED: HeaderValue = HeaderValue::from_static(
    "X-RateLimit-Limit, X-RateLimit-Remaining, Retry-After, X-Request-Id, WWW-Authenticate, Allow, ETag",
);

/// Runs before the guard: a preflight request has no token and must not count towards a rate limit.
pub(crate) async fn cors(request: Request, next: Next) -> Response {
    if api_path(&request).is_none() && request.uri().path() != "/openapi.json" {
        return next.run(request).await;
    }
    let mut response = match is_preflight(&request) {
        true => (StatusCode::NO_CONTENT, PREFLIGHT).into_response(),
        false => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    response
}

fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}
