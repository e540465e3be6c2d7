//! The routes of each listener.

use axum::Router;
use axum::http::header::{ACCEPT, CACHE_CONTROL, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compression::compress;
use crate::cors::cors;
use crate::error::ApiError;
use crate::guard::guard;
use crate::large::lower_priority_of_large;
use crate::routes::{
    account_read, builds_latest, builds_trigger, media_upload, pages_delete, pages_list, pages_publish,
    pages_read, settings_change, settings_read, sites_list,
};
use crate::trace::{catch_panic, trace};
use crate::{App, Health, dashboard, docs, health, tls};

pub(crate) const PUBLIC_API: &str = "/api/v1/public";

/// The API listener: the public API, its documentation, the dashboard, health.
pub fn router(app: App) -> Router {
    let (api, _) = public_api();
    Router::new()
        .nest(PUBLIC_API, api)
        .nest("/dashboard", dashboard::router(app.clone()))
        .route("/", get(home).fallback(no_route))
        .route("/openapi.json", get(docs::document))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route(
            "/tls/ask",
            get(tls::ask).fallback(no_method).layer(from_fn_with_state(app.clone(), tls::only_proxies)),
        )
        .fallback(docs::reference::respond)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn(lower_priority_of_large))
        .layer(from_fn(catch_panic))
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(from_fn(cors))
        .layer(from_fn(trace))
        .layer(from_fn(compress))
        .layer(map_response(add_common_headers))
        .with_state(app)
}

/// The public API and its OpenAPI description, generated from the same handlers.
pub(crate) fn public_api() -> (Router<App>, OpenApi) {
    OpenApiRouter::new()
        .routes(routes!(pages_publish::publish, pages_list::list))
        .routes(routes!(pages_read::read, pages_delete::delete))
        .routes(routes!(media_upload::upload))
        .routes(routes!(builds_trigger::trigger))
        .routes(routes!(builds_latest::latest))
        .routes(routes!(sites_list::list))
        .routes(routes!(settings_read::read, settings_change::change))
        .routes(routes!(account_read::read))
        .split_for_parts()
}

/// The admin listener: metrics and health. It must not be reachable by tenants.
pub fn admin_router(health: Health) -> Router {
    Router::new()
        .route("/metrics", get(health::metrics))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .layer(map_response(add_common_headers))
        .with_state(health)
}

/// Redirects a browser to the dashboard; other clients get a 404.
async fn home(headers: HeaderMap) -> Response {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match accepted.contains("text/html") {
        true => ([(VARY, "accept")], Redirect::to("/dashboard")).into_response(),
        false => ([(VARY, "accept")], ApiError::NoRoute).into_response(),
    }
}

async fn no_route() -> ApiError {
    ApiError::NoRoute
}

async fn no_method() -> ApiError {
    ApiError::NoMethod
}

/// Headers of every response: no type sniffing and, unless the handler set something else, no caching.
async fn add_common_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
