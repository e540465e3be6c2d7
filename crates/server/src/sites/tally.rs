//! How many requests ended how. The counters are looked up once: nothing on the way of a request asks for them by name.

use axum::http::StatusCode;
use metrics::Counter;

pub(super) struct Tally([Counter; 4]);

impl Tally {
    pub(super) fn new() -> Tally {
        Tally(
            ["2xx", "3xx", "4xx", "5xx"]
                .map(|status| metrics::counter!("recto_site_requests_total", "status" => status)),
        )
    }

    pub(super) fn count(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100);
        if let Some(counter) = class.checked_sub(2).and_then(|class| self.0.get(class)) {
            counter.increment(1);
        }
    }
}
