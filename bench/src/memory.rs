//! Memory: idle, and while a body of 500 MB (5000 pages of 100,000 characters) is stored.

use std::time::Duration;

use anyhow::Result;

use crate::corpus;
use crate::recto::Recto;
use crate::report::{Report, Row, Target, mb};
use crate::timing::time_async;

const PAGES: usize = 5000;

pub async fn memory() -> Result<Report> {
    let recto = Recto::start(&[]).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let idle = recto.memory_mb("VmRSS")?;
    let mut pages = corpus::pages(PAGES);
    for page in &mut pages {
        page.content = page.content.repeat(22).chars().take(100_000).collect();
    }
    let body = corpus::payload(&pages);
    drop(pages);
    let size = body.len() as f64 / f64::from(1 << 20);
    let took = time_async(recto.publish(body)).await?;
    let growth = recto.memory_mb("VmHWM")? - idle;
    let row = |what: String, ours: f64, most: f64| Row {
        what,
        ours: mb(ours),
        peer: mb(most),
        ratio: ours / most,
        target: Target::AtMost(1.0),
    };
    let body = format!("memory growth by a body of {size:.0} MB ({:.1} s)", took / 1e3);
    Ok(vec![row("idle memory".into(), idle, 40.0), row(body, growth, 300.0)].into())
}
