//! Counts requests by status. The counters are looked up once, not for every request.

use std::sync::LazyLock;

use axum::http::StatusCode;
use prometheus::{IntCounter, IntCounterVec, register_int_counter, register_int_counter_vec};

static REQUESTS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    register_int_counter_vec!("recto_site_requests_total", "Requests to sites.", &["status"])
        .expect("registered once")
});

static AT_HAND: LazyLock<IntCounter> = LazyLock::new(|| {
    let help = "Those of the 2xx whose whole response was in memory.";
    register_int_counter!("recto_site_requests_at_hand_total", help).expect("registered once")
});

pub(super) struct RequestCounters {
    by_class: [IntCounter; 4],
    at_hand: IntCounter,
}

impl RequestCounters {
    pub(super) fn new() -> RequestCounters {
        let by_class = ["2xx", "3xx", "4xx", "5xx"].map(|status| REQUESTS.with_label_values(&[status]));
        RequestCounters { by_class, at_hand: AT_HAND.clone() }
    }

    pub(super) fn count_at_hand(&self) {
        self.by_class[0].inc();
        self.at_hand.inc();
    }

    pub(super) fn count(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100);
        if let Some(counter) = class.checked_sub(2).and_then(|class| self.by_class.get(class)) {
            counter.inc();
        }
    }
}
