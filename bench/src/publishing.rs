//! Publishing, compared with the bare databases doing the same upsert; with many clients, and with one.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::recto::Recto;
use crate::report::{Report, Row, Target, ms};
use crate::timing::{median, time, time_async};
use crate::{corpus, raw};

const BATCH: usize = 5000;
const ROUNDS: usize = 5;
const CLIENTS: usize = 64;
const SLOW_SYNC_US: u64 = 4000;

struct Times {
    insert: f64,
    update: f64,
}

/// First insert and update of one batch through the API, and in the bare database, in milliseconds; then the same
/// update again, which changes nothing. A new server in each round.
async fn publish_rounds(
    variables: &[(&str, String)],
    mut raw: impl FnMut(usize) -> Result<Times>,
) -> Result<([Times; 2], f64)> {
    let pages = corpus::pages(BATCH);
    let (mut ours, mut theirs, mut again) = ((vec![], vec![]), (vec![], vec![]), vec![]);
    for round in 0..ROUNDS {
        let peer = raw(round)?;
        theirs.0.push(peer.insert);
        theirs.1.push(peer.update);
        let recto = Recto::start(variables).await?;
        let (first, second) = (corpus::payload(&pages), corpus::payload(&corpus::edited(&pages, round)));
        ours.0.push(time_async(recto.publish(first)).await?);
        ours.1.push(time_async(recto.publish(second.clone())).await?);
        again.push(time_async(recto.publish(second)).await?);
    }
    let times = |(insert, update)| Times { insert: median(insert), update: median(update) };
    Ok(([times(ours), times(theirs)], median(again)))
}

fn publish_report(database: &str, ([ours, theirs], again): ([Times; 2], f64)) -> Report {
    let row = |what: &str, ours: f64, theirs: f64, most: f64| Row {
        what: format!("publish {BATCH} pages of 5 KB, {what}, {database}"),
        ours: ms(ours),
        peer: format!("raw upsert {}", ms(theirs)),
        ratio: ours / theirs,
        target: Target::AtMost(most),
    };
    let again = Row {
        what: format!("the same {BATCH} pages again, {database}"),
        ours: ms(again),
        peer: format!("the update {}", ms(ours.update)),
        ratio: again / ours.update,
        target: Target::AtMost(1.2),
    };
    let insert = row("first insert", ours.insert, theirs.insert, 1.3);
    vec![insert, row("update", ours.update, theirs.update, 1.4), again].into()
}

pub async fn sqlite() -> Result<Report> {
    let pages = corpus::pages(BATCH);
    let raw = |round| {
        let directory = tempfile::tempdir()?;
        let mut connection = raw::sqlite(&directory.path().join("raw.db"))?;
        let edited = corpus::edited(&pages, round);
        let insert = time(|| raw::sqlite_upsert(&mut connection, &pages, 1))?;
        let update = time(|| raw::sqlite_upsert(&mut connection, &edited, 2))?;
        Ok(Times { insert, update })
    };
    Ok(publish_report("SQLite", publish_rounds(&[], raw).await?))
}

pub async fn postgres() -> Result<Report> {
    let url = std::env::var("RECTO_TEST_POSTGRES").context("RECTO_TEST_POSTGRES: run bench/run")?;
    let pages = corpus::pages(BATCH);
    let peer_url = url.clone();
    let raw = move |round| {
        let (url, pages) = (peer_url.clone(), pages.clone());
        // The synchronous client must not run inside the runtime.
        let worker = std::thread::spawn(move || {
            let mut client = raw::postgres(&url)?;
            let edited = corpus::edited(&pages, round);
            let insert = time(|| raw::postgres_upsert(&mut client, &pages, 1))?;
            let update = time(|| raw::postgres_upsert(&mut client, &edited, 2))?;
            // An empty schema for the server of this round.
            client.batch_execute("DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench")?;
            Ok(Times { insert, update })
        });
        worker.join().expect("the peer does not panic")
    };
    let store = ("RECTO_STORE_URL", format!("{url}?options=-csearch_path%3Dbench"));
    Ok(publish_report("PostgreSQL", publish_rounds(&[store], raw).await?))
}

/// An empty schema for one server. The synchronous client must not run inside the runtime.
pub fn fresh_schema() -> Result<String> {
    let url = std::env::var("RECTO_TEST_POSTGRES").context("RECTO_TEST_POSTGRES: run bench/run")?;
    raw::postgres(&url)?.batch_execute("DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench")?;
    Ok(format!("{url}?options=-csearch_path%3Dbench"))
}

/// 64 clients, each publishing one page at a time, on a disk where a sync takes 4 ms, and on this one.
pub async fn clients() -> Result<Report> {
    let library = std::env::var("SLOW_SYNC").context("SLOW_SYNC: run bench/run")?;
    let slow = [("LD_PRELOAD", library), ("SLOW_SYNC_US", SLOW_SYNC_US.to_string())];
    let mut rows = Vec::new();
    for (what, disk, target, requests) in [
        ("4 ms per sync", slow.as_slice(), Target::AtLeast(10.0), 640),
        ("this disk", &[], Target::AtLeast(1.0), 6400),
    ] {
        let alone = [disk, &[("RECTO_STORE_GROUP_COMMIT", "1".to_owned())]].concat();
        let peer = publish_concurrently(Recto::start(&alone).await?, requests).await?;
        let rate = publish_concurrently(Recto::start(disk).await?, 6400).await?;
        rows.push(Row {
            what: format!("{CLIENTS} clients, one page each, durable, {what}"),
            ours: format!("{rate:.0}/s"),
            peer: format!("a commit each {peer:.0}/s"),
            ratio: rate / peer,
            target,
        });
    }
    Ok(rows.into())
}

async fn publish_concurrently(recto: Recto, requests: usize) -> Result<f64> {
    let (recto, pages) = (Arc::new(recto), Arc::new(corpus::pages(requests)));
    let start = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (recto, pages) = (recto.clone(), pages.clone());
            tokio::spawn(async move {
                for page in pages.iter().skip(client).step_by(CLIENTS) {
                    recto.publish(corpus::payload(std::slice::from_ref(page))).await?;
                }
                anyhow::Ok(())
            })
        })
        .collect();
    for client in clients {
        client.await??;
    }
    Ok(requests as f64 / start.elapsed().as_secs_f64())
}

/// A single client, compared with a bare commit plus a bare round trip.
pub async fn alone() -> Result<Report> {
    let directory = tempfile::tempdir()?;
    let mut connection = raw::sqlite(&directory.path().join("raw.db"))?;
    let recto = Recto::start(&[]).await?;
    let pages = corpus::pages(500);
    let (mut ours, mut commits, mut trips) = (vec![], vec![], vec![]);
    for page in &pages {
        let page = std::slice::from_ref(page);
        commits.push(time(|| raw::sqlite_upsert(&mut connection, page, 1))?);
        trips.push(time_async(recto.round_trip()).await?);
        ours.push(time_async(recto.publish(corpus::payload(page))).await?);
    }
    let (ours, floor) = (median(ours), median(commits) + median(trips));
    let row = Row {
        what: "one client alone, one page".into(),
        ours: ms(ours),
        peer: format!("commit + trip {}", ms(floor)),
        ratio: ours / floor,
        target: Target::AtMost(1.4),
    };
    Ok(vec![row].into())
}
