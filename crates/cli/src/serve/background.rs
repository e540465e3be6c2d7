//! What the server does besides answering: it builds, looks for pages that become due, transcodes, and tidies up.

use std::time::Duration;

use publisher::Publisher;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const UPKEEP_EVERY: Duration = Duration::from_secs(60);
const ROUNDS_A_DAY: u64 = 24 * 60;

/// They end soon after `stop`.
pub(super) fn start(publisher: &Publisher, workers: usize, stop: &CancellationToken) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(keep_up(publisher.clone(), stop.clone())),
        tokio::spawn(queue_due(publisher.clone(), stop.clone())),
        tokio::spawn(transcode(publisher.clone(), stop.clone())),
    ];
    tasks.extend((0..workers).map(|_| tokio::spawn(build(publisher.clone(), stop.clone()))));
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

async fn keep_up(publisher: Publisher, stop: CancellationToken) {
    for round in 0.. {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(UPKEEP_EVERY) => {}
        }
        // Each step is a transaction of its own: it may be broken off between any two.
        tokio::select! {
            () = stop.cancelled() => return,
            () = tidy(&publisher) => {}
        }
        if round % ROUNDS_A_DAY == 0 {
            tokio::select! {
                () = stop.cancelled() => return,
                () = sweep_orphans(&publisher) => {}
            }
        }
    }
}

/// It lists the whole object store, so it is done once a day.
async fn sweep_orphans(publisher: &Publisher) {
    match publisher.sweep_orphans().await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "objects that belonged to nobody were deleted"),
        Err(error) => tracing::warn!(%error, "objects that belong to nobody stay for another day"),
    }
}

async fn tidy(publisher: &Publisher) {
    match publisher.upkeep().await {
        Ok(done) => tracing::debug!(?done, "upkeep"),
        Err(error) => tracing::warn!(%error, "upkeep failed and is tried again in a minute"),
    }
    match publisher.sweep_media().await {
        Ok(swept) => tracing::debug!(swept, "media swept"),
        Err(error) => tracing::warn!(%error, "media are swept in a minute"),
    }
    match publisher.tidy_releases().await {
        Ok(done) => tracing::debug!(?done, "releases tidied"),
        Err(error) => tracing::warn!(%error, "releases are tidied in a minute"),
    }
}
