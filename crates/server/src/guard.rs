//! Access to the public API. Checked in this order: the address's rate limit, the token, the account's rate limit, and
//! whether the account is suspended or has too many open requests. A request counts in each rate limit that it reaches. This applies to every path
//! below the API's prefix, including paths that do not exist.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use limits::{Count, Key, Window};
use model::AccountId;
use publisher::{Caller, Error};

use crate::App;
use crate::client::{client_address, limit_key};
use crate::error::ApiError;
use crate::permits::Permits;
use crate::router::PUBLIC_API;

/// Of one account at a time, whatever addresses they come from: each takes memory. One address does not reach it, because
/// its connections are limited, too.
const MAX_OPEN_REQUESTS: usize = 256;

pub(crate) type OpenRequests = Permits<AccountId>;

pub(crate) fn open_requests() -> Arc<OpenRequests> {
    Permits::new(usize::MAX, MAX_OPEN_REQUESTS)
}

pub(crate) async fn guard(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let Some(path) = api_path(&request) else { return next.run(request).await };
    let window = account_window(request.method(), path);
    let address = client_address(peer.ip(), request.headers(), &app.trusted_proxies);
    let ip = app.limiter.count(Window::Ip, Key::Ip(limit_key(address)), app.clock.now()).await;
    let mut rate = RateHeaders { limit: ip.limit, remaining: ip.remaining };
    if let Some(refusal) = refusal(&app, &ip) {
        return rate.add_to(refusal.into_response());
    }
    let caller = match authenticate(&app, request.headers()).await {
        Ok(caller) => Caller { address: Some(address), ..caller },
        Err(error) => {
            let response = ApiError::from(error).into_response();
            if response.status().is_server_error() {
                // The client is not charged for a failure of the server.
                rate.remaining = (rate.remaining + 1).min(rate.limit);
                app.limiter.undo(ip.counted).await;
            }
            return rate.add_to(response);
        }
    };
    if let Some(window) = window {
        let count = app.limiter.count(window, Key::Account(caller.account), app.clock.now()).await;
        rate = RateHeaders { limit: count.limit, remaining: count.remaining };
        if let Some(refusal) = refusal(&app, &count) {
            return rate.add_to(refusal.into_response());
        }
    }
    if caller.suspended {
        return rate.add_to(ApiError::from(Error::Suspended).into_response());
    }
    let Some(_permit) = app.open_requests.take(caller.account) else {
        return rate.add_to(ApiError::from(Error::OpenRequests).into_response());
    };
    rate.add_to(pass(caller, request, next).await)
}

async fn pass(caller: Caller, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// The `X-RateLimit-*` headers: the state of the last rate limit that the request reached.
struct RateHeaders {
    limit: u32,
    remaining: u32,
}

impl RateHeaders {
    fn add_to(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.insert("x-ratelimit-limit", HeaderValue::from(self.limit));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(self.remaining));
        response
    }
}

fn refusal(app: &App, count: &Count) -> Option<ApiError> {
    let refused = count.refused && !app.dev;
    refused.then_some(ApiError::RateLimited { retry_after: count.retry_after_seconds })
}

async fn authenticate(app: &App, headers: &HeaderMap) -> Result<Caller, Error> {
    app.publisher.authenticate(bearer(headers).ok_or(Error::InvalidToken)?).await
}

/// The token of `Authorization: Bearer <token>`; the scheme's case does not matter.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The path below the API's prefix; `None` for any other path.
pub(crate) fn api_path(request: &Request) -> Option<&str> {
    let path = request.uri().path().strip_prefix(PUBLIC_API)?;
    (path.is_empty() || path.starts_with('/')).then_some(path)
}

fn account_window(method: &Method, path: &str) -> Option<Window> {
    match (method, path) {
        (&Method::POST, "/pages") => Some(Window::Write),
        (&Method::POST, "/builds") => Some(Window::Heavy),
        _ => None,
    }
}
