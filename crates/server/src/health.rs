//! Is it alive, and can it serve? And, on the admin listener, what has it been doing?

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::PrometheusHandle;

use crate::App;
use crate::error::{ApiError, json_response};

pub(crate) async fn healthz() -> Response {
    json_response(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())
}

pub(crate) async fn readyz(State(app): State<App>) -> Result<Response, ApiError> {
    app.publisher.ready().await?;
    let body: &[u8] = match app.publisher.low_disk() {
        Some(_) => b"{\"status\":\"ready\",\"disk\":\"nearly full: nothing new is stored\"}",
        None => b"{\"status\":\"ready\"}",
    };
    Ok(json_response(StatusCode::OK, body.to_vec()))
}

pub(crate) async fn metrics(State(handle): State<PrometheusHandle>) -> Response {
    ([("content-type", "text/plain; version=0.0.4; charset=utf-8")], handle.render()).into_response()
}
