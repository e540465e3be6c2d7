//! HTTP: the router, authentication and rate limits, error bodies, the listener, serving sites. The use cases are in
//! `publisher`.

mod body;
mod client;
mod compression;
mod cors;
mod dashboard;
mod docs;
mod encoding;
mod error;
mod form;
mod guard;
mod health;
mod json_stream;
mod large;
mod listen;
mod multipart;
mod permits;
mod preview;
mod query;
mod router;
mod routes;
mod sites;
mod tls;
mod trace;

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use axum::extract::FromRef;
use ipnet::IpNet;
use limits::Limiter;
use model::Clock;
use publisher::{Publisher, Turns};

use crate::dashboard::{Exports, SignIns, Streams, exports, lookups, streams};
use crate::docs::reference::Reference;
use crate::guard::{OpenRequests, open_requests};
use crate::tls::CertificateRequests;

pub use dashboard::link_url;
pub use docs::openapi;
pub use health::Health;
pub use listen::{Handler, ListenLimits, RequestBody, Threads, serve, serve_on};
pub use preview::{Preview, PreviewState};
pub use router::{admin_router, router};
pub use sites::{Sites, SitesSettings};

/// Everything a request needs. It is cloned several times for each, so that is cheap.
#[derive(Clone)]
pub struct App(Arc<AppState>);

/// The parts, and what the server makes of them.
pub struct AppState {
    parts: AppParts,
    health: Health,
    sign_ins: Arc<SignIns>,
    streams: Arc<Streams>,
    lookups: Arc<Turns>,
    exports: Arc<Exports>,
    open_requests: Arc<OpenRequests>,
    certificate_requests: CertificateRequests,
    reference: OnceLock<Reference>,
}

pub struct AppParts {
    pub publisher: Publisher,
    pub limiter: Limiter,
    pub clock: Arc<dyn Clock>,
    pub trusted_proxies: Vec<IpNet>,
    /// Rate limits are counted and sent in headers, but not enforced.
    pub dev: bool,
    /// The most bytes of a JSON body, both as sent and after decompression.
    pub max_body: u64,
    /// How people reach the dashboard, without a slash at the end.
    pub url: String,
}

impl App {
    pub fn new(parts: AppParts) -> App {
        let health = Health::new(parts.publisher.clone(), parts.limiter.backend().clone(), true);
        let sign_ins = Arc::new(SignIns::new(parts.limiter.backend().clone()));
        App(Arc::new(AppState {
            parts,
            health,
            sign_ins,
            streams: streams(),
            lookups: lookups(),
            exports: exports(),
            open_requests: open_requests(),
            certificate_requests: CertificateRequests::default(),
            reference: OnceLock::new(),
        }))
    }
}

impl FromRef<App> for Health {
    fn from_ref(app: &App) -> Health {
        app.health.clone()
    }
}

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl Deref for AppState {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.parts
    }
}
