//! `GET /tls/ask?domain=…`: whether a certificate may be requested for this domain. For a proxy that requests
//! certificates on demand, such as Caddy with `on_demand_tls`: it must not request them for arbitrary domains that
//! point at the server.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use model::Timestamp;

use crate::App;
use crate::client::client_address;
use crate::error::{ApiError, json_response};
use crate::query::Parameters;
use crate::sites::normalize_host;

pub(crate) async fn ask(State(app): State<App>, uri: Uri) -> Result<Response, ApiError> {
    let parameters = Parameters::of(&uri);
    let domain =
        parameters.get("domain")?.ok_or_else(|| ApiError::BadRequest("domain is required".into()))?;
    let host = normalize_host(domain).ok_or(ApiError::NoHost)?;
    match app.publisher.answers_to(&host).await? {
        true => {
            app.certificate_requests.note(&host, app.clock.now());
            Ok(json_response(StatusCode::OK, b"{\"status\":\"ok\"}".to_vec()))
        }
        false => Err(ApiError::NoHost),
    }
}

/// When a certificate was last allowed for each host, for the dashboard.
#[derive(Default)]
pub(crate) struct CertificateRequests(Mutex<HashMap<String, Timestamp>>);

impl CertificateRequests {
    /// More hosts are forgotten: only the dashboard shows less then.
    const MOST: usize = 10_000;

    fn note(&self, host: &str, now: Timestamp) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if times.len() >= CertificateRequests::MOST {
            times.clear();
        }
        times.insert(host.to_owned(), now);
    }

    pub(crate) fn last(&self, host: &str) -> Option<Timestamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(host).copied()
    }
}

/// Returns 404 unless the request comes from a proxy, on this machine or trusted: others must not learn which hosts
/// exist. A request that the proxy forwards for a client does not count as the proxy's own.
pub(crate) async fn only_proxies(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let is_proxy = |address: IpAddr| {
        app.trusted_proxies.iter().any(|net| net.contains(&address)) || address.is_loopback()
    };
    let client = client_address(peer.ip(), request.headers(), &app.trusted_proxies);
    match is_proxy(peer.ip().to_canonical()) && is_proxy(client) {
        true => Ok(next.run(request).await),
        false => Err(ApiError::NoRoute),
    }
}
