//! HTTP: the router, who may pass, the error shapes, the listener. What the product does is in `publisher`.

mod body;
mod client;
mod cors;
mod docs;
mod encoding;
mod error;
mod form;
mod guard;
mod health;
mod json_stream;
mod limits;
mod listen;
mod multipart;
mod pack;
mod query;
mod router;
mod routes;
mod sites;
mod tls;
mod trace;

use std::sync::Arc;

use ipnet::IpNet;
use model::Clock;
use publisher::Publisher;

use self::health::Probe;
pub use docs::openapi;
pub use limits::Limiter;
pub use listen::{Answers, ListenLimits, Upload, serve};
pub use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
pub use router::{admin_router, router};
pub use sites::{Sites, SitesSettings};

/// Everything a request needs.
#[derive(Clone)]
pub struct App {
    parts: Arc<AppParts>,
    probe: Probe,
}

pub struct AppParts {
    pub publisher: Publisher,
    pub limiter: Limiter,
    pub clock: Arc<dyn Clock>,
    pub trusted_proxies: Vec<IpNet>,
    /// The rate limits refuse nothing; their headers still tell the truth.
    pub dev: bool,
    /// The most bytes of a JSON body, as sent and as unpacked.
    pub max_body: u64,
}

impl App {
    pub fn new(parts: AppParts) -> App {
        App { parts: Arc::new(parts), probe: Probe::default() }
    }
}

impl std::ops::Deref for App {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.parts
    }
}
