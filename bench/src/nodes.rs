//! Two nodes on PostgreSQL, S3 and Redis, compared with one on SQLite and a directory; how soon a change on one node is
//! visible on the other; and how many go-lives look-ups can bear.

mod flood;
mod node;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use self::node::SitesNode;
use crate::corpus;
use crate::recto::{Recto, contains};
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{ms_since, percentile};
use crate::wrk;

const PAGES: usize = 1000;
const PUBLISHES: usize = 300;
const COLD_VIEWS: usize = 300;
const CHANGES: usize = 100;
const SECONDS: u32 = 6;
/// What is promised for a change on one node to be visible on another.
const VISIBLE_MS: f64 = 100.0;
const TIMEOUT: Duration = Duration::from_secs(20);

/// What a publish and a page view cost on one kind of engines.
struct Costs {
    publish_ms: Vec<f64>,
    publish_cpu_ms: f64,
    cold_ms: Vec<f64>,
    views_per_second: f64,
    view_cpu_us: f64,
}

pub async fn nodes() -> Result<Report> {
    let mut report = Report::default();
    progress("one node on SQLite and a directory");
    let embedded = Recto::start(&[]).await?;
    let alone = costs(&embedded, None).await?;
    drop(embedded);

    progress("two nodes on PostgreSQL, S3 and Redis");
    let store = tokio::task::spawn_blocking(crate::publishing::fresh_schema).await??;
    let engines = engines(store)?;
    let first = Recto::start(&engines).await?;
    let other = SitesNode::start(&engines, &first.host).await?;
    let shared = costs(&first, Some(&other)).await?;
    report.rows.extend(rows(&alone, &shared));
    report.rows.push(visible(&first, &other).await?);
    report.add(flood::measure(&first, &other).await?);
    report.note(other.describe()?);
    Ok(report)
}

/// The variables of a node.
fn engines(store: String) -> Result<Vec<(&'static str, String)>> {
    let variable = |name: &str| std::env::var(name).with_context(|| format!("{name}: run bench/run"));
    let prefix = format!("s3://recto/bench-{}", uuid::Uuid::now_v7().simple());
    Ok(vec![
        ("RECTO_STORE_URL", store),
        ("RECTO_OBJECTS_URL", prefix),
        ("RECTO_LIMITS_URL", variable("RECTO_TEST_REDIS")?),
        ("AWS_ENDPOINT_URL", variable("RECTO_TEST_S3")?),
        ("AWS_ACCESS_KEY_ID", "test".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
    ])
}

async fn costs(recto: &Recto, other: Option<&SitesNode>) -> Result<Costs> {
    let pages = corpus::pages(PAGES);
    recto.publish_all(None, &pages).await?;
    recto.build(None).await?;
    let (cpu, mut publish_ms) = (recto.cpu_ms()?, Vec::new());
    for number in 0..PUBLISHES {
        let body = serde_json::to_vec(
            &json!({ "slug": format!("one-{number}"), "title": "One", "content": "One page." }),
        )?;
        let start = Instant::now();
        recto.publish(body).await?;
        publish_ms.push(ms_since(start));
    }
    let publish_cpu_ms = (recto.cpu_ms()? - cpu) / PUBLISHES as f64;

    let mut cold_ms = Vec::new();
    for page in pages.iter().take(COLD_VIEWS) {
        let start = Instant::now();
        let status = match other {
            Some(node) => node.visit(&page.url()).await?.0,
            None => recto.visit(&page.url(), None).await?.status,
        };
        if !status.is_success() {
            bail!("{}: {status}", page.url());
        }
        cold_ms.push(ms_since(start));
    }
    let base = other.map_or(recto.sites.as_str(), |node| node.base.as_str());
    let url = format!("{base}{}", pages[0].url());
    let headers = [format!("Host: {}", recto.host)];
    wrk::run(&url, &headers, 1)?;
    let cpu = || other.map_or_else(|| recto.cpu_ms(), SitesNode::cpu_ms);
    let before = cpu()?;
    let load = wrk::run(&url, &headers, SECONDS)?;
    let requests = load.per_second * f64::from(SECONDS);
    Ok(Costs {
        publish_ms,
        publish_cpu_ms,
        cold_ms,
        views_per_second: load.per_second,
        view_cpu_us: (cpu()? - before) * 1e3 / requests,
    })
}

fn rows(alone: &Costs, shared: &Costs) -> Vec<Row> {
    let row = |what: &str, ours: String, peer: String, ratio: f64| Row {
        what: what.to_owned(),
        ours,
        peer: format!("one node {peer}"),
        ratio,
        target: Target::Informational,
    };
    let at = |values: &[f64], percent| percentile(values, percent);
    let mut rows = Vec::new();
    for percent in [50.0, 99.0] {
        let (ours, peer) = (at(&shared.publish_ms, percent), at(&alone.publish_ms, percent));
        rows.push(row(&format!("nodes: publish of one page, p{percent}"), ms(ours), ms(peer), ours / peer));
    }
    let (ours, peer) = (shared.publish_cpu_ms, alone.publish_cpu_ms);
    rows.push(row("nodes: CPU of our process for a publish", ms(ours), ms(peer), ours / peer));
    for percent in [50.0, 99.0] {
        let (ours, peer) = (at(&shared.cold_ms, percent), at(&alone.cold_ms, percent));
        rows.push(row(&format!("nodes: first view of a page, p{percent}"), ms(ours), ms(peer), ours / peer));
    }
    let (ours, peer) = (shared.view_cpu_us, alone.view_cpu_us);
    rows.push(row(
        "nodes: CPU of a page view from memory",
        format!("{ours:.1} µs"),
        format!("{peer:.1} µs"),
        ours / peer,
    ));
    let (ours, peer) = (shared.views_per_second, alone.views_per_second);
    rows.push(row("nodes: page views a second", format!("{ours:.0}/s"), format!("{peer:.0}/s"), ours / peer));
    rows
}

/// From `success` in the API of one node until the other serves the new page.
async fn visible(first: &Recto, other: &SitesNode) -> Result<Row> {
    let mut delays = Vec::new();
    for number in 0..CHANGES {
        let words = format!("change-{number}-");
        let body = json!({ "slug": "changing", "title": words, "content": words });
        first.publish(serde_json::to_vec(&body)?).await?;
        first.build(None).await?;
        let success = Instant::now();
        while !contains(&other.visit("/blog/changing").await?.1, &words) {
            if success.elapsed() > TIMEOUT {
                bail!("a change was not visible within {TIMEOUT:?}");
            }
        }
        delays.push(ms_since(success));
    }
    let worst = percentile(&delays, 99.0);
    Ok(Row {
        what: format!("nodes: visible on the other node, p99 of {CHANGES}"),
        ours: ms(worst),
        peer: format!("median {}", ms(percentile(&delays, 50.0))),
        ratio: worst / VISIBLE_MS,
        target: Target::AtMost(1.0),
    })
}
