//! Serving while another site on the same server is rebuilt completely, repeatedly.

use anyhow::{Context, Result};

use super::stage::Stage;
use crate::corpus;
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{median, time_async};
use crate::wrk::{self, Load};

const PAGES: usize = 10_000;
const SECONDS: u32 = 8;

pub(super) async fn measure(stage: &Stage, quiet: Load) -> Result<Report> {
    let recto = &stage.recto;
    let made = recto.command(&["site", "create", "busy", "--account", &recto.account])?;
    let site = made["siteId"].as_str().context("a site is made")?;
    recto.publish_all(Some(site), &corpus::pages(PAGES)).await?;
    let alone = time_async(recto.build(Some(site))).await?;
    let mut report = Report::default();
    let (mut busy, mut builds) = (None::<Load>, vec![]);
    for _ in 0..super::ROUNDS {
        let (url, headers) = stage.request(None);
        let load = tokio::task::spawn_blocking(move || wrk::run(&url, &headers, SECONDS));
        while !load.is_finished() {
            // Every page shows the title, so every page is rebuilt.
            let title = format!("title=Busy {}", builds.len());
            recto.command(&["site", "set", site, &title, "--no-build"])?;
            builds.push(time_async(recto.build(Some(site))).await?);
        }
        let load = load.await??;
        progress(&format!("while a site is built: {load:?}"));
        busy = Some(busy.map_or(load, |best| best.better(load)));
    }
    let busy = busy.context("a round")?;
    report.note(format!(
        "{} builds of {PAGES} pages ran during this, {} each; {} without visitors",
        builds.len(),
        ms(median(builds)),
        ms(alone)
    ));
    report.rows = rows(busy, quiet).into();
    Ok(report)
}

fn rows(busy: Load, quiet: Load) -> [Row; 2] {
    [
        Row {
            what: format!("… while {PAGES} pages are built, 99 of 100 within"),
            ours: ms(busy.p99_ms),
            peer: format!("quiet {}", ms(quiet.p99_ms)),
            ratio: busy.p99_ms / quiet.p99_ms,
            target: Target::AtMost(2.0),
        },
        Row {
            what: format!("… while {PAGES} pages are built"),
            ours: format!("{:.0}/s", busy.per_second),
            peer: format!("quiet {:.0}/s", quiet.per_second),
            ratio: busy.per_second / quiet.per_second,
            target: Target::Informational,
        },
    ]
}
