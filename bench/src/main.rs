//! What we promise, measured against peers in one run. `bench/run` builds and starts what this needs.

mod corpus;
mod raw;
mod recto;
mod report;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::recto::Recto;
use crate::report::{Promise, Row, median, ms};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BATCH: usize = 5000;
const ROUNDS: usize = 5;
const CLIENTS: usize = 64;
const SLOW_SYNC_US: u64 = 4000;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted =
        |name: &str| arguments.is_empty() || arguments.iter().any(|word| name.contains(word.as_str()));
    let mut rows = Vec::new();
    if wanted("publish-sqlite") {
        rows.extend(publish_sqlite().await?);
    }
    if wanted("publish-postgres") {
        rows.extend(publish_postgres().await?);
    }
    if wanted("clients") {
        rows.extend(clients().await?);
    }
    if wanted("alone") {
        rows.push(alone().await?);
    }
    if wanted("list") {
        rows.extend(list().await?);
    }
    if wanted("memory") {
        rows.extend(memory().await?);
    }
    report::print(&rows);
    Ok(())
}

fn time<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

async fn time_async(work: impl Future<Output = Result<()>>) -> Result<f64> {
    let start = Instant::now();
    work.await?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

struct Times {
    insert: f64,
    update: f64,
}

/// First insert and update of one batch through the API, in milliseconds; a fresh server each round.
async fn publish_rounds(
    variables: &[(&str, String)],
    mut raw: impl FnMut(usize) -> Result<Times>,
) -> Result<[Times; 2]> {
    let pages = corpus::pages(BATCH);
    let (mut ours, mut theirs) = ((vec![], vec![]), (vec![], vec![]));
    for round in 0..ROUNDS {
        let peer = raw(round)?;
        theirs.0.push(peer.insert);
        theirs.1.push(peer.update);
        let recto = Recto::start(variables).await?;
        let (first, second) = (corpus::payload(&pages), corpus::payload(&corpus::edited(&pages, round)));
        ours.0.push(time_async(recto.publish(first)).await?);
        ours.1.push(time_async(recto.publish(second)).await?);
    }
    let times = |(insert, update)| Times { insert: median(insert), update: median(update) };
    Ok([times(ours), times(theirs)])
}

fn publish_report(database: &str, [ours, theirs]: [Times; 2]) -> Vec<Row> {
    let row = |what: &str, ours: f64, theirs: f64| Row {
        what: format!("publish {BATCH} pages of 5 KB, {what}, {database}"),
        ours: ms(ours),
        peer: format!("raw upsert {}", ms(theirs)),
        ratio: ours / theirs,
        promise: Promise::AtMost(1.5),
    };
    vec![row("first insert", ours.insert, theirs.insert), row("update", ours.update, theirs.update)]
}

async fn publish_sqlite() -> Result<Vec<Row>> {
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

async fn publish_postgres() -> Result<Vec<Row>> {
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
            // A fresh schema for the server of this round.
            client.batch_execute("DROP SCHEMA IF EXISTS bench CASCADE; CREATE SCHEMA bench")?;
            Ok(Times { insert, update })
        });
        worker.join().expect("the peer does not panic")
    };
    let store = ("RECTO_STORE_URL", format!("{url}?options=-csearch_path%3Dbench"));
    Ok(publish_report("PostgreSQL", publish_rounds(&[store], raw).await?))
}

/// 64 clients, each publishing one page at a time, on a disk where a sync costs 4 ms, and on this one as it is.
async fn clients() -> Result<Vec<Row>> {
    let library = std::env::var("SLOW_SYNC").context("SLOW_SYNC: run bench/run")?;
    let slow = [("LD_PRELOAD", library), ("SLOW_SYNC_US", SLOW_SYNC_US.to_string())];
    let mut rows = Vec::new();
    for (what, disk, promise, requests) in [
        ("4 ms a sync", slow.as_slice(), Promise::AtLeast(10.0), 640),
        ("this disk", &[], Promise::AtLeast(1.0), 6400),
    ] {
        let alone = [disk, &[("RECTO_STORE_GROUP_COMMIT", "1".to_owned())]].concat();
        let peer = publish_concurrently(Recto::start(&alone).await?, requests).await?;
        let rate = publish_concurrently(Recto::start(disk).await?, 6400).await?;
        rows.push(Row {
            what: format!("{CLIENTS} clients, one page each, durable, {what}"),
            ours: format!("{rate:.0}/s"),
            peer: format!("a commit each {peer:.0}/s"),
            ratio: rate / peer,
            promise,
        });
    }
    Ok(rows)
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

/// One client alone, against a bare commit plus a bare round trip.
async fn alone() -> Result<Row> {
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
    Ok(Row {
        what: "one client alone, one page".into(),
        ours: ms(ours),
        peer: format!("commit + trip {}", ms(floor)),
        ratio: ours / floor,
        promise: Promise::AtMost(1.5),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    slug: String,
    title: String,
    content_type: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    description: String,
    draft: bool,
    tags: Vec<String>,
    published_at: String,
    updated_at: String,
}

/// The listing of 10,000 pages, right after a change and once more, against writing the same JSON from memory.
async fn list() -> Result<Vec<Row>> {
    let pages = corpus::pages(2 * BATCH);
    let recto = Recto::start(&[]).await?;
    for batch in pages.chunks(BATCH) {
        recto.publish(corpus::payload(batch)).await?;
    }
    let listed: Vec<Listed> = pages.iter().map(listed).collect();
    let (mut changed, mut again, mut theirs) = (vec![], vec![], vec![]);
    for page in &pages[..30] {
        recto.publish(corpus::payload(std::slice::from_ref(page))).await?;
        changed.push(time_async(async { recto.list().await.map(drop) }).await?);
        again.push(time_async(async { recto.list().await.map(drop) }).await?);
        theirs.push(time(|| {
            std::hint::black_box(serde_json::to_vec(&listed)?);
            Ok(())
        })?);
    }
    let theirs = median(theirs);
    let row = |when: &str, times: Vec<f64>| {
        let ours = median(times);
        Row {
            what: format!("list {} pages, {when}", pages.len()),
            ours: ms(ours),
            peer: format!("serialise {}", ms(theirs)),
            ratio: ours / theirs,
            promise: Promise::AtMost(3.0),
        }
    };
    Ok(vec![row("after a change", changed), row("unchanged", again)])
}

fn listed(page: &corpus::Page) -> Listed {
    Listed {
        id: uuid::Uuid::now_v7().to_string(),
        slug: page.slug.clone(),
        title: page.title.clone(),
        content_type: page.content_type,
        section: page.section.clone(),
        description: page.description.clone(),
        draft: false,
        tags: page.tags.clone(),
        published_at: "2026-01-02T03:04:05.678Z".into(),
        updated_at: "2026-01-02T03:04:05.678Z".into(),
    }
}

/// Idle, and while a body of 500 MB (5000 pages of 100,000 characters) is stored.
async fn memory() -> Result<Vec<Row>> {
    let recto = Recto::start(&[]).await?;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let idle = recto.memory_mb("VmRSS")?;
    let mut pages = corpus::pages(BATCH);
    for page in &mut pages {
        page.content = page.content.repeat(20).chars().take(100_000).collect();
    }
    let body = corpus::payload(&pages);
    drop(pages);
    let size = body.len() as f64 / f64::from(1 << 20);
    let took = time_async(recto.publish(body)).await?;
    let growth = recto.memory_mb("VmHWM")? - idle;
    Ok(vec![
        Row {
            what: "idle memory".into(),
            ours: format!("{idle:.0} MB"),
            peer: "40 MB".into(),
            ratio: idle / 40.0,
            promise: Promise::AtMost(1.0),
        },
        Row {
            what: format!("memory growth by a body of {size:.0} MB ({:.1} s)", took / 1e3),
            ours: format!("{growth:.0} MB"),
            peer: "300 MB".into(),
            ratio: growth / 300.0,
            promise: Promise::AtMost(1.0),
        },
    ])
}
