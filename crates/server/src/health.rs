//! Liveness and readiness, and the metrics of the admin listener.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use prometheus::TextEncoder;
use publisher::{Error, Publisher};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::App;
use crate::error::{ApiError, json_response};

/// Health checks have timeouts of their own: a late answer is useless.
const READY_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) async fn healthz() -> Response {
    json_response(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())
}

pub(crate) async fn readyz(State(app): State<App>) -> Result<Response, ApiError> {
    match timeout(READY_TIMEOUT, app.probe.check(&app.publisher)).await {
        Ok(checked) => checked?,
        Err(_) => return Err(ApiError::NotReady { seconds: READY_TIMEOUT.as_secs() }),
    }
    let low_disk = app.publisher.low_disk().is_some();
    let ready = Ready {
        status: "ready",
        disk: low_disk.then_some("nearly full: nothing new is stored"),
        limits: app.limiter.is_degraded().then_some("Redis is unavailable: this server counts by itself"),
    };
    let body = serde_json::to_vec(&ready).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(json_response(StatusCode::OK, body))
}

/// What the server can do without is named, but it is still ready.
#[derive(Serialize)]
struct Ready {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<&'static str>,
}

pub(crate) async fn metrics() -> Response {
    let figures = TextEncoder::new().encode_to_string(&prometheus::gather());
    match figures {
        Ok(figures) => {
            ([("content-type", "text/plain; version=0.0.4; charset=utf-8")], figures).into_response()
        }
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Checks the database, one check at a time: while it does not respond, checks must not pile up.
#[derive(Clone)]
pub(crate) struct Probe(Arc<Semaphore>);

impl Default for Probe {
    fn default() -> Probe {
        Probe(Arc::new(Semaphore::new(1)))
    }
}

impl Probe {
    async fn check(&self, publisher: &Publisher) -> Result<(), Error> {
        let permit = self.0.clone().acquire_owned().await;
        let publisher = publisher.clone();
        // In a separate task: a timeout does not cancel the query, so the permit is held until the query ends.
        let check = tokio::spawn(async move {
            let result = publisher.ready().await;
            drop(permit);
            result
        });
        check.await.unwrap_or_else(|error| Err(Error::Internal(format!("check the database: {error}"))))
    }
}
