//! Who may pass to the public API, in this order: the address's window, the token, the account's window, the
//! account itself. A request counts in each window it reaches. All of it holds for whatever is asked for below the
//! API's prefix, whether or not it exists.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use publisher::{Caller, Error};

use crate::App;
use crate::client::{client_address, limit_key};
use crate::error::ApiError;
use crate::limits::{Count, Key, Window};
use crate::router::PUBLIC_API;

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
    let mut told = Told { limit: ip.limit, remaining: ip.remaining };
    if let Some(refusal) = refusal(&app, &ip) {
        return told.on(refusal.into_response());
    }
    let caller = match authenticate(&app, request.headers()).await {
        Ok(caller) => caller,
        Err(error) => {
            let response = ApiError::from(error).into_response();
            if response.status().is_server_error() {
                // It never got as far as a counted request does.
                told.remaining = (told.remaining + 1).min(told.limit);
                app.limiter.give_back(ip.slot).await;
            }
            return told.on(response);
        }
    };
    drop(ip.slot);
    if let Some(window) = window {
        let count = app.limiter.count(window, Key::Account(caller.account), app.clock.now()).await;
        told = Told { limit: count.limit, remaining: count.remaining };
        if let Some(refusal) = refusal(&app, &count) {
            return told.on(refusal.into_response());
        }
    }
    if caller.suspended {
        return told.on(ApiError::from(Error::Suspended).into_response());
    }
    told.on(pass(caller, request, next).await)
}

async fn pass(caller: Caller, mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// The window that the headers tell of.
struct Told {
    limit: u32,
    remaining: u32,
}

impl Told {
    fn on(&self, mut response: Response) -> Response {
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

/// The part of the path below the API's prefix.
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
