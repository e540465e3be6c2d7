//! What the server does besides answering: it builds, looks for pages that become due, transcodes, and tidies up.

use std::time::Duration;

use publisher::Publisher;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

const UPKEEP_EVERY: Duration = Duration::from_secs(60);
/// Replaced texts are deleted soon, so that they do not fill the disk; so is a disk that becomes full noticed.
const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// The work of the day is claimed once a day; this is how often somebody asks.
const DAILY_WORK_EVERY: Duration = Duration::from_secs(3600);

/// They end soon after `stop`.
pub(super) fn start(publisher: &Publisher, config: &Config, stop: &CancellationToken) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(repeat(UPKEEP_EVERY, stop.clone(), publisher.clone(), tidy)),
        tokio::spawn(repeat(SWEEP_EVERY, stop.clone(), publisher.clone(), sweep)),
        tokio::spawn(repeat(DAILY_WORK_EVERY, stop.clone(), publisher.clone(), daily_work)),
        tokio::spawn(queue_due(publisher.clone(), stop.clone())),
        tokio::spawn(transcode(publisher.clone(), stop.clone())),
    ];
    tasks.extend((0..config.build_workers).map(|_| tokio::spawn(build(publisher.clone(), stop.clone()))));
    tasks
}

async fn build(publisher: Publisher, stop: CancellationToken) {
    publisher.run_builds(stop.cancelled()).await;
}

async fn queue_due(publisher: Publisher, stop: CancellationToken) {
    tokio::select! { () = publisher.run_schedule() => {}, () = stop.cancelled() => {} }
}

async fn transcode(publisher: Publisher, stop: CancellationToken) {
    publisher.run_transcodes(stop.cancelled()).await;
}

/// Does something again and again. Each step of it is a transaction of its own: it may be broken off between any two.
async fn repeat(
    pause: Duration,
    stop: CancellationToken,
    publisher: Publisher,
    work: impl AsyncFn(&Publisher),
) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = work(&publisher) => {}
        }
    }
}

async fn sweep(publisher: &Publisher) {
    if let Err(error) = publisher.sweep_texts().await {
        tracing::warn!(%error, "replaced texts were not deleted; the next attempt follows");
    }
    publisher.watch_disks();
}

/// It lists the whole object store, so one server does it, once a day.
async fn daily_work(publisher: &Publisher) {
    match publisher.claim_daily_work().await {
        Ok(true) => {}
        Ok(false) => return,
        Err(error) => return tracing::warn!(%error, "database unavailable: the daily work waits"),
    }
    match publisher.sweep_orphans(false).await {
        Ok(found) => tracing::info!(?found, "objects that nothing refers to were deleted"),
        Err(error) => tracing::error!(%error, "objects that nothing refers to were not deleted"),
    }
    if let Err(error) = publisher.forget_old_builds().await {
        tracing::warn!(%error, "old builds were not deleted; the next attempt follows in a day");
    }
}

async fn tidy(publisher: &Publisher) {
    match publisher.upkeep().await {
        Ok(done) => tracing::debug!(?done, "upkeep"),
        Err(error) => tracing::warn!(%error, "upkeep failed; the next attempt follows in a minute"),
    }
    match publisher.sweep_media().await {
        Ok(swept) => tracing::debug!(swept, "media swept"),
        Err(error) => {
            tracing::warn!(%error, "deleted media were not swept; the next attempt follows in a minute")
        }
    }
    match publisher.tidy_releases().await {
        Ok(done) => tracing::debug!(?done, "releases tidied"),
        Err(error) => {
            tracing::warn!(%error, "old releases were not tidied; the next attempt follows in a minute")
        }
    }
}
