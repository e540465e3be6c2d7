//! Counts requests by status. The counters are looked up once, not for every request.

use std::sync::LazyLock;

use axum::http::StatusCode;
use prometheus::{IntCounter, IntCounterVec, register_int_counter_vec};

static REQUESTS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    register_int_counter_vec!("recto_site_requests_total", "Requests to sites.", &["status"])
        .expect("registered once")
});

pub(super) struct RequestCounters([IntCounter; 4]);

impl RequestCounters {
    pub(super) fn new() -> RequestCounters {
        RequestCounters(["2xx", "3xx", "4xx", "5xx"].map(|status| REQUESTS.with_label_values(&[status])))
    }

    pub(super) fn count(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100);
        if let Some(counter) = class.checked_sub(2).and_then(|class| self.0.get(class)) {
            counter.inc();
        }
    }
}
