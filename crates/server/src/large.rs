//! Large requests are handled by threads of the lowest priority: reading, checking and hashing a body of 500 MB takes
//! seconds, in which small requests must not wait.

mod read_ahead;

use axum::body::HttpBody;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use self::read_ahead::read_ahead;
use crate::body::is_encoded;

/// Larger bodies, and bodies of unknown size, are large.
const LARGE_BYTES: u64 = 64 * 1024;
/// The same for compressed bodies, which can grow a thousandfold.
const LARGE_COMPRESSED_BYTES: u64 = 4 * 1024;

pub(crate) async fn lower_priority_of_large(request: Request, next: Next) -> Response {
    match is_large(&request) {
        true => {
            let (parts, body) = request.into_parts();
            let (body, receive) = read_ahead(body);
            tokio::select! {
                response = publisher::run_low(next.run(Request::from_parts(parts, body))) => response,
                never = receive => match never {},
            }
        }
        false => next.run(request).await,
    }
}

fn is_large(request: &Request) -> bool {
    let most = if is_encoded(request.headers()) { LARGE_COMPRESSED_BYTES } else { LARGE_BYTES };
    request.body().size_hint().upper().is_none_or(|size| size > most)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::http::header::CONTENT_ENCODING;
    use axum::http::{HeaderValue, StatusCode};
    use axum::middleware::from_fn;
    use axum::routing::post;
    use bytes::Bytes;
    use tower::ServiceExt;

    use super::*;
    use crate::trace::catch_panic;

    #[tokio::test]
    async fn large_requests_run_on_other_threads() {
        let name = async || std::thread::current().name().unwrap_or_default().to_owned();
        let router = Router::new()
            .route("/", post(name))
            .route("/panic", post(async || -> String { panic!("on purpose") }))
            .layer(from_fn(lower_priority_of_large))
            .layer(from_fn(catch_panic));
        let send = async |path: &str, size: usize| {
            let request = Request::post(path).body(Body::from(vec![0; size])).expect("a request");
            let response = router.clone().oneshot(request).await.unwrap();
            let status = response.status();
            (status, to_bytes(response.into_body(), usize::MAX).await.expect("a body"))
        };
        assert_ne!(send("/", 0).await.1, "recto-low");
        assert_eq!(send("/", 100_000).await.1, "recto-low");
        assert_eq!(send("/panic", 100_000).await.0, StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[test]
    fn size_and_encoding_say_whether_a_request_is_large() {
        let request = |size: usize| Request::new(Body::from(vec![0; size]));
        assert!(!is_large(&request(0)));
        assert!(!is_large(&request(64 * 1024)));
        assert!(is_large(&request(64 * 1024 + 1)));
        let compressed = |size| {
            let mut request = request(size);
            request.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            request
        };
        assert!(!is_large(&compressed(4 * 1024)));
        assert!(is_large(&compressed(4 * 1024 + 1)));
        let streamed = Body::from_stream(futures_util::stream::iter([Ok::<_, axum::Error>(Bytes::new())]));
        assert!(is_large(&Request::new(streamed)));
    }
}
