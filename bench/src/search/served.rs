//! Queries to a server over HTTP: while nothing else happens, and while another site of the same size is rebuilt.

use std::pin::pin;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use reqwest::StatusCode;

use super::queries::Queries;
use crate::corpus;
use crate::recto::Recto;
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{ms_since, percentile};

/// The goal for 10,000 pages, in milliseconds.
const BESIDE_A_BUILD: f64 = 20.0;
const BUILDS: usize = 3;

pub async fn measure(size: usize, queries: &Queries) -> Result<Report> {
    let recto = Recto::start(&[]).await?;
    let pages = corpus::pages(size);
    recto.publish_all(None, &pages).await?;
    recto.build(None).await?;
    let made = recto.command(&["site", "create", "busy", "--account", &recto.account])?;
    let busy = made["siteId"].as_str().context("a site is made")?;
    recto.publish_all(Some(busy), &pages).await?;

    // The first round warms up.
    ask(&recto, queries).await?;
    let quiet = ask(&recto, queries).await?;
    let beside = beside_builds(&recto, queries, busy).await?;
    progress(&format!("{} queries while another site was built", beside.len()));
    Ok(Report::from(vec![
        row(
            format!("search: a query to a server, {size} pages, 99 of 100 within"),
            &quiet,
            super::goal(size),
        ),
        row("… while another site of this size is built".into(), &beside, BESIDE_A_BUILD),
    ]))
}

async fn beside_builds(recto: &Recto, queries: &Queries, site: &str) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for number in 0..BUILDS {
        // Every page shows the title, so every page is rebuilt.
        recto.command(&["site", "set", site, &format!("title=Busy {number}"), "--no-build"])?;
        let mut build = pin!(recto.build(Some(site)));
        for query in queries.texts().into_iter().cycle() {
            tokio::select! {
                done = &mut build => {
                    done?;
                    break;
                }
                time = answer(recto, query) => times.push(time?),
            }
        }
    }
    Ok(times)
}

/// Each query, one after the other.
async fn ask(recto: &Recto, queries: &Queries) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for query in queries.texts() {
        times.push(answer(recto, query).await?);
    }
    Ok(times)
}

/// Milliseconds.
async fn answer(recto: &Recto, query: &str) -> Result<f64> {
    let path = format!("/search.json?q={}", query.replace(' ', "+"));
    let start = Instant::now();
    let answer = recto.visit(&path, None).await?;
    ensure!(answer.status == StatusCode::OK, "{path}: {}", answer.status);
    Ok(ms_since(start))
}

fn row(what: String, times: &[f64], goal: f64) -> Row {
    let p99 = percentile(times, 99.0);
    Row {
        what,
        ours: ms(p99),
        peer: format!("the goal {}", ms(goal)),
        ratio: p99 / goal,
        target: Target::AtMost(1.0),
    }
}
