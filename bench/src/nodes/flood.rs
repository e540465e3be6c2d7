//! Page views while many other sites go live: each go-live is a notification to every node, and a new look-up of its own
//! site only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use postgres::NoTls;

use super::node::SitesNode;
use crate::recto::Recto;
use crate::report::{Report, Row, Target, ms, progress};
use crate::wrk;

const RATES: [u64; 4] = [10, 100, 1000, 5000];
const SECONDS: u32 = 5;

pub async fn measure(first: &Recto, other: &SitesNode) -> Result<Report> {
    let mut report = Report::default();
    let (url, headers) = (format!("{}/blog/changing", other.base), [format!("Host: {}", first.host)]);
    let quiet = wrk::run(&url, &headers, SECONDS)?;
    for rate in RATES {
        let flood = Flood::start(rate)?;
        let load = wrk::run(&url, &headers, SECONDS)?;
        let reached = flood.stop();
        progress(&format!("{reached:.0} go-lives a second: {load:?}"));
        report.rows.push(Row {
            what: format!("nodes: page views during {reached:.0} go-lives/s, p99"),
            ours: format!("{:.0}/s, {}", load.per_second, ms(load.p99_ms)),
            peer: format!("quiet {:.0}/s, {}", quiet.per_second, ms(quiet.p99_ms)),
            ratio: load.per_second / quiet.per_second,
            target: Target::Informational,
        });
    }
    Ok(report)
}

/// Announces changes of random sites at a rate, as their go-lives would, in transactions of their own.
struct Flood {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    started: Instant,
    thread: std::thread::JoinHandle<()>,
}

impl Flood {
    fn start(rate: u64) -> Result<Flood> {
        let url = std::env::var("RECTO_TEST_POSTGRES").context("RECTO_TEST_POSTGRES: run bench/run")?;
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, count) = (stop.clone(), sent.clone());
        let thread = std::thread::spawn(move || {
            let Ok(mut client) = postgres::Client::connect(&url, NoTls) else { return };
            let started = Instant::now();
            while !stopped.load(Ordering::Relaxed) {
                if count.load(Ordering::Relaxed) as f64 > started.elapsed().as_secs_f64() * rate as f64 {
                    std::thread::sleep(Duration::from_micros(200));
                    continue;
                }
                let site = uuid::Uuid::now_v7().to_string();
                if client.execute("SELECT pg_notify('recto_sites', $1)", &[&site]).is_err() {
                    return;
                }
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(Flood { stop, sent, started: Instant::now(), thread })
    }

    /// How many were sent a second.
    fn stop(self) -> f64 {
        let seconds = self.started.elapsed().as_secs_f64();
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
        self.sent.load(Ordering::Relaxed) as f64 / seconds
    }
}
