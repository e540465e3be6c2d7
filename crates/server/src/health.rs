//! Liveness and readiness, and the metrics of the admin listener.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use limits::Backend;
use prometheus::TextEncoder;
use publisher::{Error, Publisher};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::error::{ApiError, json, json_response};

/// Health checks have timeouts of their own: a late answer is useless.
const READY_TIMEOUT: Duration = Duration::from_secs(2);
const SHORT_TIMEOUT: Duration = Duration::from_millis(500);

pub(crate) async fn healthz() -> Response {
    json_response(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())
}

pub(crate) async fn readyz(State(health): State<Health>) -> Response {
    match health.check().await {
        Ok(ready) => json_response(StatusCode::OK, json(&ready)),
        Err(error) => error.into_response(),
    }
}

/// Whether a process can do what its roles ask for.
#[derive(Clone)]
pub struct Health {
    publisher: Publisher,
    limits: Backend,
    /// Without it a process is ready as long as it knows some site.
    needs_database: bool,
    probe: Probe,
}

/// The body of a 200: what works, and what does not but is not needed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Ready {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<&'static str>,
}

impl Health {
    pub fn new(publisher: Publisher, limits: Backend, needs_database: bool) -> Health {
        Health { publisher, limits, needs_database, probe: Probe::default() }
    }

    pub(crate) async fn check(&self) -> Result<Ready, ApiError> {
        // A process that can serve without the database does not wait long for it: load balancers do not either.
        let can_do_without = !self.needs_database && self.publisher.knows_sites();
        let patience = if can_do_without { SHORT_TIMEOUT } else { READY_TIMEOUT };
        let database = match timeout(patience, self.probe.check(&self.publisher)).await {
            Ok(checked) => checked.map_err(ApiError::from),
            Err(_) => Err(ApiError::NotReady { seconds: READY_TIMEOUT.as_secs() }),
        };
        let database = match database {
            Ok(()) => None,
            Err(_) if can_do_without => Some("unavailable: sites are served as they were"),
            Err(error) => return Err(error),
        };
        let disk = self.publisher.low_disk().map(|_| "nearly full: nothing new is stored");
        let degraded = self.limits.is_degraded();
        let limits = degraded.then_some("Redis is unavailable: this server counts by itself");
        Ok(Ready { status: "ready", database, disk, limits })
    }
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
