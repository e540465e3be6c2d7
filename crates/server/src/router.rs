//! What answers where.

use axum::Router;
use axum::http::header::{ACCEPT, CACHE_CONTROL, VARY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::cors::cors;
use crate::error::ApiError;
use crate::guard::guard;
use crate::pack::pack;
use crate::routes::{builds_latest, builds_trigger, media_upload, pages_delete, pages_list, pages_publish};
use crate::trace::{catch_panic, trace};
use crate::{App, docs, health, tls};

pub(crate) const PUBLIC_API: &str = "/api/v1/public";

/// The API listener: the public API, its documentation, health.
pub fn router(app: App) -> Router {
    let (api, _) = public_api();
    Router::new()
        .nest(PUBLIC_API, api)
        .route("/", get(home).fallback(no_route))
        .route("/openapi.json", get(docs::document))
        .route("/docs", get(docs::page))
        .route("/docs/reference.js", get(docs::script))
        .route("/docs/start.js", get(docs::start))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route(
            "/tls/ask",
            get(tls::ask).fallback(no_method).layer(from_fn_with_state(app.clone(), tls::only_proxies)),
        )
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn(catch_panic))
        .layer(from_fn_with_state(app.clone(), guard))
        .layer(from_fn(cors))
        .layer(from_fn(trace))
        .layer(from_fn(pack))
        .layer(map_response(seal))
        .with_state(app)
}

/// The public API and its description, from the same lines.
pub(crate) fn public_api() -> (Router<App>, OpenApi) {
    OpenApiRouter::new()
        .routes(routes!(pages_publish::publish, pages_list::list))
        .routes(routes!(pages_delete::delete))
        .routes(routes!(media_upload::upload))
        .routes(routes!(builds_trigger::trigger))
        .routes(routes!(builds_latest::latest))
        .split_for_parts()
}

/// The admin listener, which tenants never reach.
pub fn admin_router(metrics: PrometheusHandle) -> Router {
    Router::new()
        .route("/metrics", get(health::metrics))
        .route("/healthz", get(health::healthz))
        .layer(map_response(seal))
        .with_state(metrics)
}

/// A person with a browser gets further than a 404.
async fn home(headers: HeaderMap) -> Response {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match accepted.contains("text/html") {
        true => ([(VARY, "accept")], Redirect::to("/docs")).into_response(),
        false => ([(VARY, "accept")], ApiError::NoRoute).into_response(),
    }
}

async fn no_route() -> ApiError {
    ApiError::NoRoute
}

async fn no_method() -> ApiError {
    ApiError::NoMethod
}

/// What every answer carries: a browser does not guess its type, and nobody keeps it. Only the reference's script, the
/// same for everybody, says otherwise.
async fn seal(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
