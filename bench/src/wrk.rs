//! The load generator for serving: 64 connections that send the next request as soon as they get a response.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

#[derive(Debug, Clone, Copy)]
pub struct Load {
    pub requests: f64,
    pub per_second: f64,
    pub p99_ms: f64,
}

impl Load {
    /// Machines are noisy: takes the better of two rounds for each figure.
    pub fn better(self, other: Load) -> Load {
        Load {
            requests: self.requests + other.requests,
            per_second: self.per_second.max(other.per_second),
            p99_ms: self.p99_ms.min(other.p99_ms),
        }
    }
}

pub fn run(url: &str, headers: &[String], seconds: u32) -> Result<Load> {
    let mut command = Command::new("wrk");
    command.args(["-t2", "-c64", "--latency", "--timeout", "10s", &format!("-d{seconds}s")]);
    for header in headers {
        command.args(["-H", header]);
    }
    let done = command.arg(url).output().context("wrk")?;
    let text = String::from_utf8_lossy(&done.stdout);
    ensure!(done.status.success(), "wrk: {}", String::from_utf8_lossy(&done.stderr));
    if text.contains("Non-2xx") || text.contains("Socket errors") {
        bail!("{url}: {text}");
    }
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name)).context("wrk's figures");
        line.map(str::trim)
    };
    let requests = text.split_once(" requests in").and_then(|(before, _)| before.split_whitespace().last());
    Ok(Load {
        requests: requests.context("wrk's figures")?.parse()?,
        per_second: field("Requests/sec:")?.parse()?,
        p99_ms: milliseconds(field("99%")?)?,
    })
}

/// `850.00us`, `1.25ms`, `2.00s`.
fn milliseconds(text: &str) -> Result<f64> {
    let (number, scale) = match text {
        text if text.ends_with("us") => (text.trim_end_matches("us"), 1e-3),
        text if text.ends_with("ms") => (text.trim_end_matches("ms"), 1.0),
        text => (text.trim_end_matches('s'), 1e3),
    };
    Ok(number.parse::<f64>().with_context(|| format!("{text:?} is not a duration"))? * scale)
}
