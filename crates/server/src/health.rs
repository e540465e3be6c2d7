//! Is it alive, and can it serve? And, on the admin listener, what has it been doing?

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::PrometheusHandle;
use publisher::{Error, Publisher};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::App;
use crate::error::{ApiError, json_response};

/// Whoever asks has a deadline of its own, and an answer that comes too late tells it nothing.
const READY_WITHIN: Duration = Duration::from_secs(2);

pub(crate) async fn healthz() -> Response {
    json_response(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec())
}

pub(crate) async fn readyz(State(app): State<App>) -> Result<Response, ApiError> {
    match timeout(READY_WITHIN, app.probe.ask(&app.publisher)).await {
        Ok(checked) => checked?,
        Err(_) => return Err(ApiError::NotReady { seconds: READY_WITHIN.as_secs() }),
    }
    let body: &[u8] = match app.publisher.low_disk() {
        Some(_) => b"{\"status\":\"ready\",\"disk\":\"nearly full: nothing new is stored\"}",
        None => b"{\"status\":\"ready\"}",
    };
    Ok(json_response(StatusCode::OK, body.to_vec()))
}

pub(crate) async fn metrics(State(handle): State<PrometheusHandle>) -> Response {
    ([("content-type", "text/plain; version=0.0.4; charset=utf-8")], handle.render()).into_response()
}

/// Asks the database, once at a time: while it is silent, questions must not pile up in front of it.
#[derive(Clone)]
pub(crate) struct Probe(Arc<Semaphore>);

impl Default for Probe {
    fn default() -> Probe {
        Probe(Arc::new(Semaphore::new(1)))
    }
}

impl Probe {
    async fn ask(&self, publisher: &Publisher) -> Result<(), Error> {
        let turn = self.0.clone().acquire_owned().await;
        let publisher = publisher.clone();
        // On a task of its own: giving up does not take the question back, so the turn lasts until it is answered.
        let question = tokio::spawn(async move {
            let answer = publisher.ready().await;
            drop(turn);
            answer
        });
        question.await.unwrap_or_else(|error| Err(Error::Internal(format!("ask the database: {error}"))))
    }
}
