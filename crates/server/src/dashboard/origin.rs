//! Accepts forms of this origin only.

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::failure::Failure;
use crate::App;

pub(super) async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    match reads || is_own(request.headers(), &app.url) {
        true => next.run(request).await,
        false => Failure::OtherOrigin.into_response(),
    }
}

/// Browsers send `Sec-Fetch-Site` over https and on loopback, and otherwise `Origin`. Behind a proxy that replaces
/// `Host`, the origin is the address in the configuration.
fn is_own(headers: &HeaderMap, url: &str) -> bool {
    let text = |value: &axum::http::HeaderValue| value.to_str().ok().map(str::to_owned);
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin";
    }
    let Some(origin) = headers.get(ORIGIN).and_then(text) else { return false };
    let host = headers.get(HOST).and_then(text);
    origin == url || host.is_some_and(|host| origin.split_once("://").is_some_and(|(_, own)| own == host))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_forms_of_the_own_origin_are_accepted() {
        let check = |headers: &[(&'static str, &'static str)], expected: bool| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, HeaderValue::from_static(value));
            }
            assert_eq!(is_own(&map, "https://recto.example.com"), expected, "{headers:?}");
        };
        check(&[], false);
        check(&[("host", "a.example")], false);
        check(&[("sec-fetch-site", "same-origin")], true);
        check(&[("sec-fetch-site", "same-site")], false);
        check(&[("sec-fetch-site", "none")], false);
        check(
            &[("sec-fetch-site", "cross-site"), ("origin", "http://a.example"), ("host", "a.example")],
            false,
        );
        check(&[("origin", "http://a.example:80"), ("host", "a.example:80")], true);
        check(&[("origin", "http://b.a.example"), ("host", "a.example")], false);
        check(&[("origin", "null"), ("host", "a.example")], false);
        check(&[("origin", "https://recto.example.com"), ("host", "127.0.0.1:8080")], true);
    }
}
